# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s --first 1 --count 96 | FileCheck %s
"""Random chains of Ref views, each loaded and stored through, against the same chain in NumPy.

A chain is plain data made from a seed: slices with strides, integers, reshapes, bitcasts and transposes, with offsets
that are constants, follow from the program, lie in a known range, or are read from memory. NumPy applies the steps to
the byte numbers of the array, so that views which would be copies there can be stored through, too. A longer run is
`python test/Integration/view-chains.py --first 0 --count 10000`.
"""

import argparse
import dataclasses
import math
import random
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

DTYPES = ("float32", "int32", "uint32", "int16", "bfloat16", "float16", "int8", "uint8")
MODES = ("load", "load", "store", "store", "exchange", "gather", "masked load", "masked store")


@dataclasses.dataclass(frozen=True)
class Offset:
    """A start in a dimension: `value` plus `step` for each program, and how the kernel knows it."""

    kind: str  # "constant", "program", "bounded" or "loaded"
    value: int
    step: int = 0

    def of(self, program: int) -> int:
        return self.value + self.step * program


@dataclasses.dataclass(frozen=True)
class Chain:
    """A base array, and the steps from it to what is accessed."""

    seed: int
    shape: tuple[int, ...]
    dtype: str
    programs: int
    steps: tuple[tuple, ...]
    mode: str


