# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates equations that contain a function (scatter, reduce) on wider operands.

The function was traced for the types of the program. It is traced again for the operands that are given here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

Run = Callable[[Any, Sequence[Any]], Sequence[Any]]
"""Evaluates a jaxpr on operands."""


def _scatter(function: Callable[..., Any]) -> Callable[..., Sequence[Any]]:
    def bind(params: Mapping[str, Any], operands: Sequence[Any], run: Run) -> Sequence[Any]:
        options = {key: params[key] for key in ("indices_are_sorted", "unique_indices", "mode")}
        return [function(*operands, params["dimension_numbers"], **options)]

    return bind


def _scatter_any(params: Mapping[str, Any], operands: Sequence[Any], run: Run) -> Sequence[Any]:
    function = params["update_jaxpr"]
    if function is None:
        return _scatter(jax.lax.scatter)(params, operands, run)
    # `jax.lax.scatter_apply` scatters a function of the old element, and has updates only for their shape.
    operand, indices, updates = operands
    options = {key: params[key] for key in ("indices_are_sorted", "unique_indices", "mode")}
    numbers = params["dimension_numbers"]

    def apply(x: Any) -> Any:
        return run(function, [x, x])[0]

    return [jax.lax.scatter_apply(operand, indices, apply, numbers, update_shape=updates.shape, **options)]


def _combine(params: Mapping[str, Any], run: Run) -> Callable[..., Any]:
    return lambda xs, ys: tuple(run(params["jaxpr"], [*xs, *ys]))


def _reduce(params: Mapping[str, Any], operands: Sequence[Any], run: Run) -> Sequence[Any]:
    half = len(operands) // 2
    arrays, initial = tuple(operands[:half]), tuple(operands[half:])
    return jax.lax.reduce(arrays, initial, _combine(params, run), params["dimensions"])


def _reduce_window(params: Mapping[str, Any], operands: Sequence[Any], run: Run) -> Sequence[Any]:
    half = len(operands) // 2
    arrays, initial = tuple(operands[:half]), tuple(operands[half:])
    names = ("window_dimensions", "window_strides", "padding", "base_dilation", "window_dilation")
    return jax.lax.reduce_window(arrays, initial, _combine(params, run), *(params[name] for name in names))


def _solve(params: Mapping[str, Any], operands: Sequence[Any], run: Run) -> Sequence[Any]:
    lengths, functions = params["const_lengths"], params["jaxprs"]
    first = lengths.matvec + lengths.vecmat
    rest = operands[first + lengths.solve + lengths.transpose_solve :]
    return run(functions.solve, [*operands[first : first + lengths.solve], *rest])


_BINDERS: dict[str, Callable[[Mapping[str, Any], Sequence[Any], Run], Sequence[Any]]] = {
    "custom_linear_solve": _solve,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "scatter": _scatter_any,
    **{
        f"scatter-{name}": _scatter(getattr(jax.lax, f"scatter_{name}")) for name in ("add", "sub", "mul", "min", "max")
    },
}


def has_known_function(name: str) -> bool:
    """True if a primitive contains a function, and `bind` can evaluate it."""
    return name in _BINDERS


def bind(name: str, params: Mapping[str, Any], operands: Sequence[Any], run: Run) -> Sequence[Any]:
    """Returns the results of such a primitive.

    Args:
      name: the primitive's name.
      params: its parameters.
      operands: its operands, in any types.
      run: evaluates the function that it holds.
    """
    return _BINDERS[name](params, operands, run)
