# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are timed and are no examples: one for each thing that a compiler must do well."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def _multiply_add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0 + y_ref[...]


def _exp_add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.exp(x_ref[...]) + y_ref[...]


def _elementwise(kernel, x, y, rows, columns):
    height, width = x.shape
    columns = columns or width
    spec = pl.BlockSpec((rows, columns), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        grid=(height // rows, width // columns),
        in_specs=[spec, spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name=kernel.__name__.strip("_"),
    )(x, y)


def multiply_add(x, y, rows, columns=None):
    """x * 2 + y in blocks of `rows` by `columns`, whole rows by default."""
    return _elementwise(_multiply_add_kernel, x, y, rows, columns)


def exp_add(x, y, rows=8):
    """exp(x) + y in blocks of `rows`."""
    return _elementwise(_exp_add_kernel, x, y, rows, None)


def _column_sum_kernel(x_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.sum(x_ref[...], axis=0, keepdims=True)


def column_sum(x, rows=128, columns=512):
    """The sum of each column, accumulated in the result over a sequential grid dimension."""
    height, width = x.shape
    return pl.pallas_call(
        _column_sum_kernel,
        grid=(width // columns, height // rows),
        in_specs=[pl.BlockSpec((rows, columns), lambda j, i: (i, j))],
        out_specs=pl.BlockSpec((1, columns), lambda j, i: (0, j)),
        out_shape=jax.ShapeDtypeStruct((1, width), x.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
        name="column_sum",
    )(x)


def _row_argmax_kernel(x_ref, o_ref):
    o_ref[...] = jnp.argmax(x_ref[...], axis=1).astype(jnp.int32)[None]


def row_argmax(x, rows=128):
    """The index of the largest element of each row."""
    height, width = x.shape
    out = pl.pallas_call(
        _row_argmax_kernel,
        grid=(height // rows,),
        in_specs=[pl.BlockSpec((rows, width), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((1, rows), lambda i: (0, i)),
        out_shape=jax.ShapeDtypeStruct((1, height), jnp.int32),
        name="row_argmax",
    )(x)
    return out.reshape(height)


def _transpose_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...].T


def transpose(x, block=128):
    """The transpose, one square block at a time."""
    rows, columns = x.shape
    return pl.pallas_call(
        _transpose_kernel,
        grid=(rows // block, columns // block),
        in_specs=[pl.BlockSpec((block, block), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((columns, rows), x.dtype),
        name="transpose",
    )(x)


def _matmul_int8_kernel(x_ref, y_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.int32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = acc_ref[...]


def matmul_int8(x, y, block=128):
    """The product of two matrices of bytes, accumulated in int32."""
    (m, k), (_, n) = x.shape, y.shape
    return pl.pallas_call(
        _matmul_int8_kernel,
        grid=(m // block, n // block, k // block),
        in_specs=[
            pl.BlockSpec((block, block), lambda i, j, k: (i, k)),
            pl.BlockSpec((block, block), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((block, block), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.int32),
        scratch_shapes=[pltpu.VMEM((block, block), jnp.int32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
        name="matmul_int8",
    )(x, y)


def _attention_kernel(q_ref, k_ref, v_ref, o_ref, *, block, scale):
    q = q_ref[...] * scale
    rows, depth = q.shape

    def body(j, carry):
        acc, row_max, row_sum = carry
        k = k_ref[pl.ds(j * block, block), :]
        v = v_ref[pl.ds(j * block, block), :]
        scores = jax.lax.dot_general(q, k, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
        new_max = jnp.maximum(row_max, jnp.max(scores, axis=1, keepdims=True))
        shrink = jnp.exp(row_max - new_max)
        p = jnp.exp(scores - new_max)
        acc = acc * shrink + jnp.dot(p, v, preferred_element_type=jnp.float32)
        return acc, new_max, row_sum * shrink + jnp.sum(p, axis=1, keepdims=True)

    start = (
        jnp.zeros((rows, depth), jnp.float32),
        jnp.full((rows, 1), -jnp.inf, jnp.float32),
        jnp.zeros((rows, 1), jnp.float32),
    )
    acc, _, row_sum = jax.lax.fori_loop(0, k_ref.shape[0] // block, body, start)
    o_ref[...] = (acc / row_sum).astype(o_ref.dtype)


def attention(q, k, v, block=128):
    """Attention of every query to every key: the work of the plain program, in another order."""
    heads, length, depth = q.shape
    rows = pl.BlockSpec((None, block, depth), lambda h, i: (h, i, 0))
    whole = pl.BlockSpec((None, length, depth), lambda h, i: (h, 0, 0))
    return pl.pallas_call(
        functools.partial(_attention_kernel, block=block, scale=depth**-0.5),
        grid=(heads, length // block),
        in_specs=[rows, whole, whole],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
        name="attention",
    )(q, k, v)
