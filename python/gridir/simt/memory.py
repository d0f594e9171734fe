# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refs in code of single threads: each address is an element that the author can index."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gridir.mlir import ir
from gridir.simt.values import Index, Refusal

SWIZZLE_LINE = 128
"""The bytes of the lines whose parts a swizzle exchanges."""
SWIZZLE_PART = 16
"""The bytes of such a part."""


@dataclasses.dataclass(frozen=True, eq=False)
class Operand:
    """A Ref that code is given.

    Attributes:
      ref: the Ref, of the shape that the author indexes; for an argument that no code can read, as a barrier, too.
      shape: its sizes.
      tile: the tile that the code sees it cut into, along its last dimensions; () for none.
      swizzle: the bytes by which the code sees it swizzled; 0 for none.
      bits: the size of an element.
      is_shared: whether it is in the memory of a block.
    """

    ref: ir.Value
    shape: tuple[int, ...]
    tile: tuple[int, ...]
    swizzle: int
    bits: int
    is_shared: bool

    @property
    def tiled_shape(self) -> tuple[int, ...]:
        """The shape that the code sees.

        Raises:
          Refusal: the tile does not divide it.
        """
        kept = len(self.shape) - len(self.tile)
        of_tiles = self.shape[max(kept, 0) :]
        if kept < 0 or any(size % tile for size, tile in zip(of_tiles, self.tile, strict=True)):
            raise Refusal(f"expected a Ref of whole tiles of {self.tile}, got one of {self.shape}")
        counts = [size // tile for size, tile in zip(of_tiles, self.tile, strict=True)]
        return (*self.shape[:kept], *counts, *self.tile)

    def elements(self, addresses: Index) -> Index:
        """The row-major indices of the elements at addresses, which count bits from the first element on.

        Raises:
          Refusal: an address is outside of the Ref, or inside of an element.
        """
        inside = addresses >= 0
        if self.swizzle:
            byte = addresses >> 3
            part = (byte // SWIZZLE_LINE) % (self.swizzle // SWIZZLE_PART)
            addresses = np.where(inside, ((byte ^ part * SWIZZLE_PART) << 3) | (addresses & 7), addresses)
        if (addresses[inside] % self.bits).any():
            raise Refusal("expected addresses of elements of the Ref")
        shape = self.tiled_shape
        number = addresses // self.bits
        if (number[inside] >= math.prod(shape)).any():
            raise Refusal("expected addresses of elements of the Ref")
        if not shape:
            return number
        at = np.unravel_index(np.where(inside, number, 0), shape)
        kept = len(self.shape) - len(self.tile)
        whole = list(at[:kept])
        for d, tile in enumerate(self.tile):
            whole.append(at[kept + d] * tile + at[kept + len(self.tile) + d])
        return np.where(inside, np.ravel_multi_index(tuple(whole), self.shape), -1)


@dataclasses.dataclass(frozen=True, eq=False)
class Window:
    """A memref that code sees, of a Ref or of a part of it.

    Attributes:
      operand: the Ref.
      offset: the number of elements before the first one; an array where it differs between threads.
      shape, strides: as those of the memref.
    """

    operand: Operand
    offset: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def whole(cls, operand: Operand) -> Window:
        """All of a Ref."""
        shape = operand.tiled_shape
        strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        return cls(operand, 0, shape, tuple(strides))

    def part(self, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], kept: Sequence[int]) -> Window:
        """A part of it, with the dimensions that are kept."""
        first = self.offset + sum(o * s for o, s in zip(offsets, self.strides, strict=True))
        steps = [a * b for a, b in zip(self.strides, strides, strict=True)]
        return Window(self.operand, first, tuple(sizes[d] for d in kept), tuple(steps[d] for d in kept))

    def address(self, indices: Sequence[Any]) -> Any:
        """The address of an element."""
        number = self.offset + sum((i * s for i, s in zip(indices, self.strides, strict=True)), start=0)
        return number * self.operand.bits

    def box(self) -> Box:
        """The part of the Ref that it is, as the author indexes it.

        Raises:
          Refusal: it is no window of the Ref.
        """
        points = np.indices(self.shape).reshape(len(self.shape), -1)
        addresses = self.address(list(points)) + np.zeros(points.shape[1], np.int64)
        return Box.of(self.operand.elements(addresses), self.operand.shape)


@dataclasses.dataclass(frozen=True)
class Box:
    """A window of an array.

    Attributes:
      offsets, sizes: of each dimension.
    """

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def around(cls, indices: Index, shape: Sequence[int]) -> Box:
        """The smallest window with these elements, by their row-major indices."""
        at = np.unravel_index(indices, shape) if len(shape) else ()
        return cls(tuple(int(x.min()) for x in at), tuple(int(x.max() - x.min()) + 1 for x in at))

    @classmethod
    def of(cls, indices: Index, shape: Sequence[int]) -> Box:
        """The window that has these elements and no others.

        Raises:
          Refusal: there is none.
        """
        box = cls.around(indices, shape)
        if np.unique(indices).size != math.prod(box.sizes):
            raise Refusal(f"expected all elements of a window of {'x'.join(map(str, shape))}, got some of them")
        return box

    def within(self, indices: Index, shape: Sequence[int]) -> Index:
        """The row-major indices inside of the window of elements of it; -1 for none."""
        if not shape:
            return indices
        at = np.unravel_index(np.maximum(indices, 0), shape)
        inside = tuple(np.where(indices >= 0, x - o, 0) for x, o in zip(at, self.offsets, strict=True))
        return np.where(indices >= 0, np.ravel_multi_index(inside, self.sizes), -1)


@dataclasses.dataclass(frozen=True, eq=False)
class Pointer:
    """An address of each thread.

    Attributes:
      window: the window into which it points.
      bits: the address, in bits from the first element of the Ref on.
    """

    window: Window
    bits: Any
