# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers the indexing of Refs to views: windows, Ref transforms, and the kinds of indices that name them."""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jax import tree_util

from gridir import emit
from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_core, jax_gpu, jax_tpu
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.types import RefUnion, bit_width, element_type, is_bool, is_unsigned, layout_of, space_name
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def _memref(source: ir.Value, shape: Sequence[int], element: ir.Type | None = None) -> ir.Type:
    """A Ref of another shape in the memory space of `source`."""
    type_ = source.type
    return ir.MemRefType.get(list(shape), element or type_.element_type, memory_space=type_.memory_space)


def static_index(index: Any) -> int | None:
    """An index that is known now, be it a Python number or a constant of the IR."""
    if type(index) is int:
        return index
    if isinstance(index, ir.Value):
        attribute = emit.constant_attr(index)
        return None if attribute is None else int(ir.IntegerAttr(attribute).value)
    try:
        return operator.index(index)
    except TypeError:
        return None


def index_value(index: ir.Value) -> ir.Value:
    """A dynamic index, or an array of them, as `grid` takes it: i32, i64 or index."""
    type_ = emit.element_of(index)
    if isinstance(type_, ir.IntegerType) and type_.width not in (32, 64):
        return emit.cast("arith.extsi" if type_.width < 32 else "arith.trunci", index, emit.i32())
    return index


@dataclasses.dataclass(frozen=True)
class _Leaf:
    """Where an operand is in the tree; a number by itself would be an index that is known."""

    number: int


def _index_leaves(node: Any) -> Iterator[_Leaf]:
    """The leaves of the indexers in a tree of operands."""
    if isinstance(node, jax_core.NDIndexer):
        for leaf in tree_util.tree_leaves(node):
            yield from _index_leaves(leaf) if isinstance(leaf, jax_core.TransformedRef) else (leaf,)
    elif isinstance(node, (tuple, list)):
        for part in node:
            yield from _index_leaves(part)
    elif isinstance(node, jax_core.TransformedRef):
        yield from _index_leaves(node.transforms)


def unflatten(ctx: RuleContext, tree: Any, leaves: Sequence[ir.Value]) -> Any:
    """Restores the last operands of an equation from their tree; unsigned indices become signed 32-bit integers."""
    avals = ctx.avals_in[len(ctx.avals_in) - len(leaves) :]
    narrow = [i for i, aval in enumerate(avals) if _is_narrow(aval)]
    if narrow:
        indices = {leaf.number for leaf in _index_leaves(tree.unflatten(list(map(_Leaf, range(len(leaves))))))}
        leaves = list(leaves)
        for i in indices.intersection(narrow):
            leaves[i] = emit.cast("arith.extui", leaves[i], emit.i32())
    return tree.unflatten(leaves)


def _is_narrow(aval: Any) -> bool:
    """True if a value holds unsigned integers of less than 32 bits."""
    return is_unsigned(aval) and not is_bool(aval) and bit_width(aval.dtype) < 32


def slice_ref(
    ref: ir.Value,
    offsets: Sequence[Any],
    sizes: Sequence[int],
    strides: Sequence[int],
    dropped: Sequence[int] = (),
) -> ir.Value:
    """A window of a Ref; offsets are numbers or values. The whole Ref is the Ref itself."""
    shape = list(ref.type.shape)
    numbers = [static_index(offset) for offset in offsets]
    is_at_origin = not dropped and list(sizes) == shape and all(number == 0 for number in numbers)
    if is_at_origin and all(stride == 1 or size == 1 for stride, size in zip(strides, sizes, strict=True)):
        return ref
    # A window outside of its Ref is not reached, or its value is discarded, or it is an error of the call.
    for dim, (number, size, stride, extent) in enumerate(zip(numbers, sizes, strides, shape, strict=True)):
        if number is None or size < 1 or extent < 0:
            continue
        if number < 0 or number + (size - 1) * stride >= extent:
            offsets = [*offsets[:dim], emit.constant(number, emit.i32()), *offsets[dim + 1 :]]
            numbers[dim] = None
    result = [size for i, size in enumerate(sizes) if i not in dropped]
    # By its name, as other ops are: the class of an op takes several times as long, and kernels have many windows.
    attributes = {
        "static_offsets": ir.DenseI64ArrayAttr.get([emit.DYNAMIC if number is None else number for number in numbers]),
        "sizes": ir.DenseI64ArrayAttr.get(sizes),
        "strides": ir.DenseI64ArrayAttr.get(strides),
    }
    if dropped:
        attributes["dropped"] = ir.DenseI64ArrayAttr.get(dropped)
    dynamic = [index_value(o) for o, number in zip(offsets, numbers, strict=True) if number is None]
    return emit.value("grid.slice_ref", [ref, *dynamic], _memref(ref, result), **attributes)


