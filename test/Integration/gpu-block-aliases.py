# Kernels of blocks with results in the memory of inputs. Those that overwrite what they read later, or whose bulk
# copies would read in advance what an earlier step stores, are mapped to threads.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small

SHAPE = jax.ShapeDtypeStruct
rows = pl.BlockSpec((16, 128), lambda i: (i, 0))


def sum_and_difference(x, y):
    """The sum is in the memory of `y`, which the difference reads."""

    def kernel(x_ref, y_ref, sum_ref, difference_ref):
        sum_ref[...] = x_ref[...] + y_ref[...]
        difference_ref[...] = x_ref[...] - y_ref[...]

    like = SHAPE(x.shape, x.dtype)
    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[rows, rows],
        out_specs=[rows, rows],
        out_shape=[like, like],
        input_output_aliases={1: 0},
    )(x, y)


def in_rows(kernel, x, **options):
    options = {"grid": (4,), "in_specs": [rows], "out_specs": rows, **options}
    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape, x.dtype), **options)(x)


def halves(x):
    """Exchanges the halves of a block; the second load reads what the first store has replaced."""

    def kernel(x_ref, o_ref):
        o_ref[pl.ds(0, 8)] = x_ref[pl.ds(8, 8)]
        o_ref[pl.ds(8, 8)] = x_ref[pl.ds(0, 8)]

    return in_rows(kernel, x, input_output_aliases={0: 0})


def loaded_halves(x):
    """Exchanges the halves after both are loaded."""

    def kernel(x_ref, o_ref):
        first, second = x_ref[pl.ds(0, 8)], x_ref[pl.ds(8, 8)]
        o_ref[pl.ds(0, 8)] = second
        o_ref[pl.ds(8, 8)] = first

    return in_rows(kernel, x, input_output_aliases={0: 0})


def stores_to_input(x):
    """The caller's array keeps its value."""

    def kernel(x_ref, o_ref):
        x_ref[...] = x_ref[...] * 2
        o_ref[...] = x_ref[...] + 1

    return in_rows(kernel, x)


def transposes(x):
    """Reads the block transposed, after it has doubled it in place."""

    def kernel(x_ref, o_ref, t_ref):
        o_ref[...] = x_ref[...] * 2
        t_ref[...] = x_ref[...].T

    block = pl.BlockSpec((32, 32), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        grid=(2, 2),
        in_specs=[block],
        out_specs=[block, pl.BlockSpec((32, 32), lambda i, j: (j, i))],
        out_shape=[SHAPE(x.shape, x.dtype)] * 2,
        input_output_aliases={0: 0},
    )(x)


def product(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32)


def chain(x, w):
    """Each step multiplies the block that the step before has stored."""

    def kernel(x_ref, w_ref, o_ref):
        o_ref[...] = product(x_ref[...], w_ref[...]).astype(o_ref.dtype)

    return pl.pallas_call(
        kernel,
        grid=(3,),
        in_specs=[pl.BlockSpec((64, 64), lambda i: (i, 0)), pl.BlockSpec((64, 64), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((64, 64), lambda i: (i + 1, 0)),
        out_shape=SHAPE(x.shape, x.dtype),
        input_output_aliases={0: 0},
    )(x, w)


def chain_in_loop(x, w):
    """The same for windows in a loop of the body."""

    def kernel(x_ref, w_ref, o_ref):
        @pl.loop(1, 4)
        def _(i):
            block = x_ref[pl.ds(i * 64, 64), :]
            o_ref[pl.ds(i * 64, 64), :] = product(block, w_ref[...]).astype(o_ref.dtype)

    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape, x.dtype), input_output_aliases={0: 0})(x, w)


def adds_products(x, y, total):
    """A product of which each step is added to the output, whose first values the call gives."""

    def kernel(x_ref, y_ref, total_ref, o_ref):
        o_ref[...] = total_ref[...] + product(x_ref[...], y_ref[...])

    block = pl.BlockSpec((64, 64), lambda i, j, k: (i, j))
    return pl.pallas_call(
        kernel,
        grid=(2, 2, 3),
        in_specs=[
            pl.BlockSpec((64, 64), lambda i, j, k: (i, k)),
            pl.BlockSpec((64, 64), lambda i, j, k: (k, j)),
            block,
        ],
        out_specs=block,
        out_shape=SHAPE(total.shape, total.dtype),
        input_output_aliases={2: 0},
    )(x, y, total)


def adds_transposed(x, total):
    """Each step reads in another order what the step before has stored."""

    def kernel(x_ref, total_ref, o_ref):
        o_ref[...] = total_ref[...].T + x_ref[...]

    whole = pl.BlockSpec((64, 64), lambda i: (0, 0))
    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((64, 64), lambda i: (i, 0)), whole],
        out_specs=whole,
        out_shape=SHAPE(total.shape, total.dtype),
        input_output_aliases={1: 0},
    )(x, total)


steps = jnp.asarray(np.eye(64) + np.eye(64, k=3), jnp.bfloat16)

# CHECK: 6 of 6 mapped kernels are right
mapped = {
    "sum and difference": (sum_and_difference, normal(64, 128), normal(64, 128)),
    "halves": (halves, normal(64, 128)),
    "stores to an input": (stores_to_input, normal(64, 128)),
    "transposes": (transposes, normal(64, 64)),
    "chain": (chain, small(256, 64), steps),
    "chain in a loop": (chain_in_loop, small(256, 64), steps),
}
report("mapped kernels", mapped, programs=False)

# CHECK: 3 of 3 programs are right
programs = {
    "loaded halves": (loaded_halves, normal(64, 128)),
    "adds products": (adds_products, small(128, 192), small(192, 128), small(128, 128, dtype=jnp.float32)),
    "adds transposed": (adds_transposed, normal(256, 64), normal(64, 64)),
}
report("programs", programs, programs=True)
