# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies f16 matrices: one warpgroup fills a ring of tiles, two others multiply them with `wgmma`."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CONSUMERS, STAGES = 2, 4
# Each consumer computes ROWS rows of its block's tile.
ROWS, COLUMNS, DEPTH = 64, 128, 64


def wgmma_matmul_kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, full, empty, *, steps):
    i, j, wg = jax.lax.axis_index("i"), jax.lax.axis_index("j"), jax.lax.axis_index("wg")
    columns = pl.ds(j * COLUMNS, COLUMNS)

    @pl.when(wg == CONSUMERS)
    def _producer():
        plgpu.set_max_registers(40, action="decrease")

        def fill(step, _):
            slot = jax.lax.rem(step, STAGES)

            # Every slot is free in the first round.
            @pl.when(step >= STAGES)
            def _():
                plgpu.barrier_wait(empty.at[slot])

            depth = pl.ds(step * DEPTH, DEPTH)
            rows = pl.ds(i * CONSUMERS * ROWS, CONSUMERS * ROWS)
            plgpu.copy_gmem_to_smem(a_gmem.at[rows, depth], a_smem.at[slot], full.at[slot])
            plgpu.copy_gmem_to_smem(b_gmem.at[depth, columns], b_smem.at[slot], full.at[slot])

        jax.lax.fori_loop(0, steps, fill, None)

        # The consumers release each slot once more than the producer fills it again.
        def drain(step, _):
            plgpu.barrier_wait(empty.at[jax.lax.rem(step, STAGES)])

        jax.lax.fori_loop(max(steps - STAGES, 0), steps, drain, None)

    @pl.when(wg < CONSUMERS)
    def _consumer():
        plgpu.set_max_registers(232, action="increase")
        mine = pl.ds(wg * ROWS, ROWS)

        def multiply(acc):
            def consume(step, _):
                slot = jax.lax.rem(step, STAGES)
                plgpu.barrier_wait(full.at[slot])
                plgpu.wgmma(acc, a_smem.at[slot, mine], b_smem.at[slot])
                # The product reads the slot until it has ended.
                plgpu.wgmma_wait(0)
                plgpu.barrier_arrive(empty.at[slot])

            jax.lax.fori_loop(0, steps, consume, None)
            return acc[...]

        product = pl.run_scoped(multiply, plgpu.ACC((ROWS, COLUMNS), jnp.float32))
        o_smem[mine] = product.astype(o_smem.dtype)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(o_smem.at[mine], o_gmem.at[pl.ds((i * CONSUMERS + wg) * ROWS, ROWS), columns])
        plgpu.wait_smem_to_gmem(0)


def wgmma_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    # Rows of 64 f16 are as wide as the widest swizzle.
    layout = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    tile = functools.partial(plgpu.SMEM, dtype=a.dtype, transforms=layout)
    return plgpu.kernel(
        functools.partial(wgmma_matmul_kernel, steps=k // DEPTH),
        out_type=jax.ShapeDtypeStruct((m, n), a.dtype),
        scratch_types=[
            tile((STAGES, CONSUMERS * ROWS, DEPTH)),
            tile((STAGES, DEPTH, COLUMNS)),
            tile((CONSUMERS * ROWS, COLUMNS)),
            plgpu.Barrier(num_arrivals=2, num_barriers=STAGES),
            plgpu.Barrier(num_arrivals=CONSUMERS, num_barriers=STAGES),
        ],
        grid=(m // (CONSUMERS * ROWS), n // COLUMNS),
        grid_names=("i", "j"),
        num_threads=CONSUMERS + 1,
        thread_name="wg",
        kernel_name="wgmma_matmul",
    )(a, b)


def reference(a, b):
    return jnp.dot(a, b, preferred_element_type=jnp.float32).astype(a.dtype)


def example_args():
    a = jax.random.normal(jax.random.key(0), (256, 512), jnp.float16)
    b = jax.random.normal(jax.random.key(1), (512, 384), jnp.float16)
    return a, b
