# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.tuned`: a function that takes the best values of the results in force."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax

from gridir.errors import OptionError
from gridir.tuning.space import as_space
from gridir.tuning.supply import name_of, signature_of, supplied
from gridir.tuning.tune import tune

POLICIES = ("error", "heuristic", "tune")
"""The behavior of a tuned function without a result for its problem."""


def tuned(
    function: Callable[..., Any] | None = None,
    *,
    space: Any,
    target: str | None = None,
    on_miss: str = "error",
    **options: Any,
) -> Any:
    """Decorates a function, so that it takes the best values of the results that are in force.

    A `TuningResult` is in force within its context. Keyword arguments of the caller are not changed.

    Args:
      function: the function; without it the decorator is returned. space: the configurations, see `gridir.tune`.
      target: the chip, as "tpu:v5e"; without it the results of any chip are taken, and a miss is tuned for the CPU.
      on_miss: where no result in force has the problem: "error" raises, "heuristic" takes the best of the estimate
      tier, and "tune" tunes with the target's own tier. Both cache their results for the next call. **options: those of
      `gridir.tune`.

    Raises:
      OptionError: for another policy; when called, where no result has the problem and the policy is "error".

    Example:
      >>> @gridir.tuned(space={"block_q": [256, 512]}, on_miss="heuristic")
      ... def attention(q, k, v, *, block_q): ...
    """
    if on_miss not in POLICIES:
        raise OptionError(f"expected on_miss among {', '.join(POLICIES)}, got {on_miss!r}")
    if function is None:
        return functools.partial(tuned, space=space, target=target, on_miss=on_miss, **options)
    checked = as_space(space)
    found: dict[str, dict[str, Any]] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if all(name in kwargs for name in checked.arguments):
            return function(*args, **kwargs)
        rest = {name: value for name, value in kwargs.items() if name not in checked.arguments}
        keywords = supplied(function, signature_of(function, args, rest), target)
        if keywords is None:
            keywords = _missed(function, args, rest)
        return function(*args, **{**keywords, **kwargs})

    def _missed(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        signature = signature_of(function, args, kwargs)
        if on_miss == "error":
            raise OptionError(
                f"expected a tuning result for {name_of(function)} of {signature}, got none in force",
                notes=["on_miss='heuristic' or 'tune' finds values where there is none"],
            )
        if signature not in found:
            # Within jit, arguments are tracers, which have no values.
            abstract = jax.tree.map(_without_tracer, args)
            tier = {"tier": "estimate"} if on_miss == "heuristic" else {}
            # Only the best values are used, so that no other configuration has to be checked.
            wanted = {"proposals": 1, **tier, **options, **kwargs}
            result = tune(function, *abstract, space=checked, target=target or "cpu", **wanted)
            found[signature] = result.best
        return found[signature]

    return call


def _without_tracer(value: Any) -> Any:
    return jax.ShapeDtypeStruct(value.shape, value.dtype) if isinstance(value, jax.core.Tracer) else value
