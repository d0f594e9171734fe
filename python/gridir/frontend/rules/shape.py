# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives that move elements and compute none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from gridir import emit
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, decomposition, rule
from gridir.frontend.walk.types import element_type, is_float, is_unsigned
from gridir.mlir import ir


@rule("broadcast_in_dim", ignores={"sharding": ANY})
def _broadcast_in_dim(_: RuleContext, x: ir.Value, *, shape: Any, broadcast_dimensions: Any) -> ir.Value:
    return emit.broadcast(x, shape, broadcast_dimensions)


@rule("broadcast_to")
def _broadcast_to(_: RuleContext, x: ir.Value, *, shape: Sequence[int]) -> ir.Value:
    return emit.broadcast_trailing(x, shape)


@rule("reshape", ignores={"sharding": ANY})
def _reshape(_: RuleContext, x: ir.Value, *, new_sizes: Sequence[int], dimensions: Sequence[int] | None) -> ir.Value:
    """The elements are taken in the order of `dimensions`."""
    return emit.reshape(x if dimensions is None else emit.transpose(x, dimensions), new_sizes)


@rule("squeeze", ignores={"dimensions": ANY})
def _squeeze(ctx: RuleContext, x: ir.Value) -> ir.Value:
    return emit.reshape(x, ctx.avals_out[0].shape)


@rule("transpose")
def _transpose(_: RuleContext, x: ir.Value, *, permutation: Sequence[int]) -> ir.Value:
    return emit.transpose(x, permutation)


@rule("rev")
def _rev(ctx: RuleContext, x: ir.Value, *, dimensions: Sequence[int]) -> ir.Value:
    shape = ctx.avals_out[0].shape

    def element(*indices: ir.Value) -> ir.Value:
        mirrored = [
            emit.binary("arith.subi", emit.index(shape[d] - 1), i) if d in dimensions else i
            for d, i in enumerate(indices)
        ]
        return emit.extract(x, mirrored)

    return emit.generate(ctx.out_type, element) if shape else x


@rule("slice", ignores={"limit_indices": ANY})
def _slice(ctx: RuleContext, x: ir.Value, *, start_indices: Any, strides: Any) -> ir.Value:
    return emit.extract_slice(x, list(start_indices), ctx.avals_out[0].shape, strides)


def clamped_starts(
    ctx: RuleContext, starts: Sequence[ir.Value], first: int, shape: Sequence[int], sizes: Sequence[int]
) -> list[int | ir.Value]:
    """Where a window of `sizes` begins: moved so that it lies inside `shape`.

    Operand `first` of the equation is the first of `starts`.
    """
    result: list[int | ir.Value] = []
    for dim, (start, extent, size) in enumerate(zip(starts, shape, sizes, strict=True)):
        static = ctx.static_value(first + dim)
        most = extent - size
        if most == 0 or static is not None:
            result.append(0 if static is None else emit.clamp_index(int(static), most))
            continue
        aval = ctx.avals_in[first + dim]
        if is_unsigned(aval):
            start = emit.value("arith.index_castui", [start], emit.index_type())
        result.append(emit.clamp_index(emit.to_index(start), most))
    return result


@rule("dynamic_slice")
def _dynamic_slice(ctx: RuleContext, x: ir.Value, *starts: ir.Value, slice_sizes: Any) -> ir.Value:
    if not slice_sizes:
        return x
    offsets = clamped_starts(ctx, starts, 1, ctx.avals_in[0].shape, slice_sizes)
    return emit.extract_slice(x, offsets, list(slice_sizes))


@rule("dynamic_update_slice")
def _dynamic_update_slice(ctx: RuleContext, x: ir.Value, update: ir.Value, *starts: ir.Value) -> ir.Value:
    sizes = ctx.avals_in[1].shape
    if not sizes:
        return update
    return emit.insert_slice(update, x, clamped_starts(ctx, starts, 2, ctx.avals_in[0].shape, sizes))


