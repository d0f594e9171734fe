import jax.numpy as jnp
from jax.experimental import pallas as pl


def body(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def plus(x):
    return pl.pallas_call(body, out_shape=x)(x)


def example_args():
    return jnp.ones(8)
