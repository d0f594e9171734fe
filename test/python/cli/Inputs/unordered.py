import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def _swap(arrive, x, o, tile, stored):
    """Each warpgroup stores a half, and loads that of the other one."""
    w = jax.lax.axis_index("w")
    tile[pl.ds(w * 64, 64)] = x[pl.ds(w * 64, 64)] * 2
    if arrive:
        plgpu.barrier_arrive(stored)
        plgpu.barrier_wait(stored)
    o[pl.ds(w * 64, 64)] = tile[pl.ds(64 - w * 64, 64)]


def _call(arrive, x):
    return plgpu.kernel(
        functools.partial(_swap, arrive),
        out_type=jax.typeof(x),
        num_threads=2,
        thread_name="w",
        kernel_name="swap",
        scratch_types=[plgpu.SMEM((128, 64), jnp.float32), plgpu.Barrier(num_arrivals=2)],
    )(x)


def unordered(x):
    return _call(False, x)


def ordered(x):
    return _call(True, x)


def reference(x):
    return jnp.concatenate([x[64:], x[:64]]) * 2


def example_args():
    return (jax.random.normal(jax.random.key(0), (128, 64)),)
