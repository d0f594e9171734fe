"""Kernels of clusters that run natively and as PTX."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
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


def shared_along(
    axes: dict[str, int], collective: tuple[str | tuple[str, ...], ...], shape: tuple[int, ...], slots: int = 1
) -> Any:
    """A kernel of a cluster whose blocks share copies along some of its axes, and differ along the others.

    Each argument, one for each entry of `collective`, has a window of `shape` for every place along the axes that its
    copy is not collective along, in the order of the cluster. Each block gives the sum of its windows. This is done
    twice for each slot of a ring.
    """
    cluster = tuple(axes.values())

    def body(*refs: Any) -> None:
        sources, (o, *tiles, loaded, met) = refs[: len(collective)], refs[len(collective) :]
        own = {name: jax.lax.axis_index(name) for name in axes}
        for step in range(2 * slots):
            slot = step % slots
            for source, tile, along in zip(sources, tiles, collective, strict=True):
                place = [own[name] for name in axes if name not in along]
                plgpu.copy_gmem_to_smem(source.at[(*place,)], tile.at[slot], loaded.at[slot], collective_axes=along)
            plgpu.barrier_wait(loaded.at[slot])
            o[(step, *own.values())] = functools.reduce(lambda a, b: a + b, [tile[slot] for tile in tiles])
            # Whoever copies for others must know that they have read.
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((2 * slots, *cluster, *shape), jnp.float32),
        scratch_types=[
            *[plgpu.SMEM((slots, *shape), jnp.float32) for _ in collective],
            plgpu.Barrier(num_arrivals=len(collective), num_barriers=slots),
            plgpu.ClusterBarrier(collective_axes=(tuple(axes),)),
        ],
        cluster=cluster,
        cluster_names=tuple(axes),
    )


def windows_along(axes: dict[str, int], along: tuple[str, ...], shape: tuple[int, ...], first: int) -> Any:
    """The argument of `shared_along` for one entry of `collective`, and what each block sees of it."""
    lengths = [size for name, size in axes.items() if name not in along]
    windows = first + np.arange(np.prod([*lengths, *shape]), dtype=np.float32).reshape((*lengths, *shape))
    seen = windows.reshape([1 if name in along else size for name, size in axes.items()] + list(shape))
    return windows, np.broadcast_to(seen, (*axes.values(), *shape))
