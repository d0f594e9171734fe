# Kernels whose threads are warpgroups, on the CPU: JAX's own Hopper matmul, kernels of barriers and copies in several
# orders, and what is wrong about barriers.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys
import types

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import attention_mgpu, hopper_matmul_mgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import orders_of

X = np.arange(96 * 64, dtype=np.float32).reshape(96, 64)
WARPGROUPS = {"num_threads": 2, "thread_name": "wg"}
# Each kernel runs in its own order, with three seeds, and checked.
ORDERS = [{}, {"schedule_seed": 1}, {"schedule_seed": 2}, {"schedule_seed": 3, "checks": ["races", "semaphores"]}]
look = functools.partial(orders_of.look, ORDERS)


def blocks(x, o, tile, out, barrier):
    """Each block copies a tile in, which may reach outside, and a tile out."""
    i = jax.lax.axis_index("i")
    plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 40, 40)], tile, barrier)
    plgpu.barrier_wait(barrier)
    out[...] = tile[...] + 1
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out, o.at[pl.ds(i * 40, 40)])
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-4: blocks {{.*}}: right
TILE = plgpu.SMEM((40, 64), jnp.float32)
look(
    "blocks",
    plgpu.kernel(
        blocks, out_type=jax.typeof(jnp.asarray(X)), grid=(3,), grid_names=("i",),
        scratch_types=[TILE, TILE, plgpu.Barrier()],
    ),
    X + 1,
    X,
)  # fmt: skip


def edges(x, o, tile, barrier):
    """Windows that begin before their array, end behind it, or lie in a plane that it has not."""
    i, j = jax.lax.axis_index("i"), jax.lax.axis_index("j")
    plgpu.copy_gmem_to_smem(x.at[i - 1, pl.ds(j * 16 - 40, 16)], tile, barrier)
    plgpu.barrier_wait(barrier)
    plgpu.copy_smem_to_gmem(tile, o.at[i, pl.ds(j * 16, 16)])
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-4: edges {{.*}}: right
PLANES = X.reshape(3, 32, 64)
look(
    "edges",
    plgpu.kernel(
        edges, out_type=jax.ShapeDtypeStruct((5, 112, 64), jnp.float32), grid=(5, 7), grid_names=("i", "j"),
        scratch_types=[plgpu.SMEM((16, 64), jnp.float32), plgpu.Barrier()],
    ),
    np.pad(PLANES, ((1, 1), (40, 40), (0, 0))),
    PLANES,
)  # fmt: skip


def vector(x, o, tile, out, barrier):
    """What a copy brings is read behind the wait, though the loop over blocks stores nothing there."""
    plgpu.copy_gmem_to_smem(x, tile, barrier)
    plgpu.barrier_wait(barrier)
    out[...] = tile[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-4: vector {{.*}}: right
VECTOR = plgpu.SMEM((64,), jnp.float32)
look(
    "vector",
    plgpu.kernel(
        vector, out_type=jax.ShapeDtypeStruct((64,), jnp.float32), scratch_types=[VECTOR, VECTOR, plgpu.Barrier()]
    ),
    X[1],
    X[1],
)


def ring(x, o, tiles, full, empty):
    """One warpgroup fills a ring of tiles, the other empties it."""
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        def fill(step, _):
            slot = step % 2

            @pl.when(step >= 2)
            def _():
                plgpu.barrier_wait(empty.at[slot])

            plgpu.copy_gmem_to_smem(x.at[pl.ds(step * 16, 16)], tiles.at[slot], full.at[slot])

        jax.lax.fori_loop(0, 6, fill, None)
        plgpu.barrier_wait(empty.at[0])
        plgpu.barrier_wait(empty.at[1])

    @pl.when(wg == 1)
    def _():
        def drain(step, _):
            slot = step % 2
            plgpu.barrier_wait(full.at[slot])
            o[pl.ds(step * 16, 16)] = tiles[slot] * 2
            plgpu.barrier_arrive(empty.at[slot])

        jax.lax.fori_loop(0, 6, drain, None)


# CHECK-COUNT-4: ring {{.*}}: right
RING = [plgpu.SMEM((2, 16, 64), jnp.float32), plgpu.Barrier(num_barriers=2), plgpu.Barrier(num_barriers=2)]
shared = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)), **WARPGROUPS)
look("ring", shared(ring, scratch_types=RING), X * 2, X)

