"""A file for `gridir check`: a kernel that is right, and one whose grid is too short."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


def call(x, name, programs):
    rows = pl.BlockSpec((16, 64), lambda i: (i, 0))
    return pl.pallas_call(
        double_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(programs,),
        in_specs=[rows],
        out_specs=rows,
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
        name=name,
    )(x)


def checked(x):
    return call(x, "checked", 4)


def short(x):
    return call(x, "short", 3)


def example_args():
    return (jnp.zeros((64, 64)),)
