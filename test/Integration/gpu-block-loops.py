# Kernels that load windows of their blocks, in loops of the author or of gridir, give what interpret mode gives as
# warpgroup programs: as tasks on the CPU, and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys
import warnings

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small

with warnings.catch_warnings():
    # JAX recommends another package.
    warnings.simplefilter("ignore", DeprecationWarning)
    from jax.experimental.pallas.ops.gpu import attention

SHAPE = jax.ShapeDtypeStruct


def product(x, y, rhs=0):
    return lax.dot_general(x, y, (((1,), (rhs,)), ((), ())), preferred_element_type=jnp.float32)


def of_rows_and_columns(kernel, x, *others, m=64, n=64, rhs=0, out=jnp.float32):
    """Calls a kernel on rows of the first matrix and columns of the others, in their whole depth."""
    depth, columns = x.shape[1], others[0].shape[1 - rhs]
    column = (
        pl.BlockSpec((depth, n), lambda i, j: (0, j)) if rhs == 0 else pl.BlockSpec((n, depth), lambda i, j: (j, 0))
    )
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m, columns // n),
        in_specs=[pl.BlockSpec((m, depth), lambda i, j: (i, 0)), *[column] * len(others)],
        out_specs=pl.BlockSpec((m, n), lambda i, j: (i, j)),
        out_shape=SHAPE((x.shape[0], columns), out),
    )(x, *others)


def loop(x, y, *, m=64, n=64, k=64, first=0):
    """The author's loop over the contracted dimension."""

    def kernel(x_ref, y_ref, o_ref):
        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * k, k)], y_ref[pl.ds(step * k, k), :])

        o_ref[...] = lax.fori_loop(first, x_ref.shape[1] // k, body, jnp.zeros((m, n), jnp.float32))

    return of_rows_and_columns(kernel, x, y, m=m, n=n)


def two_loops(x, y):
    """Two loops with rings of their own, and a value of the first one in the second."""

    def kernel(x_ref, y_ref, o_ref):
        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * 64, 64)], y_ref[pl.ds(step * 64, 64), :])

        def again(step, acc):
            return jnp.maximum(acc, product(x_ref[:, pl.ds(step * 128, 128)], y_ref[pl.ds(step * 128, 128), :]))

        total = lax.fori_loop(0, 4, body, jnp.zeros((64, 64), jnp.float32))
        o_ref[...] = lax.fori_loop(0, 2, again, total)

    return of_rows_and_columns(kernel, x, y)


def triangle(x, y):
    """A loop whose number of iterations depends on the program."""

    def kernel(x_ref, y_ref, o_ref):
        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * 64, 64)], y_ref[pl.ds(step * 64, 64), :])

        o_ref[...] = lax.fori_loop(0, pl.program_id(0) + 1, body, jnp.zeros((64, 64), jnp.float32))

    return of_rows_and_columns(kernel, x, y)


def loop_of_steps(x, y):
    """A loop within each step of a sequential dimension."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * 64, 64)], y_ref[pl.ds(step * 64, 64), :])

        acc_ref[...] = lax.fori_loop(0, 2, body, acc_ref[...])

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64, y.shape[1] // 64, x.shape[1] // 128),
        in_specs=[
            pl.BlockSpec((64, 128), lambda i, j, step: (i, step)),
            pl.BlockSpec((128, 64), lambda i, j, step: (step, j)),
        ],
        out_specs=pl.BlockSpec((64, 64), lambda i, j, step: (i, j)),
        out_shape=SHAPE((x.shape[0], y.shape[1]), jnp.float32),
        scratch_shapes=[pltpu.VMEM((64, 64), jnp.float32)],
    )(x, y)


def without_blocks(x, y):
    """Whole arrays, with windows at the position of the program."""

    def kernel(x_ref, y_ref, o_ref):
        rows, columns = pl.ds(pl.program_id(0) * 64, 64), pl.ds(pl.program_id(1) * 64, 64)

        def body(step, acc):
            depth = pl.ds(step * 64, 64)
            return acc + product(x_ref[rows, depth], y_ref[depth, columns])

        o_ref[rows, columns] = lax.fori_loop(0, x.shape[1] // 64, body, jnp.zeros((64, 64), jnp.float32))

    grid = (x.shape[0] // 64, y.shape[1] // 64)
    return pl.pallas_call(kernel, grid=grid, out_shape=SHAPE((x.shape[0], y.shape[1]), jnp.float32))(x, y)


def deep(x, y, *, rhs=0, m=64, n=64):
    """A product of blocks that shared memory does not hold at once."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = product(x_ref[...], y_ref[...].T if rhs else y_ref[...])

    return of_rows_and_columns(kernel, x, y, rhs=rhs, m=m, n=n)


