# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between global and shared memory, in kernels whose threads are warpgroups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.rules.atomics import atomic_kind
from gridir.frontend.rules.ref_views import index_value, is_array, static_index, view, window
from gridir.frontend.rules.state import Access
from gridir.frontend.rules.warpgroup.devices import combine_with, split_devices, store_to
from gridir.frontend.rules.warpgroup.operands import (
    axis_attr,
    count,
    one_barrier,
    refuse,
    split_leaves,
    split_predicate,
    where,
)
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import Receiver, program_index
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.registry import ANY
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup


@dataclasses.dataclass
class _Window:
    """A window of an array in global memory, which may reach outside of it.

    Attributes:
      array: the array.
      offsets: the first index along each dimension: a number or a value.
      sizes: the number of elements along each.
      dropped: the dimensions that the tile in shared memory does not have.
    """

    array: ir.Value
    offsets: list[Any]
    sizes: list[int]
    dropped: list[int]

    def operands(self) -> tuple[list[ir.Value], ir.Attribute, ir.Attribute, ir.Attribute | None]:
        """The dynamic offsets, the static ones, the sizes and the dropped dimensions, as the ops take them."""
        numbers = [static_index(offset) for offset in self.offsets]
        dynamic = [index_value(o) for o, number in zip(self.offsets, numbers, strict=True) if number is None]
        static = [emit.DYNAMIC if number is None else number for number in numbers]
        arrays = map(ir.DenseI64ArrayAttr.get, (static, self.sizes, sorted(self.dropped)))
        offsets, sizes, dropped = arrays
        return dynamic, offsets, sizes, dropped if self.dropped else None

    def check_bytes(self, ctx: RuleContext) -> None:
        """Checks that no byte is copied in part."""
        # A complex number fills its bytes, and has no width.
        width = getattr(emit.element_of(self.array), "width", 8)
        if math.prod(self.sizes) * width % 8:
            raise ctx.invalid(f"expected a copy of whole bytes, got {math.prod(self.sizes)} elements of {width} bits")

    def take_part(self, ctx: RuleContext, axis: str, dim: int) -> None:
        """Leaves of the window the part of this block along an axis of the cluster, by a dimension of the tile."""
        kept = [d for d in range(len(self.sizes)) if d not in self.dropped]
        count = ctx.kernel.size_of(axis)
        if not 0 <= dim < len(kept) or not count or self.sizes[kept[dim]] % count:
            raise ctx.invalid(f"expected a tile that {count} blocks divide evenly along dimension {dim}")
        size = self.sizes[kept[dim]] // count
        first = emit.binary("arith.muli", program_index(ctx, axis), emit.constant(size, emit.i32()))
        self.offsets[kept[dim]] = _sum(ctx, self.offsets[kept[dim]], first)
        self.sizes[kept[dim]] = size


def _sum(ctx: RuleContext, a: Any, b: Any) -> Any:
    """The sum of two indices."""
    x, y = static_index(a), static_index(b)
    if x is not None and y is not None:
        return x + y
    if y == 0 or x == 0:
        return a if y == 0 else b
    values = [index_value(i) if isinstance(i, ir.Value) else emit.constant(int(i), emit.i32()) for i in (a, b)]
    return emit.binary("arith.addi", *values)


