# Kernels with scalar and small outputs, sums of many elements, long rows and odd sizes give what interpret mode gives
# as warpgroup programs: as tasks on the CPU, and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small

SHAPE = jax.ShapeDtypeStruct
floats = functools.partial(small, dtype=jnp.float32)


def whole(function, x, *, out=None):
    """A function of a whole array."""

    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape, x.dtype) if out is None else out)(x)


def of_rows(function, x, *, rows=1, columns=None):
    """A function of rows, whose result has rows of another length, or has one element for each row."""

    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    shape = () if columns is None else (columns,)
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows,),
        in_specs=[pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((rows, *shape), lambda i: (i, *[0] * len(shape))),
        out_shape=SHAPE((x.shape[0], *shape), x.dtype),
    )(x)


def total_of_steps(x):
    """A scalar to which each step adds."""

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[0, 0] = 0.0

        o_ref[0, 0] += jnp.sum(x_ref[...])

    rows = pl.BlockSpec((64, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(kernel, grid=(x.shape[0] // 64,), in_specs=[rows], out_shape=SHAPE((1, 1), x.dtype))(x)


def sums_of_columns(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.sum(x_ref[...], axis=0, keepdims=True)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[1] // 128,),
        in_specs=[pl.BlockSpec((x.shape[0], 128), lambda i: (0, i))],
        out_specs=pl.BlockSpec((1, 128), lambda i: (0, i)),
        out_shape=SHAPE((1, x.shape[1]), x.dtype),
    )(x)


def logsumexp(x):
    m = x.max(axis=-1, keepdims=True)
    return jnp.log(jnp.sum(jnp.exp(x - m), axis=-1, keepdims=True)) + m


def normalize(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centered = x - mean
    return centered * jax.lax.rsqrt(jnp.mean(centered * centered, axis=-1, keepdims=True) + 1e-5)


def sums(x):
    return jnp.sum(x, axis=1)


SCALAR = SHAPE((), jnp.float32)
PROGRAMS = {
    "scalar": (functools.partial(whole, jnp.sum, out=SCALAR), floats(64, 128)),
    "scalar to scalar": (functools.partial(whole, lambda x: x + 1), normal()),
    "total of steps": (total_of_steps, floats(256, 128)),
    "total": (functools.partial(whole, jnp.sum, out=SCALAR), floats(128, 256)),
    "maximum of odd sizes": (functools.partial(whole, jnp.max, out=SCALAR), floats(67, 77)),
    "sums of long rows": (functools.partial(of_rows, sums, rows=8), floats(32, 4096)),
    "sums of odd rows": (functools.partial(of_rows, sums, rows=4), floats(12, 1000)),
    "sums of blocks of columns": (sums_of_columns, floats(512, 128)),
    "sums of columns": (
        functools.partial(whole, lambda x: jnp.sum(x, axis=0), out=SHAPE((256,), jnp.float32)),
        floats(512, 256),
    ),
    "logarithms of sums": (functools.partial(of_rows, logsumexp, columns=1), normal(1, 16384)),
    "vocabulary": (functools.partial(of_rows, logsumexp, columns=1), normal(1, 50304)),
    "softmax of long rows": (
        functools.partial(of_rows, functools.partial(jax.nn.softmax, axis=-1), columns=16384),
        normal(1, 16384),
    ),
    "normalized long rows": (functools.partial(of_rows, normalize, rows=1, columns=12288), normal(1, 12288)),
    "odd sizes": (functools.partial(whole, lambda x: x * 2), normal(37, 53)),
    "three elements": (functools.partial(whole, lambda x: x * 2), normal(3)),
}

# CHECK: 15 of 15 programs are right
report("programs", PROGRAMS, programs=True)
# A number of elements that few threads divide is mapped if registers do not hold the padded block.
# CHECK: 1 of 1 mapped kernels are right
UNEVEN = {
    "maximum": (functools.partial(whole, jnp.max, out=SCALAR), floats(83, 99)),
}
report("mapped kernels", UNEVEN, programs=False)
