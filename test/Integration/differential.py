# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s --first 1 --count 48
"""Random kernels, each run as native code and by JAX's interpret mode on the same inputs.

A kernel is a `Recipe`: plain data, made from a seed, which `run` traces into a Pallas kernel. Where the results
differ, statements are dropped one by one as long as they still differ, and the smallest recipe is printed. A longer
run is `python test/Integration/differential.py --first 0 --count 1000`.
"""

import argparse
import dataclasses
import functools
import random
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir import testing
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

DTYPES = ("float32", "float32", "int32", "bfloat16", "int8", "uint8", "uint32", "float16")


@dataclasses.dataclass(frozen=True)
class Dim:
    """One dimension of every array: how it is cut, and the grid dimension that counts its blocks."""

    kind: str  # "whole", "blocked", "squeezed" or "element"
    block: int
    blocks: int
    axis: int | None
    overhang: int = 0

    @property
    def extent(self) -> int:
        if self.kind == "squeezed":
            return self.blocks
        if self.kind == "element":
            return self.block + self.blocks - 1
        return self.block * self.blocks - self.overhang


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A kernel: its grid, its blocks, and the statements of its body."""

    seed: int
    dims: tuple[Dim, ...]
    sweeps: int
    dtype: str
    num_inputs: int
    is_aliased: bool
    statements: tuple[tuple, ...]

    @property
    def grid(self) -> tuple[int, ...]:
        sizes = {dim.axis: dim.blocks for dim in self.dims if dim.axis is not None}
        return (*(sizes[axis] for axis in sorted(sizes)), self.sweeps)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(dim.extent for dim in self.dims)

    @property
    def ref_shape(self) -> tuple[int, ...]:
        return tuple(dim.block for dim in self.dims if dim.kind != "squeezed")

    @property
    def overhangs(self) -> bool:
        return any(dim.overhang for dim in self.dims)


def make_recipe(seed: int) -> Recipe:
    """The kernel of a seed."""
    rng = random.Random(seed)
    dims: list[Dim] = []
    axes = 0
    for _ in range(rng.choice((1, 2, 2, 3))):
        kind = rng.choice(("whole", "blocked", "blocked", "blocked", "squeezed", "element"))
        block = rng.choice((1, 3, 4, 8, 16))
        if kind == "whole":
            dims.append(Dim(kind, block, 1, None))
            continue
        blocks = rng.choice((1, 2, 3, 5))
        overhang = rng.randrange(block) if kind == "blocked" and rng.random() < 0.3 else 0
        dims.append(Dim(kind, 1 if kind == "squeezed" else block, blocks, axes, overhang))
        axes += 1
    recipe = Recipe(
        seed=seed,
        dims=tuple(dims),
        sweeps=rng.choice((1, 1, 2, 3)),
        dtype=rng.choice(DTYPES),
        num_inputs=rng.choice((1, 2, 3)),
        is_aliased=rng.random() < 0.3,
        statements=(),
    )
    return dataclasses.replace(
        recipe, statements=tuple(_make_statement(rng, recipe) for _ in range(rng.randrange(2, 9)))
    )


def _make_statement(rng: random.Random, recipe: Recipe) -> tuple:
    """A statement as a tuple: what it does, then numbers that choose values, Refs and windows."""
    numbers = tuple(rng.randrange(1 << 16) for _ in range(6))
    kinds = ["load", "load", "elementwise", "elementwise", "elementwise", "store", "accumulate", "when", "loop"]
    if not recipe.overhangs and recipe.ref_shape:
        # Elements outside of an array are unspecified, so only elements of one index may be combined.
        kinds += ["reduce", "flip", "slice_load", "slice_store", "dynamic_store"]
    return (rng.choice(kinds), *numbers)


class Body:
    """Traces the statements of a recipe over the Refs of a kernel."""

    def __init__(self, recipe: Recipe, inputs, outputs, scratch):
        self.recipe = recipe
        self.readable = [*inputs, *outputs, scratch]
        self.writable = [*outputs, scratch]
        self.values = []

    def run(self) -> None:
        recipe = self.recipe
        first = self.readable[0][...]
        # The first visit of a block defines it, unless the memory comes with a value.
        starts = pl.program_id(len(recipe.grid) - 1) == 0
        if not recipe.is_aliased:

            @pl.when(starts)
            def _():
                self.writable[0][...] = jnp.ones_like(first)

        self.writable[1][...] = first
        self.values.append(first)
        for statement in recipe.statements:
            self.step(statement)
        self.writable[0][...] = self.mix(self.readable[-1][...], self.values[-1])

    def step(self, statement: tuple) -> None:
        kind, *n = statement
        getattr(self, kind)(*n)
        self.values = self.values[-4:]

    def pick(self, n: int):
        return self.values[n % len(self.values)]

    def mix(self, a, b):
        """Something that neither overflows floats nor divides."""
        if jnp.issubdtype(a.dtype, jnp.floating):
            half = jnp.asarray(0.5, a.dtype)
            return a * half + b * half
        return a + b * jnp.asarray(3, a.dtype)

    def load(self, a, *_):
        self.values.append(self.readable[a % len(self.readable)][...])

    def elementwise(self, a, b, op, *_):
        x, y = self.pick(a), self.pick(b)
        operations = (
            lambda: self.mix(x, y),
            lambda: jnp.maximum(x, y),
            lambda: jnp.minimum(x, -y),
            lambda: jnp.where(x > y, x, y + y),
            lambda: x - y,
        )
        self.values.append(operations[op % len(operations)]().astype(x.dtype))

    def store(self, a, b, *_):
        self.writable[a % 2][...] = self.pick(b)

    def accumulate(self, a, b, *_):
        ref = self.writable[a % 2]
        ref[...] = self.mix(ref[...], self.pick(b))

    def when(self, a, b, c, *_):
        ref, value = self.writable[a % 2], self.pick(b)
        axis = c % len(self.recipe.grid)

        @pl.when(pl.program_id(axis) == pl.num_programs(axis) - 1)
        def _():
            ref[...] = self.mix(value, value)

    def loop(self, a, b, c, d, *_):
        ref, source, start = self.writable[a % 2], self.readable[b % len(self.readable)], self.pick(c)

        def body(i, carry):
            old = ref[...]
            ref[...] = self.mix(carry, source[...])
            return self.mix(old, carry)

        self.values.append(jax.lax.fori_loop(0, 1 + d % 3, body, start))

    def reduce(self, a, b, c, *_):
        x = self.pick(a)
        axis = b % x.ndim
        reduced = (jnp.max, jnp.min)[c % 2](x, axis=axis, keepdims=True)
        self.values.append(jnp.broadcast_to(reduced, x.shape))

    def flip(self, a, b, *_):
        x = self.pick(a)
        i, j = b % x.ndim, (b >> 8) % x.ndim
        y = jnp.swapaxes(x, i, j)
        self.values.append(y if y.shape == x.shape else x)

    def window(self, n):
        """A static window: a dimension, its start and size."""
        shape = self.recipe.ref_shape
        axis = n % len(shape)
        size = 1 + (n >> 4) % shape[axis]
        start = (n >> 9) % (shape[axis] - size + 1)
        return tuple(pl.ds(start, size) if d == axis else slice(None) for d in range(len(shape))), axis, start, size

    def slice_load(self, a, b, c, *_):
        index, *_ = self.window(b)
        part = self.readable[a % len(self.readable)][index]
        axis = c % part.ndim
        summed = jnp.max(part, axis=axis, keepdims=True)
        total = functools.reduce(lambda x, d: jnp.max(x, axis=d, keepdims=True), range(part.ndim), summed)
        self.values.append(self.mix(self.pick(c), jnp.broadcast_to(total, self.recipe.ref_shape)))

    def slice_store(self, a, b, c, *_):
        index, axis, start, size = self.window(b)
        self.writable[a % 2][index] = jax.lax.slice_in_dim(self.pick(c), start, start + size, axis=axis)

    def dynamic_store(self, a, b, c, *_):
        """A row at a dynamic index; read and written through overlapping windows."""
        shape = self.recipe.ref_shape
        index = (pl.program_id(b % len(self.recipe.grid)) + (b >> 8)) % shape[0]
        ref = self.writable[a % 2]
        old = ref[pl.ds(index, 1)]
        ref[pl.ds(0, 1)] = self.pick(c)[:1]
        ref[pl.ds(index, 1)] = self.mix(old, self.pick(c)[-1:])


def build(recipe: Recipe, **options: Any) -> tuple[Callable[..., jax.Array], list[jax.Array]]:
    """A recipe's kernel and its arguments.

    Args:
      recipe: the kernel.
      **options: what else `pl.pallas_call` is to know; `semantics` is what the author says of the dimensions.
    """

    def kernel(*refs):
        inputs, output, scratch = refs[: recipe.num_inputs], refs[recipe.num_inputs], refs[-1]
        Body(recipe, inputs, [output], scratch).run()

    def index_map(*ids):
        return tuple(0 if dim.axis is None else ids[dim.axis] for dim in recipe.dims)

    shapes = {"squeezed": lambda dim: None, "element": lambda dim: pl.Element(dim.block)}
    block = tuple(shapes.get(dim.kind, lambda dim: dim.block)(dim) for dim in recipe.dims)
    spec = pl.BlockSpec(block, index_map)
    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(recipe.shape, recipe.dtype),
        grid=recipe.grid,
        in_specs=[spec] * recipe.num_inputs,
        out_specs=spec,
        scratch_shapes=[pltpu.VMEM(recipe.ref_shape, jnp.dtype(recipe.dtype))],
        input_output_aliases={recipe.num_inputs - 1: 0} if recipe.is_aliased else {},
        compiler_params=pltpu.CompilerParams(dimension_semantics=options.pop("semantics", None)),
        **options,
    )
    generator = np.random.default_rng(recipe.seed)
    arrays = [
        jnp.asarray(generator.integers(-9 if recipe.dtype[0] != "u" else 0, 10, recipe.shape), recipe.dtype)
        for _ in range(recipe.num_inputs)
    ]
    return call, arrays


def run(recipe: Recipe, interpret: bool) -> np.ndarray:
    """The result of a recipe's kernel, by JAX's interpret mode or as it is installed."""
    call, arrays = build(recipe, interpret=interpret)
    return np.asarray(jax.jit(call)(*arrays))


def difference(recipe: Recipe) -> str | None:
    """What differs between the two ways to run a recipe, or nothing."""
    expected = run(recipe, interpret=True)
    try:
        actual = run(recipe, interpret=False)
    except (gridir.Error, jax.errors.JaxRuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return testing.difference(actual, expected)


def shrink(recipe: Recipe) -> Recipe:
    """The recipe without the statements that the difference does not need."""
    for i in reversed(range(len(recipe.statements))):
        smaller = dataclasses.replace(recipe, statements=recipe.statements[:i] + recipe.statements[i + 1 :])
        if difference(smaller) is not None:
            recipe = smaller
    return recipe


def main() -> int:
    """Runs the recipes of a range of seeds; the exit status says whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=24, help="how many seeds")
    options = parser.parse_args()
    failures = 0
    for seed in range(options.first, options.first + options.count):
        recipe = make_recipe(seed)
        with gridir.installed():
            found = difference(recipe)
            if found is None:
                continue
            failures += 1
            smallest = shrink(recipe)
            print(f"seed {seed}: {difference(smallest)}\n  grid {smallest.grid}, array {smallest.shape}\n  {smallest}")
    print(f"{options.count - failures} of {options.count} kernels agree with JAX's interpret mode")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
