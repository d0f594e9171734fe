# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies bf16 matrices with `tcgen05.mma`: products are summed in tensor memory while the next tiles are copied."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, DEPTH, STAGES = 128, 128, 64, 2


def tcgen05_matmul_kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc_tmem, loaded, multiplied, *, steps):
    rows = pl.ds(jax.lax.axis_index("i") * ROWS, ROWS)
    columns = pl.ds(jax.lax.axis_index("j") * COLUMNS, COLUMNS)

    def fetch(step):
        slot = jax.lax.rem(step, STAGES)
        depth = pl.ds(step * DEPTH, DEPTH)
        plgpu.copy_gmem_to_smem(a_gmem.at[rows, depth], a_smem.at[slot], loaded.at[slot])
        plgpu.copy_gmem_to_smem(b_gmem.at[depth, columns], b_smem.at[slot], loaded.at[slot])

    for step in range(min(STAGES, steps)):
        fetch(jnp.int32(step))

    def multiply(step, _):
        slot = jax.lax.rem(step, STAGES)
        plgpu.barrier_wait(loaded.at[slot])
        # The first product replaces what the memory held before.
        plgpu.tcgen05_mma(acc_tmem, a_smem.at[slot], b_smem.at[slot], multiplied, accumulate=step > 0)
        plgpu.barrier_wait(multiplied)

        # The product has read its slot: it may be filled again.
        @pl.when(step + STAGES < steps)
        def _():
            fetch(step + STAGES)

    jax.lax.fori_loop(0, steps, multiply, None)
    o_smem[...] = plgpu.async_load_tmem(acc_tmem).astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[rows, columns])
    plgpu.wait_smem_to_gmem(0)


def tcgen05_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    # Rows of 64 bf16 are as wide as the widest swizzle.
    layout = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    tile = functools.partial(plgpu.SMEM, dtype=a.dtype, transforms=layout)
    return plgpu.kernel(
        functools.partial(tcgen05_matmul_kernel, steps=k // DEPTH),
        out_type=jax.ShapeDtypeStruct((m, n), a.dtype),
        scratch_types=[
            tile((STAGES, ROWS, DEPTH)),
            tile((STAGES, DEPTH, COLUMNS)),
            tile((ROWS, COLUMNS)),
            plgpu.TMEM((ROWS, COLUMNS), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=STAGES),
            plgpu.Barrier(orders_tensor_core=True),
        ],
        grid=(m // ROWS, n // COLUMNS),
        grid_names=("i", "j"),
        kernel_name="tcgen05_matmul",
    )(a, b)


def reference(a, b):
    return jnp.dot(a, b, preferred_element_type=jnp.float32).astype(a.dtype)


def example_args():
    a = jax.random.normal(jax.random.key(0), (256, 512), jnp.bfloat16)
    b = jax.random.normal(jax.random.key(1), (512, 384), jnp.bfloat16)
    return a, b
