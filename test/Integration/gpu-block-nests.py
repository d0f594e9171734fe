# Kernels with loops in loops, and with loops whose end is data, give what interpret mode gives as warpgroup programs:
# as tasks on the CPU, and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small

SHAPE = jax.ShapeDtypeStruct


def product(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32)


def of_rows(kernel, x, *others, m=64, columns=None):
    """Calls a kernel on rows of the first matrix, and on the other arrays as a whole."""
    columns = columns or others[0].shape[1]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m,),
        in_specs=[pl.BlockSpec((m, x.shape[1]), lambda i: (i, 0)), *[pl.BlockSpec()] * len(others)],
        out_specs=pl.BlockSpec((m, columns), lambda i: (i, 0)),
        out_shape=SHAPE((x.shape[0], columns), jnp.float32),
    )(x, *others)


def part(ref, row, column, rows=64, columns=64):
    return ref[pl.ds(row * rows, rows), pl.ds(column * columns, columns)]


def columns_in_turn(x, y, *, m=64):
    """A loop over blocks of columns around the loop over the contracted dimension."""

    def kernel(x_ref, y_ref, o_ref):
        def column(j, _):
            def step(k, acc):
                return acc + product(x_ref[:, pl.ds(k * 64, 64)], part(y_ref, k, j))

            result = lax.fori_loop(0, x.shape[1] // 64, step, jnp.zeros((m, 64), jnp.float32))
            o_ref[:, pl.ds(j * 64, 64)] = result

        lax.fori_loop(0, y.shape[1] // 64, column, None)

    return of_rows(kernel, x, y, m=m)


def halved_sums(x, y):
    """Both loops add to one accumulator, and determine a window."""

    def kernel(x_ref, y_ref, o_ref):
        def outer(j, acc):
            def inner(k, acc):
                depth = pl.ds((j * 2 + k) * 64, 64)
                return acc + product(x_ref[:, depth], y_ref[depth, :])

            return lax.fori_loop(0, 2, inner, acc) * 0.5

        o_ref[...] = lax.fori_loop(0, x.shape[1] // 128, outer, jnp.zeros(o_ref.shape, jnp.float32))

    return of_rows(kernel, x, y)


def windows_of_both(x, y, z):
    """Windows of the outer loop, and two loops in it with windows of their own."""

    def kernel(x_ref, y_ref, z_ref, o_ref):
        def outer(j, acc):
            acc = acc + product(x_ref[:, pl.ds(j * 64, 64)], z_ref[pl.ds(j * 64, 64), :])

            def add(k, acc):
                return acc + product(x_ref[:, pl.ds(k * 64, 64)], y_ref[pl.ds(k * 64, 64), :])

            def subtract(k, acc):
                return acc - product(x_ref[:, pl.ds(k * 128, 128)], z_ref[pl.ds(k * 128, 128), :])

            return lax.fori_loop(0, 2, subtract, lax.fori_loop(1, 3, add, acc))

        o_ref[...] = lax.fori_loop(0, x.shape[1] // 64, outer, jnp.zeros(o_ref.shape, jnp.float32))

    return of_rows(kernel, x, y, z)


def three_loops(x, y):
    def kernel(x_ref, y_ref, o_ref):
        def column(j, _):
            def outer(a, acc):
                def inner(b, acc):
                    k = a * 2 + b
                    return acc + product(x_ref[:, pl.ds(k * 64, 64)], part(y_ref, k, j))

                return lax.fori_loop(0, 2, inner, acc)

            result = lax.fori_loop(0, x.shape[1] // 128, outer, jnp.zeros((64, 64), jnp.float32))
            o_ref[:, pl.ds(j * 64, 64)] = result

        lax.fori_loop(0, y.shape[1] // 64, column, None)

    return of_rows(kernel, x, y)


def nest_in_steps(x, y):
    """Loops in loops in each step of a sequential dimension."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        def outer(a, acc):
            def inner(b, acc):
                depth = pl.ds((a * 2 + b) * 64, 64)
                return acc + product(x_ref[:, depth], y_ref[depth, :])

            return lax.fori_loop(0, 2, inner, acc)

        acc_ref[...] = lax.fori_loop(0, 2, outer, acc_ref[...])
        o_ref[...] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64, x.shape[1] // 256),
        in_specs=[pl.BlockSpec((64, 256), lambda i, k: (i, k)), pl.BlockSpec((256, y.shape[1]), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((64, y.shape[1]), lambda i, k: (i, 0)),
        out_shape=SHAPE((x.shape[0], y.shape[1]), jnp.float32),
        scratch_shapes=[pltpu.VMEM((64, y.shape[1]), jnp.float32)],
    )(x, y)


def triangle(x, y):
    """The end of the inner loop depends on the outer one."""

    def kernel(x_ref, y_ref, o_ref):
        def outer(j, acc):
            def inner(k, acc):
                return acc + product(x_ref[:, pl.ds(k * 64, 64)], y_ref[pl.ds(k * 64, 64), :])

            return lax.fori_loop(0, j + 1, inner, acc)

        o_ref[...] = lax.fori_loop(0, x.shape[1] // 64, outer, jnp.zeros(o_ref.shape, jnp.float32))

    return of_rows(kernel, x, y)


def outer_of_length(x, y, lengths):
    """The number of iterations of the outer loop is data."""

    def kernel(x_ref, y_ref, n_ref, o_ref):
        def outer(a, acc):
            def inner(b, acc):
                depth = pl.ds((a * 2 + b) * 64, 64)
                return acc + product(x_ref[:, depth], y_ref[depth, :])

            return lax.fori_loop(0, 2, inner, acc)

        o_ref[...] = lax.fori_loop(0, n_ref[pl.program_id(0)], outer, jnp.zeros(o_ref.shape, jnp.float32))

    return of_rows(kernel, x, y, lengths)


def pages_in_parts(x, y, pages):
    """Windows at positions that are data, in parts that an inner loop loads."""

    def kernel(x_ref, y_ref, p_ref, o_ref):
        def outer(a, acc):
            def inner(b, acc):
                return acc + product(
                    x_ref[:, pl.ds((a * 2 + b) * 64, 64)], y_ref[pl.ds(p_ref[a] * 128 + b * 64, 64), :]
                )

            return lax.fori_loop(0, 2, inner, acc)

        o_ref[...] = lax.fori_loop(0, x.shape[1] // 128, outer, jnp.zeros(o_ref.shape, jnp.float32))

    return of_rows(kernel, x, y, pages)


def when(x, y):
    """A loop that only some programs run."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)

        @pl.when(pl.program_id(0) > 0)
        def _():
            def body(k, acc):
                return acc + product(x_ref[:, pl.ds(k * 64, 64)], y_ref[pl.ds(k * 64, 64), :])

            o_ref[...] = lax.fori_loop(0, x.shape[1] // 64, body, jnp.zeros(o_ref.shape, jnp.float32))

    return of_rows(kernel, x, y)


def root(x):
    """Newton's method until all elements of a block have converged."""

    def kernel(x_ref, o_ref):
        x = x_ref[...]
        o_ref[...] = lax.while_loop(
            lambda y: jnp.max(jnp.abs(y * y - x)) > 1e-3, lambda y: 0.5 * (y + x / y), jnp.ones_like(x)
        )

    return of_rows(kernel, x, m=8, columns=128)


def until_large(x, y, lengths):
    """A product of each iteration until the sum is large or there are no more parts."""

    def kernel(x_ref, y_ref, n_ref, o_ref):
        def again(carry):
            return (carry[0] < n_ref[0]) & (jnp.max(carry[1]) < 200)

        def body(carry):
            k, acc = carry
            return k + 1, acc + product(x_ref[:, pl.ds(k * 64, 64)], y_ref[pl.ds(k * 64, 64), :])

        o_ref[...] = lax.while_loop(again, body, (0, jnp.zeros(o_ref.shape, jnp.float32)))[1]

    return of_rows(kernel, x, y, lengths)


def doublings(x):
    """The number of times that one can be doubled before it reaches the maximum of a block."""

    def kernel(x_ref, o_ref):
        limit = jnp.max(x_ref[...])
        count, _ = lax.while_loop(lambda c: c[1] < limit, lambda c: (c[0] + 1, c[1] * 2), (0, 1.0))
        o_ref[...] = x_ref[...] * count.astype(jnp.float32)

    return of_rows(kernel, x, m=8, columns=128)


def rows_between(rows, x):
    """A sum of blocks of rows between two that are data."""

    def kernel(n_ref, x_ref, o_ref):
        def add(i, acc):
            return acc + x_ref[pl.ds(i * 8, 8), :]

        o_ref[...] = lax.fori_loop(n_ref[0], n_ref[1], add, jnp.zeros(o_ref.shape, jnp.float32))

    return pl.pallas_call(kernel, out_shape=SHAPE((8, x.shape[1]), x.dtype))(rows, x)


SQUARES = small(128, 256), small(256, 128)
# Windows with an inner loop's or a data-dependent end have bulk copies.
COPIED = {
    "columns in turn": (columns_in_turn, *SQUARES),
    "columns in turn of two warpgroups": (functools.partial(columns_in_turn, m=128), *SQUARES),
    "halved sums": (halved_sums, *SQUARES),
    "windows of both loops": (windows_of_both, *SQUARES, small(256, 128)),
    "three loops": (three_loops, *SQUARES),
    "loops in steps": (nest_in_steps, small(64, 512), small(512, 64)),
    "outer loop of a length": (outer_of_length, *SQUARES, jnp.array([2, 1])),
    "pages in parts": (pages_in_parts, *SQUARES, jnp.array([1, 0])),
}
STAGED = {
    "triangle": (triangle, *SQUARES),
    "loop of some programs": (when, *SQUARES),
    "roots": (root, jnp.abs(normal(32, 128)) + 1),
    "until large": (until_large, *SQUARES, jnp.array([4])),
    "doublings": (doublings, normal(32, 128) * 100),
    "rows between": (rows_between, jnp.array([1, 5]), normal(64, 128)),
}

# CHECK: 8 of 8 nests with copies are right
report("nests with copies", COPIED, programs=True)
# CHECK: 6 of 6 other loops are right
report("other loops", STAGED, programs=True)
# CHECK: copies in 8 of 8
copies = [
    gridir.lower(function, *args, target="gpu:sm_90a").kernels[0].text("program").count("warpgroup.tma_load") >= 2
    for function, *args in COPIED.values()
]
print(f"copies in {sum(copies)} of {len(copies)}")
