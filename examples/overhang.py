# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doubles a matrix whose sizes are no multiples of the block: the last blocks overhang the array."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


def overhang(x):
    block = pl.BlockSpec((64, 256), lambda i, j: (i, j))
    return pl.pallas_call(
        double_kernel,
        grid=(pl.cdiv(x.shape[0], 64), pl.cdiv(x.shape[1], 256)),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="overhang",
    )(x)


def example_args():
    return (jax.random.normal(jax.random.key(0), (500, 1001), jnp.float32),)
