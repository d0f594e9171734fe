"""A file for `gridir`: a call with values of JSON beside it, and a derivative that JAX itself makes wrongly."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

VALUES = {"b": True, "f": 0.1, "i": 8, "large": -(2**70), "l": (1, 2.0, "x", (False,)), "n": None, "s": "1"}


def add_kernel(x_ref, n_ref, o_ref):
    o_ref[...] = x_ref[...] + n_ref[...].astype(jnp.float32)


def metadata(x, n):
    return pl.pallas_call(add_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), metadata=VALUES, name="add")(
        x, n
    )


def derivative(x, n):
    return jax.jvp(lambda x: metadata(x, n), (x,), (x,))


def example_args():
    return jnp.ones((8, 128)), jnp.ones((8, 128), jnp.int32)
