# Kernels whose threads are warpgroups, as PTX for a GPU, executed thread by thread with what memory is checked for: the
# numbers are those of NumPy, in the executor's own order of threads and in two others.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret import params as gpu_interpreter
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look

X = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)


def swizzled(swizzle: int, shape: Any, dtype: Any = jnp.float32) -> Any:
    """Shared memory that is swizzled by so many bytes; 0 for none."""
    if not swizzle:
        return plgpu.SMEM(shape, dtype)
    columns = swizzle // np.dtype(dtype).itemsize
    transforms = (plgpu.TilingTransform((8, columns)), plgpu.SwizzleTransform(swizzle))
    return plgpu.SMEM(shape, dtype, transforms=transforms)


def blocks(x, o, tile, out, barrier):
    """Each block copies a tile in and a tile out; the last one reaches outside of both arrays."""
    i = jax.lax.axis_index("i")
    plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 48, 48)], tile, barrier)
    plgpu.barrier_wait(barrier)
    out[...] = tile[...] * 2 + 1
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out, o.at[pl.ds(i * 48, 48)])
    plgpu.wait_smem_to_gmem(0)


# CHECK: blocks 0 None: right
# CHECK-NEXT: blocks 0 1: right
# CHECK-NEXT: blocks 0 2: right
# CHECK-COUNT-3: blocks 32 {{.*}}: right
# CHECK-COUNT-3: blocks 64 {{.*}}: right
# CHECK-COUNT-3: blocks 128 {{.*}}: right
for swizzle in (0, 32, 64, 128):
    scratch = [swizzled(swizzle, (48, 64)), swizzled(swizzle % 128, (48, 64)), plgpu.Barrier()]
    look(
        f"blocks {swizzle}",
        plgpu.kernel(blocks, out_type=jax.typeof(jnp.asarray(X)), grid=(3,), grid_names=("i",), scratch_types=scratch),
        X * 2 + 1,
        X,
    )


def ring(x, o, tiles, full, empty):
    """One warpgroup fills a ring of tiles, the other empties it and stores to global memory itself."""
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        def fill(step, _):
            slot = step % 2

            @pl.when(step >= 2)
            def _():
                plgpu.barrier_wait(empty.at[slot])

            plgpu.copy_gmem_to_smem(x.at[pl.ds(step * 16, 16)], tiles.at[slot], full.at[slot])

        jax.lax.fori_loop(0, 8, fill, None)
        plgpu.barrier_wait(empty.at[0])
        plgpu.barrier_wait(empty.at[1])

    @pl.when(wg == 1)
    def _():
        def drain(step, _):
            slot = step % 2
            plgpu.barrier_wait(full.at[slot])
            o[pl.ds(step * 16, 16)] = tiles[slot] * 2
            plgpu.barrier_arrive(empty.at[slot])

        jax.lax.fori_loop(0, 8, drain, None)


# CHECK-COUNT-3: ring {{.*}}: right
RING = [plgpu.SMEM((2, 16, 64), jnp.float32), plgpu.Barrier(num_barriers=2), plgpu.Barrier(num_barriers=2)]
shared = functools.partial(
    plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)), num_threads=2, thread_name="wg", scratch_types=RING
)
look("ring", shared(ring), X * 2, X)


def exchange(x, o, tile):
    """What one thread stores another one loads, again and again, without a barrier of the author's."""
    tile[...] = x[...]

    def turn(i, _):
        tile[...] = tile[...].T + i

    jax.lax.fori_loop(0, 3, turn, None)
    o[...] = tile[...]


# CHECK-COUNT-3: exchange {{.*}}: right
look(
    "exchange",
    plgpu.kernel(
        exchange,
        out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32),
        scratch_types=[swizzled(128, (64, 64))],
    ),
    X[:64].T + 3,
    X[:64],
)


def matmul(a, b, o, a_tile, b_tile, o_tile, barrier, *, turned):
    """A product of whole operands from shared memory, the right one by rows or by columns."""
    plgpu.copy_gmem_to_smem(a, a_tile, barrier)
    plgpu.copy_gmem_to_smem(b, b_tile, barrier)
    plgpu.barrier_wait(barrier)

    def multiply(acc):
        plgpu.wgmma(acc, a_tile, b_tile.T if turned else b_tile)
        return acc[...]

    o_tile[...] = pl.run_scoped(multiply, plgpu.ACC(o.shape))
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_tile, o)
    plgpu.wait_smem_to_gmem(0)


