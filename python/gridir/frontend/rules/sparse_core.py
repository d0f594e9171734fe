# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of the SparseCores of a TPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from gridir import emit
from gridir.frontend.rules.ref_views import unflatten, view
from gridir.frontend.rules.sorting import order_key
from gridir.frontend.rules.state import Access
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import subcores
from gridir.frontend.walk.levels import TPU
from gridir.frontend.walk.registry import ANY
from gridir.frontend.walk.types import bit_width
from gridir.mlir import ir
from gridir.mlir.dialects import grid

# Refs at arrays of indices ----------------------------------------------------------------------------------------


def _elements(ctx: RuleContext, ref: Any, transforms: Sequence[Any] | None, indices: Sequence[ir.Value]) -> Access:
    """The elements of a Ref, each with an index for each dimension; one outside of the Ref is an error."""
    return Access.of_elements(view(ctx, ref, transforms or ()), indices, emit.shape_of(indices[0]))


@TPU.rule("sparse_core.gather")
def _gather(ctx: RuleContext, *leaves: ir.Value, tree: Any) -> ir.Value:
    """Elements that are masked out are zeros."""
    ref, transforms, indices, mask = unflatten(ctx, tree, leaves)
    access = _elements(ctx, ref, transforms, indices)
    other = emit.splat(emit.constant(0, access.ref.type.element_type), emit.shape_of(indices[0])) if mask else None
    dims = ir.DenseI64ArrayAttr.get(access.dims)
    return grid.GatherOp(access.gathered, access.ref, access.indices, dims, mask=mask, other=other).result


@TPU.rule("sparse_core.scatter")
def _scatter(ctx: RuleContext, *leaves: ir.Value, tree: Any, add: bool) -> list[ir.Value]:
    ref, transforms, indices, x, mask = unflatten(ctx, tree, leaves)
    access = _elements(ctx, ref, transforms, indices)
    grid.ScatterOp(x, access.ref, access.indices, ir.DenseI64ArrayAttr.get(access.dims), mask=mask, add=add or None)
    return []


def _positions(mask: ir.Value) -> ir.Value:
    """For each element that a mask chooses, how many it chooses before."""
    shape = emit.shape_of(mask)
    count, counts = emit.constant(0, emit.i32()), emit.empty(emit.typed(shape, emit.i32()))

    def step(i: ir.Value, count: ir.Value, counts: ir.Value) -> list[ir.Value]:
        chosen = emit.cast("arith.extui", emit.extract(mask, [i]), emit.i32())
        return [emit.binary("arith.addi", count, chosen), emit.insert(count, counts, [i])]

    return emit.for_loop(emit.index(0), emit.index(shape[0]), emit.index(1), [count, counts], step)[1]


def _compressed(ctx: RuleContext, ref: Any, transforms: Sequence[Any], mask: ir.Value) -> Access:
    """The elements of a Ref that the chosen elements of a mask stand for: the first ones, as many as it chooses."""
    if len(emit.shape_of(mask)) != 1:
        raise ctx.unsupported(f"expected a mask of one dimension, got {len(emit.shape_of(mask))}")
    return _elements(ctx, ref, transforms, [_positions(mask)])


@TPU.rule("sparse_core.load")
def load(ctx: RuleContext, ref: Any, *rest: ir.Value, tree: Any, has_mask: bool) -> ir.Value:
    """Elements that are masked out are zeros."""
    leaves, mask = _split_mask(rest, has_mask)
    transforms = tree.unflatten(leaves)
    if mask is None:
        return Access(ctx, ref, transforms).load()
    access = _compressed(ctx, ref, transforms, mask)
    other = emit.splat(emit.constant(0, access.ref.type.element_type), emit.shape_of(mask))
    return access.load(mask, other)


# A masked store is always a compressed one.
@TPU.rule("sparse_core.swap", ignores={"compress": ANY})
def swap(
    ctx: RuleContext, ref: Any, x: ir.Value, *rest: ir.Value, tree: Any, has_mask: bool, add: bool
) -> list[ir.Value]:
    """Stores, or adds to the contents of the Ref."""
    if ctx.is_used():
        raise ctx.unsupported("expected no use of the old contents of the Ref")
    leaves, mask = _split_mask(rest, has_mask)
    transforms = tree.unflatten(leaves)
    if mask is not None:
        access = _compressed(ctx, ref, transforms, mask)
        grid.ScatterOp(x, access.ref, access.indices, ir.DenseI64ArrayAttr.get([0]), mask=mask, add=add or None)
    elif add:
        Access(ctx, ref, transforms).accumulate(x)
    else:
        Access(ctx, ref, transforms).store(x)
    return [x]


def _split_mask(rest: Sequence[ir.Value], has_mask: bool) -> tuple[Sequence[ir.Value], ir.Value | None]:
    return (rest[:-1], rest[-1]) if has_mask else (rest, None)


# Registers --------------------------------------------------------------------------------------------------------


