# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous copies between Refs of a TPU: of windows, and of the rows that an array of indices names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from gridir.frontend import emit, jax_compat
from gridir.frontend.context import RuleContext
from gridir.frontend.devices import receiver_of
from gridir.frontend.levels import TPU
from gridir.frontend.rules.ref_views import is_array, slice_ref, transformed, unflatten
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def _computed_slices(ref: Any) -> list[int]:
    """The dimensions that the last indexer of a Ref slices to a size which the kernel computes."""
    last: Any = ref.transforms[-1] if isinstance(ref, jax_compat.TransformedRef) and ref.transforms else None
    if not isinstance(last, jax_compat.NDIndexer):
        return []
    slices = [(dim, index) for dim, index in enumerate(last.indices) if isinstance(index, jax_compat.Slice)]
    return [dim for dim, index in slices if not isinstance(index.size, int)]


def _with_slice(ref: Any, dim: int, start: Any, size: int = 1) -> Any:
    """The Ref with `size` elements from `start` on instead of a slice."""
    *before, last = ref.transforms
    indices = list(last.indices)
    indices[dim] = jax_compat.Slice(start, size, 1)
    last = dataclasses.replace(last, indices=tuple(indices), validate=False)
    return dataclasses.replace(ref, transforms=(*before, last))


def _element(ref: Any, dim: int, number: ir.Value) -> Any:
    """The Ref with one element of a slice instead of the slice."""
    index = ref.transforms[-1].indices[dim]
    offset = emit.value("arith.index_cast", [number], index.size.type)
    if index.stride != 1:
        offset = emit.binary("arith.muli", offset, emit.constant(index.stride, offset.type))
    start = index.start if isinstance(index.start, ir.Value) else emit.constant(index.start, offset.type)
    return _with_slice(ref, dim, emit.binary("arith.addi", start, offset))


def _any_element(ref: Any, dim: int, _: ir.Value) -> Any:
    """The Ref with an element of the size of those of a slice, which need not exist, instead of the slice."""
    return _with_slice(ref, dim, 0)


def _for_each_part(
    ctx: RuleContext,
    source: Any,
    dest: Any,
    use: Callable[[ir.Value, ir.Value], None],
    element: Callable[[Any, int, ir.Value], Any],
) -> None:
    """Calls `use` with both ends of a copy; where its size is computed, in loops over the elements of the slices.

    A semaphore counts bytes, so that the parts of a copy are what the whole is.
    """
    dims = _computed_slices(source), _computed_slices(dest)
    if not dims[0] or len(dims[0]) != len(dims[1]):
        use(transformed(ctx, source), transformed(ctx, dest))
        return
    size = source.transforms[-1].indices[dims[0][0]].size

    def part(number: ir.Value) -> list[ir.Value]:
        ends = element(source, dims[0][0], number), element(dest, dims[1][0], number)
        _for_each_part(ctx, *ends, use, element)
        return []

    emit.for_loop(emit.index(0), emit.to_index(size), emit.index(1), [], part)


@dataclasses.dataclass(frozen=True)
class Rows:
    """The rows of a Ref that an array of indices names, one after another.

    Attributes:
      ref: the Ref, with a slice of one row in place of the array.
      indices: the array, or the Ref that holds it.
      ignored: the index that names no row, or None.
    """

    ref: Any
    indices: Any
    ignored: int | None

    def count(self, ctx: RuleContext) -> ir.Value:
        """How many there are."""
        for dim in _computed_slices(self.indices):
            return emit.to_index(self.indices.transforms[-1].indices[dim].size)
        shaped = transformed(ctx, self.indices).type
        if len(shaped.shape) != 1:
            raise ctx.unsupported(f"expected indices of rows in one dimension, got {len(shaped.shape)}")
        return emit.index(shaped.shape[0])

    def index(self, ctx: RuleContext, number: ir.Value) -> ir.Value:
        """The index of a row."""
        if isinstance(self.indices, ir.Value) and isinstance(self.indices.type, ir.RankedTensorType):
            return emit.extract(self.indices, [number])
        held = _row(ctx, self.indices, number)
        return emit.extract(grid.load_all(held), [emit.index(0)])

    def offsets(self, ctx: RuleContext) -> ir.Value:
        """The indices: an array, or a Ref of them."""
        return transformed(ctx, self.indices)

    def all_rows(self, ctx: RuleContext) -> ir.Value:
        """All rows, those that are not named as well."""
        return transformed(ctx, _with_slice(self.ref, 0, 0, self.ref.transforms[-1].shape[0]))

    def row(self, ctx: RuleContext, index: ir.Value) -> ir.Value:
        """A row by its index."""
        return transformed(ctx, _with_slice(self.ref, 0, index))