def reshape_ref(ref: ir.Value, shape: Sequence[int]) -> ir.Value:
    """A Ref with the same elements, in row-major order, in another shape."""
    if list(shape) == list(ref.type.shape):
        return ref
    return grid.ReshapeRefOp(_memref(ref, shape), ref).result


def is_array(index: Any) -> bool:
    """True if an index is an array of indices."""
    if isinstance(index, (jax_core.Slice, int)):
        return False
    return isinstance(index.type, ir.ShapedType) if isinstance(index, ir.Value) else bool(np.ndim(index))


def repeats_elements(index: Any) -> bool:
    """True if an index is a slice that contains an element more than once."""
    return isinstance(index, jax_core.Slice) and index.stride == 0 and static_index(index.size) not in (0, 1)


def without_repeats(index: Any) -> Any:
    """A slice that names one element more than once, as the slice that names it once."""
    return jax_core.Slice(index.start, 1, 1) if repeats_elements(index) else index


def window(ctx: RuleContext, ref: ir.Value, indices: Sequence[Any]) -> ir.Value:
    """The window that numbers and slices name; dimensions with arrays of indices are left whole.

    No index is for the last dimensions of a Ref of random keys, which hold their words.
    """
    offsets, sizes, strides, dropped = [], [], [], []
    shape = ref.type.shape
    words = [jax_core.Slice(0, extent, 1) for extent in shape[len(indices) :]]
    for dim, (index, extent) in enumerate(zip([*indices, *words], shape, strict=True)):
        if isinstance(index, jax_core.Slice):
            if not isinstance(index.size, int):
                raise ctx.unsupported("expected a slice of static size, got a computed size")
            if repeats_elements(index):
                raise ctx.unsupported("expected each element of a window once, got a stride of 0")
            offsets.append(index.start)
            sizes.append(index.size)
            strides.append(max(index.stride, 1))
        elif is_array(index):
            offsets.append(0)
            sizes.append(extent)
            strides.append(1)
        else:
            number = static_index(index)
            offsets.append(index if number is None or number >= 0 else number + extent)
            sizes.append(1)
            strides.append(1)
            dropped.append(dim)
    return slice_ref(ref, offsets, sizes, strides, dropped)


def _logical(ctx: RuleContext, ref: ir.Value, transform: Any) -> ir.Value:
    """Converts the author's indices of a tiled Ref: `(..., M / m, N / n, m, n)` is `(..., M, N)`."""
    kind, tiling = jax_gpu.transform_kind(transform) or (None, ())
    if kind == "unswizzle":
        return ref
    if kind != "untiling":
        raise ctx.unsupported(f"expected scratch in tiles, got {type(transform).__name__}")
    shape, rank = list(ref.type.shape), len(tiling)
    first = len(shape) - 2 * rank
    pairs = [dim for i in range(rank) for dim in (first + i, first + rank + i)]
    permutation = [*range(first), *pairs]
    apart = [shape[dim] for dim in permutation]
    transposed = grid.TransposeRefOp(_memref(ref, apart), ref, ir.DenseI64ArrayAttr.get(permutation)).result
    whole = [*shape[:first], *(shape[first + i] * shape[first + rank + i] for i in range(rank))]
    return grid.ReshapeRefOp(_memref(ref, whole), transposed).result


def _lay_out(ctx: RuleContext, ref: ir.Value, undone: Sequence[Any]) -> None:
    """Gives a Ref of a scope the shape that the author indexes, as the first access says how it lies in memory.

    Of a kernel of blocks JAX keeps only the shape in which its scratch lies.
    """
    ref.set_type(ctx.types.ref(jax_core.transformed_aval(ctx.kernel.state.as_allocated.pop(ref), undone)))
    block = ref.owner
    layouts = [layout_of(undone) if argument == ref else None for argument in block.arguments]
    known = block.owner.attributes
    old = known["transforms"] if "transforms" in known else [ir.ArrayAttr.get([])] * len(layouts)
    new = [attr if layout is None else ir.ArrayAttr.get(layout) for layout, attr in zip(layouts, old, strict=True)]
    if any(map(len, new)):
        known["transforms"] = ir.ArrayAttr.get(new)


