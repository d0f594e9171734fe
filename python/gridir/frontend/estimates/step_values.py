# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that scalars of a kernel have at each step of its grid, as far as they can be computed without running it.

A value is a `Scalar`, or None where it depends on data that is not known. A `Scalar` also has the operation that
computes it, so that the values of other block sizes follow without another trace (`step_form`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.frontend.compat import jax_core


@dataclasses.dataclass(frozen=True, eq=False)
class Scalar:
    """A scalar at each step, and how it is computed.

    Attributes:
      array: one element where all steps have the same value, else an element for each step.
      op: "literal"; "id" or "size" of a dimension of the grid; "element" of a prefetched operand; "opaque", for a value
        that is computed in another way; or an operation of `compute`.
      operands: the scalars that it is computed of.
      detail: the dimension of the grid, the number of the prefetched operand, or the operands of `compute`.
    """

    array: np.ndarray
    op: str
    operands: tuple[Scalar, ...] = ()
    detail: Hashable = None


Value = Scalar | None

ONCE = Scalar(np.ones(1), "literal")
"""The number of times that code outside of branches and loops runs."""


def literal(value: Any) -> Scalar:
    """Returns a number that is the same at all steps."""
    return Scalar(np.asarray(value), "literal")


@dataclasses.dataclass(frozen=True)
class KnownRef:
    """A Ref of an array whose contents are known: a prefetched operand, or a block of an input.

    Attributes:
      array: the contents of the array.
      number: which operand it is.
      block: for each dimension of the array the first index of the block, and whether the Ref has the dimension; None
        for the whole array.
    """

    array: np.ndarray
    number: int = 0
    block: tuple[tuple[Scalar, bool], ...] | None = None


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
    def of(sizes: Sequence[int], most: int, program: str = "") -> Steps:
        """Returns steps of a grid, at most `most`: the first ones, or programs that are spread over all.

        Args:
          sizes: the dimensions.
          most: the limit.
          program: see `step_amounts.StepWork`.
        """
        # A size that a function computes of block sizes may be negative; such a grid has no steps.
        clipped = tuple(max(size, 0) for size in sizes)
        total = math.prod(clipped)
        count = int(count_steps(np.array([total]), np.array([clipped]), most, program)[0]) if sizes else 1
        chosen = np.arange(min(total, count))
        if program and total > count:
            chosen = spread(chosen, total, count, clipped[-1] if program == "last" else 1)
        ids = np.unravel_index(chosen, clipped) if len(sizes) else ()
        return Steps(tuple(sizes), tuple(x.astype(np.int64) for x in ids))

    @property
    def count(self) -> int:
        """How many steps have values."""
        return len(self.ids[0]) if self.ids else 1


def count_steps(totals: np.ndarray, sizes: np.ndarray, most: int, program: str) -> np.ndarray:
    """Returns how many steps of grids are looked at: whole programs."""
    group = np.maximum(sizes[:, -1], 1) if program == "last" else 1
    return np.clip(totals, 1, np.maximum(most // group, 1) * group)


def spread(number: np.ndarray, total: Any, count: Any, group: Any) -> np.ndarray:
    """Returns steps of a grid that are spread over all of them, for each number below a count.

    Steps of a group, which are consecutive, stay together.

    Equal distances would give only some of the values of an inner dimension. Multiples of the golden ratio move each
    step within its share of the grid.
    """
    which = number // group
    shift = np.modf(which * 0.6180339887498949)[0]
    found = np.minimum(((which + shift) * (total / count)).astype(np.int64), total // group - 1)
    return found * group + number % group


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
    # On scalars, these primitives only change the type.
    "broadcast_in_dim": np.asarray,
    "convert_element_type": np.asarray,
    "multiple_of": np.asarray,
    "reshape": np.asarray,
    "squeeze": np.asarray,
    "stop_gradient": np.asarray,
}
"""How primitives compute scalars, by name."""


def compute(op: str, operands: Sequence[np.ndarray], detail: Any) -> np.ndarray:
    """Returns the result of an operation on scalars.

    Args:
      op: a primitive of JAX; "chosen", the number of a branch; "taken", 1 where a branch is the chosen one, else 0;
        "times", a product of numbers of times.
      operands: its operands.
      detail: of a primitive the type of the result, of "chosen" the number of branches, of "taken" the branch.
    """
    if op == "chosen":
        return np.clip(np.asarray(operands[0], np.int64), 0, detail - 1)
    if op == "taken":
        return (operands[0] == detail).astype(float)
    if op == "times":
        return operands[0] * operands[1]
    with np.errstate(all="ignore"):
        return np.asarray(_FUNCTIONS[op](*operands)).astype(detail)


def derive(op: str, operands: Sequence[Scalar], detail: Any) -> Scalar:
    """Returns the scalar that an operation of `compute` gives."""
    array = compute(op, [operand.array for operand in operands], detail)
    return Scalar(array, op, tuple(operands), detail)


def repeated(times: Scalar, factor: Scalar) -> Scalar:
    """Returns the product of two numbers of times."""
    return factor if times is ONCE else derive("times", (times, factor), None)


def evaluate(name: str, operands: Sequence[Value], aval: Any) -> Value:
    """Returns the scalar that a primitive computes; None if it is unknown."""
    if name not in _FUNCTIONS or aval.shape or not isinstance(aval.dtype, np.dtype):
        return None
    known = [operand for operand in operands if isinstance(operand, Scalar)]
    return derive(name, known, aval.dtype) if len(known) == len(operands) else None


def read_element(ref: Any, tree: Any, indices: Sequence[Value]) -> Value:
    """Returns the element of a prefetched operand that an equation `get` reads; None if it is unknown."""
    if not isinstance(ref, KnownRef):
        return None
    transforms = jax.tree.unflatten(tree, indices)
    if len(transforms) > 1 or any(not isinstance(each, jax_core.NDIndexer) for each in transforms):
        return None
    found = [literal(x) if isinstance(x, int | np.integer) else x for each in transforms for x in each.indices]
    if any(not isinstance(index, Scalar) for index in found):
        return None
    if ref.block is not None:
        within = iter(found)
        if sum(has for _, has in ref.block) != len(found):
            return None
        found = [
            derive("add", (first, derive("copy", (next(within),), np.int64)), np.int64) if has else first
            for first, has in ref.block
        ]
    if len(found) != ref.array.ndim:
        return None
    return Scalar(element(ref.array, [index.array for index in found]), "element", tuple(found), ref.number)


def element(array: np.ndarray, indices: Sequence[np.ndarray]) -> np.ndarray:
    """Returns elements of a prefetched operand."""
    # A step that skips the read may have an index out of bounds.
    clipped = [np.clip(index, 0, size - 1) for index, size in zip(indices, array.shape, strict=True)]
    return np.asarray(array[tuple(np.broadcast_arrays(*clipped))]) if clipped else np.asarray(array)
