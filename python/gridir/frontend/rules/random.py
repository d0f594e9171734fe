# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's counter-based random numbers. A key is the array of words that it is made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from gridir.frontend.compat import jax_core
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, decomposition, rule, traced
from gridir.mlir import ir

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


@decomposition("threefry2x32")
def _threefry2x32(key0: Any, key1: Any, x0: Any, x1: Any) -> Any:
    """Threefry with 20 rounds (Salmon et al., SC 2011); the key is added after every four."""
    key0, key1, x0, x1 = jnp.broadcast_arrays(key0, key1, x0, x1)
    keys = (key0, key1, key0 ^ key1 ^ jnp.uint32(0x1BD11BDA))
    x0, x1 = x0 + keys[0], x1 + keys[1]
    for group in range(5):
        for distance in _ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = (x1 << jnp.uint32(distance)) | (x1 >> jnp.uint32(32 - distance))
            x1 = x0 ^ x1
        x0 = x0 + keys[(group + 1) % 3]
        x1 = x1 + keys[(group + 2) % 3] + jnp.uint32(group + 1)
    return x0, x1


@decomposition("iota_2x32_shape")
def _iota_2x32_shape(*, shape: tuple[int, ...]) -> Any:
    """The high and low words of the row-major number of each element."""
    low = jnp.zeros(shape, jnp.uint32)
    for dim in range(len(shape)):
        stride = math.prod(shape[dim + 1 :])
        low = low + lax.broadcasted_iota(jnp.uint32, shape, dim) * jnp.uint32(stride)
    return jnp.zeros(shape, jnp.uint32), low


@rule("random_wrap", "random_unwrap", ignores={"impl": ANY})
def _wrap(_: RuleContext, words: ir.Value) -> ir.Value:
    return words


def _for_each(rank: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies a function of one key to an array of keys of that rank."""
    for _ in range(rank):
        function = jax.vmap(function)
    return function


@rule("random_bits")
def _random_bits(ctx: RuleContext, key: ir.Value, *, bit_width: int, shape: tuple[int, ...]) -> list[ir.Value]:
    aval = ctx.avals_in[0]
    impl, keys = jax_core.prng_impl(aval), jax_core.is_pallas_key(aval)
    return traced(ctx, _for_each(len(aval.shape), lambda k: impl.random_bits(k, bit_width, shape)), [key], keys)


@rule("random_split")
def _random_split(ctx: RuleContext, key: ir.Value, *, shape: tuple[int, ...]) -> list[ir.Value]:
    aval = ctx.avals_in[0]
    impl = jax_core.prng_impl(aval)
    return traced(ctx, _for_each(len(aval.shape), lambda k: impl.split(k, shape)), [key])


@rule("random_fold_in")
def _random_fold_in(ctx: RuleContext, key: ir.Value, data: ir.Value) -> list[ir.Value]:
    aval = ctx.avals_in[0]
    fold_in, keys = jax_core.prng_impl(aval).fold_in, jax_core.is_pallas_key(aval)
    return traced(ctx, _for_each(len(aval.shape), fold_in), [key, data], keys)


@rule("random_seed")
def _random_seed(ctx: RuleContext, seed: ir.Value, *, impl: Any) -> list[ir.Value]:
    return traced(ctx, _for_each(len(ctx.avals_in[0].shape), impl.seed), [seed])
