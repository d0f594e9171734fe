# Kernels whose authors leave out `commit_smem`, as PTX that is executed on the CPU: copies and products must see what
# threads have stored, and copies must not overtake what threads access. The check for races demands a proxy fence.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look

X = np.arange(64 * 64, dtype=np.float32).reshape(64, 64).astype(jnp.bfloat16)
SWIZZLED = plgpu.SMEM(X.shape, X.dtype, transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))
PLAIN = plgpu.SMEM(X.shape, X.dtype)
whole = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)))
WGMMA = plgpu.Layout.WGMMA


def cast(value):
    return plgpu.layout_cast(value, WGMMA)


def load(tile):
    return cast(tile[...])


def store_and_copy(x, o, tile, loaded):
    plgpu.copy_gmem_to_smem(x, tile, loaded)
    plgpu.barrier_wait(loaded)
    tile[...] = load(tile) * 2
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: store_and_copy {{.*}}: right
look("store_and_copy", whole(store_and_copy, scratch_types=[SWIZZLED, plgpu.Barrier()]), X * 2, X)


def where(x, o, tile, loaded):
    """Only some of the copies are made, and some of the stores."""
    plgpu.copy_gmem_to_smem(x, tile, loaded)
    plgpu.barrier_wait(loaded)

    @pl.when(x[0, 1] > 0)
    def _():
        tile[...] = load(tile) * 2

    plgpu.copy_smem_to_gmem(tile, o, predicate=x[0, 1] > 0)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: where {{.*}}: right
look("where", whole(where, scratch_types=[SWIZZLED, plgpu.Barrier()]), X * 2, X)


def ring(x, o, tiles, loaded):
    """A ring of two tiles: each is loaded again where threads have read and written it a step before."""
    plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 16)], tiles.at[0], loaded.at[0])

    def step(i, sums):
        slot, other = jax.lax.rem(i, 2), jax.lax.rem(i + 1, 2)
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)

        @pl.when(i < 3)
        def _():
            plgpu.copy_gmem_to_smem(x.at[pl.ds((i + 1) * 16, 16)], tiles.at[other], loaded.at[other])

        plgpu.barrier_wait(loaded.at[slot])
        value = tiles[slot] + sums
        tiles[slot] = value
        plgpu.copy_smem_to_gmem(tiles.at[slot], o.at[pl.ds(i * 16, 16)])
        return value

    jax.lax.fori_loop(0, 4, step, jnp.zeros((16, 64), jnp.float32))
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: ring {{.*}}: right
F = X.astype(np.float32)
RING = [plgpu.SMEM((2, 16, 64), jnp.float32), plgpu.Barrier(num_barriers=2)]
of_floats = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(F)))
look("ring", of_floats(ring, scratch_types=RING), np.cumsum(F.reshape(4, 16, 64), 0).reshape(64, 64), F)


def hands_over(x, o, tile, stored, done):
    """One warpgroup stores, another one copies; then the first one stores again."""
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        for i in range(2):
            tile[...] = plgpu.layout_cast(x[pl.ds(i * 32, 32)], plgpu.Layout.WG_STRIDED((32, 64), 2)) + 1
            plgpu.barrier_arrive(stored)
            plgpu.barrier_wait(done)

    @pl.when(wg == 1)
    def _():
        for i in range(2):
            plgpu.barrier_wait(stored)
            plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(i * 32, 32)])
            plgpu.wait_smem_to_gmem(0)
            plgpu.barrier_arrive(done)


# CHECK-COUNT-3: hands_over {{.*}}: right
TWO = {"num_threads": 2, "thread_name": "wg"}
look(
    "hands_over",
    of_floats(hands_over, scratch_types=[plgpu.SMEM((32, 64), jnp.float32), plgpu.Barrier(), plgpu.Barrier()], **TWO),
    F + 1,
    F,
)


