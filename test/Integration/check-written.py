# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s --first 0 --count 120 | FileCheck %s
# Without a limit, the elements that this kernel does not write are ever more pieces.
# RUN: %python %s --first 1556 --count 1 | FileCheck %s
"""The verdicts of the check `written` on random kernels, against a count of the elements that their programs write.

A kernel has one to three grid dimensions, blocks that may overhang or are revisited, and stores of slices with strides,
masks, comparisons of positions and conditions. What is proved must be written, and an element that refutes must not be.
A longer run is `python test/Integration/check-written.py --first 0 --count 10000`.
"""

import argparse
import dataclasses
import itertools
import random
from collections import Counter
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.checks import check_kernel
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

# Index maps of one dimension, of ids along the grid and its sizes.
MAPS = {
    "id": lambda ids, sizes, d: ids[d],
    "half": lambda ids, sizes, d: ids[d] // 2,
    "twice": lambda ids, sizes, d: ids[d] * 2,
    "odd": lambda ids, sizes, d: ids[d] * 2 + 1,
    "reversed": lambda ids, sizes, d: sizes[d] - 1 - ids[d],
    "rotated": lambda ids, sizes, d: (ids[d] + 1) % sizes[d],
    "remainder": lambda ids, sizes, d: ids[d] % 2,
    "constant": lambda ids, sizes, d: 0,
    "two": lambda ids, sizes, d: ids[d] * sizes[d - 1] + ids[d - 1],
    "sum": lambda ids, sizes, d: ids[d] + ids[d - 1],
}

CONDITIONS = {
    "even": lambda ids, sizes, d: ids[d] % 2 == 0,
    "odd": lambda ids, sizes, d: ids[d] % 2 == 1,
    "first": lambda ids, sizes, d: ids[d] == 0,
    "last": lambda ids, sizes, d: ids[d] == sizes[d] - 1,
    "not first": lambda ids, sizes, d: ids[d] != 0,
    "below": lambda ids, sizes, d: ids[d] < 2,
    "never": lambda ids, sizes, d: ids[d] > 100,
}


COMPARISONS = {
    "below": lambda position, limit: position < limit,
    "at most": lambda position, limit: limit >= position,
    "not above": lambda position, limit: ~(position > limit),
    "from": lambda position, limit: position >= limit,
    "twice": lambda position, limit: position + position < 2 * limit,
    "reversed": lambda position, limit: limit - position > 0,
}


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A condition on the positions of elements along one dimension, in their block or in the array."""

    dim: int
    in_array: bool
    name: str
    limit: int


@dataclasses.dataclass(frozen=True)
class Store:
    """A store to a part of a block: for each dimension a start, how it depends on the program, a size and a stride."""

    parts: tuple[tuple[int, str, int, int], ...]
    condition: tuple[str, int] | None
    mask: str  # "", "some" or "all"
    loop: int  # Iterations of a loop around it, each one row further; 0 for none.
    comparisons: tuple[Comparison, ...] = ()
    by_indices: bool = False

    @property
    def is_masked(self) -> bool:
        return bool(self.mask or self.comparisons)

    def starts(self, ids: Any, counter: Any) -> list[Any]:
        moves = {"": 0, "id": ids[0], "parity": ids[-1] % 2, "parity*2": ids[-1] % 2 * 2}
        starts = [start + moves[move] for start, move, _, _ in self.parts]
        starts[0] += counter
        return starts


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel with one output."""

    grid: tuple[int, ...]
    shape: tuple[int, ...]
    block: tuple[int, ...]
    maps: tuple[tuple[str, int], ...]
    stores: tuple[Store, ...]


