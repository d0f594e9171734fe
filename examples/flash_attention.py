# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own flash attention for TPUs, called as it is."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import flash_attention as tpu_flash_attention

BLOCKS = tpu_flash_attention.BlockSizes(block_q=128, block_k_major=128, block_k=128, block_b=1)

flash_attention = functools.partial(
    tpu_flash_attention.flash_attention, causal=True, sm_scale=128**-0.5, block_sizes=BLOCKS
)


def example_args():
    return tuple(jax.random.normal(jax.random.key(i), (1, 2, 256, 128), jnp.float32) for i in range(3))
