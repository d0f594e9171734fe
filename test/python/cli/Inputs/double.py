"""A file for the command line: plain JAX."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


def double(x):
    return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), name="double")(x)


def twice(x):
    return double(double(x))


def no_kernel(x):
    return x + x


def broken(x):
    return x + jnp.ones(3)


def wrong(x):
    # Reads what it writes before it is written: interpret mode and a compiled kernel may differ, and do on a counter.
    return double(x) + next(_counter)


def unsupported(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.linalg.cholesky(x_ref[...])

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), name="unsupported")(x)


def tangent(x):
    # JAX cannot differentiate a kernel that asks for its program id.
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * pl.program_id(0)

    call = pl.pallas_call(kernel, grid=(1,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), name="tangent")
    return jax.jvp(call, (x,), (x,))


_counter = iter(range(100))


def example_args():
    return (jnp.arange(64.0 * 64).reshape(64, 64),)
