# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten more kernels that are timed, of the kinds that models are made of, each with its plain JAX program."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def rows_call(kernel, out_dtype, *operands, rows=8, out_columns=None):
    """Calls `kernel` on blocks of whole rows of matrices, and on whole vectors.

    The first operand is a matrix. All matrices have its rows.
    """
    height, width = operands[0].shape
    out_columns = out_columns or width

    def spec(operand):
        if operand.ndim == 1:
            return pl.BlockSpec((1, operand.shape[0]), lambda i: (0, 0))
        return pl.BlockSpec((rows, operand.shape[1]), lambda i: (i, 0))

    return pl.pallas_call(
        kernel,
        grid=(height // rows,),
        in_specs=[spec(operand) for operand in operands],
        out_specs=pl.BlockSpec((rows, out_columns), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((height, out_columns), out_dtype),
        name=kernel.__name__.strip("_"),
    )(*(operand.reshape(1, -1) if operand.ndim == 1 else operand for operand in operands))


def gelu_reference(x):
    """The approximation by tanh."""
    return 0.5 * x * (1.0 + jnp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def _gelu_kernel(x_ref, o_ref):
    o_ref[...] = gelu_reference(x_ref[...])


def gelu(x):
    """GELU in blocks of 8 rows."""
    return rows_call(_gelu_kernel, x.dtype, x)


def _row_sum_kernel(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], axis=1, keepdims=True)


def row_sum(x):
    """The sum of each row."""
    return rows_call(_row_sum_kernel, x.dtype, x, rows=128, out_columns=1)


def row_sum_reference(x):
    """As XLA computes it."""
    return jnp.sum(x, axis=1, keepdims=True)


def _log_softmax_kernel(x_ref, o_ref):
    x = x_ref[...]
    shifted = x - jnp.max(x, axis=1, keepdims=True)
    o_ref[...] = shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis=1, keepdims=True))


def log_softmax(x):
    """The logarithm of softmax, 8 rows at a time."""
    return rows_call(_log_softmax_kernel, x.dtype, x)


def rms_norm_reference(x, scale):
    """In f32, rounded once."""
    wide = x.astype(jnp.float32)
    root = jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + 1e-6)
    return (wide * root * scale.astype(jnp.float32)).astype(x.dtype)


def _rms_norm_kernel(x_ref, scale_ref, o_ref):
    o_ref[...] = rms_norm_reference(x_ref[...], scale_ref[...])


def rms_norm(x, scale):
    """RMS normalization of rows, 16 at a time."""
    return rows_call(_rms_norm_kernel, x.dtype, x, scale, rows=16)


def dequantize_reference(x, scale):
    """Bytes times a factor for each column."""
    return x.astype(jnp.float32) * scale


def _dequantize_kernel(x_ref, scale_ref, o_ref):
    o_ref[...] = dequantize_reference(x_ref[...], scale_ref[...])


def dequantize(x, scale):
    """Floats of bytes, 32 rows at a time."""
    return rows_call(_dequantize_kernel, jnp.float32, x, scale, rows=32)


def _swap_heads_kernel(x_ref, o_ref):
    o_ref[...] = jnp.swapaxes(x_ref[...], 0, 1)


def swap_heads(x, block=64):
    """From [tokens, heads, depth] to [heads, tokens, depth]."""
    tokens, heads, depth = x.shape
    return pl.pallas_call(
        _swap_heads_kernel,
        grid=(tokens // block,),
        in_specs=[pl.BlockSpec((block, heads, depth), lambda i: (i, 0, 0))],
        out_specs=pl.BlockSpec((heads, block, depth), lambda i: (0, i, 0)),
        out_shape=jax.ShapeDtypeStruct((heads, tokens, depth), x.dtype),
        name="swap_heads",
    )(x)


def swap_heads_reference(x):
    """As XLA computes it."""
    return jnp.swapaxes(x, 0, 1)


def _dense_kernel(x_ref, w_ref, b_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = jnp.maximum(acc_ref[...] + b_ref[...], 0.0)


def dense(x, w, b, block=256):
    """A dense layer: a product, a bias and ReLU."""
    (m, k), (_, n) = x.shape, w.shape
    return pl.pallas_call(
        _dense_kernel,
        grid=(m // block, n // block, k // block),
        in_specs=[
            pl.BlockSpec((block, block), lambda i, j, k: (i, k)),
            pl.BlockSpec((block, block), lambda i, j, k: (k, j)),
            pl.BlockSpec((1, block), lambda i, j, k: (0, j)),
        ],
        out_specs=pl.BlockSpec((block, block), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((block, block), jnp.float32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
        name="dense",
    )(x, w, b.reshape(1, -1))


def dense_reference(x, w, b):
    """As XLA computes it."""
    return jnp.maximum(x @ w + b, 0.0)


def five_points_reference(x):
    """Each inner point and its four neighbours; `x` has a border."""
    return 0.5 * x[1:-1, 1:-1] + 0.125 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def _five_points_kernel(x_ref, o_ref):
    o_ref[...] = five_points_reference(x_ref[...])


def five_points(x, rows=32):
    """A stencil of two dimensions; blocks overlap by a row on each side."""
    height, width = x.shape[0] - 2, x.shape[1] - 2
    return pl.pallas_call(
        _five_points_kernel,
        grid=(height // rows,),
        in_specs=[pl.BlockSpec((pl.Element(rows + 2), pl.Element(width + 2)), lambda i: (i * rows, 0))],
        out_specs=pl.BlockSpec((rows, width), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((height, width), x.dtype),
        name="five_points",
    )(x)


def _small_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.maximum(x_ref[...] - y_ref[...], 0.0)


def small_grid(x, y):
    """A few kilobytes, where the call counts."""
    return pl.pallas_call(
        _small_kernel,
        grid=(x.shape[0] // 8,),
        in_specs=[pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))] * 2,
        out_specs=pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="small",
    )(x, y)


def small_grid_reference(x, y):
    """As XLA computes it."""
    return jnp.maximum(x - y, 0.0)


def _pages_kernel(table_ref, pages_ref, o_ref):
    del table_ref
    o_ref[...] = pages_ref[...]


def gather_pages(table, pages):
    """The pages of a cache that a table of prefetched scalars names."""
    _, tokens, depth = pages.shape
    page: Any = (None, tokens, depth)
    return pl.pallas_call(
        _pages_kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(table.shape[0],),
            in_specs=[pl.BlockSpec(page, lambda i, table: (table[i], 0, 0))],
            out_specs=pl.BlockSpec(page, lambda i, table: (i, 0, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct((table.shape[0], tokens, depth), pages.dtype),
        name="gather_pages",
    )(table, pages)


def gather_pages_reference(table, pages):
    """As XLA computes it."""
    return pages[table]


log_softmax_reference = functools.partial(jax.nn.log_softmax, axis=-1)
