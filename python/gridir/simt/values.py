# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of the threads of a warpgroup: one for each thread and each lane of a vector.

All arrays here have the shape (warpgroups, threads, lanes): each warpgroup of a block runs the same code, and a number
that is known may differ between them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gridir.mlir import ir

Index: TypeAlias = "np.ndarray[Any, Any]"


class Refusal(Exception):
    """Code that is not served, with the reason.

    Attributes:
      op: the op that is not, as its author would read it; None where it is not one.
    """

    op: str | None = None

    def __str__(self) -> str:
        return super().__str__() + (f", in `{self.op}`" if self.op else "")


@dataclasses.dataclass(frozen=True, eq=False)
class Known:
    """Numbers that are known.

    Attributes:
      numbers: the number of each thread and lane; truth values are 0 and 1.
      type: the type of one of them, as text.
    """

    numbers: Index
    type: str

    @property
    def same(self) -> Any:
        """The number, where it is one everywhere, else None."""
        # By their bits: 0.0 equals -0.0, and a NaN nothing.
        bits = np.ascontiguousarray(self.numbers).view(np.int64)
        return self.numbers.flat[0].item() if (bits == bits.flat[0]).all() else None


@dataclasses.dataclass(frozen=True, eq=False)
class Uniform:
    """A number that the kernel computes, the same in each thread and lane.

    Attributes:
      value: the scalar.
      type: its type, as text.
    """

    value: ir.Value
    type: str


@dataclasses.dataclass(frozen=True, eq=False)
class Undefined(Known):
    """Numbers that may be any."""


class Source:
    """An array whose elements threads hold.

    Attributes:
      shape: its sizes.
      array: the array, or the window of it that is needed; None until it is loaded.
      offsets: the first element of that window.
    """

    def __init__(self, shape: Sequence[int], array: ir.Value | None = None):
        self.shape, self.array = tuple(shape), array
        self.offsets: tuple[int, ...] = (0,) * len(self.shape)

    def hold(self, array: ir.Value, offsets: Sequence[int]) -> None:
        """Gives it its elements."""
        self.array, self.offsets = array, tuple(offsets)


@dataclasses.dataclass(frozen=True, eq=False)
class Elements:
    """Elements of an array.

    Attributes:
      source: the array.
      indices: the row-major index in it of each thread's and lane's element; -1 if there is none.
      type: the type of one of them, as text.
    """

    source: Source
    indices: Index
    type: str


@dataclasses.dataclass(frozen=True, eq=False)
class Computed:
    """The result of an elementwise op.

    Attributes:
      name: the name of the op.
      attributes: its attributes, as text.
      operands: its operands.
      type: the type of one element, as text.
    """

    name: str
    attributes: tuple[tuple[str, str], ...]
    operands: tuple[Value, ...]
    type: str


@dataclasses.dataclass(frozen=True, eq=False)
class Packed:
    """Several lanes as one number of as many bits. It may be moved, but not used in arithmetic.

    Attributes:
      value: the lanes.
      count: how many are one number.
      type: the type of such a number, as text.
    """

    value: Value
    count: int
    type: str


@dataclasses.dataclass(frozen=True, eq=False)
class Fields:
    """A number whose bits are those of several others, side by side.

    Attributes:
      parts: the width of each and the number, from the lowest bits on.
      type: the type of the whole number, as text.
    """

    parts: tuple[tuple[int, Value], ...]
    type: str


@dataclasses.dataclass(frozen=True, eq=False)
class Choice:
    """One of several values in each thread and lane.

    Attributes:
      parts: the values, each with where it is meant; together they are everywhere.
      type: the type of one of them, as text.
    """

    parts: tuple[tuple[Index, Value], ...]
    type: str


Value: TypeAlias = Known | Uniform | Elements | Computed | Packed | Fields | Choice


def lanes_and_element(type_: str) -> tuple[int, str]:
    """The number of lanes of a type, and the type of one; a scalar has one.

    Raises:
      Refusal: for a type that is neither a scalar nor a vector of one dimension.
    """
    match = re.fullmatch(r"vector<(\d+)x([a-z][\w.]*)>", type_)
    if match:
        return int(match[1]), match[2]
    if not re.fullmatch(r"[\w.]+", type_):
        raise Refusal(f"expected scalars and vectors of one dimension, got {type_}")
    return 1, type_


def bits_of(element: str) -> int:
    """The size of an element in memory.

    Raises:
      Refusal: memory has no such elements.
    """
    found = re.match(r"(?:i|bf|f|tf)(\d+)", element)
    if found is None or element == "i1":
        raise Refusal(f"expected elements that are in memory, got {element}")
    return int(found[1])


def rearranged(value: Value, move: Callable[[Index], Index]) -> Value:
    """A value whose threads and lanes are permuted, repeated or left out."""
    match value:
        case Known():
            return Known(move(value.numbers), value.type)
        case Elements():
            return Elements(value.source, move(value.indices), value.type)
        case Computed():
            return dataclasses.replace(value, operands=tuple(rearranged(x, move) for x in value.operands))
        case Fields():
            return dataclasses.replace(value, parts=tuple((width, rearranged(x, move)) for width, x in value.parts))
        case Choice():
            return dataclasses.replace(value, parts=tuple((move(at), rearranged(x, move)) for at, x in value.parts))
        case Packed():
            inside = rearranged(value.value, lambda x: _by_lane(value.count, lambda each: move(each[0]), [x]))
            return dataclasses.replace(value, value=inside)
    return value


