"""A file for the command line: a kernel that signals to itself."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def signals_kernel(x_ref, o_ref, sem):
    pl.semaphore_signal(sem, 1)
    pl.semaphore_wait(sem, 1)
    o_ref[...] = x_ref[...] + x_ref[...]


def signals(x):
    return pl.pallas_call(
        signals_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_shapes=[pltpu.SemaphoreType.REGULAR],
        name="signals",
    )(x)


def example_args():
    return (jnp.arange(64.0 * 64).reshape(64, 64),)
