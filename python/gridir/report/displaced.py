# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes wrong elements by the expected ones that they equal: those of another block, transposed, shifted, scaled.

Each description holds for all wrong elements that it mentions. A fault usually has one of a few forms, for example an
index map with exchanged axes, so that a search of these forms finds it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gridir.testing import difference

_MAX_SHIFT = 8
"""The greatest distance, in elements and in blocks, of values that are searched elsewhere."""

_MAX_BLOCKS = 64
"""The most wrong blocks, and the square root of the most comparisons of blocks with each other."""

# The results of a kernel and of its reference are rounded in other orders.
_TOLERANCES = {"float32": 1e-4}

Index = tuple[int, ...]


def describe_displaced(
    got: np.ndarray, want: np.ndarray, wrong: np.ndarray, block: Index | None, *, blocks: str = "block"
) -> list[str]:
    """Returns lines that say which expected elements the wrong ones equal; [] if no form fits.

    Args:
      got: the results.
      want: the expected results, of the same type and shape.
      wrong: which elements are wrong.
      block: the shape of the blocks that programs write, which start at multiples of it; None if there are none.
      blocks: the word for a block.
    """
    if not wrong.any():
        return []
    # The values say less than their places, but a place of equal values says nothing.
    if text := _common_value(got, want, wrong):
        return [text]
    tiled = block is not None and len(block) == got.ndim and block != got.shape
    for line in _of_blocks(got, want, wrong, block, blocks) if tiled and block else ():
        return [line]
    for line in itertools.chain(_transposed(got, want, wrong), _shifted(got, want, wrong), _scaled(got, want, wrong)):
        return [line]
    return []


def is_equal(got: np.ndarray, want: np.ndarray) -> bool:
    """True if two arrays are equal but for roundings."""
    return got.shape == want.shape and difference(got, want, _TOLERANCES.get(want.dtype.name)) is None


def _common_value(got: np.ndarray, want: np.ndarray, wrong: np.ndarray) -> str:
    values = got[wrong]
    first = values[0]
    if len(values) < 2 or not ((values == first) | ((values != values) & (first != first))).all():
        return ""
    return f"the wrong elements are all {first}" if (want[wrong] != first).any() else ""


