# Kernels of blocks on chips without `wgmma`: warps compute contractions with `mma.sync`. Where warpgroups can hand over
# registers, a producer starts bulk copies; elsewhere the warpgroups copy with `cp.async`. The results are those of
# interpret mode, as tasks on the CPU and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import matmul, normal, product, report, small, whole


def attention(q, k, v):
    s = product(q, k, rhs=1)
    p = jnp.exp(s - jnp.max(s, axis=1, keepdims=True))
    return product(p.astype(v.dtype), v) / jnp.sum(p, axis=1, keepdims=True)


def triangle(x, y):
    """A loop whose number of iterations depends on the program, over blocks that overhang their array."""

    def kernel(x_ref, y_ref, o_ref):
        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * 64, 64)], y_ref[pl.ds(step * 64, 64), :])

        init = jnp.zeros(o_ref.shape, jnp.float32)
        o_ref[...] = lax.fori_loop(0, pl.program_id(0) + 1, body, init)

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], 64),),
        in_specs=[pl.BlockSpec((64, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(y.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((64, y.shape[1]), lambda i: (i, 0)),
        out_shape=jnp.zeros((x.shape[0], y.shape[1]), jnp.float32),
    )(x, y)


def unaligned(x, y):
    """Windows that begin at 8 bytes of a row."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = product(x_ref[:, 4:68], y_ref[...])

    return pl.pallas_call(kernel, out_shape=jnp.zeros((x.shape[0], y.shape[1]), jnp.float32))(x, y)


PROGRAMS = {
    "matmul": (matmul, small(256, 256), small(256, 128)),
    "matmul of one warpgroup": (functools.partial(matmul, m=64, n=64), small(128, 256), small(256, 128)),
    "matmul of one step": (functools.partial(matmul, k=128), small(128, 128), small(128, 128)),
    "matmul of wide blocks": (functools.partial(matmul, m=256, n=256), small(256, 128), small(128, 256)),
    "transposed operands": (functools.partial(matmul, lhs=0, rhs=1), small(256, 128), small(128, 256)),
    "into the output, in bf16": (
        functools.partial(matmul, bias=small(1, 128, dtype=jnp.float32), out=jnp.bfloat16),
        small(128, 256),
        small(256, 128),
    ),
    "overhanging blocks": (matmul, small(200, 128), small(128, 200)),
    "loop": (triangle, small(200, 256), small(256, 64)),
    "attention": (lambda *args: whole(attention, *args, rhs=1), *(normal(64, 64, dtype=jnp.bfloat16),) * 3),
    "f32": (matmul, normal(128, 128), normal(128, 128)),
    "int8 by rows": (
        lambda x, y: whole(functools.partial(product, out=jnp.int32), x, y, n=128, out=jnp.int32),
        small(64, 128, dtype=jnp.int8),
        small(128, 128, dtype=jnp.int8),
    ),
    "few rows": (lambda x, y: whole(product, x, y, m=16, n=128), small(32, 256), small(256, 128)),
    "a computed right operand": (
        lambda x, y: whole(lambda a, b: product(a, jnp.tanh(b).astype(a.dtype)), x, y),
        small(64, 128),
        normal(128, 64),
    ),
}
SHORT = {
    "f8": (
        lambda x, y: whole(product, x, y, n=128),
        small(64, 128, dtype=jnp.float8_e4m3fn),
        small(128, 128, dtype=jnp.float8_e4m3fn),
    ),
}
UNALIGNED = {"windows that begin at 8 bytes": (unaligned, small(64, 72), small(64, 64))}

# CHECK: 13 of 13 programs on sm_80 are right
# CHECK: 13 of 13 programs on sm_100a are right
for chip in ("sm_80", "sm_100a"):
    report(f"programs on {chip}", PROGRAMS, programs=True, chip=chip)
# CHECK: 1 of 1 programs with f8 on sm_120 are right
# CHECK: 1 of 1 programs with f8 on sm_100a are right
for chip in ("sm_120", "sm_100a"):
    report(f"programs with f8 on {chip}", SHORT, programs=True, chip=chip)
# Bulk copies begin at any element, and copies by threads do not.
# CHECK: 1 of 1 programs with unaligned windows on sm_100a are right
report("programs with unaligned windows on sm_100a", UNALIGNED, programs=True, chip="sm_100a")
# CHECK: 1 of 1 mapped kernels on sm_80 are right
report("mapped kernels on sm_80", UNALIGNED, programs=False, chip="sm_80")
