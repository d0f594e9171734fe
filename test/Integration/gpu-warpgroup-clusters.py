# As PTX for a GPU, executed on the CPU: what blocks of a cluster tell and copy one another, and code of single warps.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from cluster_kernels import across, shared_along, windows_along
from ptx_runs import look

X = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
whole = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)))
PAIR = {"cluster": (2,), "cluster_names": ("c",)}
TILE = plgpu.SMEM((32, 64), jnp.float32)
MET = plgpu.ClusterBarrier(collective_axes=("c",))


def exchange(x, o, tile, loaded, met):
    """Each block loads a tile, and writes the one of the other block."""
    c = jax.lax.axis_index("c")
    plgpu.copy_gmem_to_smem(x.at[pl.ds(c * 32, 32)], tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)
    o[pl.ds(c * 32, 32)] = plgpu.cluster_ref(tile, {"c": 1 - c})[...]
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)


# CHECK-COUNT-3: exchange {{.*}}: right
OTHER = np.concatenate([X[32:], X[:32]])
look("exchange", whole(exchange, scratch_types=[TILE, plgpu.Barrier(), MET], **PAIR), OTHER, X)


# Axes that count as one: all four blocks synchronize.
# CHECK-COUNT-3: across {{.*}}: right
look("across", across, X.reshape(4, 16, 64)[::-1].reshape(64, 64), X)

# Clusters of which copies are collective along some axes only: along the first, the last, two of three, or in another
# order than the cluster's; with windows of which no equal parts can be made.
# CHECK-COUNT-18: along {{.*}}: right
# CHECK-NOT: along
for axes, collective in (
    ({"r": 2, "c": 2}, (("c",), ("r",))),
    ({"r": 2, "c": 4}, (("r",), ("c",), ("c", "r"))),
    ({"a": 2, "b": 2, "c": 2}, (("a", "c"), ("b",), ("c", "b"))),
):
    for shape in ((8, 32), (5, 32)):
        arguments, seen = zip(
            *(windows_along(axes, along, shape, 100 * i) for i, along in enumerate(collective)), strict=True
        )
        look(
            f"along {collective} of {axes}, {shape}",
            shared_along(axes, collective, shape, slots=2),
            np.stack([sum(seen)] * 4),
            *arguments,
        )


def shared_window(x, o, tile, loaded, met):
    """Each block gets a window, of which either copies a part for both."""
    plgpu.copy_gmem_to_smem(x, tile, loaded, collective_axes="c")
    plgpu.barrier_wait(loaded)
    o[jax.lax.axis_index("c")] = tile[...]
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)


# CHECK-COUNT-3: window (1, 8, 32) {{.*}}: right
# CHECK-COUNT-3: window (3, 8, 32) {{.*}}: right
# CHECK-COUNT-3: window (4, 8, 32) {{.*}}: right
# CHECK-COUNT-3: window (1, 3, 4, 16) {{.*}}: right
# CHECK-COUNT-3: window (128,) {{.*}}: right
# CHECK-COUNT-3: window (5, 64) {{.*}}: right
for shape in ((1, 8, 32), (3, 8, 32), (4, 8, 32), (1, 3, 4, 16), (128,), (5, 64)):
    window = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    look(
        f"window {shape}",
        plgpu.kernel(
            shared_window,
            out_type=jax.ShapeDtypeStruct((2, *shape), jnp.float32),
            scratch_types=[plgpu.SMEM(shape, jnp.float32), plgpu.Barrier(), MET],
            **PAIR,
        ),
        np.stack([window, window]),
        window,
    )


def send(x, o, tile, met, done, *, atomic):
    """Each block sends its rows to the other one, twice, and waits for those that it gets."""
    c = jax.lax.axis_index("c")
    for step in range(2):
        tile[...] = jnp.full((32, 64), step, x.dtype)
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
        value = plgpu.load(x.at[pl.ds(c * 32, 32)])
        plgpu.async_store_smem(value, tile, done, cluster_idx=1 - c, cluster_dim="c", atomic=atomic)
        plgpu.barrier_wait(done)
        o[pl.ds(c * 32, 32)] = tile[...]


