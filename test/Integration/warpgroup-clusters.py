# Clusters and the warps of warpgroups, on the CPU: what blocks tell and copy one another, products of two blocks, code
# of single warps, and JAX's own matmuls that need them.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import blackwell_matmul_mgpu, hopper_matmul_mgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import orders_of
from cluster_kernels import across, shared_along, windows_along

X = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
PAIR = {"cluster": (2,), "cluster_names": ("c",)}
# Each kernel runs in its own order, with two seeds, and with races looked for.
ORDERS = [{}, {"schedule_seed": 1}, {"schedule_seed": 2, "checks": ["races"]}]
look = functools.partial(orders_of.look, ORDERS)


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
TILE = plgpu.SMEM((32, 64), jnp.float32)
whole = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)))
look(
    "exchange",
    whole(exchange, scratch_types=[TILE, plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("c",))], **PAIR),
    np.concatenate([X[32:], X[:32]]),
    X,
)


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


def exchange_and_leave(x, o, tile, loaded, met):
    """A block may have ended when the other one reads its tile, which is kept."""
    c, i = jax.lax.axis_index("c"), jax.lax.axis_index("i")
    plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 32 + c * 16, 16)], tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)
    o[pl.ds(i * 32 + c * 16, 16)] = plgpu.cluster_ref(tile, {"c": 1 - c})[...]


# CHECK-COUNT-3: exchange_and_leave {{.*}}: right
look(
    "exchange_and_leave",
    whole(
        exchange_and_leave,
        grid=(2,),
        grid_names=("i",),
        scratch_types=[
            plgpu.SMEM((16, 64), jnp.float32),
            plgpu.Barrier(),
            plgpu.ClusterBarrier(collective_axes=("c",)),
        ],
        **PAIR,
    ),
    X.reshape(2, 2, 16, 64)[:, ::-1].reshape(64, 64),
    X,
)


def exchange_too_early(x, o, tile, loaded, met):
    """The other block may not have its tile yet."""
    c = jax.lax.axis_index("c")
    plgpu.copy_gmem_to_smem(x.at[pl.ds(c * 32, 32)], tile, loaded)
    o[pl.ds(c * 32, 32)] = plgpu.cluster_ref(tile, {"c": 1 - c})[...]
    plgpu.barrier_wait(loaded)
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)


# CHECK: exchange_too_early {{.*}}races{{.*}}: race between {{.*}}tile
look(
    "exchange_too_early",
    whole(
        exchange_too_early,
        scratch_types=[TILE, plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("c",))],
        **PAIR,
    ),
    np.concatenate([X[32:], X[:32]]),
    X,
)


def add_to_other(x, o, tile, met, done):
    """Each block adds its rows to what the other one holds."""
    c = jax.lax.axis_index("c")
    tile[...] = jnp.ones((32, 64), jnp.float32)
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)
    value = plgpu.load(x.at[pl.ds(c * 32, 32)])
    plgpu.async_store_smem(value, tile, done, cluster_idx=1 - c, cluster_dim="c", atomic="add")
    plgpu.barrier_wait(done)
    o[pl.ds(c * 32, 32)] = tile[...]


# CHECK-COUNT-3: add_to_other {{.*}}: right
look(
    "add_to_other",
    whole(add_to_other, scratch_types=[TILE, plgpu.ClusterBarrier(collective_axes=("c",)), plgpu.Barrier()], **PAIR),
    np.concatenate([X[32:], X[:32]]) + 1,
    X,
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


def lonely(x, o, met):
    c = jax.lax.axis_index("c")

    @pl.when(c == 0)
    def _():
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)


# CHECK: lonely {}: the kernel waits for phase 1 of {{.*}}, which has completed 0, and nothing can complete it
look("lonely", whole(lonely, scratch_types=[plgpu.ClusterBarrier(collective_axes=("c",))], **PAIR), X, X)


