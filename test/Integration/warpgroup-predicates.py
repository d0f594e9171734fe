# Copies and arrivals with a predicate, copies by threads that no barrier waits for, and what else kernels of warpgroups
# have since JAX 0.11 and 0.12: natively, and as PTX that is executed on the CPU, each in several orders.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

HERE = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(HERE, "..", "python", "Inputs")]
import orders_of
import ptx_runs
from refusals import report

X = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
whole = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)))
TILE = plgpu.SMEM(X.shape, X.dtype)
ORDERS = [{}, {"schedule_seed": 1}, {"schedule_seed": 2, "checks": ["races"]}]


def look(name, call, expected, *args, target="gpu:sm_90a"):
    orders_of.look(ORDERS, name, call, expected, *args)
    ptx_runs.look(f"{name} as PTX", call, expected, *args, target=get_target(target))


def sometimes(x, o, tile, loaded, arrived):
    """The copy that is not made arrives nowhere, nor does an arrival that is not."""
    for i in range(2):
        take = x[0, i] == i
        plgpu.async_prefetch(x.at[pl.ds(i * 32, 32)], predicate=take)
        plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 32, 32)], tile.at[pl.ds(i * 32, 32)], loaded, predicate=take)
        plgpu.copy_gmem_to_smem(x, tile, loaded, predicate=x[0, i] > i)
        plgpu.barrier_wait(loaded)
        plgpu.barrier_arrive(arrived, predicate=take)
        plgpu.barrier_arrive(arrived, predicate=x[0, i] > i)
        plgpu.barrier_wait(arrived)
    plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(0, 64)], predicate=x[0, 1] > 0)
    plgpu.copy_smem_to_gmem(tile.at[pl.ds(0, 32)], o.at[pl.ds(32, 32)], predicate=x[0, 1] > 1)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: sometimes {{.*}}: right
# CHECK-COUNT-3: sometimes as PTX {{.*}}: right
look("sometimes", whole(sometimes, scratch_types=[TILE, plgpu.Barrier(), plgpu.Barrier()]), X, X)


def some_rows(x, rows, o, tile):
    """Rows that an array names are copied where a predicate is true."""
    tile[...] = x[...]
    plgpu.commit_smem()
    named = plgpu.load(rows, layout=plgpu.Layout.TMA_INDICES, optimized=False)
    plgpu.copy_smem_to_gmem(tile, o.at[named], predicate=x[0, 1] > 0)
    plgpu.copy_smem_to_gmem(tile, o.at[named + 1], predicate=x[0, 1] > 1)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: some_rows {{.*}}: right
# CHECK-COUNT-3: some_rows as PTX {{.*}}: right
ROWS = np.arange(64, dtype=np.int32)[::-1].copy()
look("some_rows", whole(some_rows, scratch_types=[TILE]), X[::-1], X, ROWS)


def committed(x, y, o, a, b, sums, loaded, done):
    """The end of products arrives where a predicate is true."""
    plgpu.copy_gmem_to_smem(x, a, loaded)
    plgpu.copy_gmem_to_smem(y, b, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.tcgen05_mma(sums, a, b, accumulate=False)
    plgpu.tcgen05_commit_arrive(done, predicate=x[0, 0] < 0)
    plgpu.tcgen05_commit_arrive(done, predicate=x[0, 0] >= 0)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(sums)


# CHECK-COUNT-3: committed {{.*}}: right
# CHECK-COUNT-3: committed as PTX {{.*}}: right
A = (np.arange(128 * 64) % 7).reshape(128, 64).astype(jnp.float16)
HALF = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
look(
    "committed",
    plgpu.kernel(
        committed,
        out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM(A.shape, A.dtype, transforms=HALF),
            plgpu.SMEM((64, 64), A.dtype, transforms=HALF),
            plgpu.TMEM((128, 64), jnp.float32),
            plgpu.Barrier(num_arrivals=2),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    ),
    A.astype(np.float32) @ A[:64].astype(np.float32),
    A,
    A[:64],
    target="gpu:sm_100a",
)


def by_threads(x, o, tile):
    """Copies that no barrier waits for, as GPUs before Hopper make them."""
    for i in range(4):
        take = x[0, 0] <= i
        plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 16, 16)], tile.at[pl.ds(48 - i * 16, 16)], predicate=take)
        plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 16)], tile.at[pl.ds(0, 16)], predicate=x[0, 0] > i)
    plgpu.wait_gmem_to_smem(1)
    plgpu.wait_gmem_to_smem(0)
    o[...] = tile[...]


# CHECK-COUNT-3: by_threads {{.*}}: right
# CHECK-COUNT-3: by_threads as PTX {{.*}}: right
TURNED = X.reshape(4, 16, 64)[::-1].reshape(64, 64)
look("by_threads", whole(by_threads, scratch_types=[TILE]), TURNED, X)