def gated(x, y, z):
    def kernel(x_ref, y_ref, z_ref, o_ref):
        x = x_ref[...]
        o_ref[...] = jax.nn.relu(product(x, y_ref[...])) * product(x, z_ref[...])

    return of_rows_and_columns(kernel, x, y, z)


def deep_steps(x, y, scratch):
    """Deep blocks in each step, added to scratch memory or to the output."""

    def kernel(x_ref, y_ref, o_ref, *scratch_refs):
        acc_ref = scratch_refs[0] if scratch else o_ref

        @pl.when(pl.program_id(1) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += product(x_ref[...], y_ref[...])
        o_ref[...] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64, x.shape[1] // 256),
        in_specs=[
            pl.BlockSpec((64, 256), lambda i, step: (i, step)),
            pl.BlockSpec((256, 64), lambda i, step: (step, 0)),
        ],
        out_specs=pl.BlockSpec((64, 64), lambda i, step: (i, 0)),
        out_shape=SHAPE((x.shape[0], 64), jnp.float32),
        scratch_shapes=[pltpu.VMEM((64, 64), jnp.float32)] if scratch else [],
    )(x, y)


def rows_in_turn(x):
    """Windows of rows that a loop loads and stores."""

    def kernel(x_ref, o_ref):
        def body(i, _):
            o_ref[pl.ds(i * 2, 2)] = x_ref[pl.ds(i * 2, 2)] + 1

        lax.fori_loop(0, x_ref.shape[0] // 2, body, None)

    spec = pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))
    out = SHAPE(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(x.shape[0] // 8,), in_specs=[spec], out_specs=spec, out_shape=out)(x)


def overlapping(x):
    """Stores of windows that overlap: the last one determines an element."""

    def kernel(x_ref, o_ref):
        def body(i, _):
            o_ref[pl.ds(i * 2, 4)] = x_ref[pl.ds(i * 2, 4)] + i

        lax.fori_loop(0, 3, body, None)

    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape, x.dtype))(x)


def stored_and_loaded(x):
    """A window of the output that is read after other windows were stored."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        def body(i, _):
            o_ref[pl.ds(i + 1, 1)] = o_ref[pl.ds(i, 1)] + x_ref[pl.ds(i, 1)]

        lax.fori_loop(0, x_ref.shape[0] - 1, body, None)

    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape, x.dtype))(x)


BLOCKS = attention.BlockSizes(64, 64, 64, 64, 64, 64)


def mha(q, k, v, segments=None, causal=False):
    return attention.mha(q, k, v, segments, sm_scale=0.1, causal=causal, block_sizes=BLOCKS)


def mha_gradient(q, k, v):
    return jax.grad(lambda *a: jnp.sum(mha(*a, causal=True).astype(jnp.float32) ** 2), argnums=(0, 1, 2))(q, k, v)


HEADS = [normal(1, 192, 2, 64, dtype=jnp.bfloat16) for _ in range(3)]
SQUARES = small(192, 256), small(256, 128)
PROGRAMS = {
    "loop": (loop, *SQUARES),
    "loop of two warpgroups": (functools.partial(loop, m=128, n=128), small(128, 256), small(256, 128)),
    "loop from a later step": (functools.partial(loop, first=1), *SQUARES),
    "two loops": (two_loops, small(64, 256), small(256, 128)),
    "loop of a program's length": (triangle, *SQUARES),
    "loop in each step": (loop_of_steps, *SQUARES),
    "whole arrays": (without_blocks, *SQUARES),
    "deep blocks": (deep, small(64, 512), small(512, 128)),
    "deep blocks of two warpgroups": (functools.partial(deep, m=128, n=128), small(128, 1024), small(1024, 128)),
    "deep transposed blocks": (functools.partial(deep, rhs=1), small(64, 512), small(128, 512)),
    "gated": (gated, small(64, 256), small(256, 128), small(256, 128)),
    "deep blocks into scratch memory": (functools.partial(deep_steps, scratch=True), small(128, 512), small(512, 64)),
    "deep blocks into the output": (functools.partial(deep_steps, scratch=False), small(128, 512), small(512, 64)),
    "rows in turn": (rows_in_turn, normal(16, 128)),
    "overlapping windows": (overlapping, normal(8, 128)),
    "stored and loaded windows": (stored_and_loaded, normal(8, 128)),
    "attention": (mha, *HEADS),
    "causal attention of segments": (
        functools.partial(mha, causal=True),
        *HEADS,
        jnp.arange(192, dtype=jnp.int32)[None] // 100,
    ),
    "gradient of attention": (mha_gradient, *HEADS),
}

# CHECK: 19 of 19 programs of warpgroups are right
report("programs of warpgroups", PROGRAMS, programs=True)
