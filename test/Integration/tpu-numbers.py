# RUN: %python %s | FileCheck %s

# Numbers of rank 0 that are made of vectors, and Refs of one number: the module for a TPU gives what interpret mode
# gives, in the interpreter of Mosaic's form and compiled for this machine.
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import difference, interpreted, mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")


def to_number(x_ref, number_ref, o_ref):
    number = lax.bitcast_convert_type(x_ref[...], number_ref.dtype)
    number_ref[...] = number
    o_ref[...] = jnp.full(o_ref.shape, number)


def call(x, dtype):
    return pl.pallas_call(
        to_number,
        out_shape=(jax.ShapeDtypeStruct((), dtype), jax.ShapeDtypeStruct((8, 128), dtype)),
        out_specs=(pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec()),
    )(x)


# CHECK: int16 int32 None None None None
# CHECK-NEXT: int8 int32 None None None None
# CHECK-NEXT: uint16 float32 None None None None
for source, values, target in (
    ("int16", [3, 5], "int32"),
    ("int8", [1, -2, 3, 4], "int32"),
    ("uint16", [0, 16256], "float32"),
):
    x = jnp.asarray(np.array(values, source))
    with interpreted():
        want = call(x, target)
    with mosaic_interpreted():
        executed = jax.jit(call, static_argnums=1)(x, target)
    with gridir.installed(options=THROUGH_TPU):
        compiled = jax.jit(lambda x, t=target: call(x, t))(x)
    print(source, target, *map(difference, executed, want), *map(difference, compiled, want))
