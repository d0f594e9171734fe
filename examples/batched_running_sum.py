# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The running sum of every row of a batch: a kernel for one matrix, mapped over the batch by `jax.vmap`."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def running_sum_kernel(x_ref, o_ref, carry_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        carry_ref[...] = jnp.zeros_like(carry_ref)

    sums = carry_ref[...] + jnp.cumsum(x_ref[...], axis=0)
    o_ref[...] = sums
    carry_ref[...] = sums[-1:, :]


def running_sum(x):
    columns = x.shape[1]
    block = pl.BlockSpec((64, columns), lambda i: (i, 0))
    return pl.pallas_call(
        running_sum_kernel,
        grid=(x.shape[0] // 64,),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_shapes=[pltpu.VMEM((1, columns), x.dtype)],
        name="running_sum",
    )(x)


def batched_running_sum(x):
    return jax.vmap(running_sum)(x)


def example_args():
    return (jax.random.normal(jax.random.key(0), (8, 256, 128), jnp.float32),)
