# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax of every row, eight rows at a time."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def softmax_kernel(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=-1, keepdims=True)


def softmax(x):
    rows, columns = x.shape
    block = pl.BlockSpec((8, columns), lambda i: (i, 0))
    return pl.pallas_call(
        softmax_kernel,
        grid=(rows // 8,),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="softmax",
    )(x)


def reference(x):
    return jax.nn.softmax(x, axis=-1)


def example_args():
    return (jax.random.normal(jax.random.key(0), (512, 1024), jnp.float32),)
