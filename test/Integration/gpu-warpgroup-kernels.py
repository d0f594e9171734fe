# Kernels that combine what other tests have one by one, as PTX, executed thread by thread with what memory is checked
# for: products of bytes whose blocks have factors, a ring of an odd number of stages between three warpgroups, one
# array in the layouts of several warpgroups, softmax in f16, and attention whose probabilities stay in registers.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look

L = plgpu.Layout
TILED = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
DRAWS = np.random.default_rng(0)


def draw(shape, dtype):
    """Small whole numbers, whose products and sums are exact in all types."""
    return DRAWS.integers(-3, 4, shape).astype(dtype)


def wide(x):
    return np.asarray(x).astype(np.float32)


def along(x, shape, axis):
    """Repeats numbers of rows (0) or columns (1)."""
    return jax.lax.broadcast_in_dim(x, shape, (axis,))


M, N, BLOCK, BLOCKS = 128, 64, 64, 4


def scaled(a, b, of_rows, of_columns, o, a_tile, b_tile, o_tile, loaded):
    """A product of bytes, of which each block of the depth has a factor for each row and column."""

    def step(i, sums):
        depth = pl.ds(i * BLOCK, BLOCK)
        plgpu.copy_gmem_to_smem(a.at[:, depth], a_tile, loaded)
        plgpu.copy_gmem_to_smem(b.at[:, depth], b_tile, loaded)
        plgpu.barrier_wait(loaded)

        def product(acc):
            plgpu.wgmma(acc, a_tile, b_tile.T)
            return acc[...]

        block = pl.run_scoped(product, plgpu.ACC((M, N), jnp.float32))
        rows = plgpu.load(of_rows.at[i], layout=L.WGMMA.reduce(1), optimized=False)
        columns = plgpu.load(of_columns.at[i], layout=L.WGMMA.reduce(0), optimized=False)
        return sums + block * along(rows, (M, N), 0) * along(columns, (M, N), 1)

    zeros = plgpu.layout_cast(jnp.zeros((M, N), jnp.float32), L.WGMMA)
    o_tile[...] = jax.lax.fori_loop(0, BLOCKS, step, zeros).astype(jnp.bfloat16)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_tile, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: scaled {{.*}}: right
A, B = draw((M, BLOCK * BLOCKS), jnp.float8_e4m3fn), draw((N, BLOCK * BLOCKS), jnp.float8_e4m3fn)
ROWS, COLUMNS = (2 ** DRAWS.integers(-2, 3, (BLOCKS, size)).astype(np.float32) for size in (M, N))
blocks = np.einsum("mik,nik->imn", wide(A).reshape(M, BLOCKS, BLOCK), wide(B).reshape(N, BLOCKS, BLOCK))
look(
    "scaled",
    plgpu.kernel(
        scaled,
        out_type=jax.ShapeDtypeStruct((M, N), jnp.bfloat16),
        scratch_types=[
            plgpu.SMEM((M, BLOCK), A.dtype),
            plgpu.SMEM((N, BLOCK), A.dtype),
            plgpu.SMEM((M, N), jnp.bfloat16, transforms=TILED),
            plgpu.Barrier(num_arrivals=2),
        ],
    ),
    (blocks * ROWS[:, :, None] * COLUMNS[:, None]).sum(0).astype(jnp.bfloat16),
    A,
    B,
    ROWS,
    COLUMNS,
)

STAGES, STEPS, DEPTH = 3, 7, 32


def ring(a, b, o, a_tiles, b_tiles, full, empty):
    """One warpgroup loads, two multiply; the last stage that one has read is given back one step later."""
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 2)
    def _():
        plgpu.set_max_registers(40, action="decrease")

        @pl.loop(0, STEPS)
        def _(i):
            stage = jax.lax.rem(i, STAGES)
            depth = pl.ds(i * DEPTH, DEPTH)

            @pl.when(i >= STAGES)
            def _():
                plgpu.barrier_wait(empty.at[stage])

            plgpu.copy_gmem_to_smem(a.at[:, depth], a_tiles.at[stage], full.at[stage])
            plgpu.copy_gmem_to_smem(b.at[depth], b_tiles.at[stage], full.at[stage])

        @pl.loop(0, STAGES)
        def _(i):
            plgpu.barrier_wait(empty.at[jax.lax.rem(STEPS + i, STAGES)])

    @pl.when(wg < 2)
    def _():
        plgpu.set_max_registers(232, action="increase")
        rows = pl.ds(wg * 64, 64)

        def product(acc):
            @pl.loop(0, STEPS)
            def _(i):
                stage = jax.lax.rem(i, STAGES)
                plgpu.barrier_wait(full.at[stage])
                plgpu.wgmma(acc, a_tiles.at[stage, rows], b_tiles.at[stage])
                plgpu.wgmma_wait(1)

                @pl.when(i > 0)
                def _():
                    plgpu.barrier_arrive(empty.at[jax.lax.rem(i + STAGES - 1, STAGES)])

            plgpu.wgmma_wait(0)
            plgpu.barrier_arrive(empty.at[(STEPS - 1) % STAGES])
            return acc[...]

        o[rows] = pl.run_scoped(product, plgpu.ACC((64, 48), jnp.float32))