A, B = (np.asarray(jax.random.normal(key, (128, 128), jnp.bfloat16)) for key in jax.random.split(jax.random.key(0)))
# CHECK-COUNT-3: matmul False {{.*}}: right
# CHECK-COUNT-3: matmul True {{.*}}: right
for turned in (False, True):
    scratch = [swizzled(128, (128, 128), jnp.bfloat16)] * 2 + [swizzled(0, (128, 128)), plgpu.Barrier(num_arrivals=2)]
    expected = A.astype(np.float32) @ (B.T if turned else B).astype(np.float32)
    look(
        f"matmul {turned}",
        plgpu.kernel(
            functools.partial(matmul, turned=turned),
            out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
            scratch_types=scratch,
        ),
        expected,
        A,
        B,
    )


def softmax(x, o, sums):
    """Along rows and along columns: reductions in registers, across lanes and across warps, and broadcasts back."""
    rows = x[...]
    e = jnp.exp(rows - jnp.max(rows, axis=1, keepdims=True))
    e = e / jnp.sum(e, axis=1, keepdims=True)
    sums[...] = jnp.sum(e, axis=0)
    o[...] = (e / jnp.sum(e, axis=0)[None]).astype(jnp.bfloat16)


# CHECK-COUNT-3: softmax {{.*}}: right
R = np.random.default_rng(0).standard_normal((64, 128), np.float32)
E = np.exp(R - R.max(1, keepdims=True))
E /= E.sum(1, keepdims=True)
look(
    "softmax",
    lambda x: plgpu.kernel(
        softmax,
        out_type=[jax.ShapeDtypeStruct((64, 128), jnp.bfloat16), jax.ShapeDtypeStruct((128,), jnp.float32)],
    )(x)[0],
    (E / E.sum(0)).astype(jnp.bfloat16),
    R,
)


def uneven(x, o, tile):
    """Arrays that threads do not divide evenly, with numbers of where elements are, and a mask."""
    tile[...] = x[...] + jax.lax.broadcasted_iota(jnp.float32, (3, 40), 1)
    value = tile[...]
    o[...] = jnp.where(value > 50, value, -value)


# CHECK-COUNT-3: uneven {{.*}}: right
U = np.arange(120, dtype=np.float32).reshape(3, 40)
V = U + np.arange(40, dtype=np.float32)
look(
    "uneven",
    plgpu.kernel(
        uneven,
        out_type=jax.ShapeDtypeStruct((3, 40), jnp.float32),
        scratch_types=[plgpu.SMEM((3, 40), jnp.float32)],
    ),
    np.where(V > 50, V, -V),
    U,
)


def rows(x, o, tile):
    """Rows of more elements than threads, which the threads do not divide evenly."""
    for i in range(2):
        tile[i] = x[i] + i
    o[...] = tile[...]


# CHECK-COUNT-3: rows {{.*}}: right
look(
    "rows",
    plgpu.kernel(
        rows, out_type=jax.ShapeDtypeStruct((2, 192), jnp.float32), scratch_types=[plgpu.SMEM((2, 192), jnp.float32)]
    ),
    X[:6].reshape(2, 192) + np.arange(2, dtype=np.float32)[:, None],
    X[:6].reshape(2, 192),
)


def multicast(x, o, tile, barrier, done):
    """The two blocks of a cluster copy halves of a tile for each other, twice into the same memory."""
    c = jax.lax.axis_index("c")
    for step in range(2):
        plgpu.copy_gmem_to_smem(x.at[pl.ds(step * 64, 64)], tile, barrier, collective_axes="c")
        plgpu.barrier_wait(barrier)
        o[c, pl.ds(step * 64, 64)] = tile[...] + c
        # The other block writes here, too.
        plgpu.barrier_arrive(done)
        plgpu.barrier_wait(done)


# CHECK-COUNT-3: multicast {{.*}}: right
look(
    "multicast",
    plgpu.kernel(
        multicast,
        out_type=jax.ShapeDtypeStruct((2, 128, 64), jnp.float32),
        cluster=(2,),
        cluster_names=("c",),
        scratch_types=[
            swizzled(128, (64, 64)),
            plgpu.Barrier(),
            plgpu.ClusterBarrier(collective_axes=("c",)),
        ],
    ),
    np.stack([X, X + 1]),
    X,
)


def interpreted(x, o):
    o[...] = x[...] * 2


# Kernels for JAX's interpreter are executed, too, though its interpreter orders effects.
# CHECK-COUNT-3: interpreted {{.*}}: right
look(
    "interpreted",
    plgpu.kernel(interpreted, out_type=jax.typeof(jnp.asarray(X)), interpret=gpu_interpreter.InterpretGPUParams()),
    X * 2,
    X,
)
