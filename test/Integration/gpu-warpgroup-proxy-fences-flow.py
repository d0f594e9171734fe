# Kernels without `commit_smem`, or with one that does not help, in other forms than gpu-warpgroup-proxy-fences.py has:
# where control flow, a loop, a union of Refs or another warpgroup is between a store of threads and a copy or product.
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
from ptx_runs import look

F = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
FLOATS = jax.ShapeDtypeStruct(F.shape, F.dtype)
TILE, ROWS = plgpu.SMEM((64, 64), jnp.float32), plgpu.SMEM((16, 64), jnp.float32)
of_floats = functools.partial(plgpu.kernel, out_type=FLOATS)


def store(tile, o):
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)


def commits_too_early(x, o, tile):
    plgpu.commit_smem()
    tile[...] = x[...] + 1
    store(tile, o)


# CHECK-COUNT-3: commits_too_early {{.*}}: right
look("commits_too_early", of_floats(commits_too_early, scratch_types=[TILE]), F + 1, F)


def commits_in_some_programs(x, o, tile):
    i = jax.lax.axis_index("i")
    tile[...] = x[pl.ds(i * 16, 16)] + 1

    @pl.when(i % 2 == 0)
    def _():
        plgpu.commit_smem()

    store(tile, o.at[pl.ds(i * 16, 16)])


# CHECK-COUNT-3: commits_in_some_programs {{.*}}: right
look(
    "commits_in_some_programs",
    of_floats(commits_in_some_programs, scratch_types=[ROWS], grid=(4,), grid_names=("i",)),
    F + 1,
    F,
)


def while_loop(x, o, tile):
    """How many iterations there are depends on data."""

    def step(i):
        plgpu.wait_smem_to_gmem(0)
        tile[...] = x[pl.ds(i * 16, 16)] + 1
        plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(i * 16, 16)])
        return i + jnp.where(x[i, 0] > -1.0, 1, 2)

    jax.lax.while_loop(lambda i: i < 4, step, jnp.int32(0))
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: while_loop {{.*}}: right
look("while_loop", of_floats(while_loop, scratch_types=[ROWS]), F + 1, F)


def branches(x, o, tile):
    """Either branch stores."""

    def add(number):
        tile[...] = x[...] + number

    jax.lax.cond(x[0, 1] > 0, lambda: add(1), lambda: add(2))
    store(tile, o)


# CHECK-COUNT-3: branches {{.*}}: right
look("branches", of_floats(branches, scratch_types=[TILE]), F + 1, F)


def union(x, o, either, loaded):
    """A copy overwrites memory that threads have accessed by another name."""
    a, b = either
    a[...] = x[pl.ds(0, 32)] + 1
    o[pl.ds(0, 32)] = a[...]
    plgpu.copy_gmem_to_smem(x.at[pl.ds(32, 32)], b, loaded)
    plgpu.barrier_wait(loaded)
    o[pl.ds(32, 32)] = b[...] + 1


# CHECK-COUNT-3: union {{.*}}: right
HALF = plgpu.SMEM((32, 64), jnp.float32)
look("union", of_floats(union, scratch_types=[plgpu.RefUnion(HALF, HALF), plgpu.Barrier()]), F + 1, F)


def scopes_in_a_loop(x, o, loaded):
    """The scopes of a loop share memory with each other and with those of the iteration before."""

    def step(i, _):
        def by_threads(tile):
            tile[...] = x[pl.ds(i * 16, 16)] + 1
            o[pl.ds(i * 16, 16)] = tile[...]

        def by_copies(tile, source):
            plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 16, 8)], source, loaded)
            plgpu.barrier_wait(loaded)
            tile[...] = source[...] + 5
            store(tile, o.at[pl.ds(i * 16, 8)])

        pl.run_scoped(by_threads, ROWS)
        pl.run_scoped(by_copies, *[plgpu.SMEM((8, 64), jnp.float32)] * 2)

    jax.lax.fori_loop(0, 4, step, None)


# CHECK-COUNT-3: scopes_in_a_loop {{.*}}: right
expected = (F + 1).reshape(4, 16, 64).copy()
expected[:, :8] += 4
look("scopes_in_a_loop", of_floats(scopes_in_a_loop, scratch_types=[plgpu.Barrier()]), expected.reshape(64, 64), F)


def one_group(x, o, tiles):
    """Two copies of one group, with a store between them."""
    for i in range(2):
        rows = pl.ds(i * 32, 32)
        tiles[i] = x[rows] + 1
        plgpu.copy_smem_to_gmem(tiles.at[i], o.at[rows], commit_group=False)
    plgpu.commit_smem_to_gmem_group()
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: one_group {{.*}}: right
look("one_group", of_floats(one_group, scratch_types=[plgpu.SMEM((2, 32, 64), jnp.float32)]), F + 1, F)


def other_commits(x, o, tile, stored):
    """The warpgroup that copies commits, which does not order the stores of the other one."""
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        tile[...] = x[...] + 1
        plgpu.barrier_arrive(stored)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(stored)
        plgpu.commit_smem()
        store(tile, o)


# CHECK-COUNT-3: other_commits {{.*}}: right
TWO = {"num_threads": 2, "thread_name": "wg"}
look("other_commits", of_floats(other_commits, scratch_types=[TILE, plgpu.Barrier()], **TWO), F + 1, F)

SMALL = (np.arange(64 * 64) % 7).reshape(64, 64).astype(jnp.bfloat16)
WIDE = SMALL.astype(np.float32)
MATRIX = plgpu.SMEM(SMALL.shape, SMALL.dtype, transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))


def operand_of_each_step(x, y, o, b):
    """Threads store an operand again in each iteration; the other one is in registers."""

    def product(acc):
        def step(i, _):
            plgpu.wgmma_wait(0)
            b[...] = plgpu.layout_cast(y[...], plgpu.Layout.WGMMA) * i.astype(jnp.bfloat16)
            plgpu.wgmma(acc, plgpu.layout_cast(x[...], plgpu.Layout.WGMMA), b)

        jax.lax.fori_loop(0, 3, step, None)
        return acc[...]

    o[...] = pl.run_scoped(product, plgpu.ACC((64, 64)))


# CHECK-COUNT-3: operand_of_each_step {{.*}}: right
look("operand_of_each_step", of_floats(operand_of_each_step, scratch_types=[MATRIX]), 3 * WIDE @ WIDE, SMALL, SMALL)


def operand_between_products(x, y, o, a, b):
    """Threads overwrite an operand that the product before has read."""
    a[...] = plgpu.layout_cast(x[...], plgpu.Layout.WGMMA)
    b[...] = plgpu.layout_cast(y[...], plgpu.Layout.WGMMA)

    def product(acc):
        plgpu.wgmma(acc, a, b)
        plgpu.wgmma_wait(0)
        a[...] = plgpu.layout_cast(x[...], plgpu.Layout.WGMMA) * 2
        plgpu.wgmma(acc, a, b)
        return acc[...]

    o[...] = pl.run_scoped(product, plgpu.ACC((64, 64)))


# CHECK-COUNT-3: operand_between_products {{.*}}: right
call = of_floats(operand_between_products, scratch_types=[MATRIX, MATRIX])
look("operand_between_products", call, 3 * WIDE @ WIDE, SMALL, SMALL)
