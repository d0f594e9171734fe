# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous copies between Refs of a TPU: of windows, and of the rows that an array of indices names."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.rules.ref_views import is_array, slice_ref, transformed, unflatten
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import receiver_of
from gridir.frontend.walk.levels import TPU
from gridir.frontend.walk.types import element_type
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.runtime.dtypes import DTYPES
from gridir.runtime.tpu.tiles import extent_in_tiles


def _computed_slices(ref: Any) -> list[int]:
    """The dimensions that the last indexer of a Ref slices to a size which the kernel computes."""
    last: Any = ref.transforms[-1] if isinstance(ref, jax_core.TransformedRef) and ref.transforms else None
    if not isinstance(last, jax_core.NDIndexer):
        return []
    slices = [(dim, index) for dim, index in enumerate(last.indices) if isinstance(index, jax_core.Slice)]
    return [dim for dim, index in slices if not isinstance(index.size, int)]


def _with_slice(ref: Any, dim: int, start: Any, size: int = 1) -> Any:
    """The Ref with `size` elements from `start` on instead of a slice."""
    *before, last = ref.transforms
    indices = list(last.indices)
    indices[dim] = jax_core.Slice(start, size, 1)
    last = dataclasses.replace(last, indices=tuple(indices), validate=False)
    return dataclasses.replace(ref, transforms=(*before, last))


def _position(ref: Any, dim: int, number: ir.Value) -> ir.Value:
    """The position of an element of a slice in its dimension."""
    index = ref.transforms[-1].indices[dim]
    offset = emit.value("arith.index_cast", [number], index.size.type)
    if index.stride != 1:
        offset = emit.binary("arith.muli", offset, emit.constant(index.stride, offset.type))
    start = index.start if isinstance(index.start, ir.Value) else emit.constant(index.start, offset.type)
    return emit.binary("arith.addi", start, offset)


def _element(ref: Any, dim: int, number: ir.Value) -> Any:
    """The Ref with one element of a slice instead of the slice."""
    return _with_slice(ref, dim, _position(ref, dim, number))


def _any_element(ref: Any, dim: int, _: ir.Value) -> Any:
    """The Ref with an element of the size of those of a slice, which need not exist, instead of the slice."""
    return _with_slice(ref, dim, 0)


def _width(ref: Any) -> int:
    """The bits that memory has for an element of a Ref; a bool is held as a number of 32."""
    if isinstance(ref, (tuple, list)):
        return _width(ref[0])
    if isinstance(ref, jax_core.TransformedRef):
        casts = [cast for cast in ref.transforms if isinstance(cast, jax_core.BitcastTransform)]
        return element_type(casts[-1].dtype).width if casts else _width(ref.ref)
    width = ref.type.element_type.width
    return 32 if width == 1 else width


def _in_tiles(ref: Any, dim: int) -> int:
    """The elements that the memory of a Ref has in a dimension of its last indexer."""
    return extent_in_tiles(ref.transforms[-1].shape, dim, _width(ref))


def _padded(ref: Any, dims: Sequence[int]) -> list[int]:
    """Those dimensions of the last indexer of a Ref that end within a tile."""
    return [dim for dim in dims if _in_tiles(ref, dim) != ref.transforms[-1].shape[dim]]


def _is_padding(ref: Any, dims: Sequence[int]) -> list[ir.Value]:
    """For each dimension of a Ref at one element that ends within a tile: whether the element is after the end."""
    conditions = []
    for dim in _padded(ref, dims):
        position = ref.transforms[-1].indices[dim].start
        behind = emit.compare("sge", position, emit.constant(ref.transforms[-1].shape[dim], position.type))
        inside = emit.compare("slt", position, emit.constant(_in_tiles(ref, dim), position.type))
        conditions.append(emit.binary("arith.andi", behind, inside))
    return conditions