# CHECK-COUNT-3: send None {{.*}}: right
# CHECK-COUNT-3: send add {{.*}}: right
for atomic, dtype in ((None, jnp.float32), ("add", jnp.int32)):
    look(
        f"send {atomic}",
        plgpu.kernel(
            functools.partial(send, atomic=atomic),
            out_type=jax.ShapeDtypeStruct((64, 64), dtype),
            scratch_types=[plgpu.SMEM((32, 64), dtype), MET, plgpu.Barrier()],
            **PAIR,
        ),
        OTHER.astype(dtype) + (atomic is not None),
        X.astype(dtype),
    )


def cross(o, met):
    """Of 2 x 3 blocks each meets those of its row and of its column."""
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)
    r, c = jax.lax.axis_index("r"), jax.lax.axis_index("c")
    o[r, c] = r * 3 + c


# CHECK-COUNT-3: cross {{.*}}: right
look(
    "cross",
    plgpu.kernel(
        cross,
        out_type=jax.ShapeDtypeStruct((2, 3), jnp.int32),
        cluster=(2, 3),
        cluster_names=("r", "c"),
        scratch_types=[plgpu.ClusterBarrier(collective_axes=("r", "c"))],
    ),
    np.arange(6, dtype=np.int32).reshape(2, 3),
)


def tracked(o, begun, met):
    """The first block stores when the other one has, too."""
    c = jax.lax.axis_index("c")

    @pl.when(c == 1)
    def _():
        o[0] = 1

    plgpu.barrier_arrive(begun)

    @pl.when(c == 0)
    def _():
        plgpu.barrier_wait(begun)
        o[1] = o[0] + 1

    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)


# CHECK-COUNT-3: tracked {{.*}}: right
look(
    "tracked",
    plgpu.kernel(
        tracked,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.ClusterBarrier(collective_axes=("c",), leader_tracked=True), MET],
        **PAIR,
    ),
    np.array([1, 2], np.int32),
)


def warps(x, o, tiles, full, empty):
    """One warp fills a ring of tiles, another one empties it, and the warpgroup sees that both are done."""

    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
        warp = jax.lax.axis_index("warp")

        @pl.when(warp == 1)
        def _():
            def fill(step, _):
                slot = step % 2

                @pl.when(step >= 2)
                def _():
                    plgpu.barrier_wait(empty.at[slot])

                plgpu.copy_gmem_to_smem(x.at[pl.ds(step * 8, 8)], tiles.at[slot], full.at[slot])

            jax.lax.fori_loop(0, 8, fill, None)

        @pl.when(warp == 3)
        def _():
            def drain(step, _):
                slot = step % 2
                plgpu.barrier_wait(full.at[slot])
                plgpu.copy_smem_to_gmem(tiles.at[slot], o.at[pl.ds(step * 8, 8)])
                plgpu.wait_smem_to_gmem(0)
                plgpu.barrier_arrive(empty.at[slot])

            jax.lax.fori_loop(0, 8, drain, None)


# CHECK-COUNT-3: warps {{.*}}: right
RING = [plgpu.SMEM((2, 8, 64), jnp.float32), plgpu.Barrier(num_barriers=2), plgpu.Barrier(num_barriers=2)]
look("warps", whole(warps, scratch_types=RING), X, X)


def look_again(x, o, tile, loaded):
    """A warp looks until the copy of another one is done."""

    @plgpu.warp_map
    def _(warp):
        @pl.when(warp == 0)
        def _():
            plgpu.copy_gmem_to_smem(x, tile, loaded)

        @pl.when(warp == 2)
        def _():
            jax.lax.while_loop(jnp.logical_not, lambda _: plgpu.barrier_test(loaded), False)
            plgpu.copy_smem_to_gmem(tile, o)
            plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: look_again {{.*}}: right
look("look_again", whole(look_again, scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()]), X, X)


def numbers(o):
    wg = jax.lax.axis_index("wg")

    @plgpu.warp_map
    def _(warp):
        o[wg * 4 + warp] = wg * 4 + warp


# CHECK-COUNT-3: numbers {{.*}}: right
look(
    "numbers",
    plgpu.kernel(numbers, out_type=jax.ShapeDtypeStruct((8,), jnp.int32), num_threads=2, thread_name="wg"),
    np.arange(8, dtype=np.int32),
)
