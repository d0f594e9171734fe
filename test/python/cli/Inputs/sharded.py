"""A file for `gridir run`: a kernel that two devices run, each on its half."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.sharding import AxisType, PartitionSpec


def sums_kernel(x_ref, o_ref):
    x = x_ref[...]
    o_ref[...] = jnp.sum(x * 1.7, axis=1, keepdims=True) - jnp.sum(x * 0.7, axis=1, keepdims=True)


def sharded(x):
    mesh = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Auto,))

    def sums(x):
        shape = jax.ShapeDtypeStruct((x.shape[0], 1), x.dtype)
        return jax.lax.psum(pl.pallas_call(sums_kernel, out_shape=shape)(x), "d")

    specs = {"in_specs": PartitionSpec("d"), "out_specs": PartitionSpec(), "check_vma": False}
    return jax.shard_map(sums, mesh=mesh, **specs)(x)


def example_args():
    return (jax.random.normal(jax.random.key(0), (128, 64)),)
