# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over dimensions, running reductions, argmax and argmin."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from gridir import emit
from gridir.frontend.rules.elementwise import Ops
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import CPU_PLATFORM, WARPGROUP
from gridir.frontend.walk.registry import ANY, BASE, Function, decomposition, rule, table
from gridir.frontend.walk.types import element_type, is_bool, is_float, is_unsigned
from gridir.mlir import ir


def reduce_with(
    ctx: RuleContext, x: ir.Value, axes: Sequence[int], start: Any, combine: Callable[..., ir.Value]
) -> ir.Value:
    """Combines the elements along `axes`, starting from the number `start`."""
    shape = ctx.avals_out[0].shape
    out = ctx.types.tensor(ctx.avals_out[0])
    first = emit.fill(emit.constant(start, out.element_type), out)
    result = emit.structured(
        "linalg.reduce",
        [x],
        [first],
        combine,
        segments=False,
        dimensions=ir.DenseI64ArrayAttr.get(sorted(axes)),
    ).result
    return result if shape else emit.extract(result, [])


@dataclasses.dataclass(frozen=True)
class Reduction:
    """The op that combines two elements, and its neutral element."""

    ops: Ops
    start: Callable[[Any], Any]


def _largest_float(aval: Any) -> float:
    """Infinity, or the largest number of a dtype without it."""
    return math.inf if np.isinf(np.asarray(math.inf, aval.dtype)) else float(jnp.finfo(aval.dtype).max)


def lowest(aval: Any) -> Any:
    """The number that no number of the dtype is below."""
    if is_bool(aval):
        return 0
    return -_largest_float(aval) if is_float(aval) else int(jnp.iinfo(aval.dtype).min)


def highest(aval: Any) -> Any:
    """The number that no number of the dtype is above."""
    if is_bool(aval):
        return 1
    return _largest_float(aval) if is_float(aval) else int(jnp.iinfo(aval.dtype).max)


def _reduction(row: Reduction) -> Function:
    def lowering(ctx: RuleContext, x: ir.Value, *, axes: Sequence[int]) -> ir.Value:
        aval = ctx.avals_in[0]
        name = row.ops.choose(aval)
        if name is None:
            raise ctx.unsupported(f"expected an operand of another dtype, got {aval.dtype}")
        if not axes:
            return x
        return reduce_with(ctx, x, axes, row.start(aval), lambda e, acc: emit.binary(name, e, acc))

    return lowering


_REDUCTIONS = {
    "reduce_sum": Reduction(Ops("arith.addf", "arith.addi", "arith.addi", complex_="complex.add"), lambda _: 0),
    "reduce_prod": Reduction(Ops("arith.mulf", "arith.muli", "arith.muli", complex_="complex.mul"), lambda _: 1),
    "reduce_max": Reduction(Ops("arith.maximumf", "arith.maxsi", "arith.maxui", "arith.ori"), lowest),
    "reduce_min": Reduction(Ops("arith.minimumf", "arith.minsi", "arith.minui", "arith.andi"), highest),
    "reduce_and": Reduction(Ops.integer("arith.andi"), lambda aval: 1 if is_bool(aval) else -1),
    "reduce_or": Reduction(Ops.integer("arith.ori"), lambda _: 0),
    "reduce_xor": Reduction(Ops.integer("arith.xori"), lambda _: 0),
}
table(_REDUCTIONS, _reduction, ignores={"out_sharding": ANY})
WARPGROUP.table(
    {f"mosaic_gpu_reduce_{name}": _REDUCTIONS[f"reduce_{name}"] for name in ("sum", "prod", "max", "min")},
    _reduction,
    ignores={"accumulator_ilp": ANY},
)


