# Rows and columns of sizes that threads do not divide evenly, blocks that exceed their array, and blocks at the end of
# an array: warpgroup programs give what interpret mode gives, as tasks on the CPU, and as PTX with checks that must
# find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from jax.experimental.pallas.ops.gpu import rms_norm
from jax.experimental.pallas.ops.gpu import softmax as softmax_of_jax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small


def of_rows(function, x, *others, rows=1, result=None, padded=None):
    """A function of rows, and of whole other arrays."""

    def kernel(*refs):
        *inputs, o_ref = refs
        o_ref[...] = function(*(ref[...] for ref in inputs)).astype(o_ref.dtype)

    block = pl.BlockSpec((rows, padded or x.shape[1]), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct(x.shape if result is None else (x.shape[0], *result), x.dtype)
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows,),
        in_specs=[block, *(pl.BlockSpec(other.shape, lambda i, rank=other.ndim: (0,) * rank) for other in others)],
        out_specs=block if result is None else pl.BlockSpec((rows, *result), lambda i: (i, *[0] * len(result))),
        out_shape=shape,
    )(x, *others)


def softmax(x):
    return jax.nn.softmax(x.astype(jnp.float32), axis=-1)


def normalize(x, scale):
    centered = x - jnp.mean(x, axis=-1, keepdims=True)
    return centered * jax.lax.rsqrt(jnp.mean(centered * centered, axis=-1, keepdims=True) + 1e-5) * scale


def softmax_of(size, x):
    """The softmax of the first elements of longer blocks."""
    columns = jax.lax.broadcasted_iota(jnp.int32, x.shape, 1)
    return jax.nn.softmax(jnp.where(columns < size, x, -jnp.inf), axis=-1)


def overhang(x, y):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + y_ref[...]

    block = pl.BlockSpec((8, 512), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], 8), pl.cdiv(x.shape[1], 512))
    return pl.pallas_call(kernel, grid=grid, in_specs=[block, block], out_specs=block, out_shape=x)(x, y)


def masked_rows(x, padded=1024):
    """A kernel as for Triton: each program accesses more positions than a row has, with a mask."""

    def kernel(x_ref, o_ref):
        columns = jnp.arange(padded)
        mask = columns < x.shape[1]
        row = triton.load(x_ref.at[pl.program_id(0), columns], mask=mask, other=-jnp.inf)
        triton.store(o_ref.at[pl.program_id(0), columns], jax.nn.softmax(row), mask=mask)

    return pl.pallas_call(kernel, grid=(x.shape[0],), out_shape=x)(x)


def masked_parts(x, y, block=256):
    def kernel(x_ref, y_ref, o_ref):
        first = pl.program_id(0) * block
        positions = first + jnp.arange(block)
        mask = positions < x.shape[0]
        total = triton.load(x_ref.at[positions], mask=mask) + triton.load(y_ref.at[pl.ds(first, block)], mask=mask)
        triton.store(o_ref.at[positions], total, mask=mask)

    return pl.pallas_call(kernel, grid=(pl.cdiv(x.shape[0], block),), out_shape=x)(x, y)


def parts_of_overhang(x):
    """Windows of a block whose last two rows are outside of the array in the last program."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[0:4, :].sum(0) + x_ref[5, :] + x_ref[pl.ds(pl.program_id(0) % 2, 2), :].sum(0)

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], 8),),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((None, 128), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((pl.cdiv(x.shape[0], 8), 128), jnp.float32),
    )(x)


floats = functools.partial(small, dtype=jnp.float32)
PROGRAMS = {
    "softmax of 1000": (functools.partial(of_rows, softmax, rows=4), normal(8, 1000)),
    "softmax of 1001 in bf16": (functools.partial(of_rows, softmax, rows=4), normal(8, 1001, dtype=jnp.bfloat16)),
    "softmax of five rows of 77": (functools.partial(of_rows, softmax, rows=5), normal(10, 77)),
    "norm of 2880": (functools.partial(of_rows, normalize), normal(2, 2880), normal(2880)),
    "sums of rows": (functools.partial(of_rows, lambda x: x.sum(1), rows=4, result=()), floats(12, 1001)),
    "maxima of integers": (
        functools.partial(of_rows, lambda x: x.max(1), rows=2, result=()),
        small(4, 333, dtype=jnp.int32),
    ),
    "reversed rows": (
        functools.partial(of_rows, lambda x: (x[:, ::-1] * jnp.arange(7)).sum(1), rows=7, result=()),
        floats(14, 7),
    ),
    "any of rows": (
        functools.partial(of_rows, lambda x: (x > 3).any(axis=1), rows=2, result=()),
        floats(4, 300),
    ),
    "sums of columns": (
        functools.partial(of_rows, lambda x: x.sum(axis=0, keepdims=True) + x, rows=77),
        floats(77, 128),
    ),
    "softmax of a long row": (functools.partial(of_rows, softmax), normal(1, 9001)),
    "vocabulary": (functools.partial(of_rows, softmax), normal(1, 50257)),
    "longer blocks": (
        functools.partial(of_rows, functools.partial(softmax_of, 1000), rows=4, padded=1024),
        normal(8, 1000),
    ),
    "longer blocks of odd rows": (
        functools.partial(of_rows, functools.partial(softmax_of, 999), rows=4, padded=1024),
        normal(8, 999),
    ),
    "overhang of whole accesses": (overhang, floats(17, 1000), floats(17, 1000)),
    "softmax of JAX": (softmax_of_jax.softmax, normal(2, 1000)),
    "norm of JAX": (rms_norm.rms_norm, normal(2, 2, 5120), normal(5120), normal(5120)),
    "masked rows": (masked_rows, normal(3, 1000)),
    "masked parts": (masked_parts, floats(1000), floats(1000)),
    "parts of overhang": (parts_of_overhang, floats(30, 128)),
    "overhang": (overhang, floats(17, 1002), floats(17, 1002)),
}

# CHECK: 20 of 20 programs are right
report("programs", PROGRAMS, programs=True)


def sorting(x_ref, o_ref):
    """A network that sorts rows of 64 in 21 steps, each of which rotates the result of the one before."""
    x = x_ref[...]
    lane = jax.lax.broadcasted_iota(jnp.int32, x.shape, 1)
    for step, size in ((1 << j, 2 << i) for i in range(6) for j in reversed(range(i + 1))):
        upper = (lane & step) != 0
        other = jnp.where(upper, jnp.roll(x, step, 1), jnp.roll(x, -step, 1))
        rises = (lane & size) == 0
        x = jnp.where(upper == rises, jnp.maximum(x, other), jnp.minimum(x, other))
    o_ref[...] = x


# CHECK: sorted rows: True
rows = np.asarray(normal(4, 64))
with gridir.installed(emulate="gpu:sm_90a"):
    call = pl.pallas_call(sorting, out_shape=jax.ShapeDtypeStruct(rows.shape, rows.dtype))
    print("sorted rows:", np.array_equal(call(rows), np.sort(rows, axis=1)))