def _window(ctx: RuleContext, ref: ir.Value, transforms: Sequence[Any]) -> _Window:
    """The window of the indexers of an array; the transforms before the first of them are a view of the array."""
    transforms = list(transforms)
    first = next((i for i, t in enumerate(transforms) if isinstance(t, jax_core.NDIndexer)), len(transforms))
    if not all(isinstance(transform, jax_core.NDIndexer) for transform in transforms[first:]):
        first = len(transforms)
    array = view(ctx, ref, transforms[:first])
    shape = list(array.type.shape)
    window = _Window(array, [0] * len(shape), shape, [])
    for indexer in transforms[first:]:
        dims = [dim for dim in range(len(shape)) if dim not in window.dropped]
        for dim, index in zip(dims, indexer.indices, strict=True):
            if isinstance(index, jax_core.Slice):
                if index.stride != 1 or not isinstance(index.size, int):
                    raise ctx.unsupported("expected a slice of known size and stride 1 in a copy")
                window.offsets[dim] = _sum(ctx, window.offsets[dim], index.start)
                window.sizes[dim] = index.size
                continue
            if np.ndim(index) if not isinstance(index, ir.Value) else emit.shape_of(index):
                raise ctx.unsupported("expected numbers and slices in a copy, got an array of indices")
            window.offsets[dim] = _sum(ctx, window.offsets[dim], index)
            window.sizes[dim] = 1
            window.dropped.append(dim)
    return window


def _names_rows(transforms: Sequence[Any]) -> bool:
    """True if the first index is an array of indices, and all others are slices."""
    indices = list(getattr(transforms[-1], "indices", ())) if transforms else []
    return bool(indices) and is_array(indices[0]) and all(isinstance(i, jax_core.Slice) for i in indices[1:])


def _rows(ctx: RuleContext, ref: ir.Value, transforms: Sequence[Any]) -> tuple[ir.Value, ir.Value]:
    """The array whose rows are named, and their numbers, as they are: a negative one names no row."""
    indices = transforms[-1].indices
    numbers = indices[0]
    if not isinstance(numbers, ir.Value):
        numbers = emit.array_constant(np.asarray(numbers, np.int32), emit.typed(np.shape(numbers), emit.i32()))
    return window(ctx, view(ctx, ref, transforms[:-1]), indices), index_value(numbers)


@WARPGROUP.rule("copy_gmem_to_smem", ignores={"oob_mode": ANY})
def _copy_gmem_to_smem(
    ctx: RuleContext,
    source: ir.Value,
    dest: ir.Value,
    *operands: ir.Value,
    src_transforms_treedef: Any,
    dst_transforms_treedef: Any,
    barrier_transforms_treedef: Any,
    collective_axes: Any,
    leader_tracked: Any,
    has_barrier: bool,
    has_user_predicate: bool,
    arrives_always: bool = False,
) -> list[ir.Value]:
    rest, predicate = split_predicate(operands, has_user_predicate)
    barriers, leaves = (rest[:1], rest[1:]) if has_barrier else ((), rest)
    # Elements outside of the array may be anything where the author says so: zero is such a thing.
    of_source, of_dest, of_barrier = split_leaves(
        leaves, src_transforms_treedef, dst_transforms_treedef, barrier_transforms_treedef
    )
    if not barriers:
        refuse(ctx, collective_axes=collective_axes, leader_tracked=leader_tracked)
        # Such a copy completes when it starts: the wait for it has nothing left to do.
        return where(predicate, lambda: _copy_by_threads(ctx, source, of_source, dest, of_dest))
    barrier = one_barrier(ctx, barriers[0], of_barrier)
    otherwise = (lambda: warpgroup.BarrierArriveOp(barrier)) if arrives_always else None
    if _names_rows(of_source):
        refuse(ctx, leader_tracked=leader_tracked)
        array, numbers = _rows(ctx, source, of_source)
        tile = view(ctx, dest, of_dest)
        return where(predicate, lambda: warpgroup.TmaGatherOp(array, numbers, tile, barrier), otherwise)
    window = _window(ctx, source, of_source)
    axes = [axis_attr(ctx, axis) for axis in collective_axes or ()]
    if leader_tracked is not None:
        if len(axes) != 1:
            raise ctx.invalid(f"Expected exactly one collective axis, got collective_axes={collective_axes}")
        if (dim := getattr(leader_tracked, "axis", None)) is not None:
            window.take_part(ctx, axes[0].value, dim)
    window.check_bytes(ctx)
    dynamic, offsets, sizes, dropped = window.operands()
    tile = view(ctx, dest, of_dest)
    return where(
        predicate,
        lambda: warpgroup.TmaLoadOp(
            window.array,
            dynamic,
            offsets,
            sizes,
            tile,
            barrier,
            dropped=dropped,
            collective=ir.ArrayAttr.get(axes) if axes else None,
            leader_tracked=leader_tracked is not None or None,
        ),
        otherwise,
    )