def make(seed: int) -> Kernel:
    """The kernel of a seed."""
    rng = random.Random(seed)
    grid = tuple(rng.choice((1, 2, 3, 4)) for _ in range(rng.choice((1, 1, 2, 3))))
    rank = rng.choice((1, 2))
    block = tuple(rng.choice((2, 4, 6, 8)) for _ in range(rank))
    maps, shape = [], []
    for size in block:
        d = rng.randrange(len(grid))
        name = rng.choice([*["id"] * 6, *MAPS])
        maps.append((name, d))
        programs = itertools.product(*map(range, grid))
        highest = max(MAPS[name](ids, grid, d) for ids in programs)
        shape.append(max(1, (highest + 1) * size - rng.choice((0, 0, 0, 1, size // 2))))
    stores = []
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        loop = rng.choice((0, 0, 0, 2))
        parts = []
        for number, size in enumerate(block):
            start, move, extent, stride = 0, "", size, 1
            if rng.random() < 0.5:
                stride = rng.choice((1, 1, 2))
                start = rng.choice((0, 0, 1, size // 2))
                move = rng.choice(("", "", "", "id", "parity", "parity*2"))
                largest = {"": 0, "id": grid[0] - 1, "parity": 1, "parity*2": 2}[move]
                room = size - start - largest - (max(loop - 1, 0) if number == 0 else 0)
                if room < 1:
                    start, move, room = 0, "", size - (max(loop - 1, 0) if number == 0 else 0)
                extent = rng.randint(max(1, (room - 1) // stride), (room - 1) // stride + 1)
            elif number == 0 and loop:
                extent = size - loop + 1
            parts.append((start, move, extent, stride))
        condition = (rng.choice(list(CONDITIONS)), rng.randrange(len(grid))) if rng.random() < 0.4 else None
        stores.append(Store(tuple(parts), condition, rng.choice(("", "", "", "", "some", "all")), loop))
    # Drawn apart, so that the other kernels of a seed stay the same.
    rng = random.Random(-1 - seed)
    for number, store in enumerate(stores):
        if store.mask or rng.random() < 0.6:
            continue
        comparisons = []
        for _ in range(rng.choice((1, 1, 2))):
            dim, name = rng.randrange(rank), rng.choice([*["below"] * 3, *COMPARISONS])
            in_array = rng.random() < 0.7
            end = shape[dim] if in_array else block[dim]
            limit = rng.choice((0, 0, 1)) if name == "from" else end + rng.choice((0, 0, 0, 1, -1))
            comparisons.append(Comparison(dim, in_array, name, limit))
        stores[number] = dataclasses.replace(
            store, comparisons=tuple(comparisons), by_indices=rng.random() < 0.3 and not store.loop
        )
    return Kernel(grid, tuple(shape), block, tuple(maps), tuple(stores))


def origins(kernel: Kernel, ids: Any) -> list[Any]:
    """The first element of a program's block in the array."""
    return [MAPS[name](ids, kernel.grid, d) * size for (name, d), size in zip(kernel.maps, kernel.block, strict=True)]


def positions_of(store: Store, starts: Any, library: Any) -> list[Any]:
    """The positions in the block along each dimension, in the shape of the stored slice."""
    rank, result = len(store.parts), []
    for dim, (start, (_, _, extent, stride)) in enumerate(zip(starts, store.parts, strict=True)):
        along = start + stride * library.arange(extent, dtype=library.int32)
        result.append(library.broadcast_to(along.reshape([-1 if d == dim else 1 for d in range(rank)]), extents(store)))
    return result


def extents(store: Store) -> list[int]:
    return [extent for _, _, extent, _ in store.parts]


def compare(store: Store, positions: list[Any], origin: list[Any]) -> Any:
    """The mask that the comparisons of a store make."""
    mask = None
    for each in store.comparisons:
        position = positions[each.dim] + (origin[each.dim] if each.in_array else 0)
        holds = COMPARISONS[each.name](position, each.limit)
        mask = holds if mask is None else mask & holds
    return mask


def mask_of(store: Store) -> np.ndarray:
    shape = extents(store)
    return np.ones(shape, bool) if store.mask == "all" else np.indices(shape).sum(0) % 2 == 0


def written(kernel: Kernel) -> np.ndarray:
    """Which elements some program writes."""
    result = np.zeros([extent + 2 * size for extent, size in zip(kernel.shape, kernel.block, strict=True)], bool)
    for ids in itertools.product(*map(range, kernel.grid)):
        origin = origins(kernel, ids)
        for store in kernel.stores:
            if store.condition and not CONDITIONS[store.condition[0]](ids, kernel.grid, store.condition[1]):
                continue
            for counter in range(max(store.loop, 1)):
                index = np.ix_(
                    *(
                        low + start + stride * np.arange(extent)
                        for low, start, (_, _, extent, stride) in zip(
                            origin, store.starts(ids, counter), store.parts, strict=True
                        )
                    )
                )
                selected = True
                if store.mask:
                    selected = mask_of(store)
                elif store.comparisons:
                    selected = compare(store, positions_of(store, store.starts(ids, counter), np), origin)
                result[index] |= selected
    return result[tuple(map(slice, kernel.shape))]


def build(kernel: Kernel) -> Any:
    """The function that calls it."""

    def body(mask_refs, o_ref):
        ids = [pl.program_id(d) for d in range(len(kernel.grid))]

        def run(store, mask_ref):
            def once(counter):
                part = tuple(
                    pl.ds(start, extent, stride)
                    for start, (_, _, extent, stride) in zip(store.starts(ids, counter), store.parts, strict=True)
                )
                value = jnp.ones(extents(store), jnp.float32)
                if store.comparisons:
                    positions = positions_of(store, store.starts(ids, counter), jnp)
                    mask = compare(store, positions, origins(kernel, ids))
                    triton.store(o_ref.at[tuple(positions) if store.by_indices else part], value, mask=mask)
                elif store.mask:
                    triton.store(o_ref.at[part], value, mask=mask_ref[...])
                else:
                    o_ref[part] = value

            if store.loop:
                jax.lax.fori_loop(0, store.loop, lambda i, carry: (once(i), carry)[1], 0)
            else:
                once(0)

        for store, mask_ref in zip(kernel.stores, mask_refs, strict=True):
            if store.condition:
                name, d = store.condition
                pl.when(CONDITIONS[name](ids, kernel.grid, d))(lambda s=store, m=mask_ref: run(s, m))
            else:
                run(store, mask_ref)

    spec = pl.BlockSpec(kernel.block, lambda *ids: tuple(MAPS[name](ids, kernel.grid, d) for name, d in kernel.maps))
    masks = [mask_of(store) for store in kernel.stores]
    whole = [pl.BlockSpec(mask.shape, lambda *ids, rank=mask.ndim: (0,) * rank) for mask in masks]
    call = pl.pallas_call(
        body, grid=kernel.grid, in_specs=[whole], out_specs=spec, out_shape=jax.ShapeDtypeStruct(kernel.shape, "f4")
    )
    return lambda: call(masks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=120)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        kernel = make(seed)
        [lowered] = gridir.lower(build(kernel)).kernels
        [check] = check_kernel(lowered, ["written"]).checks
        truth = written(kernel)
        verdict = check.verdict
        wrong = verdict == "proved" and not truth.all()
        wrong |= verdict == "refuted" and (bool(truth[check.element]) if check.element else truth.any())
        # Without masks and strides everything is known.
        plain = not any(s.is_masked or any(stride != 1 and n > 1 for _, _, n, stride in s.parts) for s in kernel.stores)
        counts[verdict] += 1
        counts["compared and proved"] += verdict == "proved" and all(s.comparisons for s in kernel.stores)
        counts["plain and unknown"] += plain and verdict == "unknown"
        if wrong:
            counts["wrong"] += 1
            print(f"{seed}: {kernel}\n  {check}\n{truth.astype(int)}", flush=True)
        elif plain and verdict == "unknown":
            print(f"{seed}: unknown: {check.reason} {kernel}", flush=True)
    print(f"{options.count} kernels, {counts['wrong']} wrong:", dict(counts))


# CHECK: kernels, 0 wrong
if __name__ == "__main__":
    main()
