"""A file for `gridir`: programs of a parallel dimension write one block."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def racy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * (pl.program_id(0) + 1)


def racy(x):
    return pl.pallas_call(
        racy_kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((8, 128), x.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
        name="racy",
    )(x)


def example_args():
    return (jnp.ones((32, 128)),)
