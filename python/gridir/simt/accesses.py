# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores of single threads as loads and stores of windows of Refs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gridir import emit
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.simt.arrays import Piece, Raiser
from gridir.simt.memory import Box, Operand, Window
from gridir.simt.values import Elements, Index, Refusal, Source, Value, rearranged

Part: TypeAlias = Callable[[ir.Value, Sequence[Any], Sequence[int], Sequence[int]], ir.Value]


@dataclasses.dataclass(eq=False)
class _Read:
    """The elements of a Ref that code reads; one load of a window if the indices are constant."""

    operand: Operand
    source: Source
    indices: list[Index]


@dataclasses.dataclass(eq=False)
class _Write:
    operand: Operand
    piece: Piece


def _one_warpgroup(array: Index) -> Index:
    """Returns the part of the first warpgroup, if all warpgroups have the same."""
    if (array != array[:1]).any():
        raise Refusal("expected the same value in each warpgroup, got one that depends on the warpgroup's number")
    return array[0]


def one_warpgroup(piece: Piece) -> Piece:
    """A piece as one of the warpgroups has it.

    Raises:
      Refusal: they have different ones.
    """
    return Piece(rearranged(piece.value, _one_warpgroup), _one_warpgroup(piece.indices))


class Accesses:
    """Collects accesses until something depends on their effects. Their order is not observable in the code.

    Args:
      part: makes a window of a Ref, of its offsets and sizes, without the dimensions that are dropped.
    """

    def __init__(self, part: Part):
        self._part = part
        self._reads: list[_Read] = []
        self._writes: list[_Write] = []

    def read(self, operand: Operand, addresses: Index) -> Elements:
        """Reads elements.

        Args:
          operand: the Ref.
          addresses: the address of each thread's and lane's element; -1 for none.
        """
        indices = operand.elements(addresses)
        # Two operands may be the same Ref.
        if any(write.operand is not operand or _meet(write.piece.indices, indices) for write in self._writes):
            self.finish()
        read = next((read for read in self._reads if read.operand is operand), None)
        if read is None:
            read = _Read(operand, Source(operand.shape), [])
            self._reads.append(read)
        read.indices.append(indices)
        return Elements(read.source, indices, str(operand.ref.type.element_type))

    def write(self, operand: Operand, addresses: Index, value: Value) -> None:
        """Writes elements, as `read` reads them."""
        indices = operand.elements(addresses)
        # The last of several writes to an element determines its value.
        if any(write.operand is not operand or _meet(write.piece.indices, indices) for write in self._writes):
            self.finish()
        self._writes.append(_Write(operand, Piece(value, indices)))

    def load_one(self, window: Window, indices: Sequence[ir.Value]) -> ir.Value:
        """Reads the one element at these indices."""
        self.finish()
        element = self._element(window, indices)
        return grid.LoadOp(element.type.element_type, element).result

    def store_one(self, window: Window, indices: Sequence[ir.Value], value: ir.Value) -> None:
        """Writes the one element at these indices."""
        self.finish()
        grid.StoreOp(value, self._element(window, indices))

    def load(self) -> None:
        """Does the reads.

        Raises:
          Refusal: the elements that are read of a Ref are not a window of it.
        """
        for read in self._reads:
            indices = np.concatenate([_one_warpgroup(indices).reshape(-1) for indices in read.indices])
            indices = indices[indices >= 0]
            if not indices.size:
                continue
            box = Box.of(indices, read.operand.shape)
            view = self._view(read.operand, box)
            type_ = emit.typed(view.type.shape, view.type.element_type)
            read.source.hold(grid.LoadOp(type_, view).result, box.offsets)
        self._reads.clear()

    def finish(self) -> None:
        """Does all that is left to do.

        Raises:
          Refusal: the accessed elements of a Ref are not a window of it, or elements are computed differently.
        """
        self.load()
        writes, self._writes = self._writes, []
        pieces = [one_warpgroup(write.piece) for write in writes]
        pieces = [piece for piece in pieces if (piece.indices >= 0).any()]
        if not pieces:
            return
        operand = writes[0].operand
        box = Box.of(np.concatenate([p.indices[p.indices >= 0] for p in pieces]), operand.shape)
        within = [Piece(p.value, box.within(p.indices, operand.shape)) for p in pieces]
        grid.StoreOp(Raiser(within, box.sizes).array(), self._view(operand, box))

    def _view(self, operand: Operand, box: Box) -> ir.Value:
        return self._part(operand.ref, box.offsets, box.sizes, ())

    def _element(self, window: Window, indices: Sequence[ir.Value]) -> ir.Value:
        operand = window.operand
        if operand.tile or operand.swizzle or window.shape != operand.shape or window.offset != 0:
            raise Refusal("expected one element of a whole Ref at indices that the kernel computes")
        rank = len(operand.shape)
        return self._part(operand.ref, indices, [1] * rank, range(rank))


def _meet(written: Index, read: Index) -> bool:
    """True if an element that is read is also written."""
    return bool(np.intersect1d(written[written >= 0], read[read >= 0]).size)