# JAX's own: a persistent grid, a producer and two consumers, four stages, an epilogue through shared memory.
hopper_matmul_mgpu.get_num_sms = lambda: 3
config = hopper_matmul_mgpu.TuningConfig(
    tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=4, epi_tile_m=64, epi_tile_n=64
)
keys = jax.random.split(jax.random.key(0))
a, b = (np.asarray(jax.random.normal(key, (256, 256), jnp.float16)) for key in keys)
product = a.astype(np.float32) @ b.astype(np.float32)
# CHECK: hopper_matmul: True
with gridir.installed():
    got = jax.jit(lambda a, b: hopper_matmul_mgpu.matmul(a, b, None, config))(a, b)
print("hopper_matmul:", np.allclose(got, product, rtol=1e-2, atol=0.1))

# JAX's own: a producer and two consumers that take turns, accumulators in `run_state`, last phases without observers.
attention_mgpu.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)
q, k, v = (jax.random.normal(key, (1, 256, 1, 64), jnp.float16) for key in jax.random.split(jax.random.key(1), 3))
# CHECK: attention False: True
# CHECK: attention True: True
for causal in (False, True):
    tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, causal=causal)
    expected = attention_mgpu.attention_reference(q, k, v, causal=causal)
    with gridir.installed():
        got = attention_mgpu.attention(q, k, v, tuning)
    print(f"attention {causal}:", np.allclose(got, expected, rtol=1e-2, atol=1e-2))


def tensor_memory(x, y, o, a, b, acc, done):
    """Two products, of which only the second is added to what is there."""
    a[...], b[...] = x[...], y[...]
    plgpu.commit_smem()
    for step in range(2):
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=step > 0)
        plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)


# CHECK-COUNT-4: tensor_memory {{.*}}: right
WHOLE = np.random.default_rng(0).integers(-3, 3, (128, 128))
EXACT = WHOLE.astype(np.float16)
look(
    "tensor_memory",
    plgpu.kernel(
        tensor_memory,
        out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 128), jnp.float16),
            plgpu.SMEM((128, 128), jnp.float16),
            plgpu.TMEM((128, 128), jnp.float32),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    ),
    (2 * WHOLE @ WHOLE).astype(np.float32),
    EXACT,
    EXACT,
)


def early(x, o, tile, barrier):
    plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 16)], tile, barrier)
    o[pl.ds(0, 16)] = tile[...]
    plgpu.barrier_wait(barrier)


# The order of the program hides it; a seed shows it, or the race detector names both lines.
# CHECK: early {{.*}}races{{.*}}: race between {{.*}}tile
SMALL = [plgpu.SMEM((16, 64), jnp.float32), plgpu.Barrier()]
look("early", plgpu.kernel(early, out_type=jax.ShapeDtypeStruct((16, 64), X.dtype), scratch_types=SMALL), X[:16], X)


def unobserved(x, o, barrier):
    plgpu.barrier_arrive(barrier)
    plgpu.barrier_arrive(barrier)


def missed(x, o, barriers):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        for _ in range(2):
            plgpu.barrier_arrive(barriers.at[0])
            plgpu.barrier_wait(barriers.at[0])
        plgpu.barrier_arrive(barriers.at[1])

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(barriers.at[1])
        plgpu.barrier_wait(barriers.at[0])


def partly(x, o, barriers):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(barriers.at[0])
        plgpu.barrier_wait(barriers.at[1])
        plgpu.barrier_arrive(barriers.at[0])

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(barriers.at[0])
        plgpu.barrier_arrive(barriers.at[1])


