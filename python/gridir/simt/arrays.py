# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of threads as ops on whole arrays."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np

from gridir import emit
from gridir.mlir import ir
from gridir.simt.reductions import NEUTRAL, Reduction, find_reduction
from gridir.simt.values import (
    Choice,
    Computed,
    Elements,
    Index,
    Known,
    Packed,
    Refusal,
    Source,
    Uniform,
    Value,
)


@dataclasses.dataclass(frozen=True, eq=False)
class Piece:
    """A value whose threads and lanes hold elements of an array.

    Attributes:
      value: the value.
      indices: the row-major index in the array of the element of each thread and lane; -1 if there is none.
    """

    value: Value
    indices: Index


def element_type(text: str) -> ir.Type:
    """The type of one element."""
    return ir.Type.parse(text)


class Raiser:
    """Assembles an array from pieces that together contain each element.

    Args:
      pieces: the pieces. If several pieces contain an element, their values must be equal.
      shape: the sizes of the array.
    """

    def __init__(self, pieces: Sequence[Piece], shape: Sequence[int]):
        self._shape = tuple(shape)
        self._indices = [piece.indices for piece in pieces]
        self._values = [piece.value for piece in pieces]
        self._made: dict[tuple[int, ...], ir.Value] = {}

    def array(self) -> ir.Value:
        """The array; a scalar where it has no dimensions.

        Raises:
          Refusal: some elements are computed in another way than others.
        """
        return self._array(self._values)

    def _array(self, values: Sequence[Value]) -> ir.Value:
        key = tuple(map(id, values))
        if key not in self._made:
            self._made[key] = self._make(values)
        return self._made[key]

    def _make(self, values: Sequence[Value]) -> ir.Value:
        if any(isinstance(value, Choice) for value in values):
            return Raiser(list(self._split(values)), self._shape).array()
        first = values[0]
        type_ = emit.typed(self._shape, element_type(first.type))
        if isinstance(first, Uniform):
            if any(not isinstance(value, Uniform) or value.value != first.value for value in values):
                raise _differ()
            return emit.splat_to(first.value, type_)
        if isinstance(first, Known):
            if any(not isinstance(value, Known) for value in values):
                raise _differ()
            numbers = self._gathered([value.numbers for value in values if isinstance(value, Known)], first.numbers)
            return emit.array_constant(numbers.reshape(self._shape), type_)
        if isinstance(first, Elements):
            if any(not isinstance(value, Elements) or value.source is not first.source for value in values):
                raise _differ()
            indices = self._gathered([value.indices for value in values if isinstance(value, Elements)], first.indices)
            return self._moved(first.source, indices)
        if isinstance(first, Packed):
            raise Refusal("expected packed lanes that are moved as a whole or unpacked")
        computed = [value for value in values if isinstance(value, Computed)]
        alike = {(value.name, value.attributes, len(value.operands), value.type) for value in computed}
        if len(computed) < len(values) or len(alike) > 1:
            raise _differ()
        reduction = find_reduction(computed, self._indices, self._shape)
        if reduction is not None:
            return self._reduced(reduction, computed[0])
        operands = [self._array([value.operands[i] for value in computed]) for i in range(len(first.operands))]
        attributes = {name: ir.Attribute.parse(text) for name, text in first.attributes}
        return emit.op(first.name, operands, [type_], attributes).result

    def _reduced(self, reduction: Reduction, like: Computed) -> ir.Value:
        """Returns the reduction of another array along some of its dimensions."""
        pieces = [Piece(value, indices) for value, indices in reduction.parts]
        whole = Raiser(pieces, reduction.source.shape).array()
        element = element_type(like.type)
        # A reduction to a number is one to a tensor of no dimensions.
        begin = emit.constant(NEUTRAL[reduction.name], element)
        start = emit.fill(begin, ir.RankedTensorType.get(self._shape, element))
        attributes = {name: ir.Attribute.parse(text) for name, text in like.attributes}

        def combine(one: ir.Value, other: ir.Value) -> ir.Value:
            return emit.op(reduction.name, [one, other], [element], attributes).result

        dims = ir.DenseI64ArrayAttr.get(list(reduction.dims))
        reduced = emit.structured("linalg.reduce", [whole], [start], combine, segments=False, dimensions=dims).result
        return reduced if self._shape else emit.extract(reduced, [])

    def _split(self, values: Sequence[Value]) -> Iterator[Piece]:
        """The pieces; each is one value."""
        for value, indices in zip(values, self._indices, strict=True):
            if not isinstance(value, Choice):
                yield Piece(value, indices)
                continue
            for at, part in value.parts:
                if (indices[np.broadcast_to(at, indices.shape)] >= 0).any():
                    yield Piece(part, np.where(at, indices, -1))

    def _gathered(self, arrays: Sequence[Index], like: Index) -> Index:
        """Returns the elements of the pieces, in the order of the array."""
        gathered = np.full(math.prod(self._shape), -1, like.dtype)
        given = [np.broadcast_to(array, indices.shape) for indices, array in zip(self._indices, arrays, strict=True)]
        for indices, array in zip(self._indices, given, strict=True):
            gathered[indices[indices >= 0]] = array[indices >= 0]
        for indices, array in zip(self._indices, given, strict=True):
            again, once = gathered[indices[indices >= 0]], array[indices >= 0]
            if not np.array_equal(again, once, equal_nan=again.dtype.kind == "f"):
                raise Refusal("expected one number for each element, got several")
        return gathered

    def _moved(self, source: Source, indices: Index) -> ir.Value:
        """The array whose elements are those of another one at these indices."""
        assert source.array is not None
        # Values that inactive threads read are not used.
        assert (indices >= 0).all()
        if not source.shape:
            return emit.splat(source.array, self._shape)
        held = emit.shape_of(source.array)
        coordinates = [x - o for x, o in zip(np.unravel_index(indices, source.shape), source.offsets, strict=True)]
        if not self._shape:
            return emit.extract(source.array, [emit.index(int(x[0])) for x in coordinates])
        flat = np.ravel_multi_index(tuple(coordinates), held)
        if flat.size == math.prod(held) and (flat == np.arange(flat.size)).all():
            return emit.reshape(source.array, self._shape)
        own = [x.reshape(-1) for x in np.indices(self._shape)]
        offsets, sizes, dims = [], [], []
        for at in coordinates:
            if (at == at[0]).all():
                offsets.append(int(at[0]))
                sizes.append(1)
                dims.append(None)
                continue
            follows = [d for d, x in enumerate(own) if d not in dims and (at - x == at[0] - x[0]).all()]
            if not follows:
                raise Refusal("expected elements in rows and columns of an array, got them in another order")
            offsets.append(int(at[0]))
            sizes.append(self._shape[follows[0]])
            dims.append(follows[0])
        kept = [d for d in dims if d is not None]
        taken = emit.extract_slice(source.array, offsets, sizes, shape=[self._shape[d] for d in kept])
        order = sorted(range(len(kept)), key=lambda i: kept[i])
        return emit.broadcast(emit.transpose(taken, order), self._shape, sorted(kept))


def _differ() -> Refusal:
    return Refusal("expected the same computation in each thread, got different ones")