def pair_product(x, y, o, a, b, acc, loaded, done):
    """Two blocks load their parts of both operands, and the first one starts the product of both."""
    c = jax.lax.axis_index("c")
    for source, tile in ((x, a), (y, b)):
        partition = plgpu.CopyPartition.PARTITIONED(0)
        plgpu.copy_gmem_to_smem(source, tile, loaded, collective_axes="c", leader_tracked=partition)

    @pl.when(c == 0)
    def _():
        plgpu.barrier_wait(loaded)

    plgpu.tcgen05_mma(acc, a, b.T, accumulate=False, collective_axis="c")
    plgpu.tcgen05_commit_arrive(done, collective_axis="c")
    plgpu.barrier_wait(done)
    o[pl.ds(c * 128, 128)] = plgpu.async_load_tmem(acc)


# CHECK-COUNT-3: pair_product {{.*}}: right
rng = np.random.default_rng(0)
LHS, RHS = rng.integers(-3, 3, (256, 64)), rng.integers(-3, 3, (128, 64))
look(
    "pair_product",
    plgpu.kernel(
        pair_product,
        out_type=jax.ShapeDtypeStruct((256, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 64), jnp.float16),
            plgpu.SMEM((64, 64), jnp.float16),
            plgpu.TMEM((128, 128), jnp.float32, collective=True),
            plgpu.Barrier(num_arrivals=2),
            plgpu.Barrier(orders_tensor_core=True),
        ],
        **PAIR,
    ),
    (LHS @ RHS.T).astype(np.float32),
    LHS.astype(np.float16),
    RHS.astype(np.float16),
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

                plgpu.copy_gmem_to_smem(x.at[pl.ds(step * 16, 16)], tiles.at[slot], full.at[slot])

            jax.lax.fori_loop(0, 4, fill, None)

        @pl.when(warp == 3)
        def _():
            def drain(step, _):
                slot = step % 2
                plgpu.barrier_wait(full.at[slot])
                plgpu.copy_smem_to_gmem(tiles.at[slot], o.at[pl.ds(step * 16, 16)])
                plgpu.wait_smem_to_gmem(0)
                plgpu.barrier_arrive(empty.at[slot])

            jax.lax.fori_loop(0, 4, drain, None)


# CHECK-COUNT-3: warps {{.*}}: right
RING = [plgpu.SMEM((2, 16, 64), jnp.float32), plgpu.Barrier(num_barriers=2), plgpu.Barrier(num_barriers=2)]
look("warps", whole(warps, scratch_types=RING), X, X)


