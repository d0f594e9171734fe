# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function traced for one configuration: the kernels that it calls, and their keys in the cache."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.errors import Error, NoKernelError
from gridir.frontend.capture.install import jax_alone
from gridir.frontend.compat.jax_tpu import some_device
from gridir.frontend.estimates.kernel_calls import Calls, KernelCall, find_calls
from gridir.tuning.space import Config, Space

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclasses.dataclass(frozen=True)
class Traced:
    """A function for one configuration.

    Attributes:
      config: the configuration. function: the function of the arguments alone, jitted. args: the arguments. calls: the
      kernels that it calls. traced: the traced function of JAX.
    """

    config: Config
    function: Any
    args: tuple[Any, ...]
    calls: Calls
    traced: Any = dataclasses.field(repr=False)


def trace(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], space: Space, config: Config
) -> Any:
    """Traces a function for a configuration.

    Returns:
      A `Traced`, or the reason why the function refuses the configuration.

    Raises:
      NoKernelError: when the function calls no kernel.
    """
    try:
        keywords = {**kwargs, **space.keywords(config)}

        def bound(*operands: Any) -> Any:
            return function(*operands, **keywords)

        bound.__name__ = bound.__qualname__ = getattr(function, "__name__", "tuned")
        jitted = jax.jit(bound)
        with jax_alone(), some_device():
            traced = jitted.trace(*args)
        calls = find_calls(traced.jaxpr, jax.tree.leaves(tuple(args)))
    except Exception as error:
        return reason_of(error)
    if not calls.kernels:
        raise NoKernelError(
            f"expected a function with kernels, got {getattr(function, '__name__', 'one')!r} that calls none",
            notes=["a kernel is a call of pl.pallas_call or pl.kernel"],
        )
    return Traced(config, jitted, tuple(args), calls, traced)


def refusals(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], space: Space, configs: Sequence[Config]
) -> list[str]:
    """Returns the reasons why a function refuses configurations, up to the first one that it takes.

    Where the function checks its arguments first, this is much faster than `trace`.
    """
    found: list[str] = []

    def probe(*operands: Any) -> None:
        for config in configs:
            try:
                function(*operands, **{**kwargs, **space.keywords(config)})
            except Exception as error:
                found.append(reason_of(error))
            else:
                return

    with jax_alone(), some_device():
        jax.eval_shape(probe, *args)
    return found


def reason_of(error: Exception) -> str:
    """Returns the reason for which a function refuses a configuration, or a configuration cannot run.

    Raises:
      TypeError: `error`, when the function has no such argument.
    """
    if isinstance(error, Error):
        return error.message
    # A function may raise errors of any class for such arguments.
    text = str(error).strip()
    if isinstance(error, TypeError) and "unexpected keyword argument" in text:
        raise error
    return f"{type(error).__name__}: {text.partition(chr(10))[0]}"


def kernel_key(call: KernelCall, facts: dict[str, Any]) -> str:
    """Returns the key of a kernel in the cache.

    Args:
      call: the kernel with the values of its scalars.
      facts: further facts that its time depends on: chip, versions, options.
    """
    request = call.request
    mapping: Any = request.grid_mapping
    blocks = [
        [
            str(block.block_shape),
            str(block.array_aval),
            str(block.index_map_jaxpr),
            str(block.pipeline_mode),
            str(block.transformed_block_aval),
        ]
        for block in mapping.block_mappings
    ]
    content = {
        "facts": facts,
        "kernel": request.kernel_name,
        "jaxprs": [str(jaxpr) for jaxpr in request.jaxprs],
        "grid": [str(size) for size in mapping.grid],
        "blocks": blocks,
        "params": str(request.compiler_params),
        "aliases": request.input_output_aliases,
        "operands": [_digest(value) for value in (*call.sizes, *call.scalars, *call.inputs)],
    }
    text = _ADDRESS.sub("", json.dumps(content, sort_keys=True))
    return hashlib.sha256(text.encode()).hexdigest()


def distinct_calls(traced: Traced) -> list[KernelCall]:
    """Returns the calls of kernels, those of the same kernel as one."""
    found: dict[str, KernelCall] = {}
    times: dict[str, int] = {}
    for call in traced.calls.kernels:
        key = kernel_key(call, {})
        found[key] = call
        times[key] = times.get(key, 0) + call.times
    return [dataclasses.replace(call, times=times[key]) for key, call in found.items()]


def function_key(traced: Traced, facts: dict[str, Any]) -> str:
    """Returns the key of a whole function in the cache: its kernels, and the ops of XLA around them."""
    content = {
        "around": str(traced.traced.jaxpr),
        "kernels": [kernel_key(call, facts) for call in traced.calls.kernels],
    }
    return hashlib.sha256(_ADDRESS.sub("", json.dumps(content)).encode()).hexdigest()


def _digest(value: Any) -> str | None:
    if value is None:
        return None
    array = np.ascontiguousarray(value)
    return f"{array.dtype}{array.shape}{hashlib.sha256(array.tobytes()).hexdigest()}"
