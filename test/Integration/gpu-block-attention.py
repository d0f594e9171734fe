# Contractions whose left operand the body computes, as in attention, on a chip with tensor memory: MMAs read it there,
# and a sum that is rescaled stays in its accumulator. The results are those of interpret mode, as tasks on the CPU and
# as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys
import warnings

import gridir
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, product, report, small, whole

with warnings.catch_warnings():
    # JAX recommends another package.
    warnings.simplefilter("ignore", DeprecationWarning)
    from jax.experimental.pallas.ops.gpu import attention

CHIP = "sm_100a"


def mha(q, k, v, segments=None, *, causal=False, rows=128, keys=128):
    sizes = attention.BlockSizes(rows, keys, 128, 128, 128, 128)
    return attention.mha(q, k, v, segments, sm_scale=0.1, causal=causal, block_sizes=sizes)


def heads(tokens, depth, dtype=jnp.bfloat16):
    return tuple(normal(1, tokens, 1, depth, dtype=dtype) for _ in range(3))


def in_steps(q, k, v, block=64):
    """Attention over blocks of keys in the steps of the grid, with its state in scratch."""

    def kernel(q_ref, k_ref, v_ref, o_ref, acc_ref, max_ref, sum_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)
            max_ref[...] = jnp.full_like(max_ref, -jnp.inf)
            sum_ref[...] = jnp.zeros_like(sum_ref)

        scores = product(q_ref[...] * jnp.bfloat16(0.125), k_ref[...], rhs=1)
        old = max_ref[...]
        new = jnp.maximum(old, jnp.max(scores, axis=1, keepdims=True))
        shrink = jnp.exp(old - new)
        p = jnp.exp(scores - new)
        max_ref[...] = new
        sum_ref[...] = sum_ref[...] * shrink + jnp.sum(p, axis=1, keepdims=True)
        acc_ref[...] = product(p.astype(v_ref.dtype), v_ref[...]) + acc_ref[...] * shrink

        @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
        def _():
            o_ref[...] = (acc_ref[...] / sum_ref[...]).astype(o_ref.dtype)

    keys = pl.BlockSpec((block, k.shape[1]), lambda i, j: (j, 0))
    rows = pl.BlockSpec((128, q.shape[1]), lambda i, j: (i, 0))
    return pl.pallas_call(
        kernel,
        grid=(q.shape[0] // 128, k.shape[0] // block),
        in_specs=[rows, keys, keys],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
        scratch_shapes=[
            pltpu.VMEM((128, q.shape[1]), jnp.float32),
            pltpu.VMEM((128, 1), jnp.float32),
            pltpu.VMEM((128, 1), jnp.float32),
        ],
    )(q, k, v)


def weights(q, k, v):
    """Attention without a loop."""
    s = product(q, k, rhs=1)
    p = jnp.exp(s - jnp.max(s, axis=1, keepdims=True))
    return product(p.astype(v.dtype), v) / jnp.sum(p, axis=1, keepdims=True)


def layers(x, y, z):
    return product(jnp.maximum(product(x, y), 0).astype(x.dtype), z)


def loop(x, y):
    """A loop halves the sum, and adds products of a left operand that is computed before the loop."""

    def kernel(x_ref, y_ref, o_ref):
        left = jnp.maximum(x_ref[...], 0)

        def body(step, acc):
            return acc * 0.5 + product(left, y_ref[pl.ds(step * 64, 64), :])

        o_ref[...] = lax.fori_loop(0, pl.program_id(0) + 1, body, jnp.ones(o_ref.shape, jnp.float32))

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 128,),
        in_specs=[pl.BlockSpec((128, 64), lambda i: (i, 0)), pl.BlockSpec(y.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((128, y.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float32),
    )(x, y)


def of_left(change, x, y, **options):
    return whole(lambda x, y: product(change(x), y, **options), x, y, m=128, n=128, **options)


PROGRAMS = {
    "depth 64": (mha, *heads(256, 64)),
    "depth 128": (functools.partial(mha, keys=64), *heads(128, 128)),
    "depth 256": (mha, *heads(128, 256)),
    "f16": (functools.partial(mha, keys=64), *heads(128, 64, dtype=jnp.float16)),
    "causal": (functools.partial(mha, causal=True), *heads(256, 64)),
    "segments": (functools.partial(mha, keys=64), *heads(128, 64), jnp.arange(128, dtype=jnp.int32)[None] // 50),
    "two warpgroups": (functools.partial(mha, rows=256, keys=64), *heads(256, 64)),
    "rows of two CTAs": (functools.partial(mha, rows=256), *heads(256, 128)),
    "steps": (in_steps, *(normal(128, 64, dtype=jnp.bfloat16) for _ in range(3))),
    "without a loop": (
        lambda *args: whole(weights, *args, m=128, rhs=1),
        *(normal(*shape, dtype=jnp.bfloat16) for shape in ((256, 64), (64, 64), (64, 64))),
    ),
    "two layers": (lambda x, y, z: whole(layers, x, y, z, m=128), small(128, 64), small(64, 64), small(64, 64)),
    "loop of computed operands": (loop, small(256, 64), small(128, 64)),
    "a computed left operand": (functools.partial(of_left, jnp.abs), small(128, 256), small(256, 128)),
    "computed int8": (
        functools.partial(of_left, jnp.negative, out=jnp.int32),
        small(128, 128, dtype=jnp.int8),
        small(128, 128, dtype=jnp.int8),
    ),
}

# CHECK: 14 of 14 programs are right
report("programs", PROGRAMS, programs=True, chip=CHIP)

# CHECK-NEXT: without tcgen05 or with mma.sync: []
others = []
for name, (function, *args) in PROGRAMS.items():
    [kernel] = gridir.lower(function, *args, target=f"gpu:{CHIP}").kernels
    ptx = kernel.text("ptx")
    if "tcgen05.mma" not in ptx or "mma.sync" in ptx:
        others.append(name)
print("without tcgen05 or with mma.sync:", others)
