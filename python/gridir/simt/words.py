# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on the bits of numbers in which several lanes are packed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gridir.simt import integers
from gridir.simt.lanes import bitcast
from gridir.simt.values import Fields, Index, Known, Packed, Refusal, Value, bits_of, merged, rearranged

if TYPE_CHECKING:
    from gridir.simt.execution import Execution

Parts: TypeAlias = tuple[tuple[int, Value], ...]
"""The fields of a number from the lowest bits on: the width of each and its value."""

_COMBINE: dict[str, Callable[[int, int], int]] = {
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
}
BITWISE = (*_COMBINE, "arith.shli", "arith.shrui", "arith.trunci", "arith.extui")
"""The ops on packed lanes."""


def known(number: int, width: int) -> Known:
    """A number of this width, equal in all threads."""
    return Known(np.full((1, 1, 1), _signed(number, width), np.int64), f"i{width}")


def _signed(number: int, width: int) -> int:
    number &= (1 << width) - 1
    return number - (1 << width) if width > 1 and number >> (width - 1) else number


def is_packed(value: Value) -> bool:
    """True if a value is a number of packed lanes."""
    return isinstance(value, (Packed, Fields))


class Words:
    """Computes on numbers of packed lanes.

    Args:
      run: the execution.
    """

    def __init__(self, run: Execution):
        self._run = run

    def fields(self, value: Value) -> Parts:
        """The fields of a number; one that has no lanes is one field."""
        if isinstance(value, Fields):
            return value.parts
        if isinstance(value, Packed):
            width = bits_of(value.value.type)
            lanes = bitcast(self._run, value.value, f"i{width}")
            each = (_lane(lanes, k, value.count) for k in range(value.count))
            return tuple(part for lane in each for part in (self.fields(lane) if is_packed(lane) else [(width, lane)]))
        width = bits_of(value.type)
        return ((width, bitcast(self._run, value, f"i{width}")),)

    def number(self, parts: Iterable[tuple[int, Value]]) -> Fields:
        """The number that has these fields; neighbours that are known are one field."""
        joined: list[tuple[int, Value]] = []
        for width, value in parts:
            before = joined[-1] if joined else (0, None)
            low, high = _same(before[1]), _same(value)
            if low is not None and high is not None:
                bits = before[0] + width
                low_bits = low & ((1 << before[0]) - 1)
                joined[-1] = (bits, known(low_bits | (high & ((1 << width) - 1)) << before[0], bits))
            else:
                joined.append((width, value))
        return Fields(tuple(joined), f"i{sum(width for width, _ in joined)}")

    def apply(self, name: str, operands: Sequence[Value], type_: str) -> Fields:
        """Evaluates an op of `arith`.

        Args:
          name: one of `BITWISE`.
          operands: the operands.
          type_: the type of the result, as text.

        Raises:
          Refusal: a number of steps is not known.
        """
        first = self.fields(operands[0])
        width = integers.width_of(type_) or 0
        if name in _COMBINE:
            return self._combined(name, first, self.fields(operands[1]))
        if name == "arith.trunci":
            return self.number(self.cut(first, 0, width))
        bits = sum(each for each, _ in first)
        if name == "arith.extui":
            return self.number((*first, (width - bits, known(0, width - bits))))
        steps = _same(operands[1])
        if steps is None or not 0 <= steps < bits:
            raise Refusal("expected packed lanes to be moved by a constant number of bits")
        if steps == 0:
            return self.number(first)
        empty = (steps, known(0, steps))
        if name == "arith.shli":
            return self.number((empty, *self.cut(first, 0, bits - steps)))
        return self.number((*self.cut(first, steps, bits), empty))

    def cut(self, parts: Parts, low: int, high: int) -> Parts:
        """The bits from one to another, which is none of them."""
        taken, at = [], 0
        for width, value in parts:
            first, last = max(low - at, 0), min(high - at, width)
            if first < last:
                taken.append((last - first, self._part(value, width, first, last)))
            at += width
        return tuple(taken)

    def lanes(self, value: Value, type_: str) -> Value:
        """The lanes of numbers, each of that type.

        Raises:
          Refusal: they are different expressions.
        """
        parts, width = self.fields(value), bits_of(type_)
        count = sum(each for each, _ in parts) // width
        each = [
            bitcast(self._run, self._joined(self.cut(parts, k * width, (k + 1) * width)), type_) for k in range(count)
        ]
        if count == 1:
            return each[0]
        threads = self._run.threads
        words = max((x.shape[2] for x in _indices(each)), default=1)
        shape = (threads.warpgroups, threads.count, words)

        def interleave(arrays: Sequence[Index]) -> Index:
            return np.stack(arrays, axis=-1).reshape(*shape[:2], -1)

        return merged(each, interleave, [shape] * count)

    def permuted(self, first: Value, second: Value, order: int) -> Fields:
        """The bytes of two words in the order of `prmt` of PTX: four bits say which byte, or its sign."""
        parts = (*self.fields(first), *self.fields(second))
        taken: list[tuple[int, Value]] = []
        for k in range(4):
            choice = order >> 4 * k & 15
            byte = self.cut(parts, 8 * (choice & 7), 8 * (choice & 7) + 8)
            taken += [(8, self._sign(byte))] if choice & 8 else byte
        return self.number(taken)

    def looked_up(self, numbers: Sequence[Value], table: int) -> Fields:
        """Evaluates `lop3` of PTX: bit `4a + 2b + c` of the table for bits a, b and c of three numbers."""
        inputs = [self.fields(x) for x in numbers]
        edges = sorted({edge for parts in inputs for edge in _edges(parts)})
        result: list[tuple[int, Value]] = []
        for low, high in zip([0, *edges], edges, strict=False):
            values = [self._joined(self.cut(parts, low, high)) for parts in inputs]
            result.append((high - low, self._of_table(values, table, high - low)))
        return self.number(result)

    def _of_table(self, values: Sequence[Value], table: int, width: int) -> Value:
        """One field of `looked_up`: the result of all rows that are left if some numbers are all zeros or all ones."""
        rows = [row for row in range(8) if all(_may_be(x, row >> 2 - i & 1, width) for i, x in enumerate(values))]
        chosen = [row for row in rows if table >> row & 1]
        if len(chosen) in (0, len(rows)):
            return known(-1 if chosen else 0, width)
        for i, value in enumerate(values):
            with_bit = [row for row in rows if row >> 2 - i & 1]
            if chosen == with_bit:
                return value
        result: Value = known(0, width)
        for row in chosen:
            term: Value = known(-1, width)
            for i, value in enumerate(values):
                bit = value if row >> 2 - i & 1 else self._combine("arith.xori", value, known(-1, width), width)
                term = self._combine("arith.andi", term, bit, width)
            result = self._combine("arith.ori", result, term, width)
        return result

    def _combined(self, name: str, first: Parts, second: Parts) -> Fields:
        edges = sorted({edge for parts in (first, second) for edge in _edges(parts)})
        parts: list[tuple[int, Value]] = []
        for low, high in zip([0, *edges], edges, strict=False):
            a, b = (self._joined(self.cut(x, low, high)) for x in (first, second))
            parts.append((high - low, self._combine(name, a, b, high - low)))
        return self.number(parts)

    def _combine(self, name: str, a: Value, b: Value, width: int) -> Value:
        x, y = _same(a), _same(b)
        if x is not None and y is not None:
            return known(_COMBINE[name](x, y), width)
        if x is not None:
            a, b, y = b, a, x
        if y is not None:
            full = (y & ((1 << width) - 1)) == (1 << width) - 1
            if y == 0:
                return known(0, width) if name == "arith.andi" else a
            if full and name != "arith.xori":
                return a if name == "arith.andi" else b
        return self._run.applied(name, [a, b], f"i{width}")

    def _part(self, value: Value, width: int, first: int, last: int) -> Value:
        """Some bits of a field."""
        if (first, last) == (0, width):
            return value
        number = _same(value)
        if number is not None:
            return known(number >> first, last - first)
        if first:
            value = self._run.applied("arith.shrui", [value, known(first, width)], f"i{width}")
        return self._run.applied("arith.trunci", [value], f"i{last - first}")

    def _joined(self, parts: Parts) -> Value:
        """The fields as one number."""
        total, at = sum(width for width, _ in parts), 0
        result: Value | None = None
        for width, value in self.number(parts).parts:
            if _same(value) == 0 and len(parts) > 1:
                at += width
                continue
            term = value
            if width < total:
                number = _same(value)
                term = (
                    known(number & ((1 << width) - 1), total)
                    if number is not None
                    else self._run.applied("arith.extui", [value], f"i{total}")
                )
            if at:
                number = _same(term)
                term = (
                    known(number << at, total)
                    if number is not None
                    else self._run.applied("arith.shli", [term, known(at, total)], f"i{total}")
                )
            result = term if result is None else self._run.applied("arith.ori", [result, term], f"i{total}")
            at += width
        return known(0, total) if result is None else result

    def _sign(self, byte: Parts) -> Value:
        """A byte that is the highest bit of another one, eight times."""
        width, value = byte[-1]
        number = _same(value)
        if number is not None:
            return known(-(number >> (width - 1) & 1), 8)
        if width > 1:
            value = self._run.applied("arith.shrsi", [value, known(width - 1, width)], f"i{width}")
        return value if width == 8 else self._run.applied("arith.extsi", [value], "i8")


def _same(value: Value | None) -> int | None:
    """A number that is known and everywhere the same, else None."""
    same = value.same if isinstance(value, Known) else None
    return None if same is None else int(same)


def _may_be(value: Value, bit: int, width: int) -> bool:
    """True if a bit of a number may have a value; conservative for all threads together."""
    number = _same(value)
    if number is None:
        return True
    bits = number & ((1 << width) - 1)
    return bits not in (0, (1 << width) - 1) or bool(bits) == bool(bit)


def _lane(value: Value, lane: int, count: int) -> Value:
    return rearranged(value, lambda x: x[..., lane::count] if x.shape[2] > 1 else x)


def _edges(parts: Parts) -> list[int]:
    """The ends of fields."""
    return np.cumsum([width for width, _ in parts]).tolist()


def _indices(values: Iterable[Value]) -> list[Index]:
    """The arrays of values, whose lanes are as many as the values have."""
    found: list[Index] = []

    def look(array: Index) -> Index:
        found.append(array)
        return array

    for value in values:
        rearranged(value, look)
    return found
