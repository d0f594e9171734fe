# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention: one warpgroup copies blocks of keys and values, two others each attend with their own block of queries."""

import functools
import math

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CONSUMERS, QUERIES, KEYS, STAGES = 2, 64, 128, 2


def attention_kernel(q_gmem, k_gmem, v_gmem, o_gmem, q_smem, q_loaded, *, steps):
    head, block, wg = jax.lax.axis_index("head"), jax.lax.axis_index("block"), jax.lax.axis_index("wg")
    depth = q_gmem.shape[-1]
    rows = pl.ds((block * CONSUMERS + wg) * QUERIES, QUERIES)

    def of_row(x, width):
        """One number for each row, beside each of its elements."""
        return jax.lax.broadcast_in_dim(x, (QUERIES, width), [0])

    def consumer(pipeline):
        plgpu.copy_gmem_to_smem(q_gmem.at[head, rows], q_smem.at[wg], q_loaded.at[wg])
        plgpu.barrier_wait(q_loaded.at[wg])
        row = plgpu.Layout.WGMMA.reduce(1)
        acc, _, row_sum = pipeline((
            plgpu.layout_cast(jnp.zeros((QUERIES, depth), jnp.float32), plgpu.Layout.WGMMA),
            plgpu.layout_cast(jnp.full((QUERIES,), -jnp.inf, jnp.float32), row),
            plgpu.layout_cast(jnp.zeros((QUERIES,), jnp.float32), row),
        ))  # fmt: skip
        # The queries have been read: their tile takes the result.
        q_smem[wg] = (acc / of_row(row_sum, depth)).astype(q_smem.dtype)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(q_smem.at[wg], o_gmem.at[head, rows])
        plgpu.wait_smem_to_gmem(0)

    def attend(_, k_smem, v_smem, carry):
        acc, row_max, row_sum = carry

        def scores_of(ref):
            plgpu.wgmma(ref, q_smem.at[wg], k_smem.T)
            return ref[...]

        # Powers of two are what the hardware has.
        scores = pl.run_scoped(scores_of, plgpu.ACC((QUERIES, KEYS), jnp.float32)) * (math.log2(math.e) * depth**-0.5)
        new_max = jnp.maximum(row_max, scores.max(axis=1))
        shrink = jnp.exp2(row_max - new_max)
        p = jnp.exp2(scores - of_row(new_max, KEYS))
        row_sum = row_sum * shrink + p.sum(axis=1)

        def add_values(ref):
            plgpu.wgmma(ref, p.astype(v_smem.dtype), v_smem)

        acc = pl.run_state(add_values)(plgpu.ACC.init(acc * of_row(shrink, depth)))
        return acc, new_max, row_sum

    tile = plgpu.BlockSpec(
        (KEYS, depth), lambda step: (step, 0), transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    )
    plgpu.emit_pipeline_warp_specialized(
        attend,
        grid=(steps,),
        in_specs=[tile, tile],
        wg_axis="wg",
        num_compute_wgs=CONSUMERS,
        memory_registers=40,
        max_concurrent_steps=STAGES,
        compute_context=consumer,
    )(k_gmem.at[head], v_gmem.at[head])


def warp_specialized_attention(q, k, v):
    heads, length, depth = q.shape
    layout = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        functools.partial(attention_kernel, steps=k.shape[1] // KEYS),
        out_type=jax.ShapeDtypeStruct(q.shape, q.dtype),
        scratch_types=[
            plgpu.SMEM((CONSUMERS, QUERIES, depth), q.dtype, transforms=layout),
            plgpu.Barrier(num_barriers=CONSUMERS),
        ],
        grid=(heads, length // (CONSUMERS * QUERIES)),
        grid_names=("head", "block"),
        num_threads=CONSUMERS + 1,
        thread_name="wg",
        kernel_name="warp_specialized_attention",
    )(q, k, v)


def reference(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k, preferred_element_type=jnp.float32) * q.shape[-1] ** -0.5
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v.astype(jnp.float32)).astype(q.dtype)


def example_args():
    return tuple(jax.random.normal(jax.random.key(i), (2, 256, 64), jnp.float16) for i in range(3))
