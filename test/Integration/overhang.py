# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s | FileCheck %s
"""Blocks that overhang, arrays updated in place, and rows of extremes: against JAX's interpret mode.

The compiler moves a block that overhangs into its array where that changes nothing, copies an aliased array only if the
grid sees a block twice, and finds argmax and argmin lane by lane. Each case here is on one side of such a line.
"""

import gridir
import jax
import jax.numpy as jnp
from gridir.testing import differences, interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def check(name, f, *args):
    """Prints a line for a case whose result differs."""
    got = gridir.lower(f, *args).compile()(*args)
    with interpreted():
        want = jax.jit(f)(*args)
    print(name, *differences(got, want, f, args) or ["equal"])


def normal(*shape):
    return jax.random.normal(jax.random.key(0), shape)


def by_blocks(kernel, columns=100):
    """Maps a kernel over blocks of 8 rows, which do not divide 37, and of `columns`."""

    def f(x, *rows):
        block = pl.BlockSpec((8, columns), lambda i, j: (i, j))
        return pl.pallas_call(
            kernel,
            grid=(pl.cdiv(x.shape[0], 8), pl.cdiv(x.shape[1], columns)),
            in_specs=[block, *(pl.BlockSpec((1, columns), lambda i, j: (0, j)) for _ in rows)],
            out_specs=block,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        )(x, *rows)

    return f


