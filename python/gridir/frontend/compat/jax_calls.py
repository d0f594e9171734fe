# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls in the module that JAX makes: XLA's custom calls, and functions that JAX lowers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core as _core
from jax._src.interpreters import mlir as _mlir
from jaxlib import _jax as _xla
from jaxlib import xla_client as _xla_client
from jaxlib.mlir.dialects import stablehlo as _stablehlo

from gridir.frontend.compat.jax_core import physical_aval
from gridir.frontend.request.kernel_request import DeviceMesh


class Emitter(Protocol):
    """Writes the lowering of one call into JAX's module."""

    def __call__(self, context: Any, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the MLIR values of the results.

        Args:
          context: JAX's `LoweringRuleContext`.
          operands: the MLIR values of the call's operands.
        """
        ...


def shares_bytes(aval: Any) -> bool:
    """True if elements of an array share bytes in the memory of a device."""
    aval = physical_aval(aval)
    return aval.dtype != np.bool_ and jnp.issubdtype(aval.dtype, jnp.number) and _bits_of(aval.dtype) < 8


def _bits_of(dtype: np.dtype) -> int:
    info = jnp.finfo if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo
    return 8 * dtype.itemsize if jnp.issubdtype(dtype, jnp.complexfloating) else info(dtype).bits


def emit_call(
    context: Any,
    operands: Sequence[Any],
    target: str,
    attributes: Mapping[str, Any],
    *,
    aliases: Mapping[int, int],
    has_side_effect: bool,
    devices: DeviceMesh | None = None,
    scratch_bytes: int = 0,
    has_barriers: bool = False,
) -> Sequence[Any]:
    """Writes an XLA custom call with row-major operands and results; returns its results.

    XLA inserts a copy before each aliased operand whose layout is fixed, and later removes the copies that are not
    needed. Before that, XLA on the CPU fuses the copy with a reshape of the operand, and a fused copy stays. A barrier
    between the reshape and the call prevents this, except in the XLA of JAX 0.10, which removes it before it fuses.

    Args:
      target: the name under which the call was registered.
      attributes: str, bytes and int values.
      aliases: operand to the result that shares its memory.
      devices: with them the number of the device is one more operand, an int32, and the call has a `channel`, one for
        all devices and for no other call of the program.
      scratch_bytes: the size of one more result, memory that only the call uses; 0 for none.
      has_barriers: an optimization barrier precedes each aliased operand.
    """
    if has_barriers:
        operands = [_stablehlo.optimization_barrier([x]) if i in aliases else x for i, x in enumerate(operands)]
    # A random key is passed as its words.
    avals = {part: tuple(map(physical_aval, getattr(context, part))) for part in ("avals_in", "avals_out")}
    if devices is not None:
        number, aval = _device_number(context, devices)
        operands = [*operands, number]
        avals["avals_in"] = (*avals["avals_in"], aval)
        attributes = {**attributes, "channel": context.module_context.new_channel()}
    num_results = len(avals["avals_out"])
    if scratch_bytes:
        avals["avals_out"] = (*avals["avals_out"], _core.ShapedArray((scratch_bytes,), np.dtype(np.uint8)))
    context = context.replace(**avals)
    rule = jax.ffi.ffi_lowering(target, operand_output_aliases=dict(aliases), has_side_effect=has_side_effect)
    return rule(context, *operands, **attributes)[:num_results]


def run_call(
    target: str,
    attributes: Mapping[str, Any],
    operands: Sequence[np.ndarray],
    results: Sequence[jax.ShapeDtypeStruct],
    aliases: Mapping[int, int],
) -> list[np.ndarray]:
    """Runs a custom call of XLA's on the CPU, as the only thing of a program, and returns its results.

    Args:
      target: the name under which the call was registered.
      attributes: str, bytes and int values.
      aliases: operand to the result that shares its memory.
    """
    with jax.enable_x64(True):
        call = jax.ffi.ffi_call(target, list(results), input_output_aliases=dict(aliases), has_side_effect=True)
        # Results lie in memory that is given away: unwritten elements are detected, and do not contain results of an
        # earlier call.
        fresh = [unwritten(x) if i not in aliases.values() else None for i, x in enumerate(results)]
        program = jax.jit(lambda _, *xs: call(*xs, **attributes), donate_argnums=0, keep_unused=True)
        return [np.asarray(x) for x in program(fresh, *operands)]


def unwritten(aval: jax.ShapeDtypeStruct) -> np.ndarray:
    """Returns memory in which floats are NaN, so that reads of uninitialized memory show."""
    array = np.zeros(aval.shape, aval.dtype)
    if array.dtype != np.bool_:
        array.reshape(-1).view(np.uint8)[...] = 0xFF
    return array


def emit_watched(
    context: Any,
    operands: Sequence[Any],
    emitter: Emitter,
    begin: Callable[..., Sequence[np.ndarray]],
    end: Callable[..., Sequence[np.ndarray]],
) -> Sequence[Any]:
    """Writes a call between two calls of Python, through which its operands and its results go.

    Args:
      emitter: writes the call.
      begin: gives a number and the operands, for the operands.
      end: gives the results, for that number, the operands and the results.
    """
    inputs, outputs = (tuple(map(physical_aval, getattr(context, part))) for part in ("avals_in", "avals_out"))
    number = _core.ShapedArray((), np.dtype(np.int32))
    alone = context.replace(tokens_in=_mlir.TokenSet(), tokens_out=None)

    def write(function: Callable[..., Any], avals_in: Sequence[Any], avals_out: Sequence[Any], *values: Any) -> Any:
        types = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals_out]
        rule = _mlir.lower_fun(lambda *xs: jax.pure_callback(function, types, *xs), multiple_results=True)
        return rule(alone.replace(avals_in=list(avals_in), avals_out=list(avals_out)), *values)

    call, *passed = write(begin, inputs, [number, *inputs], *operands)
    results = emitter(context, passed)
    return write(end, [number, *inputs, *outputs], outputs, call, *passed, *results)


def _device_number(context: Any, devices: DeviceMesh) -> tuple[Any, Any]:
    """Writes the number of the device in row-major order of the mesh; returns the value and its abstract value."""

    def number() -> Any:
        coordinates = [jax.lax.axis_index(name) for name in devices.names]
        return jnp.ravel_multi_index(coordinates, devices.sizes, mode="clip").astype(jnp.int32)

    aval = _core.ShapedArray((), np.dtype(np.int32))
    # It has none of the effects of the equation.
    alone = context.replace(avals_in=[], avals_out=[aval], tokens_in=_mlir.TokenSet(), tokens_out=None)
    (value,) = _mlir.lower_fun(number, multiple_results=False)(alone)
    return value, aval


def emit_function(function: Callable[..., Sequence[Any]]) -> Emitter:
    """Returns the emitter of a function of arrays, traced and lowered by JAX, instead of a kernel."""
    rule = _mlir.lower_fun(function, multiple_results=True)
    # The function has no effects in an order; the tokens of a kernel's pass it by.
    return lambda context, operands: rule(context.replace(tokens_out=None), *operands)


def register_call_targets(
    targets: Mapping[str, Mapping[str, Any]], state_name: str, state: Mapping[str, Any], platform: str
) -> None:
    """Registers custom calls with XLA, or for when the platform's plugin is loaded.

    Args:
      targets: for each name the stages, capsules `instantiate`, `execute` and so on.
      state_name: the name of `state`, one for each kind of state.
      state: their common state of a call, capsules `type_id` and `type_info`.
      platform: the platform, as XLA names it.
    """
    if platform == "cpu":
        # jaxlib replays queued targets before the types that they need, and then fails to start the backend. Its
        # handlers are installed first, so that nothing is queued. Plugins replay types first.
        _xla_client.register_custom_type_handler(platform, _xla.register_custom_type)
        _xla_client.register_custom_call_handler(platform, _xla.register_custom_call_target)
    registration: Any = dict(state)
    jax.ffi.register_ffi_type(state_name, registration, platform=platform)
    for name, stages in targets.items():
        jax.ffi.register_ffi_target(name, dict(stages), platform=platform)
