# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores of windows and elements of Refs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import tree_util

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.rules.casts import convert
from gridir.frontend.rules.ref_views import (
    index_value,
    is_array,
    repeats_elements,
    static_index,
    unflatten,
    view,
    window,
    without_repeats,
)
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, rule
from gridir.mlir import ir
from gridir.mlir.dialects import grid


class Access:
    """The elements of an access: a view, and arrays of indices into some of its dimensions."""

    def __init__(self, ctx: RuleContext, ref: Any, transforms: Sequence[Any]):
        transforms = list(transforms or ())
        self._ctx = ctx
        self.indices: list[ir.Value] = []
        self.dims: list[int] = []
        self.repeated: list[int] | None = None
        indexer: Any = transforms[-1] if transforms else None
        indices = indexer.indices if isinstance(indexer, jax_core.NDIndexer) else ()
        repeats = any(map(repeats_elements, indices))
        if not any(map(is_array, indices)):
            if not repeats:
                self.ref = view(ctx, ref, transforms)
                return
            self.ref = window(ctx, view(ctx, ref, transforms[:-1]), list(map(without_repeats, indices)))
            self.repeated = [index.size for index in indices if isinstance(index, jax_core.Slice)]
            return
        if repeats:
            raise ctx.unsupported("expected no array of indices beside a slice with a stride of 0")
        source = view(ctx, ref, transforms[:-1])
        # A scalar index next to an array of indices is broadcast.
        shape = tuple(int(size) for size in indexer.int_indexer_shape)
        are_ints = [not isinstance(index, jax_core.Slice) for index in indexer.indices]
        whole = [
            index if isinstance(index, jax_core.Slice) else jax_core.Slice(0, extent, 1)
            for index, extent in zip(indexer.indices, source.type.shape, strict=True)
        ]
        self.ref = window(ctx, source, whole)
        self.dims = [dim for dim, is_int in enumerate(are_ints) if is_int]
        self.indices = [_index_array(indexer.indices[d], shape, source.type.shape[d]) for d in self.dims]
        # JAX puts neighbouring indexed dimensions where the first of them was, others in front.
        contiguous = self.dims == list(range(self.dims[0], self.dims[0] + len(self.dims)))
        position = self.dims[0] if contiguous else 0
        rank, others = len(shape), len(are_ints) - len(self.dims)
        # The gathered value has the index dimensions first; dimension i of JAX's is dimension to_jax[i] of it.
        self.to_jax = [
            *range(rank, rank + position),
            *range(rank),
            *range(rank + position, rank + others),
        ]
        gathered = [size for dim, size in enumerate(self.ref.type.shape) if dim not in self.dims]
        self.gathered = emit.typed([*shape, *gathered], self.ref.type.element_type)

    @classmethod
    def of_window(cls, ref: ir.Value) -> Access:
        """All of a Ref."""
        access = cls.__new__(cls)
        access.ref, access.indices, access.dims, access.repeated = ref, [], [], None
        return access

    @classmethod
    def of_elements(cls, source: ir.Value, indices: Sequence[ir.Value], shape: Sequence[int]) -> Access:
        """Elements of a Ref, each with its own indices: an array of indices for each dimension."""
        access = cls.__new__(cls)
        access.ref, access.indices, access.dims = source, list(indices), list(range(len(indices)))
        access.to_jax, access.repeated = list(range(len(shape))), None
        access.gathered = emit.typed(list(shape), source.type.element_type)
        return access

    def from_jax(self, x: ir.Value | None) -> ir.Value | None:
        """A value of JAX's shape in the order of dimensions of the gathered value."""
        if x is None or not self.indices:
            return x
        return emit.transpose(x, [self.to_jax.index(i) for i in range(len(self.to_jax))])

    def load(self, mask: ir.Value | None = None, other: ir.Value | None = None) -> ir.Value:
        """Reads a value of JAX's shape."""
        if not self.indices:
            held = self.ref.type
            type_ = emit.typed(held.shape, held.element_type)
            value = grid.LoadOp(type_, self.ref, mask=mask, other=other).result
            return value if self.repeated is None else emit.broadcast_trailing(value, self.repeated)
        dims = ir.DenseI64ArrayAttr.get(self.dims)
        indices = self.indices if mask is not None else self._clamped()
        value = grid.GatherOp(self.gathered, self.ref, indices, dims, mask=mask, other=other).result
        return emit.transpose(value, self.to_jax)

    def _clamped(self) -> list[ir.Value]:
        """The indices as JAX reads by them: one past an end takes the element at that end."""
        clamped = []
        for index, dim in zip(self.indices, self.dims, strict=True):
            high = emit.constant(self.ref.type.shape[dim] - 1, index.type)
            low = emit.constant(0, index.type)
            clamped.append(emit.binary("arith.minsi", emit.binary("arith.maxsi", index, low), high))
        return clamped

    def check_written(self) -> None:
        """Checks that each element is named once.

        Raises:
          UnsupportedError: for one that is named more than once, by a stride of 0.
        """
        if self.repeated is not None:
            raise self._ctx.unsupported("expected each element once where a Ref is written, got a stride of 0")

    def store(self, value: ir.Value, mask: ir.Value | None = None) -> None:
        """Writes a value of JAX's shape."""
        self.check_written()
        if not self.indices:
            grid.StoreOp(value, self.ref, mask=mask)
            return
        dims = ir.DenseI64ArrayAttr.get(self.dims)
        grid.ScatterOp(self.from_jax(value), self.ref, self.indices, dims, mask=mask)

    def accumulate(self, value: ir.Value) -> None:
        """Adds a value to the contents."""
        self.check_written()
        if not self.indices:
            grid.AccumulateOp(value, self.ref)
            return
        dims = ir.DenseI64ArrayAttr.get(self.dims)
        grid.ScatterOp(self.from_jax(value), self.ref, self.indices, dims, add=True)