def turned(x, o, tile, done):
    """A copy from a tile whose dimensions are exchanged."""
    plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 32)], tile, done)
    plgpu.barrier_wait(done)
    plgpu.copy_smem_to_gmem(tile.T, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: turned {{.*}}: right
look(
    "turned",
    plgpu.kernel(turned, out_type=jax.ShapeDtypeStruct((64, 32), X.dtype), scratch_types=[TILE, plgpu.Barrier()]),
    X[:32].T,
    X,
)


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


def stuck(o, barrier):
    @plgpu.warp_map
    def _(warp):
        @pl.when(warp == 2)
        def _():
            plgpu.barrier_wait(barrier)


# CHECK: stuck {}: the kernel waits for phase 1 of {{.*}}, which has completed 0, and nothing can complete it
# CHECK-COUNT-2: stuck {{.*}} nothing can complete it
look(
    "stuck",
    plgpu.kernel(stuck, out_type=jax.ShapeDtypeStruct((8,), jnp.int32), scratch_types=[plgpu.Barrier()]),
    np.arange(8, dtype=np.int32),
)


def meet_in_global_memory(o):
    """Two blocks signal a semaphore that all blocks have, and the first one waits for it."""
    semaphore = pl.get_global(plgpu.SemaphoreType.REGULAR)
    i = jax.lax.axis_index("i")

    @pl.when(i == 0)
    def _():
        pl.semaphore_wait(semaphore, 5)

    @pl.when(i == 1)
    def _():
        pl.semaphore_signal(semaphore)

    @pl.when(i == 2)
    def _():
        signal = functools.partial(plgpu.SemaphoreSignal, semaphore, device_id=None)
        plgpu.semaphore_signal_parallel(signal(inc=1), signal(inc=3))

    o[i] = i


# CHECK-COUNT-3: meet_in_global_memory {{.*}}: right
look(
    "meet_in_global_memory",
    plgpu.kernel(meet_in_global_memory, out_type=jax.ShapeDtypeStruct((3,), jnp.int32), grid=(3,), grid_names=("i",)),
    np.arange(3, dtype=np.int32),
)


def factors(x, y, sx, sy, o, a, b, sa, sb, acc, ta, tb, loaded, done):
    """A product of narrow floats, 32 of which share a factor along k."""
    for source, tile in ((x, a), (y, b), (sx, sa), (sy, sb)):
        plgpu.copy_gmem_to_smem(source, tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.async_copy_scales_to_tmem(sa, ta)
    plgpu.async_copy_scales_to_tmem(sb, tb)
    plgpu.tcgen05_mma(acc, a, b.T, done, a_scale=ta, b_scale=tb, accumulate=False)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)


def tile_factors(scales):
    rows, columns = scales.shape
    blocks = scales.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4)
    return blocks.reshape(rows // 128, columns // 4, 32, 16)


# CHECK-COUNT-3: factors {{.*}}: right
NARROW, SCALE = jnp.float8_e4m3fn, jnp.float8_e8m0fnu
A, B = (jnp.asarray(rng.integers(-3, 3, (128, 128)), NARROW) for _ in range(2))
SA, SB = (jnp.asarray(2.0 ** rng.integers(-2, 3, (128, 4)), SCALE) for _ in range(2))
scaled_a, scaled_b = (
    np.asarray(m.astype(jnp.float32)) * np.repeat(np.asarray(s.astype(jnp.float32)), 32, axis=1)
    for m, s in ((A, SA), (B, SB))
)
FACTORS = plgpu.SMEM((1, 1, 32, 16), SCALE)
look(
    "factors",
    plgpu.kernel(
        factors,
        out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 128), NARROW),
            plgpu.SMEM((128, 128), NARROW),
            FACTORS,
            FACTORS,
            plgpu.TMEM((128, 128), jnp.float32),
            plgpu.TMEM((128, 4), SCALE, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
            plgpu.TMEM((128, 4), SCALE, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
            plgpu.Barrier(num_arrivals=4),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    ),
    scaled_a @ scaled_b.T,
    A,
    B,
    tile_factors(SA),
    tile_factors(SB),
)

# JAX's own: multicast of both operands to the blocks of a cluster.
hopper_matmul_mgpu.get_num_sms = lambda: 4
a, b = (np.asarray(jax.random.normal(key, (256, 256), jnp.float16)) for key in jax.random.split(jax.random.key(0)))
product = a.astype(np.float32) @ b.astype(np.float32)
# CHECK: hopper_matmul M: True
# CHECK: hopper_matmul N: True
for dim in (hopper_matmul_mgpu.MatmulDimension.M, hopper_matmul_mgpu.MatmulDimension.N):
    config = hopper_matmul_mgpu.TuningConfig(
        tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, epi_tile_m=64, epi_tile_n=64, cluster_dimension=dim
    )
    with gridir.installed():
        got = jax.jit(functools.partial(hopper_matmul_mgpu.matmul, c=None, config=config))(a, b)
    print(f"hopper_matmul {dim.name}:", np.allclose(got, product, rtol=1e-2, atol=0.1))

# JAX's own: a warp that copies, one that starts products, and a warpgroup that stores; one block or two.
# CHECK: blackwell_matmul False: True
# CHECK: blackwell_matmul True: True
for collective in (False, True):
    config = blackwell_matmul_mgpu.TuningConfig(
        tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=2, collective=collective
    )
    with gridir.installed():
        got = jax.jit(functools.partial(blackwell_matmul_mgpu.matmul_kernel, config=config))(a, b)
    print(f"blackwell_matmul {collective}:", np.allclose(got, product, rtol=1e-2, atol=0.1))
