"""A file for `gridir`: a call with values of JSON beside it, and a derivative that JAX itself makes wrongly."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

VALUES = {"b": True, "f": 0.1, "i": 8, "large": -(2**70), "l": (1, 2.0, "x", (False,)), "n": None, "s": "1"}


def add_kernel(x_ref, n_ref, o_ref):
    o_ref[...] = x_ref[...] + n_ref[...].astype(jnp.float32)


def metadata(x, n):
    return pl.pallas_call(add_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), metadata=VALUES, name="add")(
        x, n
    )


def derivative(x, n):
    return jax.jvp(lambda x: metadata(x, n), (x,), (x,))


def beyond_json(x, n):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(add_kernel, out_shape=shape, metadata={"n": np.int32(3)}, name="add")(x, n)


def with_scratch(x, _):
    def kernel(x_ref, o_ref, kept_ref):
        kept_ref[...] = x_ref[...]
        o_ref[...] = kept_ref[...]

    scratch = [pltpu.VMEM(x.shape, x.dtype)]
    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), scratch_shapes=scratch)
    return jax.jvp(call, (x,), (x,))


def example_args():
    return jnp.ones((8, 128)), jnp.ones((8, 128), jnp.int32)