def _apply(ctx: RuleContext, ref: ir.Value, transform: Any) -> ir.Value:
    """One Ref transform as a view."""
    if isinstance(transform, jax_core.NDIndexer):
        if any(is_array(index) for index in transform.indices):
            raise ctx.unsupported("expected an array of indices only where the Ref is read or written")
        return window(ctx, ref, transform.indices)
    if jax_gpu.undoes_layout(transform):
        return _logical(ctx, ref, transform) if ref in ctx.kernel.state.physical else ref
    if isinstance(transform, jax_core.BitcastTransform):
        shape, element = list(ref.type.shape), element_type(transform.dtype)
        old, new = ref.type.element_type.width, element.width
        if old != new:
            dim = -2 if len(shape) > 1 else -1
            shape[dim] = shape[dim] * old // new
        return grid.BitcastRefOp(_memref(ref, shape, element), ref).result
    if isinstance(transform, jax_core.ReshapeTransform):
        return reshape_ref(ref, transform.shape)
    if isinstance(transform, jax_core.TransposeTransform):
        shape = [ref.type.shape[p] for p in transform.permutation]
        permutation = ir.DenseI64ArrayAttr.get(list(transform.permutation))
        return grid.TransposeRefOp(_memref(ref, shape), ref, permutation).result
    if isinstance(transform, jax_tpu.AccessAssumptionTransform):
        # A claim that accesses do not overlap. It may save time, and must not change a result if it is wrong.
        return ref
    if isinstance(transform, jax_core.MemorySpaceCastTransform):
        return _cast(ctx, ref, transform.memory_space)
    raise _unknown(ctx, transform)


def _cast(ctx: RuleContext, ref: ir.Value, space: Any) -> ir.Value:
    """A Ref whose memory the author knows: on the CPU all are in one memory, and elsewhere it must be there already."""
    known = grid.MemorySpaceAttr.get(space_name(space))
    is_in_hbm = [str(attribute) in _HBM for attribute in (known, ref.type.memory_space)]
    if ctx.kernel.platform != "cpu" and known != ref.type.memory_space and not all(is_in_hbm):
        raise ctx.unsupported(
            f"expected a cast of a Ref to its own memory space, got {ref.type.memory_space} cast to {known}"
        )
    return ref


# An operand in any memory is in the memory of the chip.
_HBM = ("#grid.space<any>", "#tpu.memory_space<hbm>")


def _unknown(ctx: RuleContext, transform: Any) -> UnsupportedError:
    return ctx.unsupported(f"expected a Ref transform that gridir knows, got {type(transform).__name__}")


def view(ctx: RuleContext, ref: Any, transforms: Sequence[Any]) -> ir.Value:
    """A Ref seen through transforms. Several Refs come with the transform that selects one of them."""
    transforms = list(transforms or ())
    if isinstance(ref, (tuple, list)):
        first, *transforms = transforms
        if not isinstance(first, jax_core.SelectTransform):
            raise _unknown(ctx, first)
        which = first.idx
        refs = [transformed(ctx, r) for r in ref]
        number = static_index(which)
        ref = refs[number] if number is not None else grid.SelectRefOp(refs[0].type, which, refs).result
    elif isinstance(ref, jax_core.TransformedRef):
        ref = transformed(ctx, ref)
    elif isinstance(ref, RefUnion):
        first, *transforms = transforms
        ref = ref.members[jax_gpu.member_key(first)]
    undone = list(itertools.takewhile(jax_gpu.undoes_layout, transforms))
    if undone and ref in ctx.kernel.state.as_allocated:
        _lay_out(ctx, ref, undone)
    for transform in transforms:
        ref = _apply(ctx, ref, transform)
    return ref


def transformed(ctx: RuleContext, ref: Any) -> ir.Value:
    """The view that a TransformedRef with MLIR values in it names; a plain Ref is itself."""
    if isinstance(ref, jax_core.TransformedRef):
        return view(ctx, ref.ref, ref.transforms)
    return ref
