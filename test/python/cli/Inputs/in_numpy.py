"""A kernel whose reference JAX cannot trace: it loops to a number of an argument, in NumPy, and changes an array."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def in_numpy(rows, x):
    def kernel(rows_ref, x_ref, o_ref):
        taken = jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 0) < rows_ref[0]
        o_ref[...] = jnp.where(taken, jnp.exp(x_ref[...]), x_ref[...])

    in_specs = [pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec()]
    return pl.pallas_call(kernel, out_shape=jax.typeof(x), in_specs=in_specs)(rows, x)


def doubled(rows, x):
    return 2 * in_numpy(rows, x)


def reference(rows, x):
    for row in range(int(rows[0])):
        x[row] = np.exp(x[row])
    return x


def example_args():
    return np.array([3], np.int32), np.linspace(-4, 4, 1024, dtype=np.float32).reshape(8, 128)
