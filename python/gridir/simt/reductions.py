# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and the like that threads compute element by element, as reductions of whole arrays."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gridir.simt.values import Computed, Elements, Index, Source, Value

NEUTRAL = {
    "arith.addf": -0.0,
    "arith.addi": 0,
    "arith.maximumf": -math.inf,
    "arith.maxnumf": -math.inf,
    "arith.minimumf": math.inf,
    "arith.minnumf": math.inf,
    "arith.mulf": 1.0,
    "arith.muli": 1,
}
"""The ops that combine elements in any order, with the number that changes nothing."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reduction:
    """The reduction of another array along some dimensions, for each element.

    Attributes:
      name: the op that combines them.
      source: the array whose shape that other one has.
      dims: the dimensions that are gone.
      parts: the values of that array, with the indices of their elements there.
    """

    name: str
    source: Source
    dims: tuple[int, ...]
    parts: Sequence[tuple[Value, Index]]


def find_reduction(values: Sequence[Any], indices: Sequence[Index], shape: Sequence[int]) -> Reduction | None:
    """The reduction that values are, or None.

    Args:
      values: ops of one name, one for each piece of the array.
      indices: of each the row-major indices of its elements in the array; -1 for none.
      shape: the sizes of the array.
    """
    name = values[0].name
    if name not in NEUTRAL:
        return None
    combined = [_combined(value) for value in values]
    count = len(combined[0])
    of_leaf = [[_first_elements(leaf) for leaf in leaves] for leaves in combined]
    first = of_leaf[0][0]
    if count < 3 or first is None or any(len(leaves) != count for leaves in combined):
        return None
    if any(leaf is None or leaf.source is not first.source for leaves in of_leaf for leaf in leaves):
        return None
    read = np.full((count, math.prod(shape)), -1, np.int64)
    parts = []
    for leaves, elements, at in zip(combined, of_leaf, indices, strict=True):
        for k, (leaf, own) in enumerate(zip(leaves, elements, strict=True)):
            assert own is not None
            of_piece = np.broadcast_to(own.indices, at.shape)
            read[k, at[at >= 0]] = of_piece[at >= 0]
            parts.append((leaf, np.where(at >= 0, of_piece, -1)))
    source = first.source
    if (read < 0).any() or not source.shape:
        return None
    coords = np.unravel_index(np.sort(read, axis=0), source.shape)
    dims = tuple(d for d, at in enumerate(coords) if (at != at[:1]).any())
    kept = [d for d in range(len(source.shape)) if d not in dims]
    gone = tuple(source.shape[d] for d in dims)
    if tuple(source.shape[d] for d in kept) != tuple(shape) or math.prod(gone) != count:
        return None
    along = np.sort(np.ravel_multi_index(tuple(coords[d] for d in dims), gone), axis=0)
    across = np.zeros(read.shape[1], np.int64)
    if kept:
        across = np.ravel_multi_index(tuple(coords[d][0] for d in kept), tuple(shape))
    is_whole = (along == np.arange(count)[:, None]).all() and (across == np.arange(read.shape[1])).all()
    return Reduction(name, source, dims, parts) if is_whole else None


def _combined(value: Computed) -> list[Value]:
    """Returns the operands of one op, also through nested ops of the same name."""
    leaves: list[Value] = []
    left: list[Value] = [value]
    while left:
        one = left.pop()
        if isinstance(one, Computed) and (one.name, one.attributes) == (value.name, value.attributes):
            left.extend(one.operands)
        else:
            leaves.append(one)
    return leaves


def _first_elements(value: Value) -> Elements | None:
    """The elements that a value is computed of, those of the first operand that has some."""
    if isinstance(value, Elements):
        return value
    if isinstance(value, Computed):
        return next(filter(None, map(_first_elements, value.operands)), None)
    return None
