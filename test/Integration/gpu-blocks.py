# Kernels of blocks that become warpgroup programs give what interpret mode gives: as tasks on the CPU, and as PTX with
# checks that must find nothing. Which ones stay mapped to threads is checked, too.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import column_sums, matmul, normal, report, small

SHAPE = jax.ShapeDtypeStruct


def whole_block(x):
    return pl.BlockSpec(x.shape, lambda i: (0,) * x.ndim)


def rows_of(kernel, x, *others, block, out=None, **options):
    """Calls a kernel on blocks of rows of the first operand, with all of the others."""
    spec = pl.BlockSpec((block, *x.shape[1:]), lambda i: (i, 0))
    whole = [whole_block(other) for other in others]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // block,),
        in_specs=[spec, *whole],
        out_specs=spec,
        out_shape=SHAPE(x.shape, out or x.dtype),
        **options,
    )(x, *others)


def rms_norm(x_ref, scale_ref, o_ref):
    x = x_ref[...].astype(jnp.float32)
    o_ref[...] = (x * lax.rsqrt(jnp.mean(x * x, axis=1, keepdims=True) + 1e-5) * scale_ref[...]).astype(o_ref.dtype)


def cumulative_mask(x_ref, o_ref):
    """Uses the position of each element along both dimensions, and the number of the program."""
    x = x_ref[...]
    row = lax.broadcasted_iota(jnp.int32, x.shape, 0) + pl.program_id(0) * x.shape[0]
    column = lax.broadcasted_iota(jnp.int32, x.shape, 1)
    o_ref[...] = jnp.where(column <= row, x * row, -x)


def statistics(x_ref, y_ref, mean_ref, count_ref):
    x = x_ref[...]
    mean_ref[...] = jnp.mean(x, axis=1)
    count_ref[...] = jnp.sum((x > 0).astype(jnp.int32), axis=1)
    y_ref[...] = x - jnp.max(x, axis=1, keepdims=True)


def with_statistics(x, block=16):
    vector = pl.BlockSpec((block,), lambda i: (i,))
    return pl.pallas_call(
        statistics,
        grid=(x.shape[0] // block,),
        in_specs=[pl.BlockSpec((block, x.shape[1]), lambda i: (i, 0))],
        out_specs=[pl.BlockSpec((block, x.shape[1]), lambda i: (i, 0)), vector, vector],
        out_shape=[SHAPE(x.shape, x.dtype), SHAPE(x.shape[:1], x.dtype), SHAPE(x.shape[:1], jnp.int32)],
    )(x)


def transposed(x, block=32):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].T * 2

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // block, x.shape[1] // block),
        in_specs=[pl.BlockSpec((block, block), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (j, i)),
        out_shape=SHAPE(x.shape[::-1], x.dtype),
    )(x)


