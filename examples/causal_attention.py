# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention: a loop over blocks of keys, as many as the causal mask lets the block of queries see."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def attention_kernel(q_ref, k_ref, v_ref, o_ref, *, block, scale):
    i = pl.program_id(1)
    q = q_ref[...] * scale
    rows = i * block + jax.lax.broadcasted_iota(jnp.int32, (block, block), 0)

    def body(j, carry):
        acc, row_max, row_sum = carry
        k = k_ref[pl.ds(j * block, block), :]
        v = v_ref[pl.ds(j * block, block), :]
        scores = jax.lax.dot_general(q, k, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
        columns = j * block + jax.lax.broadcasted_iota(jnp.int32, (block, block), 1)
        scores = jnp.where(rows >= columns, scores, -jnp.inf)
        new_max = jnp.maximum(row_max, jnp.max(scores, axis=1, keepdims=True))
        shrink = jnp.exp(row_max - new_max)
        p = jnp.exp(scores - new_max)
        acc = acc * shrink + jnp.dot(p, v, preferred_element_type=jnp.float32)
        return acc, new_max, row_sum * shrink + jnp.sum(p, axis=1, keepdims=True)

    start = (
        jnp.zeros(q.shape, jnp.float32),
        jnp.full((block, 1), -jnp.inf, jnp.float32),
        jnp.zeros((block, 1), jnp.float32),
    )
    acc, _, row_sum = jax.lax.fori_loop(0, i + 1, body, start)
    o_ref[...] = (acc / row_sum).astype(o_ref.dtype)


def causal_attention(q, k, v, block=128):
    heads, length, depth = q.shape
    rows = pl.BlockSpec((None, block, depth), lambda h, i: (h, i, 0))
    whole = pl.BlockSpec((None, length, depth), lambda h, i: (h, 0, 0))
    return pl.pallas_call(
        functools.partial(attention_kernel, block=block, scale=depth**-0.5),
        grid=(heads, length // block),
        in_specs=[rows, whole, whole],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
        name="causal_attention",
    )(q, k, v)


def reference(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k) * q.shape[-1] ** -0.5
    visible = jnp.tril(jnp.ones(scores.shape[1:], bool))
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.where(visible, scores, -jnp.inf), axis=-1), v)


def example_args():
    return tuple(jax.random.normal(jax.random.key(i), (4, 512, 64), jnp.float32) for i in range(3))
