"""Kernels of clusters that run natively and as PTX."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


@functools.partial(
    plgpu.kernel,
    out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32),
    scratch_types=[
        plgpu.SMEM((16, 64), jnp.float32),
        plgpu.Barrier(),
        plgpu.ClusterBarrier(collective_axes=(("b", "c"),)),
    ],
    cluster=(2, 2),
    cluster_names=("b", "c"),
)
def across(x, o, tile, loaded, met):
    """Each block writes the tile of the one that differs in both axes, when all have theirs."""
    b, c = jax.lax.axis_index("b"), jax.lax.axis_index("c")
    plgpu.copy_gmem_to_smem(x.at[pl.ds((2 * b + c) * 16, 16)], tile, loaded)
    plgpu.barrier_wait(loaded)
    for _ in range(2):
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
    o[pl.ds((2 * b + c) * 16, 16)] = plgpu.cluster_ref(tile, {"b": 1 - b, "c": 1 - c})[...]
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)
