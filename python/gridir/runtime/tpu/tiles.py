# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a TPU holds arrays in memory: in whole tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence


def extent_in_tiles(shape: Sequence[int], dim: int, width: int) -> int:
    """The elements that memory has for dimension `dim` of an array.

    Args:
      shape: of the array. Its last two dimensions lie in tiles of up to 8 rows of 128 lanes of 32 bits, one dimension
        in tiles of lanes. Where chips differ, the larger tile counts.
      dim: from 0.
      width: of an element, in bits.
    """
    packing = max(32 // width, 1)
    if dim < len(shape) - 2:
        return shape[dim]
    if len(shape) == 1:
        tile = 256 * packing
    elif dim == len(shape) - 1:
        tile = 128
    else:
        # As many rows as the array has, in a power of two.
        tile = 2 * packing
        while tile < min(shape[dim], 8):
            tile *= 2
    return math.ceil(shape[dim] / tile) * tile
