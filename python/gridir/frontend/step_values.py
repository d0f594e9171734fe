# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that scalars of a kernel have at each step of its grid, as far as they can be computed without running it.

A value is a NumPy array: of one element where all steps have the same value, else with an element for each step. It is
None where it depends on data that is not known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.frontend import jax_compat

Value = np.ndarray | None


@dataclasses.dataclass(frozen=True)
class KnownRef:
    """A Ref of an array that is the same at every step: a prefetched operand.

    Attributes:
      array: its contents.
    """

    array: np.ndarray


@dataclasses.dataclass(frozen=True)
class Steps:
    """The steps of a grid.

    Attributes:
      sizes: of the dimensions, from the slowest to the fastest.
      ids: for each dimension the program id at each step.
    """

    sizes: tuple[int, ...]
    ids: tuple[np.ndarray, ...]

    @staticmethod
    def of(sizes: Sequence[int], most: int) -> Steps:
        """Returns the first steps of a grid, at most `most`."""
        count = min(int(np.prod(sizes, dtype=np.int64)), most)
        first = np.arange(count)
        ids = np.unravel_index(first, tuple(sizes)) if len(sizes) else ()
        return Steps(tuple(sizes), tuple(x.astype(np.int64) for x in ids))

    @property
    def count(self) -> int:
        """How many steps have values."""
        return len(self.ids[0]) if self.ids else 1


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if np.issubdtype(x.dtype, np.floating):
        return x / y
    safe = np.where(y == 0, 1, y)
    return np.trunc(x / safe).astype(x.dtype)


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.fmod(x, np.where(y == 0, 1, y))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "add": np.add,
    "and": np.bitwise_and,
    "clamp": lambda low, x, high: np.clip(x, low, high),
    "copy": np.asarray,
    "div": _quotient,
    "eq": np.equal,
    "floor": np.floor,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "not": np.invert,
    "or": np.bitwise_or,
    "rem": _remainder,
    "select_n": lambda which, *cases: np.choose(np.asarray(which, np.int64), cases),
    "shift_left": np.left_shift,
    "shift_right_arithmetic": np.right_shift,
    "sign": np.sign,
    "sub": np.subtract,
    "xor": np.bitwise_xor,
    # Of single numbers, these only change the type.
    "broadcast_in_dim": np.asarray,
    "convert_element_type": np.asarray,
    "multiple_of": np.asarray,
    "reshape": np.asarray,
    "squeeze": np.asarray,
    "stop_gradient": np.asarray,
}
"""How primitives compute scalars, by name."""


def evaluate(name: str, operands: Sequence[Value], aval: Any) -> Value:
    """Returns the scalar that a primitive computes; None where it is not known."""
    function = _FUNCTIONS.get(name)
    if function is None or aval.shape or not isinstance(aval.dtype, np.dtype):
        return None
    if any(not isinstance(operand, np.ndarray) for operand in operands):
        return None
    with np.errstate(all="ignore"):
        return np.asarray(function(*operands)).astype(aval.dtype)


def read_element(ref: Any, tree: Any, indices: Sequence[Value]) -> Value:
    """Returns the element of a prefetched operand that an equation `get` reads; None where it is not known."""
    if not isinstance(ref, KnownRef):
        return None
    transforms = jax.tree.unflatten(tree, indices)
    if len(transforms) != 1 or not isinstance(transforms[0], jax_compat.NDIndexer):
        return None
    found = transforms[0].indices
    if len(found) != ref.array.ndim or any(not isinstance(index, np.ndarray | int | np.integer) for index in found):
        return None
    # A step that skips the read may have an index out of bounds.
    clipped = [np.clip(index, 0, size - 1) for index, size in zip(found, ref.array.shape, strict=True)]
    return np.asarray(ref.array[tuple(np.broadcast_arrays(*clipped))]) if clipped else np.asarray(ref.array)
