# Contractions of blocks whose accumulators are in tensor memory: of scratch, outputs, loops, and without a sum. The
# results are those of interpret mode, as tasks on the CPU and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import re
import sys

import gridir
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import matmul, product, report, small, whole

CHIP = "sm_100a"


def loop(x, y, m=128, depth=64):
    """A loop carries the sum, and its number of iterations depends on the program."""

    def kernel(x_ref, y_ref, o_ref):
        def body(step, acc):
            at = pl.ds(step * depth, depth)
            return acc + product(x_ref[:, at], y_ref[at, :])

        init = jnp.ones(o_ref.shape, jnp.float32)
        o_ref[...] = lax.fori_loop(0, pl.program_id(0) + 1, body, init)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m,),
        in_specs=[pl.BlockSpec((m, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(y.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((m, y.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float32),
    )(x, y)


def running(x, y):
    """Each step writes the sum so far."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += product(x_ref[...], y_ref[...])
        o_ref[0] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[1] // 64,),
        in_specs=[pl.BlockSpec((128, 64), lambda i: (0, i)), pl.BlockSpec((64, 64), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((1, 128, 64), lambda i: (i, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[1] // 64, 128, 64), jnp.float32),
        scratch_shapes=[pltpu.VMEM((128, 64), jnp.float32)],
    )(x, y)


def steps(x, y, step=lambda acc, x, y: acc + product(x, y)):
    """Each step changes an accumulator."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            acc_ref[...] = jnp.ones_like(acc_ref)

        acc_ref[...] = step(acc_ref[...], x_ref[...], y_ref[...])

        @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
        def _():
            o_ref[...] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[1] // 64,),
        in_specs=[pl.BlockSpec((128, 64), lambda i: (0, i)), pl.BlockSpec((64, y.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((128, y.shape[1]), lambda i: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((128, y.shape[1]), jnp.float32),
        scratch_shapes=[pltpu.VMEM((128, y.shape[1]), jnp.float32)],
    )(x, y)


def gated(x, gate, up):
    first, second = product(x, gate), product(x, up)
    return first * jnp.minimum(second, 9.0)


def reused(x, y):
    """Threads read a block that MMAs read, too."""
    return product(x, y) + jnp.sum(x.astype(jnp.float32), axis=1, keepdims=True)


PROGRAMS = {
    "scratch": (matmul, small(256, 256), small(256, 128)),
    "two warpgroups": (functools.partial(matmul, m=256), small(256, 256), small(256, 128)),
    "64 rows": (functools.partial(matmul, m=64), small(128, 256), small(256, 128)),
    "64 rows of few columns": (functools.partial(matmul, m=64, n=64, rhs=1), small(128, 256), small(128, 256)),
    "192 rows": (functools.partial(matmul, m=192), small(384, 256), small(256, 128)),
    "wide blocks": (functools.partial(matmul, m=256, n=256), small(256, 128), small(128, 256)),
    "one step": (functools.partial(matmul, k=128), small(128, 128), small(128, 128)),
    "transposed operands": (functools.partial(matmul, lhs=0, rhs=1), small(256, 128), small(128, 256)),
    "into the output": (functools.partial(matmul, scratch=False), small(128, 256), small(256, 256)),
    "bias and activation": (
        functools.partial(matmul, bias=small(1, 128, dtype=jnp.float32), activation=jax.nn.relu, out=jnp.bfloat16),
        small(128, 256),
        small(256, 128),
    ),
    "overhanging blocks": (matmul, small(200, 128), small(128, 200)),
    "overhanging outputs": (functools.partial(matmul, scratch=False), small(200, 128), small(128, 200)),
    "loop": (loop, small(256, 256), small(256, 64)),
    "no sum": (lambda x, y: whole(product, x, y, m=128), small(256, 64), small(64, 128)),
    "running sums": (running, small(128, 256), small(256, 64)),
    "scaled accumulator": (
        functools.partial(steps, step=lambda acc, x, y: acc * 2 + product(x, y)),
        small(128, 256),
        small(256, 64),
    ),
    "a computed right operand": (
        functools.partial(steps, step=lambda acc, x, y: acc + product(x, jnp.maximum(y, 0))),
        small(128, 256),
        small(256, 128),
    ),
    "two sums": (
        functools.partial(steps, step=lambda acc, x, y: acc + product(x, y) + product(x, y) * 3),
        small(128, 256),
        small(256, 64),
    ),
    "two products": (lambda x, y, z: whole(gated, x, y, z, m=128), small(128, 64), small(64, 64), small(64, 64)),
    "a block with two uses": (lambda x, y: whole(reused, x, y, m=128), small(128, 64), small(64, 128)),
    "f16": (matmul, small(128, 128, dtype=jnp.float16), small(128, 128, dtype=jnp.float16)),
    "int8": (
        lambda x, y: whole(functools.partial(product, out=jnp.int32), x, y, m=128, n=128, out=jnp.int32),
        small(128, 128, dtype=jnp.int8),
        small(128, 128, dtype=jnp.int8),
    ),
    "f8": (
        lambda x, y: whole(product, x, y, m=128, n=128),
        small(128, 128, dtype=jnp.float8_e4m3fn),
        small(128, 128, dtype=jnp.float8_e5m2).astype(jnp.float8_e4m3fn),
    ),
}

# CHECK: 23 of 23 programs are right
report("programs", PROGRAMS, programs=True, chip=CHIP)

# Half of 64 or 192 columns is no multiple of the panels of an operand that is contiguous along them.
# CHECK-NEXT: 2 of 2 programs with mma.sync are right
PARTS = {
    "64 columns": (functools.partial(matmul, m=64, n=64), small(128, 256), small(256, 64)),
    "192 columns": (functools.partial(matmul, m=64, n=192), small(64, 128), small(128, 192)),
}
report("programs with mma.sync", PARTS, programs=True, chip=CHIP)

# CHECK-NEXT: without tcgen05: []
# CHECK-NEXT: with mma.sync: []
without, others = [], []
for name, (function, *args) in PROGRAMS.items():
    [kernel] = gridir.lower(function, *args, target=f"gpu:{CHIP}").kernels
    ptx = kernel.text("ptx")
    if not re.search(r"tcgen05\.mma", ptx):
        without.append(name)
    if "mma.sync" in ptx:
        others.append(name)
print("without tcgen05:", without)
print("with mma.sync:", others)
