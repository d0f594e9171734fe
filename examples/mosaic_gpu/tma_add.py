# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds two matrices: bulk copies bring the tiles of a block into shared memory and take the sum back."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS = 64, 128


def tma_add_kernel(x_gmem, y_gmem, o_gmem, x_smem, y_smem, o_smem, loaded):
    i, j = jax.lax.axis_index("i"), jax.lax.axis_index("j")
    tile = (pl.ds(i * ROWS, ROWS), pl.ds(j * COLUMNS, COLUMNS))
    # The barrier's phase ends when both copies have arrived.
    plgpu.copy_gmem_to_smem(x_gmem.at[tile], x_smem, loaded)
    plgpu.copy_gmem_to_smem(y_gmem.at[tile], y_smem, loaded)
    plgpu.barrier_wait(loaded)
    o_smem[...] = x_smem[...] + y_smem[...]
    # The copy back must see what the warpgroup has written.
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[tile])
    plgpu.wait_smem_to_gmem(0)


def tma_add(x, y):
    tile = plgpu.SMEM((ROWS, COLUMNS), x.dtype)
    return plgpu.kernel(
        tma_add_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_types=[tile, tile, tile, plgpu.Barrier(num_arrivals=2)],
        grid=(x.shape[0] // ROWS, x.shape[1] // COLUMNS),
        grid_names=("i", "j"),
        kernel_name="tma_add",
    )(x, y)


def reference(x, y):
    return x + y


def example_args():
    return tuple(jax.random.normal(jax.random.key(i), (512, 1024), jnp.float32) for i in range(2))
