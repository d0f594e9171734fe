"""A file for `gridir run`: a mask beside floats, and a reference that scatters, both compared by float64."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def signs_kernel(x_ref, groups_ref, sums_ref, mask_ref):
    members = (groups_ref[...] == jax.lax.broadcasted_iota(jnp.int32, (8, 1024), 0)).astype(jnp.float32)
    terms = jnp.sin(x_ref[...])
    sums_ref[...] = jnp.dot(members, terms * 1.7, precision="highest") - jnp.dot(members, terms * 0.7)
    mask_ref[...] = x_ref[...] > 0


def signs(x, groups):
    results = jax.ShapeDtypeStruct((8, 128), x.dtype), jax.ShapeDtypeStruct(x.shape, jnp.bool_)
    return pl.pallas_call(signs_kernel, out_shape=results)(x, groups.reshape(1, -1))


def reference(x, groups):
    return jnp.zeros((8, 128)).at[groups].add(jnp.sin(x)), x > 0


def example_args():
    return jax.random.normal(jax.random.key(0), (1024, 128)), jnp.arange(1024) % 8
