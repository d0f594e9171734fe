"""A file for `gridir`: the kernel asks which TPU it runs on, and its result says what it was told."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

CHIP = "v6e"


def chip_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * pltpu.get_tpu_info().mxu_column_size


def chip(x):
    return pl.pallas_call(chip_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def reference(x):
    return x * 256


def example_args():
    return (jnp.ones((8, 128)),)


def refused(x):
    columns = pltpu.get_tpu_info().mxu_column_size
    assert columns == 128, columns
    return chip(x)