def multiplies(x, y, o, a, b, loaded):
    """Operands of a product that threads have computed."""
    plgpu.copy_gmem_to_smem(x, a, loaded)
    plgpu.copy_gmem_to_smem(y, b, loaded)
    plgpu.barrier_wait(loaded)
    a[...] = load(a) * 2

    def product(acc):
        plgpu.wgmma(acc, a, b)
        return acc[...]

    sums = pl.run_scoped(product, plgpu.ACC((64, 64), jnp.float32))
    b[...] = sums.astype(jnp.bfloat16)
    plgpu.copy_smem_to_gmem(b, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: multiplies {{.*}}: right
SMALL = (np.arange(64 * 64) % 7).reshape(64, 64).astype(jnp.bfloat16)
expected = (2 * SMALL.astype(np.float32) @ SMALL.astype(np.float32)).astype(jnp.bfloat16)
look(
    "multiplies",
    whole(multiplies, scratch_types=[SWIZZLED, SWIZZLED, plgpu.Barrier(num_arrivals=2)]),
    expected,
    SMALL,
    SMALL,
)


def by_view(x, o, tile):
    """The store is of a view of the Ref, and the copy of another one."""
    tile.at[pl.ds(0, 32)][...] = x[pl.ds(0, 32)] + 1
    tile.reshape(2, 32, 64).at[1][...] = x[pl.ds(32, 32)] + 1
    plgpu.copy_smem_to_gmem(tile.at[pl.ds(16, 32)], o.at[pl.ds(16, 32)])
    plgpu.copy_smem_to_gmem(tile.at[pl.ds(0, 16)], o.at[pl.ds(0, 16)])
    plgpu.copy_smem_to_gmem(tile.at[pl.ds(48, 16)], o.at[pl.ds(48, 16)])
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: by_view {{.*}}: right
look("by_view", of_floats(by_view, scratch_types=[plgpu.SMEM((64, 64), jnp.float32)]), F + 1, F)


def by_turns(x, o, loaded):
    """Scopes one after the other have the same memory."""

    def stores(tile):
        tile[...] = x[pl.ds(0, 32)] + 1
        o[pl.ds(0, 32)] = tile[...]

    def loads(tile):
        plgpu.copy_gmem_to_smem(x.at[pl.ds(32, 32)], tile, loaded)
        plgpu.barrier_wait(loaded)
        o[pl.ds(32, 32)] = tile[...] + 1

    for use in (stores, loads):
        pl.run_scoped(use, plgpu.SMEM((32, 64), jnp.float32))


# CHECK-COUNT-3: by_turns {{.*}}: right
look("by_turns", of_floats(by_turns, scratch_types=[plgpu.Barrier()]), F + 1, F)


def of_warps(x, o, tile):
    """The threads of the warpgroup store, and one warp copies."""
    tile[...] = x[...] + 1

    @plgpu.warp_map
    def _(warp):
        @pl.when(warp == 1)
        def _():
            plgpu.copy_smem_to_gmem(tile, o)
            plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: of_warps {{.*}}: right
look("of_warps", of_floats(of_warps, scratch_types=[plgpu.SMEM((64, 64), jnp.float32)]), F + 1, F)


def of_tensor_core(x, y, o, a, b, sums, loaded, done):
    plgpu.copy_gmem_to_smem(x, a, loaded)
    plgpu.copy_gmem_to_smem(y, b, loaded)
    plgpu.barrier_wait(loaded)
    a[...] = a[...] * 2
    plgpu.tcgen05_mma(sums, a, b, done, accumulate=False)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(sums)


# CHECK-COUNT-3: of_tensor_core {{.*}}: right
LHS = np.concatenate([SMALL, SMALL])
tall = plgpu.SMEM(LHS.shape, LHS.dtype, transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))
look(
    "of_tensor_core",
    plgpu.kernel(
        of_tensor_core,
        out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        scratch_types=[
            tall,
            SWIZZLED,
            plgpu.TMEM((128, 64), jnp.float32),
            plgpu.Barrier(num_arrivals=2),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    ),
    2 * LHS.astype(np.float32) @ SMALL.astype(np.float32),
    LHS,
    SMALL,
    target=get_target("gpu:sm_100a"),
)


def of_cluster(x, o, tile, loaded, met):
    """Both blocks have stored to the tile that a copy for both of them overwrites."""
    c = jax.lax.axis_index("c")
    tile[...] = x[...] * 2
    o[c] = tile[...]
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)
    plgpu.copy_gmem_to_smem(x, tile, loaded, collective_axes="c")
    plgpu.barrier_wait(loaded)
    o[c] = o[c] + tile[...]


# CHECK-COUNT-3: of_cluster {{.*}}: right
look(
    "of_cluster",
    plgpu.kernel(
        of_cluster,
        out_type=jax.ShapeDtypeStruct((2, 64, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((64, 64), jnp.float32),
            plgpu.Barrier(),
            plgpu.ClusterBarrier(collective_axes=("c",)),
        ],
        cluster=(2,),
        cluster_names=("c",),
    ),
    np.stack([3 * F] * 2),
    F,
)


def through_global(x, o, between, tile, loaded):
    """A copy reads global memory that threads have stored to, and another one overwrites it."""
    between[...] = x[...] + 1
    plgpu.copy_gmem_to_smem(between, tile, loaded)
    plgpu.barrier_wait(loaded)
    o[...] = tile[...] * 2
    between[...] = tile[...]
    tile[...] = tile[...] * 3
    plgpu.copy_smem_to_gmem(tile, between)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: through_global {{.*}}: right
float_type = jax.typeof(jnp.asarray(F))
look(
    "through_global",
    plgpu.kernel(
        through_global,
        out_type=(float_type, float_type),
        scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()],
    ),
    (2 * (F + 1), 3 * (F + 1)),
    F,
)


def through_global_of_others(x, o, between, tile, loaded):
    """Each block stores a part, signals, and copies the part of another block."""
    stored = pl.get_global(plgpu.SemaphoreType.REGULAR)
    i = jax.lax.axis_index("i")
    between[i] = x[i] + 1
    pl.semaphore_signal(stored)
    pl.semaphore_wait(stored, 4, decrement=False)
    plgpu.copy_gmem_to_smem(between.at[3 - i], tile, loaded)
    plgpu.barrier_wait(loaded)
    o[i] = tile[...]


# CHECK-COUNT-3: through_global_of_others {{.*}}: right
G = F.reshape(4, 16, 64)
look(
    "through_global_of_others",
    lambda x: plgpu.kernel(
        through_global_of_others,
        out_type=(jax.typeof(jnp.asarray(G)),) * 2,
        scratch_types=[plgpu.SMEM((16, 64), jnp.float32), plgpu.Barrier()],
        grid=(4,),
        grid_names=("i",),
    )(x)[0],
    (G + 1)[::-1],
    G,
)