def rows_of(ctx: RuleContext, ref: Any) -> Rows | None:
    """The rows that one end of a copy names, or None where it is a window."""
    if not isinstance(ref, jax_compat.TransformedRef):
        return None
    for number, transform in enumerate(ref.transforms):
        if not isinstance(transform, jax_compat.NDIndexer):
            continue
        values = [getattr(index, "values", index) for index in transform.indices]
        arrays = [dim for dim, index in enumerate(values) if _names_rows(index)]
        if not arrays:
            continue
        if arrays != [0] or number + 1 != len(ref.transforms):
            raise ctx.unsupported("expected an array of indices in the first dimension of the last indexer of a copy")
        ignored = getattr(transform.indices[0], "ignored_value", None)
        return Rows(_with_slice(ref, 0, 0), values[0], ignored)
    return None


def _names_rows(index: Any) -> bool:
    """Whether an index is an array, or a Ref that holds one."""
    return isinstance(index, jax_compat.TransformedRef) or is_array(index)


def _row(ctx: RuleContext, ref: Any, number: ir.Value) -> ir.Value:
    """One element of a Ref along its first dimension, which is kept."""
    dims = _computed_slices(ref)
    if dims:
        return transformed(ctx, _element(ref, dims[0], number))
    whole = transformed(ctx, ref)
    sizes = [1, *whole.type.shape[1:]]
    return slice_ref(whole, [number, *[0] * (len(sizes) - 1)], sizes, [1] * len(sizes))


def _start_rows(
    ctx: RuleContext,
    ends: tuple[Any, Any],
    rows: tuple[Rows | None, Rows | None],
    start: Callable[..., None],
) -> None:
    """Starts a copy of each row that one end of a copy names, or both; one that is ignored is copied to itself."""
    count = next(named.count(ctx) for named in rows if named is not None)

    def copy(number: ir.Value) -> list[ir.Value]:
        indices = [named and named.index(ctx, number) for named in rows]
        is_ignored = None
        for named, index in zip(rows, indices, strict=True):
            if named is not None and index is not None and named.ignored is not None:
                matches = emit.compare("eq", index, emit.constant(named.ignored, index.type))
                is_ignored = matches if is_ignored is None else emit.binary("arith.ori", is_ignored, matches)

        def one(end: int) -> ir.Value:
            named = rows[end]
            return _row(ctx, ends[end], number) if named is None else named.row(ctx, indices[end])

        def move() -> list[ir.Value]:
            start(one(0), one(1))
            return []

        def skip() -> list[ir.Value]:
            own = one(0 if rows[0] is None else 1)
            start(own, own, adds=False)
            return []

        if is_ignored is None:
            return move()
        return emit.if_else(is_ignored, [], skip, move)

    emit.for_loop(emit.index(0), count, emit.index(1), [], copy)


@TPU.rule("dma_start")
def dma_start(
    ctx: RuleContext, *leaves: ir.Value, tree: Any, device_id_type: Any, priority: int, add: bool
) -> list[ir.Value]:
    """Starts a copy, or one for each row."""
    source, dest, sem, source_sem, device = unflatten(ctx, tree, leaves)
    to = receiver_of(ctx, device, device_id_type)

    def start(source: ir.Value, dest: ir.Value, adds: bool = add) -> None:
        grid.CopyStartOp(
            source,
            dest,
            transformed(ctx, sem),
            to.device,
            # A copy to this core has one semaphore.
            src_sem=transformed(ctx, source_sem) if to.is_other else None,
            core=to.core,
            device_id_type=to.kind,
            priority=priority or None,
            add=adds or None,
        )

    rows = rows_of(ctx, source), rows_of(ctx, dest)
    if any(rows):
        _start_rows(ctx, (source, dest), rows, start)
    else:
        _for_each_part(ctx, source, dest, start, _element)
    return []


@TPU.rule("dma_wait")
def dma_wait(
    ctx: RuleContext, *leaves: ir.Value, tree: Any, device_id_type: Any, insert_dummy_device: bool
) -> list[ir.Value]:
    """JAX swaps the ends of a copy to wait until it has been sent, and says so by a dummy device."""
    source, dest, sem, _, device = unflatten(ctx, tree, leaves)
    to = receiver_of(ctx, device, device_id_type)

    def wait(source: ir.Value, dest: ir.Value) -> None:
        grid.CopyWaitOp(
            source,
            dest,
            transformed(ctx, sem),
            to.device,
            device_id_type=to.kind,
            send=insert_dummy_device or None,
        )

    # A wait is for a number of bytes, wherever they are: that end tells it which is a window.
    ends = [(end, rows_of(ctx, end)) for end in (source, dest)]
    windows = [end for end, rows in ends if rows is None]
    if windows:
        _for_each_part(ctx, windows[0], windows[-1], wait, _any_element)
        return []
    rows: Any = ends[1][1]

    def wait_for_row(_: ir.Value) -> list[ir.Value]:
        row = rows.row(ctx, emit.constant(0, emit.i32()))
        wait(row, row)
        return []

    emit.for_loop(emit.index(0), rows.count(ctx), emit.index(1), [], wait_for_row)
    return []
