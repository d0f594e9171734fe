"""A planted wrong kernel: its grid is too short, so that no program writes the last rows."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def doubled(x):
    rows = pl.BlockSpec((128, 64), lambda i: (i, 0))
    return pl.pallas_call(
        double_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(x.shape[0] // 128,),
        in_specs=[rows],
        out_specs=rows,
    )(x)


def example_args():
    return (jnp.ones((1000, 64)),)


def reference(x):
    return x * 2