def _of_blocks(got: np.ndarray, want: np.ndarray, wrong: np.ndarray, block: Index, word: str) -> Iterator[str]:
    counts = tuple(-(-size // extent) for size, extent in zip(got.shape, block, strict=True))

    def part(array: np.ndarray, number: Index) -> np.ndarray:
        return array[tuple(slice(n * extent, (n + 1) * extent) for n, extent in zip(number, block, strict=True))]

    bad = [number for number in np.ndindex(*counts) if part(wrong, number).any()]
    if len(bad) > _MAX_BLOCKS:
        bad = bad[:: -(-len(bad) // _MAX_BLOCKS)]

    def holds(source: Callable[[Index], Index | None]) -> bool:
        for number in bad:
            other = source(number)
            if other is None or other == number or any(n >= count for n, count in zip(other, counts, strict=True)):
                return False
            if not _fits(part(got, number), part(want, other)):
                return False
        return True

    names = _names(got.ndim)
    here = f"{word} ({', '.join(names)})"
    several = "each wrong block" if len(bad) > 1 else f"{word} {_index(bad[0])}"
    for text, source in _maps(counts, names):
        if holds(source):
            yield f"{several} holds the values expected in block ({text}), where it is {here}"
    if all(is_equal(part(got, b), _transposed_last(part(want, b))) for b in bad) and got.ndim > 1:
        yield f"{several} holds its expected values transposed"
    found = [_find(part(got, number), lambda n: part(want, n), counts) for number in bad]
    if found and all(other is not None for other in found):
        pairs = list(zip(bad, found, strict=True))
        if len(set(found)) == 1 and len(bad) > 1:
            yield f"each wrong block holds the values expected in block {_index(pairs[0][1] or ())}"
            return
        some = ", ".join(f"{word} {_index(a)} those of {_index(b or ())}" for a, b in pairs[:4])
        more = f", and so on for {len(pairs)} blocks" if len(pairs) > 4 else ""
        yield f"wrong blocks hold the values expected in others: {some}{more}"


def _maps(counts: Index, names: Sequence[str]) -> Iterator[tuple[str, Callable[[Index], Index | None]]]:
    """The usual maps from a block to the one whose values it holds, with their text."""
    rank = len(counts)
    for a, b in itertools.combinations(range(rank), 2):
        order = list(range(rank))
        order[a], order[b] = b, a
        yield ", ".join(names[axis] for axis in order), lambda n, order=order: tuple(n[axis] for axis in order)
    for axis, count in enumerate(counts):
        if count < 2:
            continue

        def text(value: str, axis: int = axis) -> str:
            return ", ".join(value if number == axis else name for number, name in enumerate(names))

        def moved(n: Index, value: int, axis: int = axis, count: int = count) -> Index | None:
            return (*n[:axis], value, *n[axis + 1 :]) if 0 <= value < count else None

        for distance in range(1, min(count, _MAX_SHIFT + 1)):
            for sign, symbol in ((-1, "-"), (1, "+")):
                by = sign * distance
                yield text(f"{names[axis]} {symbol} {distance}"), lambda n, by=by, m=moved, a=axis: m(n, n[a] + by)
        if count > 2:
            # With two blocks, this is a shift by one that wraps around.
            last = count - 1
            yield text(f"{last} - {names[axis]}"), lambda n, m=moved, a=axis, last=last: m(n, last - n[a])
        for distance in (1, count - 1):
            yield (
                text(f"({names[axis]} + {distance}) % {count}"),
                lambda n, m=moved, a=axis, d=distance, c=count: m(n, (n[a] + d) % c),
            )
        for value in {0: None, count - 1: None}:
            yield text(str(value)), lambda n, m=moved, value=value: m(n, value)


def _find(values: np.ndarray, part: Callable[[Index], np.ndarray], counts: Index) -> Index | None:
    if np.prod(counts) > _MAX_BLOCKS:
        return None
    return next((number for number in np.ndindex(*counts) if _fits(values, part(number))), None)


def _fits(got: np.ndarray, want: np.ndarray) -> bool:
    """True if a block equals another one; of blocks at the end of the array, the common part."""
    common = tuple(slice(0, min(a, b)) for a, b in zip(got.shape, want.shape, strict=True))
    return 2 * got[common].size >= got.size and is_equal(got[common], want[common])


def _transposed_last(array: np.ndarray) -> np.ndarray:
    return np.swapaxes(array, -1, -2) if array.ndim > 1 else array


def _transposed(got: np.ndarray, want: np.ndarray, wrong: np.ndarray) -> Iterator[str]:
    names = _names(got.ndim)
    for a, b in itertools.combinations(range(got.ndim), 2):
        if got.shape[a] != got.shape[b]:
            continue
        if is_equal(got[wrong], np.swapaxes(want, a, b)[wrong]):
            other = list(names)
            other[a], other[b] = other[b], other[a]
            yield f"each wrong element ({', '.join(names)}) is the one expected at ({', '.join(other)})"


def _shifted(got: np.ndarray, want: np.ndarray, wrong: np.ndarray) -> Iterator[str]:
    names = _names(got.ndim)
    for axis, size in enumerate(got.shape):
        for distance in range(1, min(size, _MAX_SHIFT + 1)):
            for by in (-distance, distance):
                # The sources of the first or last elements would be outside.
                inside = [slice(None)] * got.ndim
                inside[axis] = slice(distance, None) if by < 0 else slice(None, size - distance)
                known = wrong[tuple(inside)]
                source = np.roll(want, -by, axis)[tuple(inside)]
                values = got[tuple(inside)][known]
                if 2 * known.sum() >= wrong.sum() and len(values) > 1 and is_equal(values, source[known]):
                    place = [*names]
                    place[axis] += f" {'-' if by < 0 else '+'} {distance}"
                    yield f"each wrong element ({', '.join(names)}) is the one expected at ({', '.join(place)})"


def _scaled(got: np.ndarray, want: np.ndarray, wrong: np.ndarray) -> Iterator[str]:
    values, expected = (x[wrong].astype(np.complex128 if np.iscomplexobj(x) else np.float64) for x in (got, want))
    if len(values) < 2 or not (np.isfinite(values).all() and np.isfinite(expected).all()):
        return
    tolerance = _TOLERANCES.get(want.dtype.name)

    def same(x: np.ndarray, y: np.ndarray) -> bool:
        return difference(x.astype(got.dtype), y.astype(got.dtype), tolerance) is None

    if len(np.unique(expected)) < 2:
        return
    with np.errstate(all="ignore"):
        factor = np.median((values / expected)[expected != 0])
        if factor not in (0, 1) and np.isfinite(factor) and same(values, factor * expected):
            yield f"each wrong element is the expected one times {factor:.6g}"
        apart = np.median(values - expected)
        if apart != 0 and same(values, expected + apart):
            yield f"each wrong element is the expected one {'plus' if apart > 0 else 'minus'} {abs(apart):.6g}"


def _names(rank: int) -> list[str]:
    return ["i", "j", "k", "l"][:rank] if rank <= 4 else [f"i{axis}" for axis in range(rank)]


def _index(number: Index) -> str:
    return f"({', '.join(map(str, number))})"