@rule("reduce", ignores={"computation": ANY})
def _reduce(ctx: RuleContext, *values: ir.Value, jaxpr: Any, dimensions: Sequence[int]) -> list[ir.Value]:
    """A reduction with a function of the author's, over any number of arrays at once."""
    count = len(values) // 2
    arrays, starts = values[:count], values[count:]
    types = [ctx.types.tensor(aval) for aval in ctx.avals_out]
    firsts = [emit.fill(start, type_) for start, type_ in zip(starts, types, strict=True)]
    body = getattr(jaxpr, "jaxpr", jaxpr)

    def combine(*scalars: ir.Value) -> list[ir.Value]:
        elements, accumulators = scalars[:count], scalars[count:]
        return ctx.inline(body, getattr(jaxpr, "consts", ()), [*accumulators, *elements])

    reduced = emit.structured(
        "linalg.reduce",
        arrays,
        firsts,
        combine,
        segments=False,
        dimensions=ir.DenseI64ArrayAttr.get(sorted(dimensions)),
    )
    return [
        result if aval.shape else emit.extract(result, [])
        for result, aval in zip(reduced.results, ctx.avals_out, strict=True)
    ]


def _arg_extreme(is_better: str) -> Function:
    def lowering(ctx: RuleContext, x: ir.Value, *, axes: Sequence[int], index_dtype: Any) -> ir.Value:
        """The lowest index of the extreme; a NaN is more extreme than any number."""
        aval = ctx.avals_in[0]
        (axis,) = axes
        rank = len(aval.shape)
        shape = ctx.avals_out[0].shape
        element, number = emit.element_of(x), element_type(index_dtype)
        worst = lowest(aval) if is_better == "gt" else highest(aval)
        best = emit.fill(emit.constant(worst, element), ir.RankedTensorType.get(shape, element))
        best_index = emit.fill(emit.constant(0, number), ir.RankedTensorType.get(shape, number))
        identity = ir.AffineMap.get_identity(rank)
        kept = [d for d in range(rank) if d != axis]
        projection = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(d) for d in kept])

        def body(value: ir.Value, best: ir.Value, best_index: ir.Value) -> list[ir.Value]:
            here = emit.value("arith.index_cast", [emit.loop_indices(rank)[axis]], number)
            if is_float(aval):
                better = emit.compare("o" + is_better, value, best)
                value_is_nan, best_is_nan = emit.compare("uno", value, value), emit.compare("uno", best, best)
                better = emit.binary("arith.ori", better, value_is_nan)
                better = emit.binary("arith.andi", better, emit.logical_not(best_is_nan))
                equal = emit.compare("oeq", value, best)
                both = emit.binary("arith.andi", value_is_nan, best_is_nan)
                equal = emit.binary("arith.ori", equal, both)
            else:
                better = emit.compare(("u" if is_unsigned(aval) else "s") + is_better, value, best)
                equal = emit.compare("eq", value, best)
            # The order in which the elements come is the target's: of equals the lower index wins.
            earlier = emit.binary("arith.andi", equal, emit.compare("slt", here, best_index))
            better = emit.binary("arith.ori", better, earlier)
            return [emit.select(better, value, best), emit.select(better, here, best_index)]

        kinds = ["reduction" if d == axis else "parallel" for d in range(rank)]
        result = emit.generic([(x, identity)], [(best, projection), (best_index, projection)], kinds, body).results[1]
        return result if shape else emit.extract(result, [])

    return lowering


BASE.register("argmax", _arg_extreme("gt"))
BASE.register("argmin", _arg_extreme("lt"))


def running(combine: Callable[[Any, Any], Any], x: Any, neutral: Any, axis: int, reverse: bool) -> Any:
    """Inclusive running combination in log2(n) steps, each with the array shifted by a power of two.

    Narrow floats are combined in f32 and rounded once.
    """
    size, distance, dtype = x.shape[axis], 1, x.dtype
    if jnp.issubdtype(dtype, jnp.floating) and jnp.finfo(dtype).bits < 32:
        x = x.astype(jnp.float32)
    while distance < size:
        config = [(0, 0, 0)] * x.ndim
        config[axis] = (-distance, distance, 0) if reverse else (distance, -distance, 0)
        x = combine(lax.pad(x, jnp.asarray(neutral, x.dtype), config), x)
        distance *= 2
    return x.astype(dtype)


# XLA on a CPU reduces this many elements one by one, and then the results of these runs in the same way.
_RUN = 16


