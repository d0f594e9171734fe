# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalises every row to mean 0 and variance 1, then scales and shifts it."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def layer_norm_kernel(x_ref, scale_ref, bias_ref, o_ref, *, epsilon):
    x = x_ref[...]
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    o_ref[...] = centred * jax.lax.rsqrt(variance + epsilon) * scale_ref[...] + bias_ref[...]


def layer_norm(x, scale, bias):
    rows, columns = x.shape
    block = pl.BlockSpec((8, columns), lambda i: (i, 0))
    whole = pl.BlockSpec((1, columns), lambda i: (0, 0))
    return pl.pallas_call(
        functools.partial(layer_norm_kernel, epsilon=1e-6),
        grid=(rows // 8,),
        in_specs=[block, whole, whole],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="layer_norm",
    )(x, scale.reshape(1, columns), bias.reshape(1, columns))


def reference(x, scale, bias):
    return jax.nn.standardize(x, axis=-1, epsilon=1e-6) * scale + bias


def example_args():
    x = jax.random.normal(jax.random.key(0), (512, 1024), jnp.float32)
    scale = jax.random.normal(jax.random.key(1), (1024,), jnp.float32)
    bias = jax.random.normal(jax.random.key(2), (1024,), jnp.float32)
    return x, scale, bias
