# Contractions whose operands are not blocks of 16-bit floats: f32, bytes, and values that the body computes, which
# warpgroups store in shared memory. They give what interpret mode gives as warpgroup programs: as tasks on the CPU, and
# as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import RANDOM, matmul, normal, product, report, small, whole

SHAPE = jax.ShapeDtypeStruct


def loop(x, y):
    """The author's loop over windows of f32."""

    def kernel(x_ref, y_ref, o_ref):
        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * 64, 64)], y_ref[pl.ds(step * 64, 64), :])

        o_ref[...] = lax.fori_loop(0, x_ref.shape[1] // 64, body, jnp.zeros((64, 64), jnp.float32))

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64,),
        in_specs=[pl.BlockSpec((64, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(y.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((64, 64), lambda i: (i, 0)),
        out_shape=SHAPE((x.shape[0], 64), jnp.float32),
    )(x, y)


def with_values(x, *values):
    """The array, with values at its first places."""
    return x.at[tuple(range(len(values))), tuple(range(len(values)))].set(jnp.asarray(values, x.dtype))


def dequantized(x, y, scale):
    """The right operand is of bytes, with a scale for each group of rows."""
    groups = scale.shape[0]
    wide = y.astype(jnp.float32).reshape(groups, -1, y.shape[1]) * scale[:, None, : y.shape[1]]
    return product(x, wide.reshape(y.shape).astype(x.dtype))


def numbers(*shape, dtype):
    return jnp.asarray(RANDOM.integers(-8, 8, shape), dtype)


def attention(q, k, v):
    """In f32: scores and their product with the values."""
    scores = product(q, k, rhs=1) * 0.125
    p = jnp.exp(scores - scores.max(axis=1, keepdims=True))
    return product(p / p.sum(axis=1, keepdims=True), v)


def few_queries(q, k, v):
    """Attention of a few queries, whose rows are columns of a matrix unit."""
    scores = product(q, k, rhs=1) * 0.125
    p = jnp.exp(scores - scores.max(axis=1, keepdims=True))
    return product(p.astype(v.dtype), v) / p.sum(axis=1, keepdims=True)


BF16, F8 = jnp.bfloat16, jnp.float8_e4m3fn
EXTREME = (3.4e38, 1e-38, -np.inf, np.nan, 0.0, 1 / 3)
CASES = {
    "f32": (matmul, normal(128, 128), normal(128, 128)),
    "f32, the accumulator is the output": (lambda x, y: matmul(x, y, scratch=False), normal(128, 64), normal(64, 128)),
    "deep f32": (lambda x, y: whole(product, x, y), normal(64, 256), normal(256, 64)),
    "f32, highest precision": (
        lambda x, y: whole(lambda a, b: product(a, b, precision="highest"), x, y),
        *(normal(64, 64), normal(64, 64)),
    ),
    "f32, by columns": (
        lambda x, y: whole(lambda a, b: product(a, b, lhs=0, rhs=1), x, y, lhs=0, rhs=1),
        *(normal(128, 64), normal(64, 128)),
    ),
    "extreme f32": (lambda x, y: whole(product, x, y), with_values(normal(64, 64), *EXTREME), normal(64, 64)),
    "exact f32": (lambda x, y: whole(product, x, y), small(64, 128, dtype=jnp.float32), jnp.eye(128) * 3.4e37),
    "f32 in a loop": (loop, normal(64, 192), normal(192, 64)),
    "f32 plus a bias": (
        lambda x, y, b: whole(lambda a, c, d: jnp.maximum(product(a, c) + d, 0), x, y, b),
        *(normal(64, 128), normal(128, 64), normal(1, 64)),
    ),
    "attention in f32": (lambda *args: whole(attention, *args, rhs=1), *(normal(64, 64) for _ in range(3))),
    "attention in f32, 128 keys": (
        lambda *args: whole(attention, *args, n=128, rhs=1),
        *(normal(64, 64), normal(128, 64), normal(128, 128)),
    ),
    "two layers of f32": (
        lambda *args: whole(lambda a, b, c: product(jnp.maximum(product(a, b), 0), c), *args, n=128),
        *(normal(64, 96), normal(96, 128), normal(128, 128)),
    ),
    "16 bits of f32": (
        lambda x, y: whole(functools.partial(product, precision="high"), x, y),
        *(jnp.asarray(RANDOM.integers(-(2**15), 2**15, (64, 64)), jnp.float32), jnp.eye(64) * 3),
    ),
    "f32 by an algorithm for bf16": (
        lambda x, y: whole(functools.partial(product, precision=lax.DotAlgorithmPreset.BF16_BF16_F32), x, y),
        *(small(64, 128, dtype=jnp.float32), small(128, 64, dtype=jnp.float32)),
    ),
    "rounded operands": (
        lambda x, y: whole(lambda a, b: product(a.astype(BF16), b.astype(BF16)), x, y, m=128),
        *(small(128, 256, dtype=jnp.float32), small(256, 128, dtype=jnp.float32)),
    ),
    "a rounded right operand": (
        lambda x, y: whole(lambda a, b: product(a, b.astype(BF16), rhs=1), x, y, rhs=1),
        *(small(64, 128), small(128, 128, dtype=jnp.float32)),
    ),
    "a computed right operand": (
        lambda x, y: whole(lambda a, b: product(a, jnp.maximum(b, 0) * 2), x, y),
        *(small(64, 256), small(256, 64)),
    ),
    "a computed left operand by columns": (
        lambda x, y: whole(lambda a, b: product(jnp.maximum(a, 0), b, lhs=0), x, y, lhs=0),
        *(small(64, 128), small(64, 64)),
    ),
    "bytes that are scaled": (
        lambda x, y, s: whole(lambda a, b, c: product(a, b.astype(BF16)) * c, x, y, s),
        *(small(64, 256), numbers(256, 64, dtype=jnp.int8), normal(1, 64)),
    ),
    "int8": (
        lambda x, y: whole(lambda a, b: product(a, b, rhs=1, out=jnp.int32), x, y, rhs=1, out=jnp.int32),
        *(numbers(64, 512, dtype=jnp.int8), numbers(128, 512, dtype=jnp.int8)),
    ),
    "uint8": (
        lambda x, y: whole(lambda a, b: product(a, b, rhs=1, out=jnp.int32), x, y, rhs=1, out=jnp.int32),
        *(numbers(64, 128, dtype=jnp.uint8), numbers(64, 128, dtype=jnp.uint8)),
    ),
    "f8": (
        lambda x, y: whole(lambda a, b: product(a, b, rhs=1), x, y, rhs=1),
        *(numbers(64, 512, dtype=F8), numbers(64, 512, dtype=F8)),
    ),
    "f8 in steps": (
        lambda x, y: matmul(x, y, k=128, rhs=1),
        *(numbers(128, 256, dtype=F8), numbers(128, 256, dtype=F8)),
    ),
    "few rows": (lambda x, y: whole(product, x, y, m=32, n=128), small(32, 256), small(256, 256)),
    "few rows of f32": (lambda x, y: whole(product, x, y, m=16, n=128), normal(16, 192), normal(192, 256)),
    "few rows in steps": (lambda x, y: matmul(x, y, m=8, n=64), small(16, 128), small(128, 128)),
    "few queries": (
        lambda *args: whole(few_queries, *args, m=16, rhs=1),
        *(normal(32, 64, dtype=BF16), normal(64, 64, dtype=BF16), normal(64, 64, dtype=BF16)),
    ),
}
# CHECK: 27 of 27 kernels with such operands are right
report("kernels with such operands", CASES, programs=True)
