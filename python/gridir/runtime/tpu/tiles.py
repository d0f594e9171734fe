# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of arrays in the memory of a TPU: in whole tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def extent_in_tiles(shape: Sequence[int], dim: int, width: int) -> int:
    """The elements that memory has for dimension `dim` of an array.

    Args:
      shape: of the array. Its last two dimensions lie in tiles of up to 8 rows of 128 lanes of 32 bits, one dimension
        in tiles of lanes. If chips differ, the larger tile is used.
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
        # The number of rows of the array, rounded up to a power of two.
        tile = 2 * packing
        while tile < min(shape[dim], 8):
            tile *= 2
    return math.ceil(shape[dim] / tile) * tile


def extents_in_tiles(shapes: np.ndarray, width: int) -> np.ndarray:
    """The elements that memory has for each dimension of several arrays; see `extent_in_tiles`.

    Args:
      shapes: a row for each array.
      width: of an element, in bits.
    """
    found = shapes.copy()
    for dim in range(max(shapes.shape[1] - 2, 0), shapes.shape[1]):
        # Arrays of a batch have few different shapes.
        column = shapes[:, dim]
        values, places = np.unique(column, return_inverse=True)
        rank = shapes.shape[1]
        extents = [extent_in_tiles((int(value),) * rank, dim, width) for value in values]
        found[:, dim] = np.array(extents, np.int64)[places]
    return found
