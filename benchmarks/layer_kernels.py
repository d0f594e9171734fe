# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of small layers that are timed: normalizations, activations, masks, pooling and narrow types."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from more_kernels import rows_call


def add_rms_norm_reference(x, residual, scale):
    """RMS normalization of a sum."""
    total = x + residual
    return total * jax.lax.rsqrt(jnp.mean(total * total, axis=-1, keepdims=True) + 1e-6) * scale


def _add_rms_norm_kernel(x_ref, residual_ref, scale_ref, o_ref):
    o_ref[...] = add_rms_norm_reference(x_ref[...], residual_ref[...], scale_ref[...])


def add_rms_norm(x, residual, scale):
    """Adds the residual and normalizes rows, 8 at a time."""
    return rows_call(_add_rms_norm_kernel, x.dtype, x, residual, scale)


def rotary_reference(x, cosine, sine):
    """Rotates pairs of elements half a row apart."""
    half = x.shape[1] // 2
    low, high = x[:, :half], x[:, half:]
    return jnp.concatenate([low * cosine - high * sine, high * cosine + low * sine], axis=1)


def _rotary_kernel(x_ref, cosine_ref, sine_ref, o_ref):
    o_ref[...] = rotary_reference(x_ref[...], cosine_ref[...], sine_ref[...])


def rotary(x, cosine, sine):
    """A rotary embedding, 64 tokens at a time."""
    return rows_call(_rotary_kernel, x.dtype, x, cosine, sine, rows=64)


def running_sum_reference(x):
    """The running sum of each row."""
    return jnp.cumsum(x, axis=1)


def _running_sum_kernel(x_ref, o_ref):
    o_ref[...] = running_sum_reference(x_ref[...])


def running_sum(x):
    """The running sum of each row, 8 rows at a time."""
    return rows_call(_running_sum_kernel, x.dtype, x)


def top_one_reference(x):
    """The largest element of each row."""
    return jnp.max(x, axis=1, keepdims=True)


def _top_one_kernel(x_ref, o_ref):
    o_ref[...] = top_one_reference(x_ref[...])


def top_one(x):
    """The largest element of each row, 128 rows at a time."""
    return rows_call(_top_one_kernel, x.dtype, x, rows=128, out_columns=1)


def join_reference(x, y):
    """Rows of `x`, each continued by a row of `y`."""
    return jnp.concatenate([x, y], axis=1)


def _join_kernel(x_ref, y_ref, o_ref):
    width = x_ref.shape[1]
    o_ref[:, :width] = x_ref[...]
    o_ref[:, width:] = y_ref[...]


def join(x, y):
    """Joins rows by two stores, 16 rows at a time."""
    return rows_call(_join_kernel, x.dtype, x, y, rows=16, out_columns=2 * x.shape[1])


def add_reference(x, y):
    """The sum in the type of the operands."""
    return x + y


def _add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = add_reference(x_ref[...], y_ref[...])


def add(x, y):
    """The sum, 16 rows at a time."""
    return rows_call(_add_kernel, x.dtype, x, y, rows=16)


def requantize_reference(x, scale):
    """Words times a factor for each column, rounded to bytes."""
    return jnp.clip(jnp.round(x.astype(jnp.float32) * scale), -128, 127).astype(jnp.int8)


def _requantize_kernel(x_ref, scale_ref, o_ref):
    o_ref[...] = requantize_reference(x_ref[...], scale_ref[...])


def requantize(x, scale):
    """Bytes of words, 32 rows at a time."""
    return rows_call(_requantize_kernel, jnp.int8, x, scale, rows=32)


def masked_relu_reference(x, mask):
    """A leaky ReLU where the mask is not zero, and zero elsewhere."""
    return jnp.where(mask != 0, jnp.where(x > 0, x, 0.01 * x), 0.0)


def _masked_relu_kernel(x_ref, mask_ref, o_ref):
    o_ref[...] = masked_relu_reference(x_ref[...], mask_ref[...])


