# Arrays of integers of less than a byte: warpgroup programs give what interpret mode gives, as tasks on the CPU, and as
# PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import RANDOM, report, small


def narrow(dtype, *shape):
    info = jnp.iinfo(dtype)
    return jnp.asarray(RANDOM.integers(int(info.min), int(info.max) + 1, shape), dtype)


def of_blocks(function, *arrays, dtype, rows=8):
    """A function of blocks of rows."""

    def kernel(*refs):
        *inputs, o_ref = refs
        o_ref[...] = function(*(ref[...] for ref in inputs)).astype(o_ref.dtype)

    block = pl.BlockSpec((rows, arrays[0].shape[1]), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        grid=(arrays[0].shape[0] // rows,),
        in_specs=[block] * len(arrays),
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(arrays[0].shape, dtype),
    )(*arrays)


def quantized(x, weights, scales, *, m=64, n=128, k=64, unit=jnp.bfloat16):
    """A product with weights of few bits and a scale for each column."""
    out = jnp.int32 if unit == jnp.int8 else jnp.float32

    def kernel(x_ref, w_ref, s_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(x_ref[...], w_ref[...].astype(unit), preferred_element_type=out)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = acc_ref[...].astype(jnp.float32) * s_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m, weights.shape[1] // n, x.shape[1] // k),
        in_specs=[
            pl.BlockSpec((m, k), lambda i, j, step: (i, step)),
            pl.BlockSpec((k, n), lambda i, j, step: (step, j)),
            pl.BlockSpec((1, n), lambda i, j, step: (0, j)),
        ],
        out_specs=pl.BlockSpec((m, n), lambda i, j, step: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], weights.shape[1]), jnp.float32),
        scratch_shapes=[pltpu.VMEM((m, n), out)],
    )(x, weights, scales)


def dequantized(x, w, *, rows=64):
    """Weights that are an operand as a whole, with an offset."""

    def kernel(x_ref, w_ref, o_ref):
        o_ref[...] = jnp.dot(x_ref[...], w_ref[...].astype(x.dtype) - 8, preferred_element_type=jnp.float32)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows,),
        in_specs=[pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(w.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((rows, w.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], w.shape[1]), jnp.float32),
    )(x, w)


KINDS = jnp.int4, jnp.uint4, jnp.int2, jnp.uint2
SCALES = small(1, 128, dtype=jnp.float32)
PROGRAMS = {
    **{
        f"{dtype.__name__} to {to.__name__}": (
            functools.partial(of_blocks, lambda x: x.astype(jnp.int32) * 3 - 1, dtype=to),
            narrow(dtype, 64, 256),
        )
        for dtype in KINDS
        for to in (jnp.int8, jnp.bfloat16)
    },
    "differences": (
        functools.partial(
            of_blocks, lambda x, y: jnp.where(x < y, lax.bitwise_xor(x, y), jnp.minimum(x, y)), dtype=jnp.int4
        ),
        narrow(jnp.int4, 32, 1000),
        narrow(jnp.int4, 32, 1000),
    ),
    "to uint4": (
        functools.partial(of_blocks, lambda x: jnp.abs(x) // 4, dtype=jnp.uint4),
        small(64, 200, dtype=jnp.int32),
    ),
    **{
        f"product with {dtype.__name__}": (quantized, small(128, 128), narrow(dtype, 128, 128), SCALES)
        for dtype in KINDS
    },
    "product of int8 with int4": (
        functools.partial(quantized, unit=jnp.int8),
        small(64, 128, dtype=jnp.int8),
        narrow(jnp.int4, 128, 128),
        SCALES,
    ),
    "product with all weights": (dequantized, small(128, 64), narrow(jnp.uint4, 64, 64)),
}

if __name__ == "__main__":
    # CHECK: 16 of 16 programs are right
    report("programs", PROGRAMS, programs=True)
    for chip in "sm_80", "sm_100a":
        # CHECK: 2 of 2 programs of sm_80 are right
        # CHECK: 2 of 2 programs of sm_100a are right
        some = {name: PROGRAMS[name] for name in ("int4 to bfloat16", "product with int4")}
        report(f"programs of {chip}", some, programs=True, chip=chip)