def _running_by_runs(combine: Callable[[Any, Any], Any], x: Any, neutral: Any, axis: int) -> Any:
    """Inclusive running combination in the order of XLA on a CPU, rounded at each step as there."""

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        following = combine(carry, row)
        return following, following

    def one_by_one(x: Any) -> Any:
        return lax.scan(step, jnp.full(x.shape[1:], neutral, x.dtype), x)[1]

    def padded(x: Any, low: int, high: int) -> Any:
        config = [(0, 0, 0)] * x.ndim
        config[axis] = (low, high, 0)
        return lax.pad(x, jnp.asarray(neutral, x.dtype), config)

    size = x.shape[axis]
    runs = -(-size // _RUN)
    if runs <= 1:
        return jnp.moveaxis(one_by_one(jnp.moveaxis(x, axis, 0)), 0, axis)
    whole = padded(x, 0, runs * _RUN - size)
    by_run = whole.reshape(*x.shape[:axis], runs, _RUN, *x.shape[axis + 1 :])
    inside = one_by_one(jnp.moveaxis(by_run, axis + 1, 0))
    before = padded(_running_by_runs(combine, inside[-1], neutral, axis), 1, -1)
    result = jnp.moveaxis(combine(inside, before[None]), 0, axis + 1).reshape(whole.shape)
    return lax.slice_in_dim(result, 0, size, axis=axis)


def _running_on_cpu(combine: Callable[[Any, Any], Any], x: Any, neutral: Any, axis: int, reverse: bool) -> Any:
    """A running combination whose result depends on its order, where the elements are rounded."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return running(combine, x, neutral, axis, reverse)
    result = _running_by_runs(combine, lax.rev(x, (axis,)) if reverse else x, neutral, axis)
    return lax.rev(result, (axis,)) if reverse else result


@decomposition("cumsum")
def _cumsum(x: Any, *, axis: int, reverse: bool) -> Any:
    return running(lax.add, x, 0, axis, reverse)


@CPU_PLATFORM.decomposition("cumsum", overrides=True)
def _cumsum_on_cpu(x: Any, *, axis: int, reverse: bool) -> Any:
    return _running_on_cpu(lax.add, x, 0, axis, reverse)


@decomposition("cumprod")
def _cumprod(x: Any, *, axis: int, reverse: bool) -> Any:
    return running(lax.mul, x, 1, axis, reverse)


@CPU_PLATFORM.decomposition("cumprod", overrides=True)
def _cumprod_on_cpu(x: Any, *, axis: int, reverse: bool) -> Any:
    return _running_on_cpu(lax.mul, x, 1, axis, reverse)


@decomposition("cummax")
def _cummax(x: Any, *, axis: int, reverse: bool) -> Any:
    return running(lax.max, x, lowest(x), axis, reverse)


@decomposition("cummin")
def _cummin(x: Any, *, axis: int, reverse: bool) -> Any:
    return running(lax.min, x, highest(x), axis, reverse)


@decomposition("cumlogsumexp")
def _cumlogsumexp(x: Any, *, axis: int, reverse: bool) -> Any:
    return running(jnp.logaddexp, x, -np.inf, axis, reverse)


def _window_reduction(combine: Callable[[Any, Any], Any], neutral: Callable[[Any], Any]) -> Callable[..., Any]:
    def reduce_window(
        x: Any,
        *,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: Sequence[tuple[int, int]],
        base_dilation: Sequence[int],
        window_dilation: Sequence[int],
    ) -> Any:
        config = [(low, high, d - 1) for (low, high), d in zip(padding, base_dilation, strict=True)]
        x = lax.pad(x, jnp.asarray(neutral(x), x.dtype), config)
        spans = [(w - 1) * d + 1 for w, d in zip(window_dimensions, window_dilation, strict=True)]
        result = None
        for position in np.ndindex(*window_dimensions):
            start = [p * d for p, d in zip(position, window_dilation, strict=True)]
            limit = [s + n - span + 1 for s, n, span in zip(start, x.shape, spans, strict=True)]
            part = lax.slice(x, start, limit, window_strides)
            result = part if result is None else combine(result, part)
        return result

    return reduce_window


decomposition("reduce_window_sum")(_window_reduction(lax.add, lambda _: 0))
decomposition("reduce_window_max")(_window_reduction(lax.max, lowest))
decomposition("reduce_window_min")(_window_reduction(lax.min, highest))
