"""Kernels whose blocks take the work of clusters which have not begun."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
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


def asked_by_one(done, first, answer, asked, read, *, cluster):
    """The first warpgroup of each block asks, and both work on what is found."""
    begun, wg = jax.lax.axis_index("i"), jax.lax.axis_index("wg")
    own = (jax.lax.axis_index("c") if cluster > 1 else 0, wg)

    def body(carry):
        index, _ = carry
        done[(index, *own)] = jnp.full((128,), index, jnp.int32)
        first[(index, *own)] = jnp.full((128,), begun, jnp.int32)

        @pl.when(wg == 0)
        def _():
            plgpu.try_cluster_cancel(answer, asked, collective_axes=("c",) if cluster > 1 else ())

        plgpu.barrier_wait(asked)
        (index,), found = plgpu.query_cluster_cancel(answer, grid_names=("i",))
        plgpu.barrier_arrive_and_wait(read)
        return index, found

    jax.lax.while_loop(lambda carry: carry[1], body, (begun, jnp.bool_(True)))


def asked_by_each(done, first, answers, asked):
    """Each warpgroup asks for itself, and works on what it finds; on what the block began with the first one does."""
    begun, wg = jax.lax.axis_index("i"), jax.lax.axis_index("wg")

    def body(carry):
        index, works = carry

        @pl.when(works == 1)
        def _():
            done[index, 0, 0] = jnp.full((128,), index, jnp.int32)
            first[index, 0, 0] = jnp.full((128,), begun, jnp.int32)

        plgpu.try_cluster_cancel(answers.at[wg], asked.at[wg])
        plgpu.barrier_wait(asked.at[wg])
        (index,), found = plgpu.query_cluster_cancel(answers.at[wg], grid_names=("i",))
        return index, jnp.where(found, 1, 2)

    jax.lax.while_loop(lambda carry: carry[1] != 2, body, (begun, jnp.where(wg == 0, 1, 0)))


def asking(points, each, cluster=1):
    """A kernel whose warpgroups ask by themselves: one of each block for all, or each for itself."""
    mesh = {"grid": (points,), "grid_names": ("i",), "num_threads": 2, "thread_name": "wg"}
    if cluster > 1:
        mesh |= {"cluster": (cluster,), "cluster_names": ("c",)}
    shape = jax.ShapeDtypeStruct((points, cluster, 1 if each else 2, 128), jnp.int32)
    if each:
        body = asked_by_each
        scratch = [plgpu.TryClusterCancelResult(2), plgpu.Barrier(num_barriers=2)]
    else:
        body = functools.partial(asked_by_one, cluster=cluster)
        read = plgpu.Barrier(num_arrivals=2)
        if cluster > 1:
            read = plgpu.ClusterBarrier(collective_axes=("c",), num_arrivals=2)
        scratch = [plgpu.TryClusterCancelResult(), plgpu.Barrier(), read]
    expected = np.broadcast_to(np.arange(points, dtype=np.int32)[:, None, None, None], shape.shape)
    return plgpu.kernel(body, out_type=[shape, shape], scratch_types=scratch, **mesh), expected