def softmax(x_ref, o_ref):
    e = jnp.exp(x_ref[...] - jnp.max(x_ref[...], axis=-1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=-1, keepdims=True)


def add_row(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def add_program_id(x_ref, o_ref):
    o_ref[...] = x_ref[...] + pl.program_id(0).astype(jnp.float32)


def number_rows(x_ref, o_ref):
    o_ref[...] = x_ref[...] + jax.lax.broadcasted_iota(jnp.float32, x_ref.shape, 0)


def number_columns(x_ref, o_ref):
    o_ref[...] = x_ref[...] + jax.lax.broadcasted_iota(jnp.float32, x_ref.shape, 1)


def halves(x_ref, o_ref):
    o_ref[0:4] = x_ref[0:4]
    o_ref[4:8] = x_ref[4:8] * 2


def transpose(x):
    return pl.pallas_call(
        lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...].T),
        grid=(5, 2),
        in_specs=[pl.BlockSpec((8, 64), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((64, 8), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct(x.shape[::-1], x.dtype),
    )(x)


X = normal(37, 100)
check("rows", by_blocks(softmax), X)
check("rows and columns", by_blocks(add_row, 64), X, normal(1, 100))
check("program id", by_blocks(add_program_id), X)
check("numbered rows", by_blocks(number_rows), X)
check("numbered columns", by_blocks(number_columns), X)
check("numbered columns that overhang", by_blocks(number_columns, 64), X)
check("stores of parts", by_blocks(halves), X)
check("transpose", transpose, X)


def update(rows, x):
    """Doubles the blocks of 4 rows that `rows` names, in the array itself."""
    block = pl.BlockSpec((4, x.shape[1]), lambda i, rows: (rows[i], 0))
    return pl.pallas_call(
        lambda _, x_ref, o_ref: o_ref.__setitem__(..., x_ref[...] * 2 + 1),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=rows.shape, in_specs=[block], out_specs=block
        ),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        input_output_aliases={1: 0},
    )(rows, x)


check("update", update, jnp.array([2, 0], jnp.int32), normal(12, 40))
check("update of a block twice", update, jnp.array([2, 0, 2], jnp.int32), normal(12, 40))
check("update of a block that overhangs", update, jnp.array([2, 0], jnp.int32), normal(10, 40))
check("update of it twice", update, jnp.array([2, 0, 2], jnp.int32), normal(10, 40))


def arg_extreme(extreme):
    def f(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = extreme(x_ref[...], axis=1).astype(jnp.int32)[:, None]

        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((x.shape[0], 1), jnp.int32))(x)

    return f


# Blocks that stay from program to program keep what is outside the array ---------------------------------------


def running_sums(lanes):
    """Sums of lanes, of which the array of the sums holds so many."""

    def kernel(x_ref, s_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            s_ref[...] = jnp.zeros_like(s_ref)

        s_ref[...] += x_ref[...]
        o_ref[...] = jnp.sum(s_ref[...], axis=-1, keepdims=True)

    def f(x):
        rows, steps, columns = x.shape
        outs = [
            (pl.BlockSpec((None, 1, size), lambda i, j: (i, 0, 0)), jax.ShapeDtypeStruct((rows, 1, n), x.dtype))
            for size, n in ((columns, lanes), (1, 1))
        ]
        return pl.pallas_call(
            kernel,
            grid=(rows, steps),
            in_specs=[pl.BlockSpec((None, 1, columns), lambda i, j: (i, j, 0))],
            out_specs=[spec for spec, _ in outs],
            out_shape=[shape for _, shape in outs],
        )(x)[1]

    return f


def sums_of_runs(rows, x):
    """Adds blocks of columns as long as their row block is the same one, which only the call knows."""

    def kernel(rows_ref, x_ref, s_ref, o_ref):
        step = pl.program_id(0)

        @pl.when((step == 0) | (rows_ref[step] != rows_ref[jnp.maximum(step - 1, 0)]))
        def _():
            s_ref[...] = jnp.zeros_like(s_ref)

        s_ref[...] += x_ref[...]
        o_ref[...] = jnp.sum(s_ref[...], axis=-1, keepdims=True)

    return pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=rows.shape,
            in_specs=[pl.BlockSpec((8, 128), lambda i, rows: (0, i))],
            out_specs=[
                pl.BlockSpec((8, 128), lambda i, rows: (rows[i], 0)),
                pl.BlockSpec((None, 8, 1), lambda i, rows: (i, 0, 0)),
            ],
        ),
        out_shape=[
            jax.ShapeDtypeStruct((20, 100), x.dtype),
            jax.ShapeDtypeStruct((rows.shape[0], 8, 1), x.dtype),
        ],
    )(rows, x)[1]


def scribbled(grid, index_map):
    """Each program changes its block of the input, and gives it."""

    def kernel(x_ref, o_ref):
        x_ref[...] = x_ref[...] * 2 + 1
        o_ref[...] = x_ref[...]

    return lambda x: pl.pallas_call(
        kernel,
        grid=grid,
        in_specs=[pl.BlockSpec((8, 100), index_map)],
        out_specs=pl.BlockSpec((None, None, 8, 100), lambda i, j: (i, j, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((*grid, 8, 100), jnp.float32),
    )(x)


check("lanes outside the array", running_sums(1), normal(5, 6, 128))
check("some lanes outside the array", running_sums(100), normal(5, 6, 128))
check("runs of rows", sums_of_runs, jnp.array([2, 2, 0, 0, 2, 1], jnp.int32), normal(8, 768))
check("a written input that stays", scribbled((2, 3), lambda i, j: (i, 0)), normal(12, 100))
check("a written input that comes back", scribbled((3, 2), lambda i, j: (j, 0)), normal(12, 100))

# Equal elements in several lanes, NaNs, and rows of one number.
RANKED = normal(6, 131).at[1].set(3.0).at[2, 65].set(jnp.nan).at[2, 130].set(jnp.nan)
RANKED = RANKED.at[3].set(-jnp.inf).at[4].set(jnp.nan).at[5, 130].set(99.0).at[5, 2].set(99.0)
check("argmax", arg_extreme(jnp.argmax), RANKED)
check("argmin", arg_extreme(jnp.argmin), RANKED)
check("argmax of integers", arg_extreme(jnp.argmax), (normal(6, 16) * 2).astype(jnp.int32))

# CHECK-COUNT-20: equal