@TPU.decomposition("sparse_core.bitcast")
def minor_bitcast(x: Any, *, dtype: Any) -> Any:
    """Widths that differ change the last dimension."""
    source, target = bit_width(x.dtype), bit_width(np.dtype(dtype))
    if source < target:
        x = x.reshape(*x.shape[:-1], -1, target // source)
    y = lax.bitcast_convert_type(x, dtype)
    return y.reshape(*y.shape[:-2], -1) if source > target else y


def _joined(a: Any, b: Any, format: Any) -> Any:
    """Two arrays as one: their elements in turn, or one array after the other."""
    if format.value == "interleaved":
        return jnp.stack([a, b], axis=1).reshape(-1)
    return jnp.concatenate([a, b]).reshape(-1, 2)


@TPU.decomposition("sparse_core.pack")
def _pack(a: Any, b: Any, *, format: Any, preferred_element_type: Any) -> Any:
    packed = preferred_element_type or {"float32": jnp.bfloat16, "int32": jnp.int16}[a.dtype.name]
    return _joined(a.astype(packed), b.astype(packed), format)


@TPU.decomposition("sparse_core.unpack")
def _unpack(ab: Any, *, format: Any, preferred_element_type: Any) -> Any:
    wide = preferred_element_type or {"bfloat16": jnp.float32, "int16": jnp.int32}[ab.dtype.name]
    pairs = ab.reshape(-1, 2).T if format.value == "interleaved" else ab.reshape(2, -1)
    return tuple(half.astype(wide) for half in (pairs[0], pairs[1]))


@TPU.decomposition("masked_cumsum")
def _masked_cumsum(x: Any, mask: Any) -> Any:
    return jnp.cumsum(jnp.where(mask, x, jnp.zeros_like(x)), axis=-1)


def _masked_extremum(cumulative: Callable[..., Any], last: Callable[[Any], Any]) -> Callable[..., Any]:
    """The extremum of the chosen elements so far; the elements themselves before the first that is chosen."""

    def extremum(x: Any, mask: Any) -> Any:
        so_far = cumulative(jnp.where(mask, x, last(x.dtype)), axis=0)
        return jnp.where(jnp.cumsum(mask.astype(jnp.int32)) > 0, so_far, x)

    return extremum


def _limit(name: str, infinity: float) -> Callable[[Any], Any]:
    """The least or the greatest number of a dtype."""
    return lambda dtype: jnp.asarray(
        infinity if jnp.issubdtype(dtype, jnp.floating) else getattr(jnp.iinfo(dtype), name), dtype
    )


TPU.decomposition("masked_cummax")(_masked_extremum(lax.cummax, _limit("min", -np.inf)))
TPU.decomposition("masked_cummin")(_masked_extremum(lax.cummin, _limit("max", np.inf)))


@TPU.decomposition("masked_sort")
def _masked_sort(keys: Any, values: Any, *masks: Any, descending: bool) -> Any:
    """Elements that the mask excludes come last, in their order."""
    order = order_key(keys)
    operands = [~order if descending else order, keys, values]
    if not masks:
        return tuple(lax.sort(operands, num_keys=1, is_stable=True)[1:])
    # All keys that are not chosen are equal.
    is_last = (~masks[0]).astype(jnp.int32)
    operands[0] = jnp.where(masks[0], operands[0], jnp.zeros_like(order))
    _, _, *results = lax.sort([is_last, *operands], num_keys=2, is_stable=True)
    return (*results, jnp.arange(keys.shape[0]) < masks[0].astype(jnp.int32).sum())


@TPU.decomposition("sparse_core.scan_count")
def _scan_count(x: Any, mask: Any) -> Any:
    """How often an element has occurred so far, and whether this is the last time; once, if it is not counted."""
    here, other = (lax.broadcasted_iota(jnp.int32, (x.shape[0],) * 2, dim) for dim in (0, 1))
    same = (x[:, None] == x[None, :]) & mask[None, :]
    counts = jnp.sum((same & (other <= here)).astype(jnp.int32), axis=1)
    return jnp.where(mask, counts, 1), mask & ~jnp.any(same & (other > here), axis=1)


@TPU.decomposition("all_reduce_population_count")
def _population_count(x: Any, *, reduce: int) -> Any:
    return jnp.full((x.shape[0] // reduce,), jnp.sum(x.astype(jnp.int32)), jnp.int32)


@TPU.decomposition("all_reduce_ffs")
def _find_first_set(x: Any, *, reduce: int) -> Any:
    """The index of the first element that is true, or how many there are."""
    size = x.shape[0]
    first = jnp.min(jnp.where(x, jnp.arange(size, dtype=jnp.int32), jnp.int32(size)))
    return jnp.full((size // reduce,), first, jnp.int32)


# Programs ---------------------------------------------------------------------------------------------------------


# Iterations that may run in any order may run in theirs; nothing is unrolled here.
@TPU.rule("parallel_loop", ignores={"unroll": ANY})
def _parallel_loop(ctx: RuleContext, *leaves: ir.Value, tree: Any, jaxpr: Any) -> list[ir.Value]:
    low, high, step, consts, carry = tree.unflatten(leaves)
    return emit.for_loop(low, high, step, carry, lambda i, *carried: ctx.inline(jaxpr, consts, [i, *carried]))


@TPU.rule("sparse_core.barrier")
def _barrier(ctx: RuleContext) -> list[ir.Value]:
    """Each subcore signals all of its core, and waits for as many.

    A subcore is at most one barrier ahead of another: it passes none that the other has not come to.
    """
    semaphore, one = ctx.kernel.state.subcore_barrier, emit.constant(1, emit.i32())
    first, count = subcores(ctx)

    def signal(number: ir.Value) -> list[ir.Value]:
        grid.SemaphoreSignalOp(semaphore, one, [], core=emit.binary("arith.addi", first, number))
        return []

    emit.for_loop(emit.constant(0, emit.i32()), count, one, [], signal)
    grid.SemaphoreWaitOp(semaphore, count)
    return []