def _index_array(index: Any, shape: Sequence[int], extent: int) -> ir.Value:
    """An array of indices of that shape; a negative one counts from the end, as NumPy's do."""
    if not isinstance(index, ir.Value):
        array = np.broadcast_to(np.asarray(index, np.int32), shape)
        array = np.where(array < 0, array + extent, array)
        return emit.array_constant(array, emit.typed(array.shape, emit.i32()))
    index = index_value(index)
    negative = emit.compare("slt", index, emit.constant(0, index.type))
    from_end = emit.binary("arith.addi", index, emit.constant(extent, index.type))
    index = emit.select(negative, from_end, index)
    if not emit.shape_of(index):
        return emit.splat(index, shape)
    if emit.shape_of(index) != tuple(shape):
        return emit.broadcast_trailing(index, shape)
    return index


@rule("get")
def _get(ctx: RuleContext, ref: Any, *leaves: ir.Value, tree: Any) -> ir.Value:
    return Access(ctx, ref, unflatten(ctx, tree, leaves)).load()


@rule("swap")
def _swap(ctx: RuleContext, ref: Any, value: ir.Value, *leaves: ir.Value, tree: Any) -> list[ir.Value]:
    return swap(ctx, ref, value, unflatten(ctx, tree, leaves))


def swap(ctx: RuleContext, ref: Any, value: ir.Value, transforms: Sequence[Any]) -> list[ir.Value]:
    """Replaces the contents of a Ref; returns the old contents if they are used."""
    access = Access(ctx, ref, transforms)
    old = access.load() if ctx.is_used() else value
    access.store(value)
    return [old]


@rule("addupdate")
def _addupdate(ctx: RuleContext, ref: Any, value: ir.Value, *leaves: ir.Value, tree: Any) -> list[ir.Value]:
    access = Access(ctx, ref, unflatten(ctx, tree, leaves))
    access.accumulate(value)
    return []