def _nearest(ref: Any, dims: Sequence[int]) -> Any:
    """The Ref at the nearest element that exists."""
    for dim in _padded(ref, dims):
        position = ref.transforms[-1].indices[dim].start
        last = emit.constant(ref.transforms[-1].shape[dim] - 1, position.type)
        ref = _with_slice(ref, dim, emit.binary("arith.minsi", position, last))
    return ref


def _for_each_part(
    ctx: RuleContext,
    source: Any,
    dest: Any,
    use: Callable[[Any, Any], None],
    element: Callable[[Any, int, ir.Value], Any],
) -> None:
    """Calls `use` with both ends of a copy; where its size is computed, in loops over the elements of the slices.

    A semaphore counts bytes, so a copy may be divided into parts. Each loop names its dimensions if its elements are
    adjacent, so that a target with copies of any size makes one of it.
    """
    dims = list(zip(_computed_slices(source), _computed_slices(dest), strict=False))
    sizes = [emit.to_index(source.transforms[-1].indices[dim].size) for dim, _ in dims]

    def loop(depth: int, source: Any, dest: Any) -> list[ir.Value]:
        if depth == len(dims):
            use(source, dest)
            return []

        def part(number: ir.Value) -> list[ir.Value]:
            ends = (element(end, dim, number) for end, dim in zip((source, dest), dims[depth], strict=True))
            return loop(depth + 1, *ends)

        strides = [end.transforms[-1].indices[dim].stride for end, dim in zip((source, dest), dims[depth], strict=True)]
        neighbours = {"grid.copied_dims": ir.DenseI64ArrayAttr.get(list(dims[depth]))}
        copied = neighbours if strides == [1, 1] else None
        return emit.for_loop(emit.index(0), sizes[depth], emit.index(1), [], part, attributes=copied)

    loop(0, source, dest)


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
    """The rows that one end of a copy selects, or None for a window."""
    if not isinstance(ref, jax_core.TransformedRef):
        return None
    for number, transform in enumerate(ref.transforms):
        if not isinstance(transform, jax_core.NDIndexer):
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
    """True if an index is an array, or a Ref that holds one."""
    return isinstance(index, jax_core.TransformedRef) or is_array(index)


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


def _author_type(ref: ir.Value) -> str:
    """The dtype and shape of a Ref as JAX writes them, and the name of the author's Ref that it is part of."""
    type_, element = ref.type, str(ref.type.element_type)
    text = f"{np.dtype(DTYPES[element]).name if element in DTYPES else element}{list(type_.shape)}"
    root = ref
    # Of a view the operation that makes it has the Ref; a Ref itself is an argument of a block.
    while operands := getattr(root.owner, "operands", None):
        root = operands[0]
    name = _author_name(root)
    return f"{text} of {name}" if name else text


def _author_name(root: Any) -> str:
    """The author's name of a Ref that is an operand or scratch of the kernel, or that a scope has; "" for another."""
    number, attributes = ir.BlockArgument(root).arg_number, root.owner.owner.attributes
    if "origins" in attributes:
        names = [ir.StringAttr(name).value for name in ir.ArrayAttr(attributes["origins"])]
    else:
        kinds = [kind for kind in ("index_operands", "inputs", "outputs") if kind in attributes]
        names = [spec.origin or "" for kind in kinds for spec in ir.ArrayAttr(attributes[kind])]
        if "scratch_origins" in attributes:
            names += [ir.StringAttr(name).value for name in ir.ArrayAttr(attributes["scratch_origins"])]
    return names[number] if number < len(names) else ""


def _check_ends(ctx: RuleContext, source: ir.Value, dest: ir.Value) -> None:
    """Rejects a copy between Refs of different shapes or dtypes."""
    kinds = [(list(ref.type.shape), ref.type.element_type) for ref in (source, dest)]
    if kinds[0] != kinds[1]:
        ends = " to ".join(map(_author_type, (source, dest)))
        raise ctx.invalid(f"expected a copy between Refs of one shape and dtype, got one from {ends}")


