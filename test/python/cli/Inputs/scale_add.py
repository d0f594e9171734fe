"""A kernel whose compiler is to be made wrong: each of its passes has something to do."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def scale_add_kernel(x_ref, y_ref, o_ref):
    positive = jnp.maximum(x_ref[...], 0.0)
    o_ref[...] = positive - y_ref[...] * 3.0


def scale_add(x, y):
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
        scale_add_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(x.shape[0] // 8,),
        in_specs=[block, block],
        out_specs=block,
        name="scale_add",
    )(x, y)


def example_args():
    return tuple(jax.random.normal(jax.random.key(i), (32, 128), jnp.float32) for i in range(2))
