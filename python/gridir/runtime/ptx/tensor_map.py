# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps: the descriptors of tensors whose tiles a kernel copies."""

from __future__ import annotations

import builtins
import dataclasses
import struct

import numpy as np

from gridir.errors import OptionError

_MAGIC = 0x50414D54
_MAX_RANK = 5
_BYTES = 128
_KINDS = {"u": 2, "i": 3, "f": 4}
"""Element types as reductions know them, by NumPy's kinds: the numbers of TypeKind in ScalarType.h."""
_BITS, _BFLOAT = 1, 5


def _element_kind(dtype: np.dtype) -> int:
    if dtype.name == "bfloat16":
        return _BFLOAT
    return _KINDS.get(dtype.kind, _BITS)


@dataclasses.dataclass(frozen=True)
class TensorMap:
    """A tensor map as an argument of a launch.

    Attributes:
      array: the tensor, of up to five dimensions; the last one has no gaps.
      box: the sizes of a tile, in the order of the array's dimensions.
      swizzle: bytes of a row that shared memory has permuted: 0, 32, 64 or 128.

    Raises:
      OptionError: for sizes that hardware does not take.
    """

    array: np.ndarray = dataclasses.field(repr=False)
    box: tuple[int, ...]
    swizzle: int = 0

    def __post_init__(self) -> None:
        array, rank = self.array, self.array.ndim
        if not 1 <= rank <= _MAX_RANK or len(self.box) != rank:
            raise OptionError(f"expected a box for each of 1 to 5 dimensions, got {self.box} for {array.shape}")
        if self.swizzle not in (0, 32, 64, 128):
            raise OptionError(f"expected a swizzle of 0, 32, 64 or 128 bytes, got {self.swizzle}")
        if not all(1 <= size <= 256 for size in self.box):
            raise OptionError(f"expected sizes of the box from 1 to 256, got {self.box}")
        if array.strides[-1] != array.itemsize or any(stride % 16 for stride in array.strides[:-1]):
            raise OptionError(f"expected strides that are multiples of 16 bytes, got {array.strides}")

    @property
    def bytes(self) -> int:
        """The size of the memory that the tensor spans."""
        spans = ((size - 1) * stride for size, stride in zip(self.array.shape, self.array.strides, strict=True))
        return sum(spans) + self.array.itemsize if self.array.size else 0

    def encode(self) -> builtins.bytes:
        """Returns the bytes at the address of the map; the layout is that of TensorMap.h."""
        rank = self.array.ndim

        def padded(values: tuple[int, ...], count: int) -> list[int]:
            return [*values[::-1], *[0] * (count - len(values))]

        data = struct.pack(
            "<4IQ10I4QI",
            _MAGIC,
            self.array.itemsize,
            rank,
            self.swizzle,
            self.array.ctypes.data,
            *padded(self.array.shape, _MAX_RANK),
            *padded(self.box, _MAX_RANK),
            *padded(self.array.strides[:-1], _MAX_RANK - 1),
            _element_kind(self.array.dtype),
        )
        return data.ljust(_BYTES, b"\0")
