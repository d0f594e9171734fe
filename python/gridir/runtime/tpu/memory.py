# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of a Mosaic module in its interpreter: arrays, parts of them, and arrays that are seen as others.

A memref is a NumPy view of the memory wherever NumPy has such a view. Another shape or element type of a part that does
not lie in one piece has none: then the memref is a `Seen`, which is read and written as a whole.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gridir.runtime.tpu.numpy_ops import ExecutionError, bitcast


def poison(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Memory that nothing has written: NaN, or the most negative number."""
    if dtype.kind == "b":
        return np.zeros(shape, dtype)
    return np.full(shape, np.iinfo(dtype).min if dtype.kind in "iu" else np.nan, dtype)


@dataclasses.dataclass(frozen=True)
class Seen:
    """A memref without a view in NumPy.

    Attributes:
      source: the memref that holds the elements.
      shape: the shape of this one.
      dtype: its element type.
      get: gives the elements of this memref for those of the source.
      put: returns the elements of the source from their old values and those of this memref.
    """

    source: np.ndarray | Seen
    shape: tuple[int, ...]
    dtype: np.dtype
    get: Callable[[np.ndarray], np.ndarray]
    put: Callable[[np.ndarray, np.ndarray], np.ndarray]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return math.prod(self.shape) * self.itemsize


MemRef: TypeAlias = np.ndarray | Seen


def read(memory: MemRef) -> np.ndarray:
    """The elements of a memref, which may be the memory itself."""
    return memory.get(read(memory.source)) if isinstance(memory, Seen) else memory


def write(memory: MemRef, values: Any, mask: Any = None) -> None:
    """Stores to a memref; elements whose mask is false keep their value."""
    values = np.asarray(values).reshape(memory.shape)
    chosen = True if mask is None else np.asarray(mask).reshape(memory.shape)
    if not isinstance(memory, Seen):
        np.copyto(memory, values, where=chosen)
        return
    source = read(memory.source)
    if chosen is not True:
        values = np.where(chosen, values, memory.get(source))
    write(memory.source, memory.put(source, values))


def window(memory: MemRef, start: Sequence[int], shape: Sequence[int], strides: Sequence[int] = ()) -> Any:
    """The part of a memref that an access reads or writes.

    Raises:
      ExecutionError: when it is not all inside.
    """
    shape = (*(1,) * (memory.ndim - len(shape)), *shape)
    steps = strides or (1,) * len(shape)
    ends = [i + (size - 1) * step + 1 for i, size, step in zip(start, shape, steps, strict=True)]
    if any(i < 0 or end > size for i, end, size in zip(start, ends, memory.shape, strict=True)):
        raise ExecutionError(f"an access to {tuple(start)} to {tuple(ends)} is out of bounds of {memory.shape}")
    return part(memory, tuple(slice(i, end, step) for i, end, step in zip(start, ends, steps, strict=True)))


def clipped(
    memory: MemRef, start: Sequence[int], shape: Sequence[int], strides: Sequence[int] = ()
) -> tuple[tuple[slice, ...], MemRef]:
    """The part of a window that lies inside of a memref, and which elements of the window it is."""
    lead = memory.ndim - len(shape)
    steps = strides or (1,) * memory.ndim
    chosen, inside = [], []
    for i, size, step, extent in zip(start, (*(1,) * lead, *shape), steps, memory.shape, strict=True):
        first = min(max(0, -(i // step)), size)
        end = max(first, min(size, -((i - extent) // step)))
        chosen.append(slice(first, end))
        inside.append(slice(i + first * step, i + (end - 1) * step + 1, step) if end > first else slice(0, 0))
    return tuple(chosen), part(memory, tuple(inside))


def loaded(
    memory: MemRef, start: Sequence[int], shape: Sequence[int], strides: Sequence[int] = (), *, may_leave: bool
) -> np.ndarray:
    """The elements of a window, in its shape; a window that may leave the memref has poison outside.

    Raises:
      ExecutionError: when it leaves the memref and may not.
    """
    if not may_leave:
        return read(window(memory, start, shape, strides)).reshape(shape)
    chosen, inside = clipped(memory, start, shape, strides)
    values = poison((*(1,) * (memory.ndim - len(shape)), *shape), memory.dtype)
    values[chosen] = read(inside)
    return values.reshape(shape)


def part(memory: MemRef, slices: tuple[slice, ...]) -> Any:
    """The elements of a memref that slices name, which lie inside."""
    # An ellipsis makes a view of a memory of one number, too.
    where = (*slices, ...)
    if not isinstance(memory, Seen):
        return memory[where]

    def put(source: np.ndarray, values: np.ndarray) -> np.ndarray:
        source = source.copy()
        source[where] = values
        return source

    shape = np.broadcast_to(np.empty((), np.bool_), memory.shape)[where].shape
    return Seen(memory, shape, memory.dtype, lambda source: source[where], put)


def reshaped(memory: MemRef, shape: tuple[int, ...]) -> MemRef:
    """A memref with the same elements, in row-major order, in another shape."""
    if not isinstance(memory, Seen):
        view = memory.reshape(shape)
        if np.shares_memory(view, memory) or not view.size:
            return view
    old = memory.shape
    return Seen(memory, shape, memory.dtype, lambda source: source.reshape(shape), lambda _, x: x.reshape(old))


def seen_as(memory: MemRef, shape: tuple[int, ...], dtype: np.dtype, bits: int, old_bits: int) -> MemRef:
    """A memref whose bits are seen as another element type: rows that lie in one word become one row, and back.

    Args:
      memory: the memref.
      shape: the shape of the result.
      dtype: its element type.
      bits: how many an element of the result has, which may be fewer than its bytes hold.
      old_bits: how many an element of `memory` has.
    """
    old = memory.dtype
    if bits == old_bits and memory.itemsize == dtype.itemsize and not isinstance(memory, Seen):
        return memory.view(dtype)
    return Seen(
        memory,
        shape,
        dtype,
        lambda source: bitcast(source, dtype, bits, old_bits).reshape(shape),
        lambda source, x: bitcast(x, old, old_bits, bits).reshape(source.shape),
    )


def elsewhere(memory: MemRef, pool: np.ndarray, number: int, other: int) -> MemRef:
    """The memref in the memory of another core that is where `memory` is in that of this one.

    Args:
      memory: part of row `number` of the pool.
      pool: the memory of all cores, one after another.
      number: the core that asks.
      other: the core whose memory is meant.
    """
    if isinstance(memory, Seen):
        return dataclasses.replace(memory, source=elsewhere(memory.source, pool, number, other))
    offset = memory.__array_interface__["data"][0] - pool.__array_interface__["data"][0]
    offset += (other - number) * pool.strides[0]
    return np.ndarray(memory.shape, memory.dtype, pool.reshape(-1).view(np.uint8).data, offset, memory.strides)
