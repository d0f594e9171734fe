# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the kernels that JAX has below `jax.experimental.pallas.ops.tpu`, with their gradients, at small sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu import matmul, paged_attention, ragged_paged_attention
from jax.experimental.pallas.ops.tpu.megablox import ops as megablox
from jax.experimental.pallas.ops.tpu.paged_attention import quantization_utils
from jax.experimental.pallas.ops.tpu.random import threefry
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

# A name, a function and its arguments.
Call = tuple[str, Callable[..., Any], tuple[Any, ...]]


def normal(seed: int, *shape: int, dtype: Any = jnp.float32) -> jax.Array:
    return jnp.asarray(np.random.RandomState(seed).randn(*shape), dtype)


def with_gradients(function: Callable[..., jax.Array], count: int) -> Callable[..., Any]:
    """The function, and the gradients of a sum of its results by its first `count` arguments."""

    def both(*args: Any) -> Any:
        out, pullback = jax.vjp(lambda *some: function(*some, *args[count:]), *args[:count])
        return out, pullback(jnp.cos(out))

    return both


# Splash attention ------------------------------------------------------------------------------------------------

HEADS, TOKENS = 2, 256


def splash_masks() -> dict[str, masks.Mask]:
    """One mask of each kind, of all tokens."""
    shape = (TOKENS, TOKENS)
    random = masks.NumpyMask(np.random.RandomState(0).rand(*shape) < 0.5)
    return {
        "full": masks.FullMask(shape),
        "causal": masks.CausalMask(shape),
        "causal, moved": masks.CausalMask(shape, offset=17),
        "local": masks.LocalMask(shape, window_size=(60, 10), offset=0),
        "chunked": masks.ChunkedCausalMask(shape, chunk_size=96),
        "random": random,
        "or": masks.LocalMask(shape, window_size=(20, 20), offset=0) | random,
        "and": masks.CausalMask(shape) & random,
    }


def splash_calls() -> Iterator[Call]:
    forward_and_dkv = {
        "block_q": 64,
        "block_kv": 128,
        "block_kv_compute": 128,
        "block_q_dkv": 64,
        "block_kv_dkv": 128,
        "block_kv_dkv_compute": 128,
    }
    sizes = splash.BlockSizes(**forward_and_dkv, block_q_dq=64, block_kv_dq=128)
    fused = splash.BlockSizes(**forward_and_dkv, use_fused_bwd_kernel=True)
    q, k, v = (normal(seed, HEADS, TOKENS, 64) for seed in range(3))
    for name, mask in splash_masks().items():
        kernel = splash.make_splash_mha_single_device(masks.MultiHeadMask([mask] * HEADS), block_sizes=sizes)
        yield f"splash, {name}", with_gradients(kernel, 3), (q, k, v)
    random = masks.MultiHeadMask(
        [masks.NumpyMask(np.random.RandomState(head).rand(TOKENS, TOKENS) < 0.5) for head in range(HEADS)]
    )
    kernel = splash.make_splash_mha_single_device(random, block_sizes=fused, attn_logits_soft_cap=20.0)
    yield "splash, one mask per head, fused", with_gradients(kernel, 3), (q, k, v)
    kernel = splash.make_splash_mha_single_device(random, block_sizes=sizes, save_residuals=True)
    yield "splash, residuals", kernel, (q, k, v)
    kernel = splash.make_splash_mqa_single_device(random, block_sizes=splash.BlockSizes.get_default())
    segments = splash.SegmentIds(q=jnp.arange(TOKENS) // 100, kv=jnp.arange(TOKENS) // 100)
    yield "splash, one key head", with_gradients(kernel, 3), (q, k[0], v[0], segments)


# Other attention -------------------------------------------------------------------------------------------------


def flash_calls() -> Iterator[Call]:
    q, k, v = (normal(seed, 2, 2, 256, 64) for seed in range(3))
    sizes = flash.BlockSizes(**dict.fromkeys(flash.BlockSizes.__dataclass_fields__, 128) | {"block_b": 1})
    attention = functools.partial(flash.flash_attention, block_sizes=sizes)
    yield "flash, causal", with_gradients(functools.partial(attention, causal=True), 3), (q, k, v)
    segments = flash.SegmentIds(*[jnp.asarray(np.sort(np.random.RandomState(0).randint(0, 3, (2, 256))))] * 2)
    bias = normal(3, 2, 2, 256, 256)
    yield "flash, bias and segments", with_gradients(attention, 3), (q, k, v, bias, segments)


def paged_calls() -> Iterator[Call]:
    pages = [normal(seed, 2, 32, 16, 128) for seed in range(2)]
    indices = jnp.asarray(np.random.RandomState(0).permutation(32).reshape(4, 8), jnp.int32)
    lengths = jnp.asarray([3, 128, 64, 97], jnp.int32)
    q = normal(2, 4, 8, 128)
    for mode in (None, "batch", "kv_head"):
        for inline in (True, False):
            attention = functools.partial(
                paged_attention.paged_attention,
                pages_per_compute_block=4,
                megacore_mode=mode,
                inline_seq_dim=inline,
            )
            yield f"paged, {mode}{' inline' * inline}", attention, (q, *pages, lengths, indices)
    quantized = [quantization_utils.quantize_to_int8(page) for page in pages]
    attention = functools.partial(paged_attention.paged_attention, pages_per_compute_block=4)
    yield "paged, quantized", attention, (q, *quantized, lengths, indices)


def ragged_calls() -> Iterator[Call]:
    starts = jnp.asarray([0, 40, 41, 70, 70], jnp.int32)
    lengths = jnp.asarray([50, 33, 29, 0], jnp.int32)
    indices = jnp.asarray(np.random.RandomState(0).permutation(32)[:16].reshape(4, 4), jnp.int32)
    attention = functools.partial(ragged_paged_attention.ragged_paged_attention, num_kv_pages_per_block=2)
    attention = functools.partial(attention, num_queries_per_block=32, vmem_limit_bytes=32 << 20)
    args = (normal(0, 70, 8, 128), normal(1, 32, 16, 4, 128), lengths, indices, starts, jnp.asarray([3], jnp.int32))
    yield "ragged paged", attention, args
    yield "ragged paged, window", functools.partial(attention, sliding_window=9, soft_cap=5.0), args


# Everything else -------------------------------------------------------------------------------------------------


def matmul_calls() -> Iterator[Call]:
    multiply = functools.partial(matmul.matmul, block_shape=(128, 128), block_k=128)
    yield "matmul", multiply, (normal(0, 256, 256), normal(1, 256, 256))
    groups = jnp.asarray([30, 0, 100, 62], jnp.int32)
    lhs, rhs = normal(0, 192, 128), normal(1, 4, 128, 256)

    def grouped(lhs, rhs, transposed):
        return megablox.gmm(lhs, rhs, groups, tiling=(64, 128, 128), transpose_rhs=transposed)

    yield "gmm", with_gradients(functools.partial(grouped, transposed=False), 2), (lhs, rhs)
    yield "gmm, transposed", with_gradients(functools.partial(grouped, transposed=True), 2), (lhs, rhs.swapaxes(1, 2))
    bits = functools.partial(threefry.plthreefry_random_bits, bit_width=32, shape=(256, 256))
    yield "threefry", bits, (jnp.asarray([7, 9], jnp.uint32),)


def calls() -> Iterator[Call]:
    """Every call."""
    for family in (splash_calls, flash_calls, paged_calls, ragged_calls, matmul_calls):
        yield from family()
