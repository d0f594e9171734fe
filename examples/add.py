# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds two matrices, one 128 by 256 block at a time."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def add(x, y):
    block = pl.BlockSpec((128, 256), lambda i, j: (i, j))
    return pl.pallas_call(
        add_kernel,
        grid=(x.shape[0] // 128, x.shape[1] // 256),
        in_specs=[block, block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="add",
    )(x, y)


def reference(x, y):
    return x + y


def example_args():
    x = jax.random.normal(jax.random.key(0), (512, 1024), jnp.float32)
    y = jax.random.normal(jax.random.key(1), (512, 1024), jnp.float32)
    return x, y