def access_mask(access: Access, mask: ir.Value | None, shape: Sequence[int]) -> ir.Value | None:
    """The mask in the shape of the value; a gather takes one of the shape of its indices."""
    if mask is None:
        return None
    if emit.shape_of(mask) != tuple(shape):
        mask = emit.broadcast_trailing(mask, shape)
    return access.from_jax(mask)


def _is_within(index: Any, extent: int) -> bool | None:
    """True if an index that is not an array stays within a dimension; None if only the kernel knows."""
    number = static_index(index.start if isinstance(index, jax_core.Slice) else index)
    if not isinstance(index, jax_core.Slice):
        return None if number is None else -extent <= number < extent
    last = (index.size - 1) * index.stride
    if last >= extent or (number is not None and not 0 <= number < extent - last):
        return False
    return None if number is None else True


def _surely_inside(shape: Sequence[int], indices: Sequence[Any]) -> bool | None:
    """True if a window lies inside a Ref of that shape; None if it depends on a dynamic index."""
    answers = [_is_within(index, extent) for index, extent in zip(indices, shape, strict=True)]
    if False in answers:
        return False
    return None if None in answers else True


def _window_of_window(outer: Sequence[Any], inner: Sequence[Any]) -> list[Any] | None:
    """The indices that name a window of a window at once, or None where the second may leave the first."""
    slices = [index for index in outer if isinstance(index, jax_core.Slice)]
    if any(map(is_array, outer)) or any(map(repeats_elements, outer)) or any(map(is_array, inner)):
        return None
    if not _surely_inside([index.size for index in slices], inner):
        return None
    rest = iter(inner)
    composed = []
    for index in outer:
        if not isinstance(index, jax_core.Slice):
            composed.append(index)
            continue
        part = next(rest)
        is_slice = isinstance(part, jax_core.Slice)
        number = static_index(part.start if is_slice else part)
        if number is None:
            return None
        start = _shifted(index.start, (number + index.size if number < 0 else number) * index.stride)
        composed.append(jax_core.Slice(start, part.size, part.stride * index.stride) if is_slice else start)
    return composed


def _shifted(start: Any, by: int) -> Any:
    number = static_index(start)
    if number is not None:
        return number + by
    start = index_value(start)
    return emit.binary("arith.addi", start, emit.constant(by, start.type)) if by else start


def _element_indices(source: ir.Value, indexer: Any, indices: Sequence[Any], shape: Sequence[int]) -> list[ir.Value]:
    """The indices of the elements that a window and arrays of indices name, one by one, as arrays of their shape."""
    type_ = ir.RankedTensorType.get(list(shape), emit.i32())
    # As in `Access`: a number beside an array is an array, and neighbouring ones have the position of the first.
    is_any_array = any(map(is_array, indices))
    arrays = [d for d, index in enumerate(indices) if is_any_array and not isinstance(index, jax_core.Slice)]
    array_shape = tuple(int(size) for size in indexer.int_indexer_shape) if arrays else ()
    contiguous = arrays == list(range(arrays[0], arrays[0] + len(arrays))) if arrays else False
    first = arrays[0] if contiguous else 0
    array_dims = range(first, first + len(array_shape))
    slice_dims = iter([dim for dim in range(len(shape)) if dim not in array_dims])
    result = []
    for d, (index, extent) in enumerate(zip(indices, source.type.shape, strict=True)):
        if d in arrays:
            array = _as_i32(_index_array(index, array_shape, extent))
            result.append(emit.generate(type_, lambda *point, a=array: emit.extract(a, [point[i] for i in array_dims])))
            continue
        is_slice = isinstance(index, jax_core.Slice)
        start = index.start if is_slice else index
        number = static_index(start)
        if number is None:
            start = _as_i32(index_value(start))
        else:
            start = emit.constant(number if is_slice or number >= 0 else number + extent, emit.i32())
        if not is_slice:
            result.append(emit.splat(start, shape))
            continue

        def element(
            *point: ir.Value, dim: int = next(slice_dims), start: ir.Value = start, stride: int = index.stride
        ) -> ir.Value:
            offset = emit.value("arith.index_cast", [point[dim]], emit.i32())
            offset = emit.binary("arith.muli", offset, emit.constant(stride, emit.i32()))
            return emit.binary("arith.addi", start, offset)

        result.append(emit.generate(type_, element))
    return result