def batched_matmul(x, y):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    batch, m, k = x.shape
    n = y.shape[2]
    return pl.pallas_call(
        kernel,
        grid=(batch, m // 64),
        in_specs=[
            pl.BlockSpec((None, 64, k), lambda b, i: (b, i, 0)),
            pl.BlockSpec((None, k, n), lambda b, i: (b, 0, 0)),
        ],
        out_specs=pl.BlockSpec((None, 64, n), lambda b, i: (b, i, 0)),
        out_shape=SHAPE((batch, m, n), jnp.float32),
    )(x, y)


def attention(q, k, v):
    """One block of keys: a product feeds another through a softmax."""

    def kernel(q_ref, k_ref, v_ref, o_ref):
        s = lax.dot_general(q_ref[...], k_ref[...], (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
        p = jnp.exp(s - jnp.max(s, axis=1, keepdims=True))
        total = jnp.sum(p, axis=1, keepdims=True)
        o = jnp.dot(p.astype(v_ref.dtype), v_ref[...], preferred_element_type=jnp.float32)
        o_ref[...] = o / total

    whole = pl.BlockSpec(k.shape, lambda i: (0, 0))
    return pl.pallas_call(
        kernel,
        grid=(q.shape[0] // 64,),
        in_specs=[pl.BlockSpec((64, q.shape[1]), lambda i: (i, 0)), whole, whole],
        out_specs=pl.BlockSpec((64, q.shape[1]), lambda i: (i, 0)),
        out_shape=SHAPE(q.shape, jnp.float32),
    )(q, k, v)


def two_products(x, y, z):
    """Two contractions with operands in common, and an elementwise use of one of them."""

    def kernel(x_ref, y_ref, z_ref, o_ref):
        gate = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
        up = jnp.dot(x_ref[...], z_ref[...], preferred_element_type=jnp.float32)
        o_ref[...] = gate * up + x_ref[...].astype(jnp.float32)

    m, k = x.shape
    return pl.pallas_call(
        kernel,
        grid=(m // 128,),
        in_specs=[pl.BlockSpec((128, k), lambda i: (i, 0)), *[pl.BlockSpec(y.shape, lambda i: (0, 0))] * 2],
        out_specs=pl.BlockSpec((128, k), lambda i: (i, 0)),
        out_shape=SHAPE((m, k), jnp.float32),
    )(x, y, z)


def elementwise(x_ref, o_ref):
    o_ref[...] = jnp.tanh(x_ref[...]) * 3


PROGRAMS = {
    "elementwise": (functools.partial(rows_of, elementwise, block=8), normal(32, 256)),
    "elementwise in f16": (functools.partial(rows_of, elementwise, block=8), normal(32, 256, dtype=jnp.float16)),
    "elementwise of odd sizes": (functools.partial(rows_of, elementwise, block=3), normal(9, 77)),
    "RMS norm": (functools.partial(rows_of, rms_norm, block=8), normal(32, 640, dtype=jnp.bfloat16), normal(1, 640)),
    "RMS norm of long rows": (functools.partial(rows_of, rms_norm, block=4), normal(8, 4096), normal(1, 4096)),
    "positions": (functools.partial(rows_of, cumulative_mask, block=16), normal(64, 384)),
    "three outputs": (with_statistics, normal(64, 256)),
    "transpose": (transposed, normal(64, 96)),
    "sums over a sequential dimension": (column_sums, small(256, 256, dtype=jnp.float32)),
    "eight warps": (
        functools.partial(rows_of, elementwise, block=8, compiler_params=triton.CompilerParams(num_warps=8)),
        normal(32, 256),
    ),
    "matmul": (matmul, small(256, 256), small(256, 128)),
    "matmul in f16": (matmul, small(128, 128, dtype=jnp.float16), small(128, 128, dtype=jnp.float16)),
    "matmul of one step": (functools.partial(matmul, k=128), small(128, 128), small(128, 128)),
    "matmul of one warpgroup": (functools.partial(matmul, m=64, n=64), small(128, 256), small(256, 128)),
    "matmul of wide blocks": (functools.partial(matmul, m=256, n=256), small(256, 128), small(128, 256)),
    "matmul into the output": (functools.partial(matmul, scratch=False), small(128, 256), small(256, 128)),
    "transposed left operand": (functools.partial(matmul, lhs=0), small(256, 128), small(256, 128)),
    "transposed right operand": (functools.partial(matmul, rhs=1), small(128, 256), small(128, 256)),
    "matmul with an epilogue": (
        functools.partial(matmul, bias=small(1, 128, dtype=jnp.float32), activation=jax.nn.relu, out=jnp.bfloat16),
        small(128, 256),
        small(256, 128),
    ),
    "batched matmul": (batched_matmul, small(2, 128, 64), small(2, 64, 128)),
    "attention": (attention, *(normal(128, 64, dtype=jnp.bfloat16) for _ in range(3))),
    "two products": (two_products, small(256, 128), small(128, 128), small(128, 128)),
}
MAPPED = {
    "parts of 100 columns": (functools.partial(matmul, k=100), small(128, 200), small(200, 128)),
}


# CHECK: 22 of 22 programs of warpgroups are right
report("programs of warpgroups", PROGRAMS, programs=True)
# CHECK: 1 of 1 kernels that are mapped to threads are right
report("kernels that are mapped to threads", MAPPED, programs=False)