def _copy_by_threads(
    ctx: RuleContext, source: ir.Value, of_source: Sequence[Any], dest: ir.Value, of_dest: Sequence[Any]
) -> None:
    """A copy as GPUs before Hopper make it, of elements that the author promises to be in the array."""
    Access(ctx, dest, of_dest).store(Access(ctx, source, of_source).load())


@WARPGROUP.rule("wait_gmem_to_smem", ignores={"n": ANY})
def _wait_gmem_to_smem(_: RuleContext) -> list[ir.Value]:
    """The copies that it waits for are done when they begin."""
    return []


@WARPGROUP.rule("copy_smem_to_gmem")
def _copy_smem_to_gmem(
    ctx: RuleContext,
    source: ir.Value,
    dest: ir.Value,
    *leaves: ir.Value,
    src_transforms_treedef: Any,
    dst_transforms_treedef: Any,
    has_user_predicate: bool,
    commit_group: bool,
    reduction_op: Any,
) -> list[ir.Value]:
    rest, predicate = split_predicate(leaves, has_user_predicate)
    of_source, of_dest = split_leaves(rest, src_transforms_treedef, dst_transforms_treedef)
    of_dest, receivers = split_devices(ctx, of_dest)
    if receivers:
        _store_to_devices(
            ctx, view(ctx, source, of_source), view(ctx, dest, of_dest), receivers, predicate, reduction_op
        )
        if commit_group:
            warpgroup.CommitGroupOp()
        return []
    if _names_rows(of_dest):
        refuse(ctx, reduction_op=reduction_op)
        array, numbers = _rows(ctx, dest, of_dest)
        tile = view(ctx, source, of_source)
        where(predicate, lambda: warpgroup.TmaScatterOp(tile, array, numbers))
    else:
        window = _window(ctx, dest, of_dest)
        window.check_bytes(ctx)
        dynamic, offsets, sizes, dropped = window.operands()
        warpgroup.TmaStoreOp(
            view(ctx, source, of_source),
            window.array,
            dynamic,
            offsets,
            sizes,
            dropped=dropped,
            reduction=atomic_kind(ctx, reduction_op, ctx.avals_in[0]) if reduction_op is not None else None,
            predicate=predicate,
        )
    if commit_group:
        warpgroup.CommitGroupOp()
    return []


def _store_to_devices(
    ctx: RuleContext,
    source: ir.Value,
    dest: ir.Value,
    receivers: Sequence[Receiver],
    predicate: ir.Value | None,
    reduction_op: str | None,
) -> None:
    """Such a copy completes when it starts: a reader of its destination must wait first."""

    def store() -> None:
        value = grid.LoadOp(ir.RankedTensorType.get(source.type.shape, source.type.element_type), source).result
        if reduction_op is None:
            store_to(value, dest, receivers)
        else:
            combine_with(ctx, value, ctx.avals_in[0].dtype, dest, receivers, reduction_op)

    where(predicate, store)


@WARPGROUP.rule("commit_group")
def _commit_group(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitGroupOp()
    return []


@WARPGROUP.rule("wait_smem_to_gmem")
def _wait_smem_to_gmem(ctx: RuleContext, *, wait_read_only: bool, n: int | None) -> list[ir.Value]:
    warpgroup.WaitGroupOp(count(ctx, n), read=wait_read_only or None)
    return []


@WARPGROUP.rule(
    "async_prefetch",
    ignores={
        "ref_transforms_treedef": ANY,
        "collective_axes": ANY,
        "leader_tracked": ANY,
        "has_user_predicate": ANY,
    },
)
def _async_prefetch(_: RuleContext, *__: ir.Value) -> list[ir.Value]:
    """A hint."""
    return []