def uneven(x, o, barrier):
    """The first warp would wait for one phase, the others for the next."""
    plgpu.barrier_arrive(barrier)

    @plgpu.warp_map
    def _(warp):
        @pl.when(warp != 0)
        def _():
            plgpu.barrier_wait(barrier)

    plgpu.barrier_wait(barrier)


def forever(x, o, barrier):
    plgpu.barrier_wait(barrier)


def half(x, o, barrier):
    plgpu.barrier_arrive(barrier)
    plgpu.barrier_wait(barrier)


# CHECK: unobserved {{.*}}semaphores{{.*}}: arrival at barrier: Barrier completed phase 1, but no threads observed
# CHECK-SAME: phase 0.
# CHECK: missed {}: wait for {{.*}}: Thread 1 is awaiting phase 1, but barrier is already at phase 2.
# CHECK: partly {{.*}}semaphores{{.*}}: arrival at {{.*}}:
# CHECK-SAME: Thread 1 did not observe all phases (2) for barrier (but observed 1 phase).
# CHECK: uneven {}: wait for {{.*}}: a warpgroup waits whose warps have previously observed different numbers of
# CHECK-SAME: phases: 0, 1, 1, 1.
# CHECK: forever {}: the kernel waits for phase 1 of {{.*}}, which has completed 0, and nothing can complete it
# CHECK-SAME: ; nothing has arrived there
# CHECK: half {}: the kernel waits for phase 1 of {{.*}}, which has completed 0, and nothing can complete it
# CHECK-SAME: ; 2 arrivals complete a phase, 1 arrival came to this one and 1 in all, the last at arrival at
ONE, TWO = [plgpu.Barrier()], [plgpu.Barrier(num_barriers=2)]
for function, scratch in ((unobserved, ONE), (missed, TWO), (partly, TWO), (uneven, ONE), (forever, ONE)):
    mesh = {} if scratch is ONE else WARPGROUPS
    look(function.__name__, plgpu.kernel(function, out_type=jax.typeof(X), scratch_types=scratch, **mesh), X, X)
look("half", plgpu.kernel(half, out_type=jax.typeof(X), scratch_types=[plgpu.Barrier(num_arrivals=2)]), X, X)


def uncommitted(x, o, tile):
    """Copies what the copy may not see; only the last tile is committed."""
    wg = jax.lax.axis_index("wg")
    for i in range(2):
        tile[wg, i] = x[pl.ds(wg * 48 + i * 24, 24)] + 1
        plgpu.copy_smem_to_gmem(tile.at[wg, i], o.at[pl.ds(wg * 48 + i * 24, 24)])
        plgpu.commit_smem()
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: uncommitted {{.*}}: right
# CHECK: uncommitted {{.*}}races{{.*}}: copy from {{.*}}: it may not see the write of {{.*}}, which no `commit_smem`
# CHECK-SAME: follows.
look("uncommitted", shared(uncommitted, scratch_types=[plgpu.SMEM((2, 2, 24, 64), jnp.float32)]), X + 1, X)


def hasty(x, o, tile, barrier):
    """Looks at a tile before it is there."""
    tile[...] = jnp.ones((96, 64))
    plgpu.copy_gmem_to_smem(x, tile, barrier)
    o[...] = tile[...]
    plgpu.barrier_wait(barrier)


# CHECK: hasty: nothing but numbers that are there and those that stand out: True
# CHECK: hasty: sees that it is too early: True
hasty = plgpu.kernel(
    hasty, out_type=jax.typeof(jnp.asarray(X)), scratch_types=[plgpu.SMEM((96, 64), jnp.float32), plgpu.Barrier()]
)
seen = []
for seed in range(8):
    with gridir.installed(schedule_seed=seed):
        seen.append(np.asarray(jax.jit(hasty)(X)))
early = [bool(np.isnan(got).all()) for got in seen]
is_either = all(np.isnan(got).all() or np.array_equal(got, X) for got in seen)
print("hasty: nothing but numbers that are there and those that stand out:", is_either)
print("hasty: sees that it is too early:", any(early) and not all(early))