@rule("concatenate")
def _concatenate(ctx: RuleContext, *parts: ir.Value, dimension: int) -> ir.Value:
    result = emit.empty(ctx.out_type)
    position = 0
    for part in parts:
        shape = emit.shape_of(part)
        offsets = [0] * len(shape)
        offsets[dimension] = position
        position += shape[dimension]
        if math.prod(shape):
            result = emit.insert_slice(part, result, offsets)
    return result


@rule("pad")
def _pad(ctx: RuleContext, x: ir.Value, padding: ir.Value, *, padding_config: Any) -> ir.Value:
    """Negative padding cuts elements off, and interior padding keeps the elements apart."""
    shape = ctx.avals_out[0].shape
    if not shape:
        return x
    result = emit.splat(padding, shape)
    starts, offsets, sizes, strides = [], [], [], []
    # The widths may be integers of NumPy's.
    widths = [tuple(map(int, width)) for width in padding_config]
    for size, extent, (low, _, interior) in zip(emit.shape_of(x), shape, widths, strict=True):
        # Element i of x moves to low + i * stride, if that is inside of the result.
        stride = interior + 1
        first = max(0, -(low // stride)) if low < 0 else 0
        last = min(size - 1, (extent - 1 - low) // stride)
        starts.append(first)
        offsets.append(low + first * stride)
        sizes.append(max(0, last - first + 1))
        strides.append(stride)
    if not math.prod(sizes):
        return result
    if list(sizes) != list(emit.shape_of(x)):
        x = emit.extract_slice(x, starts, sizes)
    return emit.insert_slice(x, result, offsets, strides=strides)


@rule("iota", ignores={"shape": ANY, "sharding": ANY})
def _iota(ctx: RuleContext, *_: ir.Value, dimension: int, dtype: Any) -> ir.Value:
    element = element_type(dtype)

    def number(*indices: ir.Value) -> ir.Value:
        index = indices[dimension]
        if is_float(ctx.avals_out[0]):
            wide = emit.value("arith.index_cast", [index], emit.i32())
            return emit.value("arith.sitofp", [wide], element)
        return emit.value("arith.index_cast", [index], element)

    return emit.generate(ctx.out_type, number)


@rule("split")
def _split(ctx: RuleContext, x: ir.Value, *, sizes: Sequence[int], axis: int) -> list[ir.Value]:
    results, position = [], 0
    for size, aval in zip(sizes, ctx.avals_out, strict=True):
        offsets = [0] * len(aval.shape)
        offsets[axis] = position
        position += int(size)
        results.append(emit.extract_slice(x, offsets, aval.shape))
    return results


@rule("stack")
def _stack(ctx: RuleContext, *parts: ir.Value, axis: int) -> ir.Value:
    result = emit.empty(ctx.out_type)
    shape = list(ctx.avals_out[0].shape)
    for i, part in enumerate(parts):
        if not emit.shape_of(part):
            result = emit.insert(part, result, [emit.index(i)])
            continue
        offsets, sizes = [0] * len(shape), list(shape)
        offsets[axis], sizes[axis] = i, 1
        result = emit.insert_slice(part, result, offsets, sizes=sizes)
    return result


@rule("unstack")
def _unstack(ctx: RuleContext, x: ir.Value, *, axis: int) -> list[ir.Value]:
    shape = emit.shape_of(x)
    results = []
    for i, aval in enumerate(ctx.avals_out):
        if not aval.shape:
            results.append(emit.extract(x, [emit.index(i)]))
            continue
        offsets, sizes = [0] * len(shape), list(shape)
        offsets[axis], sizes[axis] = i, 1
        results.append(emit.extract_slice(x, offsets, sizes, shape=aval.shape))
    return results


@decomposition("tile")
def _tile(x: Any, *, reps: Sequence[int]) -> Any:
    for axis, count in enumerate(reps):
        x = jnp.concatenate([x] * count, axis=axis)
    return x


@rule("empty", "empty2", ignores={"shape": ANY, "dtype": ANY, "out_sharding": ANY, "memory_space": ANY})
def _empty(ctx: RuleContext) -> ir.Value:
    return emit.constant(0, ctx.out_type)