def _by_lane(count: int, move: Callable[[Sequence[Index]], Index], arrays: Sequence[Index]) -> Index:
    """Applies a function of numbers to each of the lanes of packed numbers."""
    if all(x.shape[2] == 1 for x in arrays):
        return move(arrays)
    full = [np.broadcast_to(x, (*x.shape[:2], max(x.shape[2], count))) for x in arrays]
    parts = [move([x[..., lane::count] for x in full]) for lane in range(count)]
    return np.stack(parts, axis=-1).reshape(*parts[0].shape[:2], -1)


def merged(values: Sequence[Value], merge: Callable[[Sequence[Index]], Index], shapes: Sequence[Any]) -> Value:
    """One value that has each thread and lane from one of several, of the same expression.

    Args:
      values: the values.
      merge: the same for arrays, one for each of the values.
      shapes: of each value the shape of its arrays.

    Raises:
      Refusal: they are different expressions.
    """
    first = values[0]
    if all(value is first for value in values) and isinstance(first, Uniform):
        return first
    if all(isinstance(value, Uniform) and value.value == getattr(first, "value", None) for value in values):
        return first
    if all(isinstance(value, Known) for value in values):
        arrays = [np.broadcast_to(value.numbers, shape) for value, shape in zip(values, shapes, strict=True)]
        return Known(merge(arrays), first.type)
    if all(isinstance(value, Elements) and value.source is getattr(first, "source", None) for value in values):
        arrays = [np.broadcast_to(value.indices, shape) for value, shape in zip(values, shapes, strict=True)]
        return Elements(first.source, merge(arrays), first.type)
    if all(isinstance(value, Computed) and _is_like(value, first) for value in values):
        operands = zip(*(value.operands for value in values), strict=True)
        return dataclasses.replace(first, operands=tuple(merged(each, merge, shapes) for each in operands))
    fields = [value for value in values if isinstance(value, Fields)]
    if len(fields) == len(values) and len({(x.type, *(width for width, _ in x.parts)) for x in fields}) == 1:
        columns = zip(*(x.parts for x in fields), strict=True)
        parts = ((column[0][0], merged([x for _, x in column], merge, shapes)) for column in columns)
        return dataclasses.replace(fields[0], parts=tuple(parts))
    packed = [value for value in values if isinstance(value, Packed)]
    if len(packed) == len(values) and len({(value.count, value.type) for value in packed}) == 1:
        count = packed[0].count
        wider = [(*shape[:2], shape[2] * count) for shape in shapes]

        def merge_lanes(arrays: Sequence[Index]) -> Index:
            return _by_lane(count, merge, arrays)

        return dataclasses.replace(packed[0], value=merged([value.value for value in packed], merge_lanes, wider))
    raise Refusal("expected the same computation in each thread, got different ones")


def choose(condition: Index, yes: Value, no: Value, shape: Any) -> Value:
    """A value where a condition holds, and another one elsewhere.

    Args:
      condition: where it does.
      yes, no: the values.
      shape: that of their arrays.
    """
    parts: list[tuple[Index, Value]] = []
    for at, value in ((condition, yes), (~condition, no)):
        for within, part in value.parts if isinstance(value, Choice) else ((np.ones(shape, bool), value),):
            where = np.broadcast_to(at & within, shape)
            if where.any():
                _add_part(parts, where, part, shape)
    return parts[0][1] if len(parts) == 1 else Choice(tuple(parts), yes.type)


def _add_part(parts: list[tuple[Index, Value]], where: Index, value: Value, shape: Any) -> None:
    """Adds a value to those of a choice, to one that is the same expression if there is one."""
    for i, (known, other) in enumerate(parts):
        try:
            both = merged([value, other], lambda pair: np.where(where, *pair), [shape, shape])
        except Refusal:
            continue
        parts[i] = (known | where, both)
        return
    parts.append((where, value))


def _is_like(value: Computed, other: Any) -> bool:
    return isinstance(other, Computed) and (value.name, value.attributes, value.type, len(value.operands)) == (
        other.name,
        other.attributes,
        other.type,
        len(other.operands),
    )


def indices_of(spread: Any, shape: Sequence[int], threads: int) -> Index:
    """The indices in an array of the elements of its threads.

    Args:
      spread: how it is spread, as `jax_gpu.Spread` says.
      shape: the sizes, which its tiles divide.
      threads: the number of threads.

    Returns:
      The row-major indices, of shape (registers, threads, elements), where a register is one element: those of a tile
      one after another, tile after tile.
    """
    tile = spread.tile
    if not tile:
        return np.zeros((1, threads), np.int64)
    sizes = list(shape)
    lane, warp = np.arange(threads) % 32, np.arange(threads) // 32

    def spread_out(numbers: Index, bits: Sequence[int]) -> Index:
        # The bases of a linear map over F2 whose images share no bits, or are none.
        return sum(((numbers >> bit & 1) * basis for bit, basis in enumerate(bits)), start=np.zeros_like(numbers))

    registers = spread_out(np.arange(1 << len(spread.registers)), spread.registers)
    of_thread = spread_out(lane, spread.lanes) + spread_out(warp, spread.warps)
    within = np.stack(np.unravel_index(registers[:, None] + of_thread[None], tile))
    full = (1,) * (len(sizes) - len(tile)) + tuple(tile)
    counts = [size // extent for size, extent in zip(sizes, full, strict=True)]
    numbers = []
    for repeat in np.ndindex(*counts):
        first = [p * extent for p, extent in zip(repeat, full, strict=True)]
        at = [np.full_like(within[0], f) for f in first]
        for d in range(len(tile)):
            at[len(at) - len(tile) + d] = at[len(at) - len(tile) + d] + within[d]
        numbers.append(np.ravel_multi_index(at, sizes))
    return np.concatenate(numbers)
