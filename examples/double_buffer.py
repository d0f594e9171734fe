# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales a long array that stays in slow memory: while one chunk is computed, the next one is copied in."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

CHUNK = 1024


def scale_kernel(x_ref, o_ref, in_buffer, out_buffer, in_sems, out_sem):
    chunks = x_ref.shape[0]

    def fetch(i, slot):
        return pltpu.make_async_copy(x_ref.at[i], in_buffer.at[slot], in_sems.at[slot])

    fetch(0, 0).start()

    def body(i, _):
        slot = jax.lax.rem(i, 2)

        @pl.when(i + 1 < chunks)
        def _():
            fetch(i + 1, 1 - slot).start()

        fetch(i, slot).wait()
        out_buffer[...] = in_buffer[slot] * 3.0
        result = pltpu.make_async_copy(out_buffer, o_ref.at[i], out_sem)
        result.start()
        result.wait()

    jax.lax.fori_loop(0, chunks, body, None)


def double_buffer(x):
    chunked = x.reshape(-1, 8, CHUNK // 8)
    out = pl.pallas_call(
        scale_kernel,
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        out_shape=jax.ShapeDtypeStruct(chunked.shape, x.dtype),
        scratch_shapes=[
            pltpu.VMEM((2, 8, CHUNK // 8), x.dtype),
            pltpu.VMEM((8, CHUNK // 8), x.dtype),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.SemaphoreType.DMA,
        ],
        name="double_buffer",
    )(chunked)
    return out.reshape(x.shape)


def example_args():
    return (jax.random.normal(jax.random.key(0), (64 * CHUNK,), jnp.float32),)
