# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of any number of operations, unrolled by Python: one family for each kind of operation.

Blocks are one register of a TPU, (8, 128), so that the number of operations counts and not the work of each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

BLOCK = (8, 128)
NUM_OPERANDS = 200
NUM_SCRATCH = 64
LOOP_DEPTH = 6

Made = tuple[Callable[..., Any], tuple[Any, ...]]
FAMILIES: dict[str, Callable[[int], Made]] = {}
"""Makes a function and its arguments of a number of operations, by the name of the kind."""


def family(make: Callable[[int], Made]) -> Callable[[int], Made]:
    """Adds a family under the name of the function that makes its kernels."""
    FAMILIES[make.__name__] = make
    return make


def block(*shape: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape or BLOCK, dtype)


def call(kernel: Callable[..., None], num_inputs: int = 2, **params: Any) -> Made:
    """A kernel of a grid of 2 over arrays of two blocks."""
    spec = pl.BlockSpec(BLOCK, lambda i: (i, 0))
    params = {"in_specs": [spec] * num_inputs, "out_specs": spec} | params
    function = pl.pallas_call(kernel, grid=(2,), out_shape=block(16, 128), **params)
    return function, (block(16, 128),) * num_inputs


@family
def chain(count: int) -> Made:
    """Elementwise operations, each on the result of the one before it."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        x, y = x_ref[...], y_ref[...]
        for i in range(count):
            x = x * 0.5 if i % 2 else x + y
        o_ref[...] = x

    return call(kernel)


@family
def dag(count: int) -> Made:
    """Elementwise operations on eight values; several others read each of them."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        x, y = x_ref[...], y_ref[...]
        values = [x, y, x + y, x - y, x * y, x + 1, y + 1, x * 2]
        for i in range(count):
            a, b = values[i % 8], values[(3 * i + 1) % 8]
            values[(5 * i + 2) % 8] = jnp.maximum(a, b) if i % 2 else a - b
        o_ref[...] = sum(values[1:], values[0])

    return call(kernel)


@family
def accesses(count: int) -> Made:
    """Loads and stores of rows of Refs."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        for i in range(count // 4):
            o_ref[i % 8, :] = x_ref[3 * i % 8, :] + y_ref[5 * i % 8, :]

    return call(kernel)


@family
def slices(count: int) -> Made:
    """Windows of values, put together again."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        x = x_ref[...]
        for i in range(count // 3):
            row = 1 + i % 7
            x = jnp.concatenate([x[row:], x[:row]], axis=0)
        o_ref[...] = x + y_ref[...]

    return call(kernel)


@family
def copies(count: int) -> Made:
    """Asynchronous copies between HBM and VMEM, two in flight."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any, buffers: Any, semaphores: Any) -> None:
        def copy(i: int) -> Any:
            return pltpu.make_async_copy(x_ref.at[pl.ds(8 * (i % 2), 8)], buffers.at[i % 2], semaphores.at[i % 2])

        rounds = count // 5
        copy(0).start()
        for i in range(rounds):
            if i + 1 < rounds:
                copy(i + 1).start()
            copy(i).wait()
            o_ref[...] = buffers[i % 2] + y_ref[...]

    in_specs = [pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(BLOCK, lambda i: (i, 0))]
    scratch = [pltpu.VMEM((2, *BLOCK), jnp.float32), pltpu.SemaphoreType.DMA((2,))]
    return call(kernel, in_specs=in_specs, scratch_shapes=scratch)


@family
def conditions(count: int) -> Made:
    """Branches that each update the output."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...]
        program = pl.program_id(0)
        for i in range(count // 6):

            @pl.when(program != i)
            def _() -> None:
                o_ref[...] += y_ref[...]

    return call(kernel)


@family
def loops(count: int) -> Made:
    """Loops in loops, six deep."""

    def nest(depth: int, x: Any) -> Any:
        if depth == 0:
            return x + 1
        return lax.fori_loop(0, 2, lambda _, carry: nest(depth - 1, carry) * 0.5, x)

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        x = x_ref[...]
        for _ in range(count // (2 * LOOP_DEPTH + 2)):
            x = nest(LOOP_DEPTH, x) + y_ref[...]
        o_ref[...] = x

    return call(kernel)


@family
def operands(count: int) -> Made:
    """Reads of 200 operands."""

    def kernel(*refs: Any) -> None:
        *inputs, o_ref = refs
        x = inputs[0][...]
        for i in range(count // 2):
            x = x + inputs[7 * i % NUM_OPERANDS][...]
        o_ref[...] = x

    return call(kernel, NUM_OPERANDS)


@family
def scratch(count: int) -> Made:
    """Reads and writes of 64 scratch Refs."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any, *refs: Any) -> None:
        for ref in refs:
            ref[...] = x_ref[...]
        for i in range(count // 4):
            refs[(3 * i + 1) % NUM_SCRATCH][...] = refs[i % NUM_SCRATCH][...] + refs[5 * i % NUM_SCRATCH][...]
        o_ref[...] = refs[0][...] + y_ref[...]

    return call(kernel, scratch_shapes=[pltpu.VMEM(BLOCK, jnp.float32)] * NUM_SCRATCH)


@family
def dots(count: int) -> Made:
    """Matrix products, each of the result of the one before it."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        x, y = x_ref[...], y_ref[...]
        for _ in range(count // 2):
            x = x + jnp.dot(x, y, preferred_element_type=jnp.float32)
        o_ref[...] = x

    spec = functools.partial(pl.BlockSpec, index_map=lambda i: (0, 0))
    function, _ = call(kernel, in_specs=[spec((8, 128)), spec((128, 128))])
    return function, (block(), block(128, 128))


@family
def reductions(count: int) -> Made:
    """Sums of rows, each read by the next operation on all elements."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        x, y = x_ref[...], y_ref[...]
        for _ in range(count // 4):
            x = y - jnp.max(x, axis=1, keepdims=True)
        o_ref[...] = x

    return call(kernel)