# CHECK-COUNT-3: ring {{.*}}: right
A, B = draw((128, STEPS * DEPTH), np.float16), draw((STEPS * DEPTH, 48), np.float16)
look(
    "ring",
    plgpu.kernel(
        ring,
        out_type=jax.ShapeDtypeStruct((128, 48), jnp.float32),
        num_threads=3,
        thread_name="wg",
        scratch_types=[
            plgpu.SMEM((STAGES, 128, DEPTH), jnp.float16),
            plgpu.SMEM((STAGES, DEPTH, 48), jnp.float16),
            plgpu.Barrier(num_arrivals=2, num_barriers=STAGES),
            plgpu.Barrier(num_arrivals=2, num_barriers=STAGES),
        ],
    ),
    wide(A) @ wide(B),
    A,
    B,
)


def in_turn(x, o, tile, turned, first, second):
    """Three warpgroups hand one array on, each in a layout of its own."""
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        v = plgpu.load(x, layout=L.WGMMA, optimized=False)
        tile[...] = v + v
        plgpu.barrier_arrive(first)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(first)
        v = plgpu.load(tile.T, layout=L.WGMMA_TRANSPOSED, optimized=False)
        turned[...] = plgpu.layout_cast(v, L.WGMMA) * 2
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(turned, o.at[0])
        plgpu.wait_smem_to_gmem(0)
        plgpu.barrier_arrive(second)

    @pl.when(wg == 2)
    def _():
        plgpu.barrier_wait(second)
        o[1] = plgpu.load(turned, layout=L.WG_STRIDED((64, 128), 2), optimized=False) + 1


# CHECK-COUNT-3: in_turn {{.*}}: right
X = draw((128, 64), jnp.bfloat16)
look(
    "in_turn",
    plgpu.kernel(
        in_turn,
        out_type=jax.ShapeDtypeStruct((2, 64, 128), X.dtype),
        num_threads=3,
        thread_name="wg",
        scratch_types=[
            plgpu.SMEM((128, 64), X.dtype, transforms=TILED),
            plgpu.SMEM((64, 128), X.dtype, transforms=TILED),
            plgpu.Barrier(),
            plgpu.Barrier(),
        ],
    ),
    np.stack([4 * wide(X).T, 4 * wide(X).T + 1]).astype(X.dtype),
    X,
)


def softmax(x, o, tile, loaded):
    rows = pl.ds(jax.lax.axis_index("i") * 64, 64)
    plgpu.copy_gmem_to_smem(x.at[rows], tile, loaded)
    plgpu.barrier_wait(loaded)
    v = plgpu.load(tile, layout=L.WGMMA, optimized=False)
    e = jnp.exp2(v - along(jnp.max(v, axis=1), v.shape, 0))
    tile[...] = e / along(jnp.sum(e, axis=1), v.shape, 0)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, o.at[rows])
    plgpu.wait_smem_to_gmem(0)


# Powers of two of whole numbers and their sums are exact, and so is the reciprocal of a sum that is a power of two.
# CHECK-COUNT-3: softmax {{.*}}: right
BELOW = DRAWS.permuted(np.tile(np.repeat([0, 1, 2], [32, 32, 64]), (256, 1)), axis=1)
X = (np.arange(256)[:, None] % 7 - BELOW).astype(np.float16)
look(
    "softmax",
    plgpu.kernel(
        softmax,
        out_type=jax.ShapeDtypeStruct(X.shape, X.dtype),
        grid=(4,),
        grid_names=("i",),
        scratch_types=[plgpu.SMEM((64, 128), X.dtype, transforms=TILED), plgpu.Barrier()],
    ),
    (2.0**-BELOW / 64).astype(np.float16),
    X,
)


def attention(q, k, v, o, q_tile, k_tile, v_tile, loaded):
    """Squares of scores stand for probabilities; values are by columns."""
    for source, tile in ((q, q_tile), (k, k_tile), (v, v_tile)):
        plgpu.copy_gmem_to_smem(source, tile, loaded)
    plgpu.barrier_wait(loaded)

    def scores(acc):
        plgpu.wgmma(acc, q_tile, k_tile.T)
        return acc[...]

    p = pl.run_scoped(scores, plgpu.ACC((64, 96), jnp.float32)) ** 2 / 64

    def values(acc):
        plgpu.wgmma(acc, p.astype(jnp.bfloat16), v_tile.T)
        return acc[...]

    result = pl.run_scoped(values, plgpu.ACC((64, 32), jnp.float32))
    o[...] = result + along(jnp.max(p, axis=1), result.shape, 0)


# CHECK-COUNT-3: attention {{.*}}: right
Q, K, V = draw((64, 64), jnp.bfloat16), draw((96, 64), jnp.bfloat16), draw((32, 96), jnp.bfloat16)
P = (wide(Q) @ wide(K).T) ** 2 / 64
look(
    "attention",
    plgpu.kernel(
        attention,
        out_type=jax.ShapeDtypeStruct((64, 32), jnp.float32),
        scratch_types=[*(plgpu.SMEM(x.shape, x.dtype) for x in (Q, K, V)), plgpu.Barrier(num_arrivals=3)],
    ),
    wide(P.astype(jnp.bfloat16)) @ wide(V).T + P.max(1)[:, None],
    Q,
    K,
    V,
)
