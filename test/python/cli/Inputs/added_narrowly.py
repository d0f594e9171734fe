"""A product whose steps are added in bfloat16, which a few elements show more than most."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.bfloat16)


def added_narrowly(x, y):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((128, 128), jnp.bfloat16),
        grid=(16,),
        in_specs=[pl.BlockSpec((128, 128), lambda k: (0, k)), pl.BlockSpec((128, 128), lambda k: (k, 0))],
        out_specs=pl.BlockSpec((128, 128), lambda k: (0, 0)),
        name="added_narrowly",
    )(x, y)


def example_args():
    k = jax.random.split(jax.random.key(0))
    return jax.random.normal(k[0], (128, 2048), jnp.bfloat16), jax.random.normal(k[1], (2048, 128), jnp.bfloat16)


def reference(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(jnp.bfloat16)