def _start_parts(ctx: RuleContext, source: Any, dest: Any, start: Callable[..., None], skips_padding: bool) -> None:
    """Starts a copy, or one for each element where its size is computed.

    Such a copy may end in the padding that follows the last rows and lanes of an array in its tiles, as those of
    `emit_pipeline` do. Padding is memory of a TPU alone: in its place an element is copied to itself, as the
    semaphore counts it.
    """
    dims = _computed_slices(source), _computed_slices(dest)

    def use(source: Any, dest: Any) -> None:
        def move() -> list[ir.Value]:
            start(transformed(ctx, source), transformed(ctx, dest))
            return []

        def skip() -> list[ir.Value]:
            own = transformed(ctx, _nearest(source, dims[0]) if _padded(dest, dims[1]) else dest)
            start(own, own, adds=False)
            return []

        is_padding = [*_is_padding(source, dims[0]), *_is_padding(dest, dims[1])] if skips_padding else []
        if is_padding:
            emit.if_else(functools.reduce(functools.partial(emit.binary, "arith.ori"), is_padding), [], skip, move)
        else:
            move()

    _for_each_part(ctx, source, dest, use, _element)


@TPU.rule("dma_start")
def dma_start(
    ctx: RuleContext, *leaves: ir.Value, tree: Any, device_id_type: Any, priority: int, add: bool
) -> list[ir.Value]:
    """Starts a copy, or one for each row."""
    source, dest, sem, source_sem, device = unflatten(ctx, tree, leaves)
    to = receiver_of(ctx, device, device_id_type)
    counts_reads = source_sem is not None and device is None and not to.is_other
    if counts_reads and ctx.kernel.platform != "cpu":
        raise ctx.unsupported("expected a copy to another device with a semaphore of the source")
    if sem is None:
        if not counts_reads:
            raise ctx.unsupported("expected a semaphore that counts the arrived data")
        # The only semaphore of a copy counts both.
        sem, counts_reads = source_sem, False

    def start(source: ir.Value, dest: ir.Value, adds: bool = add) -> None:
        _check_ends(ctx, source, dest)
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
        if counts_reads:
            # A copy of the source to itself moves nothing, and counts on the other semaphore.
            grid.CopyStartOp(source, source, transformed(ctx, source_sem), [])

    rows = rows_of(ctx, source), rows_of(ctx, dest)
    if any(rows):
        _start_rows(ctx, (source, dest), rows, start)
    else:
        _start_parts(ctx, source, dest, start, skips_padding=not to.is_other)
    return []


@TPU.rule("dma_wait")
def dma_wait(ctx: RuleContext, *leaves: ir.Value, tree: Any, device_id_type: Any, is_wait_send: bool) -> list[ir.Value]:
    """To wait until a copy has been sent, JAX swaps its ends and passes a dummy device."""
    source, dest, sem, _, device = unflatten(ctx, tree, leaves)
    to = receiver_of(ctx, device, device_id_type)
    if sem is None:
        raise ctx.unsupported("expected a semaphore that counts the arrived data")

    def wait(source: ir.Value, dest: ir.Value) -> None:
        grid.CopyWaitOp(
            source,
            dest,
            transformed(ctx, sem),
            to.device,
            device_id_type=to.kind,
            send=is_wait_send or None,
        )

    def wait_for(source: Any, dest: Any) -> None:
        wait(transformed(ctx, source), transformed(ctx, dest))

    # A wait is for a number of bytes, wherever they are: that end tells it which is a window.
    ends = [(end, rows_of(ctx, end)) for end in (source, dest)]
    windows = [end for end, rows in ends if rows is None]
    if windows:
        _for_each_part(ctx, windows[0], windows[-1], wait_for, _any_element)
        return []
    rows: Any = ends[1][1]

    def wait_for_row(_: ir.Value) -> list[ir.Value]:
        row = rows.row(ctx, emit.constant(0, emit.i32()))
        wait(row, row)
        return []

    emit.for_loop(emit.index(0), rows.count(ctx), emit.index(1), [], wait_for_row)
    return []
