"""Kernels whose blocks take the work of clusters which have not begun."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import mosaic_gpu as plgpu


def work(done, first, *, grid, axes, threads, cluster):
    """Each block marks the points of the grid that it works on, by their numbers and by the one that it began with."""
    begun = jax.lax.axis_index(axes)
    own = (jax.lax.axis_index("c") if cluster else 0, jax.lax.axis_index("wg") if threads else 0)

    @plgpu.dynamic_scheduling_loop(axes, thread_axis="wg" if threads else None, cluster_axes=("c",) if cluster else ())
    def _(info):
        number = 0
        for index, size in zip(info.index, grid, strict=True):
            number = number * size + index
        done[(*info.index, *own)] = jnp.full((128,), number, jnp.int32)
        first[(*info.index, *own)] = jnp.full((128,), begun, jnp.int32)


def kernel(grid, cluster=1, threads=None):
    """A kernel over a grid, whose results have an element for each block and warpgroup that works on a point."""
    axes = tuple("ijk"[: len(grid)])
    mesh = {"grid": grid, "grid_names": axes}
    if cluster > 1:
        mesh |= {"cluster": (cluster,), "cluster_names": ("c",)}
    if threads:
        mesh |= {"num_threads": threads, "thread_name": "wg"}
    shape = jax.ShapeDtypeStruct((*grid, cluster, threads or 1, 128), jnp.int32)
    body = functools.partial(work, grid=grid, axes=axes, threads=threads, cluster=cluster > 1)
    points = np.arange(math.prod(grid), dtype=np.int32).reshape(*grid, 1, 1, 1)
    return plgpu.kernel(body, out_type=[shape, shape], **mesh), np.broadcast_to(points, shape.shape)