def stores_and_reduces(x, o, tile, met):
    """`store`, reductions by their own names, and an arrival with the wait for it."""
    plgpu.store(tile, x[...] + 1)
    value = plgpu.layout_cast(tile[...], plgpu.Layout.WGMMA)
    rows = plgpu.Layout.WGMMA.reduce(1)
    for i, combine in enumerate((plgpu.sum, plgpu.max, plgpu.min)):
        o[i] = plgpu.layout_cast(combine(value, axis=1), rows)
    plgpu.barrier_arrive_and_wait(met)


# CHECK-COUNT-3: stores_and_reduces {{.*}}: right
# CHECK-COUNT-3: stores_and_reduces as PTX {{.*}}: right
look(
    "stores_and_reduces",
    plgpu.kernel(
        stores_and_reduces, out_type=jax.ShapeDtypeStruct((3, 64), jnp.float32), scratch_types=[TILE, plgpu.Barrier()]
    ),
    np.stack([(X + 1).sum(1), (X + 1).max(1), (X + 1).min(1)]),
    X,
)


def reduces_loads(x, o, rows, tensor, *, reduce):
    """A load of tensor memory that also reduces its rows."""
    native = plgpu.Layout.TCGEN05_TMEM_NATIVE
    plgpu.async_store_tmem(tensor, plgpu.layout_cast(x[...], native))
    plgpu.commit_tmem()
    loaded, rows[...] = plgpu.async_load_tmem(tensor, reduce=reduce, layout=native)
    o[...] = loaded


def reducing(reduce, dtype):
    results = [jax.ShapeDtypeStruct((128, 64), dtype), jax.ShapeDtypeStruct((128,), dtype)]
    return plgpu.kernel(
        functools.partial(reduces_loads, reduce=reduce),
        out_type=results,
        scratch_types=[plgpu.TMEM((128, 64), dtype)],
    )


# A NaN in a row is its reduction.
# CHECK-COUNT-64: reduces_loads {{.*}}: right
# CHECK-NOT: reduces_loads
SIGNED = np.random.default_rng(0).standard_normal((128, 64)).astype(np.float32)
SIGNED[3, 5] = np.nan
for reduce, combine in {"max": np.max, "min": np.min, "absmax": np.max, "absmin": np.min}.items():
    for dtype in (np.float32, np.int32, np.uint32)[: 1 if "abs" in reduce else None]:
        values = SIGNED if dtype == np.float32 else np.arange(-4096, 4096).astype(dtype).reshape(128, 64)
        rows = combine(abs(values) if "abs" in reduce else values, axis=1)
        call = reducing(reduce, dtype)
        name = f"reduces_loads {reduce} {np.dtype(dtype)}"
        for number, expected in enumerate((values, rows)):
            one = functools.partial(lambda call, number, x: call(x)[number], call, number)
            orders_of.look(ORDERS[1:2], name, one, expected, values)
            ptx_runs.look(f"{name} as PTX", one, expected, values, target=get_target("gpu:sm_100a"))


def of_windows(x, o, tile, loaded):
    windows = plgpu.im2col_ref(x, window_shape=(3,))
    plgpu.copy_gmem_to_smem(windows.at[pl.ds(0, 4), 1, pl.ds(0, 64)], tile, loaded)


def outlives(semaphore, o):
    pl.semaphore_wait(semaphore)  # its first use


def waits_for_another():
    gridir.lower(lambda: plgpu.kernel(outlives, out_type=jax.typeof(X))(plgpu.alloc_semaphore()))


def lower(body, *args, scratch=(), **mesh):
    call = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((4, 64), jnp.float32), scratch_types=list(scratch), **mesh)
    return lambda: gridir.lower(call, *args)


# Unsupported features are rejected by name, at the author's line.
# CHECK: UnsupportedError: 5 of 5 refused in these words
report(
    gridir.UnsupportedError,
    {
        "copy_gmem_to_smem: expected a Ref transform that gridir knows, got Im2ColTransform": lower(
            of_windows,
            jax.ShapeDtypeStruct((1, 6, 64), jnp.float32),
            scratch=[plgpu.SMEM((4, 64), jnp.float32), plgpu.Barrier()],
        ),
        "async_load: expected a reduction of int32 among max, min, got `absmax`": lambda: gridir.lower(
            reducing("absmax", np.int32), np.zeros((128, 64), np.int32)
        ),
        "expected semaphores that the kernel allocates, got operand": waits_for_another,
        ", of `alloc_semaphore`, which outlives it": waits_for_another,
        "pl.semaphore_wait(semaphore)  # its first use": waits_for_another,
    },
)
