# Contractions of few rows, of short depths, of blocks that shared memory has no rows for, of bytes by rows, and of f64.
# Where `wgmma` does not take them, warps compute them with `mma.sync`, with operands in registers. Results are those
# of interpret mode, as tasks on the CPU and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import matmul, normal, product, report, small, whole

jax.config.update("jax_enable_x64", True)


def blocks(m, n, lhs=1, rhs=0, out=jnp.float32):
    """The product of blocks of these sizes and of the whole depth."""
    body = functools.partial(product, lhs=lhs, rhs=rhs, out=out)
    return functools.partial(whole, body, m=m, n=n, lhs=lhs, rhs=rhs, out=out)


def attention(q, k, v):
    s = product(q, k, rhs=1)
    p = jnp.exp(s - jnp.max(s, axis=1, keepdims=True))
    return product(p.astype(v.dtype), v) / jnp.sum(p, axis=1, keepdims=True)


def steps(m, n, k=32):
    return functools.partial(matmul, m=m, n=n, k=k)


CASES = {
    "int8 by rows": (blocks(64, 128, out=jnp.int32), *[small(128, 128, dtype=jnp.int8)] * 2),
    "int8 by columns": (blocks(128, 128, lhs=0, out=jnp.int32), *[small(128, 128, dtype=jnp.int8)] * 2),
    "f8 by rows": (blocks(64, 128), *[small(128, 128, dtype=jnp.float8_e4m3fn)] * 2),
    "f64": (blocks(32, 32, out=jnp.float64), normal(64, 32, dtype=jnp.float64), normal(32, 32, dtype=jnp.float64)),
    "a rounded transposed left operand": (
        lambda x, y: whole(lambda a, b: product((a * 2).astype(b.dtype), b, lhs=0), x, y, m=128, n=128, lhs=0),
        normal(128, 128),
        normal(128, 128, dtype=jnp.bfloat16),
    ),
    "blocks of 32": (blocks(32, 32), small(64, 32), small(32, 64)),
    "transposed left blocks": (blocks(32, 32, lhs=0), small(32, 64), small(32, 64)),
    "transposed right blocks": (blocks(32, 32, rhs=1), small(64, 32), small(64, 32)),
    "16 rows": (blocks(16, 64), small(32, 32), small(32, 64)),
    "48 rows, 96 columns": (blocks(48, 96), small(48, 48), small(48, 96)),
    "80 rows": (blocks(80, 128), small(80, 128), small(128, 128)),
    "f32 in blocks of 32": (blocks(32, 32), normal(32, 32), normal(32, 32)),
    "f32, short depth": (blocks(64, 32), normal(64, 48), normal(48, 32)),
    "attention of 16 elements": (
        functools.partial(whole, attention, rhs=1, m=32, n=32),
        *(normal(*shape, dtype=jnp.bfloat16) for shape in ((64, 16), (32, 16), (32, 32))),
    ),
    "steps": (steps(32, 32), small(64, 64), small(64, 64)),
    "steps of f32": (steps(32, 32), normal(64, 64), normal(64, 64)),
    "steps of 96 rows": (steps(96, 96), small(96, 64), small(64, 96)),
    "steps of overhanging blocks": (steps(32, 32), small(60, 64), small(64, 60)),
    "steps of 208 rows": (steps(208, 64, k=64), small(208, 128), small(128, 64)),
}

# CHECK: 19 of 19 programs are right
report("programs", CASES, programs=True)
# CHECK: without matrix instructions: []
without = []
for name, (function, *args) in CASES.items():
    [kernel] = gridir.lower(function, *args, target="gpu:sm_90a").kernels
    if "mma.sync" not in (text := kernel.text("ptx")) and "wgmma" not in text:
        without.append(name)
print(f"without matrix instructions: {without}")