def masked_relu(x, mask):
    """Masks of bytes, 32 rows at a time."""
    return rows_call(_masked_relu_kernel, x.dtype, x, mask, rows=32)


def batch_norm_reference(x, mean, variance, scale, bias):
    """Normalization by given statistics of columns."""
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def _batch_norm_kernel(x_ref, mean_ref, variance_ref, scale_ref, bias_ref, o_ref):
    o_ref[...] = batch_norm_reference(x_ref[...], mean_ref[...], variance_ref[...], scale_ref[...], bias_ref[...])


def batch_norm(x, mean, variance, scale, bias):
    """Batch normalization for inference, 32 rows at a time."""
    return rows_call(_batch_norm_kernel, x.dtype, x, mean, variance, scale, bias, rows=32)


def outer_reference(x, y):
    """The product of each pair of elements."""
    return x[:, None] * y[None, :]


def _outer_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * y_ref[...]


def outer(x, y, block=128):
    """The outer product in square blocks."""
    return pl.pallas_call(
        _outer_kernel,
        grid=(x.shape[0] // block, y.shape[0] // block),
        in_specs=[pl.BlockSpec((block, 1), lambda i, j: (i, 0)), pl.BlockSpec((1, block), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[0]), x.dtype),
        name="outer",
    )(x[:, None], y[None, :])


def mean_pool_reference(x):
    """The mean of each square of four rows and columns."""
    height, width = x.shape
    return jnp.mean(x.reshape(height // 4, 4, width // 4, 4), axis=(1, 3))


def _mean_pool_kernel(x_ref, o_ref):
    o_ref[...] = mean_pool_reference(x_ref[...])


def mean_pool(x, rows=32):
    """Mean pooling of a plane, 32 rows at a time."""
    height, width = x.shape
    return pl.pallas_call(
        _mean_pool_kernel,
        grid=(height // rows,),
        in_specs=[pl.BlockSpec((rows, width), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((rows // 4, width // 4), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((height // 4, width // 4), x.dtype),
        name="mean_pool",
    )(x)


def gated_reference(x, y):
    """SiLU of one operand times the other."""
    return x * jax.nn.sigmoid(x) * y


def _gated_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = gated_reference(x_ref[...], y_ref[...])


def gated(x, y):
    """A gated activation, 8 rows at a time."""
    return rows_call(_gated_kernel, x.dtype, x, y)


def log_sum_exp_reference(x):
    """The logarithm of the sum of exponentials of each row."""
    largest = jnp.max(x, axis=1, keepdims=True)
    return jnp.log(jnp.sum(jnp.exp(x - largest), axis=1, keepdims=True)) + largest


def _log_sum_exp_kernel(x_ref, o_ref):
    o_ref[...] = log_sum_exp_reference(x_ref[...])


def log_sum_exp(x):
    """One number for each row, 32 rows at a time."""
    return rows_call(_log_sum_exp_kernel, x.dtype, x, rows=32, out_columns=1)


def narrow_reference(x):
    """The operand in bf16."""
    return x.astype(jnp.bfloat16)


def _narrow_kernel(x_ref, o_ref):
    o_ref[...] = narrow_reference(x_ref[...])


def narrow(x):
    """A conversion, 16 rows at a time."""
    return rows_call(_narrow_kernel, jnp.bfloat16, x, rows=16)


def entropy_reference(x, labels):
    """The cross entropy of each row with the label of the row."""
    columns = jax.lax.broadcasted_iota(jnp.int32, x.shape, 1)
    chosen = jnp.sum(jnp.where(columns == labels, x, 0.0), axis=1, keepdims=True)
    return log_sum_exp_reference(x) - chosen


def _entropy_kernel(x_ref, labels_ref, o_ref):
    o_ref[...] = entropy_reference(x_ref[...], labels_ref[...])


def entropy(x, labels):
    """The loss of each row, 32 rows at a time."""
    return rows_call(_entropy_kernel, x.dtype, x, labels, rows=32, out_columns=1)