def bytes_of(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """The numbers of the bytes of an array; the last dimension counts those of one element."""
    size = np.dtype(jnp.dtype(dtype)).itemsize
    return np.arange(math.prod(shape) * size).reshape(*shape, size)


def seen(ids: np.ndarray, step: tuple, program: int) -> np.ndarray:
    """What a step shows of an array of byte numbers."""
    name, argument = step
    rank = ids.ndim - 1
    if name == "slice":
        index = [
            part.of(program)
            if isinstance(part, Offset)
            else slice(start := part[0].of(program), start + (part[1] - 1) * part[2] + 1, part[2])
            for part in argument
        ]
        return ids[tuple(index)]
    if name == "reshape":
        return ids.reshape(*argument, ids.shape[-1])
    if name == "transpose":
        return ids.transpose(*argument, rank)
    old, new = ids.shape[-1], np.dtype(jnp.dtype(argument)).itemsize
    if old == new:
        return ids
    dim, shape = rank - 2, list(ids.shape[:-1])
    if new > old:  # the first of the elements that become one has its low bytes
        shape[dim : dim + 1] = [shape[dim] * old // new, new // old]
        wide = np.moveaxis(ids.reshape(*shape, old), dim + 1, -2)
        return wide.reshape(*wide.shape[:-2], new)
    parts = np.moveaxis(ids.reshape(*shape, old // new, new), -2, dim + 1)
    shape[dim] *= old // new
    return parts.reshape(*shape, new)


def make_shape(rng: random.Random, count: int) -> tuple[int, ...]:
    """A shape with so many elements."""
    shape: list[int] = []
    while count > 1 and len(shape) < 3:
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        shape.append(rng.choice(divisors))
        count //= shape[-1]
    shape.insert(rng.randrange(len(shape) + 1), count)
    return tuple(shape)


def make_offset(rng: random.Random, last: int, programs: int) -> Offset:
    """A start in `[0, last]` for all programs."""
    kind = rng.choice(("constant", "program", "program", "bounded", "loaded"))
    value, step = rng.randint(0, last), 0
    if kind == "program":
        step = rng.choice((1, 2, 8)) if programs == 1 else rng.randint(0, last - value)
    return Offset(kind, value, step)


def make_chain(seed: int) -> Chain:
    """The chain of a seed."""
    rng = random.Random(seed)
    programs = rng.choice((1, 1, 2))
    shape = tuple(rng.choice((1, 2, 3, 4, 5, 8, 12, 16)) for _ in range(rng.choice((1, 2, 2, 3, 3, 4))))
    dtype = rng.choice(DTYPES)
    ids = bytes_of(shape, dtype)
    steps: list[tuple] = []
    for _ in range(rng.randint(1, 6)):
        dims = ids.shape[:-1]
        name = rng.choice(("slice", "slice", "reshape", "reshape", "bitcast", "transpose"))
        if name == "slice" and dims:
            parts: list[Any] = []
            for extent in dims:
                choice = rng.random()
                if choice < 0.15:
                    parts.append(make_offset(rng, extent - 1, programs))
                elif choice < 0.4:
                    parts.append((Offset("constant", 0), extent, 1))
                else:
                    stride = rng.choice((1, 1, 1, 2, 3))
                    size = rng.randint(1, (extent - 1) // stride + 1)
                    parts.append((make_offset(rng, extent - 1 - (size - 1) * stride, programs), size, stride))
            steps.append((name, tuple(parts)))
        elif name == "reshape":
            steps.append((name, make_shape(rng, math.prod(dims))))
        elif name == "transpose" and len(dims) > 1:
            steps.append((name, tuple(rng.sample(range(len(dims)), len(dims)))))
        elif name == "bitcast" and len(dims) > 1:  # JAX has none of a vector
            to = rng.choice(DTYPES)
            size = np.dtype(jnp.dtype(to)).itemsize
            if dims[-2] * ids.shape[-1] % size:
                continue
            steps.append((name, to))
        else:
            continue
        ids = seen(ids, steps[-1], 0)
    mode = rng.choice(MODES if ids.ndim > 1 else [mode for mode in MODES if mode != "gather"])
    return Chain(seed, shape, dtype, programs, tuple(steps), mode)


# Chains that once had wrong values.
FIXED = (
    make_chain(12745),
    Chain(1, (2, 2), "float32", 1, (("transpose", (1, 0)), ("reshape", (1, 4)), ("bitcast", "uint8")), "masked load"),
    Chain(1, (2, 2), "float32", 1, (("transpose", (1, 0)), ("reshape", (1, 4)), ("bitcast", "uint8")), "masked store"),
)


class Case:
    """A chain with the arrays that it is tried on."""

    def __init__(self, chain: Chain):
        self.chain = chain
        rng = np.random.default_rng(chain.seed)
        ids = bytes_of(chain.shape, chain.dtype)
        bitcasts = [argument for name, argument in chain.steps if name == "bitcast"]
        self.dtype = jnp.dtype(bitcasts[-1] if bitcasts else chain.dtype)
        self.ids = []
        for program in range(chain.programs):
            view = ids
            for step in chain.steps:
                view = seen(view, step, program)
            self.ids.append(view)
        shape = self.ids[0].shape[:-1]

        def array(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
            # Exponents of all ones are NaNs, which may change their bits on the way.
            return rng.integers(0, 63, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype).reshape(shape)

        self.base = array(chain.shape, jnp.dtype(chain.dtype))
        self.value = array(shape, self.dtype)
        self.mask = rng.integers(0, 2, shape).astype(np.bool_)
        self.indices = rng.integers(0, shape[0], 3).astype(np.int32) if shape else np.zeros(3, np.int32)
        self.loaded: list[int] = []
        self._collect()

    def _collect(self) -> None:
        """The starts that the kernel reads, in the order in which it asks for them."""
        for name, argument in self.chain.steps:
            for part in argument if name == "slice" else ():
                offset = part if isinstance(part, Offset) else part[0]
                if offset.kind in ("bounded", "loaded"):
                    self.loaded.append(offset.value)

    @property
    def inputs(self) -> list[np.ndarray]:
        return [self.base, self.value, self.mask, self.indices, np.array([*self.loaded, 0], np.int32)]

    @property
    def outputs(self) -> list[tuple[tuple[int, ...], Any]]:
        """The part of the base that is left, and what is read, of each program."""
        shape = self.value.shape
        read = (3, *shape[1:]) if self.chain.mode == "gather" else shape
        return [(self.base.shape, self.base.dtype), ((1, *read), self.dtype)]

    def run(self, refs: list[Any], outs: list[Any]) -> None:
        """The kernel's part that tries the chain."""
        base_ref, value_ref, mask_ref, index_ref, start_ref = refs
        left_ref, read_ref = outs
        left_ref[...] = base_ref[...]
        view = left_ref
        count = 0

        def start(offset: Offset) -> Any:
            nonlocal count
            if offset.kind == "constant":
                return offset.value
            if offset.kind == "program":
                return offset.value + pl.program_id(0) * offset.step
            value = start_ref[count]
            count += 1
            return jnp.clip(value, 0, offset.value) if offset.kind == "bounded" else value

        for name, argument in self.chain.steps:
            if name == "slice":
                view = view.at[
                    tuple(
                        start(part) if isinstance(part, Offset) else pl.ds(start(part[0]), part[1], part[2])
                        for part in argument
                    )
                ]
            else:
                view = getattr(view, name)(argument)
        read = jnp.zeros(self.outputs[1][0][1:], self.dtype)
        mode = self.chain.mode
        if mode in ("load", "exchange"):
            read = view[...]
        if mode in ("store", "exchange"):
            view[...] = value_ref[...]
        if mode == "gather":
            read = view[index_ref[...]]
        if mode == "masked load":
            read = triton.load(view, mask=mask_ref[...], other=value_ref[...])
        if mode == "masked store":
            triton.store(view, value_ref[...], mask=mask_ref[...])
        read_ref[...] = read[None]

    def want(self, program: int) -> list[np.ndarray]:
        """What the program leaves and reads, in NumPy."""
        left, ids = self.base.copy(), self.ids[program]
        memory = left.reshape(-1).view(np.uint8)
        old = np.ascontiguousarray(memory[ids]).view(self.dtype).reshape(self.value.shape)
        mode = self.chain.mode
        new = {"masked store": np.where(self.mask, self.value, old), "store": self.value, "exchange": self.value}
        if mode in new:
            memory[ids] = np.ascontiguousarray(new[mode])[..., None].view(np.uint8).reshape(ids.shape)
        read = {"load": old, "exchange": old, "masked load": np.where(self.mask, old, self.value)}.get(mode)
        if mode == "gather":
            read = old[self.indices]
        return [left, np.zeros((1, *self.value.shape), self.dtype) if read is None else read[None]]


def run(cases: list[Case]) -> list[list[np.ndarray]]:
    """What one kernel leaves and reads for each of the cases, which have the same number of programs."""
    programs = cases[0].chain.programs
    inputs = [array for case in cases for array in case.inputs]
    outputs = [output for case in cases for output in case.outputs]

    def kernel(*refs):
        sources, results = refs[: len(inputs)], refs[len(inputs) :]
        for i, case in enumerate(cases):
            case.run(list(sources[5 * i : 5 * i + 5]), list(results[2 * i : 2 * i + 2]))

    def part(shape: tuple[int, ...]) -> pl.BlockSpec:
        return pl.BlockSpec((None, *shape), lambda i: (i, *[0] * len(shape)))

    whole = [pl.BlockSpec(array.shape, lambda i, rank=array.ndim: (0,) * rank) for array in inputs]
    parts = [part(shape) for shape, _ in outputs]
    shapes = [jax.ShapeDtypeStruct((programs, *shape), dtype) for shape, dtype in outputs]
    call = pl.pallas_call(kernel, grid=(programs,), in_specs=whole, out_specs=parts, out_shape=shapes)
    arrays = list(map(np.asarray, call(*inputs)))
    return [arrays[2 * i : 2 * i + 2] for i in range(len(cases))]


def problem(cases: list[Case]) -> str | None:
    """What is wrong with a kernel of these cases; None if nothing is."""
    try:
        results = run(cases)
    except (gridir.Error, jax.errors.JaxRuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    for case, arrays in zip(cases, results, strict=True):
        for program in range(case.chain.programs):
            for what, got, want in zip(("left", "read"), arrays, case.want(program), strict=True):
                if got[program].tobytes() != want.tobytes():
                    return f"{what} by program {program}: got\n{got[program]}\nexpected\n{want}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=96)
    parser.add_argument("--batch", type=int, default=16)
    options = parser.parse_args()
    chains = [make_chain(seed) for seed in range(options.first, options.first + options.count)]
    chains += FIXED
    failed = 0
    for programs in (1, 2):
        cases = [Case(chain) for chain in chains if chain.programs == programs]
        for begin in range(0, len(cases), options.batch):
            batch = cases[begin : begin + options.batch]
            with gridir.installed():
                if problem(batch) is None:
                    continue
                for case in batch:
                    if message := problem([case]):
                        failed += 1
                        print(f"{case.chain}\n  {message}", flush=True)
    modes = ", ".join(f"{sum(chain.mode == mode for chain in chains)} {mode}" for mode in dict.fromkeys(MODES))
    print(f"{len(chains)} chains ({modes}): {failed} failed")


# CHECK: 99 chains
# CHECK-SAME: : 0 failed
if __name__ == "__main__":
    main()
