# Blocks that take the work of clusters which have not begun, as PTX for sm_100a, executed thread by thread: each point
# of the grid is worked on once, by as many blocks as run at a time, in the executor's own order of threads and in
# another.
#
# RUN: %python %s | FileCheck %s

import functools
import math

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import difference
from jax.experimental.pallas import mosaic_gpu as plgpu

GPU = get_target("gpu:sm_100a")


def look(name, call, expected):
    """Runs a kernel on machines of several sizes; prints its error, or what it gives."""
    for blocks, seed in ((2, None), (4, None), (4, 1), (None, None)):
        # What persistent kernels ask a GPU for, which this machine's CPU has not.
        type(jax.devices()[0]).core_count = blocks
        try:
            run = execute(call, (), GPU, checks=["races", "uninitialized"], schedule_seed=seed)
            done, first = run.function()
            said = difference(done, expected) or "right"
            print(
                f"{name} {blocks} {seed}: {said}, {len(np.unique(first))} of {len(np.unique(done))} begin", flush=True
            )
        except (gridir.Error, jax.errors.JaxRuntimeError) as error:
            print(f"{name} {blocks} {seed}:", error, flush=True)


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


# CHECK: row 2 None: right, 2 of 5 begin
# CHECK-NEXT: row 4 None: right, 4 of 5 begin
# CHECK-NEXT: row 4 1: right, 4 of 5 begin
# CHECK-NEXT: row None None: right, 5 of 5 begin
look("row", *kernel((5,)))
# CHECK: matrix 2 None: right, 2 of 6 begin
# CHECK-NEXT: matrix 4 None: right, 4 of 6 begin
# CHECK-NEXT: matrix 4 1: right, 4 of 6 begin
# CHECK-NEXT: matrix None None: right, 6 of 6 begin
look("matrix", *kernel((2, 3)))
# CHECK: pairs 2 None: right, 1 of 5 begin
# CHECK-NEXT: pairs 4 None: right, 2 of 5 begin
# CHECK-NEXT: pairs 4 1: right, 2 of 5 begin
# CHECK-NEXT: pairs None None: right, 5 of 5 begin
look("pairs", *kernel((5,), cluster=2))
# CHECK: warpgroups 2 None: right, 2 of 5 begin
# CHECK-NEXT: warpgroups 4 None: right, 4 of 5 begin
# CHECK-NEXT: warpgroups 4 1: right, 4 of 5 begin
# CHECK-NEXT: warpgroups None None: right, 5 of 5 begin
look("warpgroups", *kernel((5,), threads=2))