def _as_i32(index: ir.Value) -> ir.Value:
    """An index, or an array of them, of 32 bits."""
    return index if emit.element_of(index) == emit.i32() else emit.cast("arith.trunci", index, emit.i32())


def masked(
    ctx: RuleContext,
    ref: Any,
    transforms: Any,
    mask: ir.Value | None,
    use: Callable[[Access, ir.Value | None], list[ir.Value]],
) -> list[ir.Value]:
    """Applies `use` to the elements of a masked access.

    Masked elements are not accessed, so a window may leave the Ref there: a load or store of a view with a mask may. A
    window that surely leaves it is not a view, and its elements are accessed one by one. The same holds if some
    dimensions have arrays of indices, whose mask selects among all elements.
    """
    shape, transforms = ctx.avals_out[0].shape, list(transforms or ())

    def use_masked(access: Access) -> list[ir.Value]:
        return use(access, access_mask(access, mask, shape))

    indexer: Any = transforms[-1] if transforms else None
    if mask is None or not isinstance(indexer, jax_core.NDIndexer):
        return use_masked(Access(ctx, ref, transforms))
    indices, before = list(indexer.indices), transforms[:-1]
    while before and isinstance(before[-1], jax_core.NDIndexer):
        composed = _window_of_window(before[-1].indices, indices)
        if composed is None:
            break
        indices, before = composed, before[:-1]
    are_arrays = any(map(is_array, indices))
    if are_arrays and not any(isinstance(index, jax_core.Slice) for index in indices):
        return use_masked(Access(ctx, ref, transforms))
    source = view(ctx, ref, before)

    # A slice with a stride of 0 is no window of the Ref.
    if are_arrays or any(map(repeats_elements, indices)) or _surely_inside(source.type.shape, indices) is False:
        return use_masked(Access.of_elements(source, _element_indices(source, indexer, indices, shape), shape))
    return use_masked(Access.of_window(window(ctx, source, indices)))


@rule("masked_load", ignores={"eviction_policy": ANY, "cache_modifier": ANY, "is_volatile": ANY})
def _masked_load(ctx: RuleContext, *leaves: ir.Value, args_tree: Any) -> list[ir.Value]:
    ref, transforms, mask, other = unflatten(ctx, args_tree, leaves)
    shape = ctx.avals_out[0].shape
    if mask is not None and other is not None:
        _, _, _, other_aval = tree_util.tree_unflatten(args_tree, ctx.avals_in)
        # The fill value has a separate dtype, for example the float 0.0 for a Ref of f16.
        other = convert(other, other_aval, ctx.avals_out[0])
        if emit.shape_of(other) != tuple(shape):
            other = emit.broadcast_trailing(other, shape)

    def load(access: Access, mask: ir.Value | None) -> list[ir.Value]:
        return [access.load() if mask is None else access.load(mask, access.from_jax(other))]

    return masked(ctx, ref, transforms, mask, load)


@rule("masked_swap", ignores={"eviction_policy": ANY})
def _masked_swap(ctx: RuleContext, *leaves: ir.Value, args_tree: Any) -> list[ir.Value]:
    ref, transforms, value, mask = unflatten(ctx, args_tree, leaves)
    used, shape = ctx.is_used(), ctx.avals_out[0].shape

    def swap(access: Access, mask: ir.Value | None) -> list[ir.Value]:
        # Masked elements are not read either.
        old = [access.load(mask, access.from_jax(value)) if mask is not None else access.load()] if used else []
        access.store(value, mask)
        return old

    full = mask if mask is None or emit.shape_of(mask) == tuple(shape) else emit.broadcast_trailing(mask, shape)
    # Masked elements are not swapped, and the result there is the value itself.
    return masked(ctx, ref, transforms, full, swap) or [value]
