# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches an input whose use explains wrong results: its blocks are exchanged, or a part of it is never used.

Both are experiments. The reference runs on the input with its blocks in another order: if it returns the results of the
kernel, an index map is the likely fault. The kernel runs on the input with NaN at an end: if its results are the same,
it does not use that end, for example since a loop starts late.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gridir.frontend.capture.install import installed
from gridir.frontend.recording.recorder import Call
from gridir.report.blocks import OperandBlocks
from gridir.report.displaced import is_equal
from gridir.report.wrong import as_array, inputs_of
from gridir.testing import prepare_reference

_MAX_CALLS = 64
"""The most calls of each side."""


def find_suspects(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    args: Sequence[Any],
    results: Any,
    calls: Sequence[Call],
) -> list[str]:
    """Returns lines about the inputs whose use explains the results; [] if no experiment does.

    Args:
      function: the function.
      reference: computes the expected results.
      args: the arguments of both.
      results: what the function returned, which differs from the reference's.
      calls: the calls of its kernels.
    """
    leaves, tree = jax.tree.flatten(tuple(args))
    inputs = inputs_of(calls, leaves)
    if not inputs:
        return []

    def expected(changed: Sequence[Any]) -> list[np.ndarray]:
        call = prepare_reference(reference, jax.tree.unflatten(tree, changed))
        return [as_array(x) for x in jax.tree.leaves(call())]

    got = [as_array(x) for x in jax.tree.leaves(results)]
    try:
        if found := _exchanged(_Counted(expected), leaves, got, inputs):
            return [found]
        with installed(replace_interpret=True):
            compiled = jax.jit(function).lower(*args).compile()

        def computed(changed: Sequence[Any]) -> list[np.ndarray]:
            return [as_array(x) for x in jax.tree.leaves(compiled(*jax.tree.unflatten(tree, changed)))]

        return list(_unused(_Counted(computed), _Counted(expected), leaves, inputs))
    except Exception:
        # Other numbers may lead a kernel out of bounds, and the author's reference may reject them in any way.
        return []


class _TooManyCalls(Exception):
    pass


@dataclasses.dataclass
class _Counted:
    """A function of a flat list of arguments that is called a limited number of times."""

    run: Callable[[Sequence[Any]], list[np.ndarray]]
    calls: int = 0

    def __call__(self, leaves: Sequence[Any]) -> list[np.ndarray]:
        self.calls += 1
        if self.calls > _MAX_CALLS:
            raise _TooManyCalls
        return self.run(leaves)


def _replaced(leaves: Sequence[Any], number: int, array: np.ndarray) -> list[Any]:
    return [*leaves[:number], jnp.asarray(array), *leaves[number + 1 :]]


def _exchanged(
    expected: _Counted, leaves: Sequence[Any], got: Sequence[np.ndarray], inputs: dict[int, OperandBlocks]
) -> str:
    for number, operand in inputs.items():
        array = as_array(leaves[number])
        for text, changed in _orders(array, operand.block):
            if np.array_equal(changed, array):
                continue
            wanted = expected(_replaced(leaves, number, changed))
            if all(is_equal(x, y.astype(x.dtype)) for x, y in zip(got, wanted, strict=True)):
                return f"the results are those of reference() for {operand.name} {text}"
    return ""


def _orders(array: np.ndarray, block: Sequence[int]) -> Iterator[tuple[str, np.ndarray]]:
    """An input with its blocks, or its elements, in another order; each with its description."""
    shape = array.shape
    for a, b in itertools.combinations(range(array.ndim), 2):
        if shape[a] != shape[b]:
            continue
        axes = f"dimensions {a} and {b}"
        if block[a] == block[b] < shape[a] and shape[a] % block[a] == 0:
            tiled = _split(array, {a: block[a], b: block[b]})
            # The numbers of blocks of `b` follow two axes of `a`.
            exchanged = np.swapaxes(tiled, a, b + 1).reshape(shape)
            yield f"with blocks whose indices of {axes} are exchanged: is its index map right?", exchanged
        yield f"with {axes} transposed", np.swapaxes(array, a, b)
    for axis, (size, extent) in enumerate(zip(shape, block, strict=True)):
        if extent >= size or size % extent:
            continue
        tiled = _split(array, {axis: extent})
        for by, side in ((-1, "after"), (1, "before")):
            rolled = np.roll(tiled, by, axis).reshape(shape)
            yield f"with the block {side} it along dimension {axis} in place of each: is its index map right?", rolled
        flipped = np.flip(tiled, axis).reshape(shape)
        yield f"with its blocks along dimension {axis} in reverse order: is its index map right?", flipped
        first = np.broadcast_to(np.take(tiled, [0], axis), tiled.shape).reshape(shape)
        yield f"with its first block along dimension {axis} in place of all: is its index map right?", first


def _split(array: np.ndarray, extents: dict[int, int]) -> np.ndarray:
    """An array with an axis of blocks and an axis of elements in place of some axes."""
    shape: list[int] = []
    for axis, size in enumerate(array.shape):
        shape += [size // extents[axis], extents[axis]] if axis in extents else [size]
    return array.reshape(shape)


def _unused(
    computed: _Counted, expected: _Counted, leaves: Sequence[Any], inputs: dict[int, OperandBlocks]
) -> Iterator[str]:
    got, wanted = computed(leaves), expected(leaves)
    if any((x != x).any() for x in (*got, *wanted)):
        # NaN in the results hides the NaN of an input.
        return
    for number, operand in inputs.items():
        array = as_array(leaves[number])
        if not jnp.issubdtype(array.dtype, jnp.floating):
            continue
        for axis, at_end in itertools.product(range(array.ndim), (False, True)):
            end = _End(array, axis, at_end)
            if array.shape[axis] < 2 or _depends(computed, got, leaves, number, end, 1):
                continue
            # The longest end that has no effect.
            low, high = 1, array.shape[axis]
            while high - low > 1:
                middle = (low + high) // 2
                has_effect = _depends(computed, got, leaves, number, end, middle)
                low, high = (low, middle) if has_effect else (middle, high)
            if _depends(expected, wanted, leaves, number, end, low):
                yield f"the results do not depend on {end.describe(low)} of {operand.name}, and those of reference() do"


@dataclasses.dataclass(frozen=True)
class _End:
    """The first or the last elements of an array along an axis."""

    array: np.ndarray
    axis: int
    at_end: bool

    def bounds(self, count: int) -> tuple[int, int]:
        size = self.array.shape[self.axis]
        return (size - count, size) if self.at_end else (0, count)

    def without(self, count: int) -> np.ndarray:
        """The array with NaN in place of these elements."""
        changed = self.array.copy()
        changed[(slice(None),) * self.axis + (slice(*self.bounds(count)),)] = np.nan
        return changed

    def describe(self, count: int) -> str:
        """The indices of the elements."""
        bounds = [self.bounds(count) if k == self.axis else (0, size) for k, size in enumerate(self.array.shape)]
        places = (f"{first} to {last - 1}" if last - first > 1 else str(first) for first, last in bounds)
        return f"[{', '.join(places)}]"


def _depends(
    run: _Counted, base: Sequence[np.ndarray], leaves: Sequence[Any], number: int, end: _End, count: int
) -> bool:
    results = run(_replaced(leaves, number, end.without(count)))
    return any(_differ(x, y) for x, y in zip(results, base, strict=True))


def _differ(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(((x != y) & ~((x != x) & (y != y))).any())
