# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from gridir.frontend.walk.levels import CPU_PLATFORM, GPU_PLATFORM, TPU_PLATFORM
from gridir.frontend.walk.registry import ANY, decomposition


def order_key(x: Any, merge: bool = True) -> Any:
    """An unsigned integer array that sorts as `x` does.

    With `merge`, -0 equals +0, and all NaNs are equal and come last; else numbers are ordered by their bits.
    """
    if x.dtype == jnp.bool_:
        return x.astype(jnp.uint8)
    if jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return x
    bits = jnp.finfo(x.dtype).bits if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).bits
    unsigned = jnp.dtype(f"uint{bits}")
    top = jnp.asarray(1 << (bits - 1), unsigned)
    if jnp.issubdtype(x.dtype, jnp.integer):
        return lax.convert_element_type(x, unsigned) ^ top
    if merge:
        x = jnp.where(x == 0, jnp.zeros_like(x), x)
        x = jnp.where(x != x, jnp.full_like(x, jnp.nan), x)
    raw = lax.bitcast_convert_type(x, unsigned)
    return jnp.where(raw >= top, ~raw, raw | top)


def _total_order(compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Comparison in the total order of IEEE 754, in which -0 is before +0 and every NaN is ordered."""

    def compared(x: Any, y: Any) -> Any:
        return compare(order_key(x, merge=False), order_key(y, merge=False))

    return compared


decomposition("eq_to")(_total_order(lax.eq))
decomposition("le_to")(_total_order(lax.le))
decomposition("lt_to")(_total_order(lax.lt))


@decomposition("sort")
def _sort(*operands: Any, dimension: int, num_keys: int, is_stable: bool) -> Any:
    """Counts the elements that precede each element, and stores it at that index: n^2 comparisons, and stable."""
    del is_stable
    moved = [jnp.moveaxis(x, dimension, -1) for x in operands]
    size = moved[0].shape[-1]
    shape = (*moved[0].shape[:-1], size, size)
    here = lax.broadcasted_iota(jnp.int32, shape, len(shape) - 2)
    other = lax.broadcasted_iota(jnp.int32, shape, len(shape) - 1)
    before = other < here
    for key in reversed([order_key(x) for x in moved[:num_keys]]):
        mine, theirs = key[..., :, None], key[..., None, :]
        before = (theirs < mine) | ((theirs == mine) & before)
    rank = jnp.sum(before.astype(jnp.int32), axis=-1)
    # Element p of the result takes the one element whose rank is p.
    takes = rank[..., None, :] == here
    source = jnp.sum(jnp.where(takes, other, 0), axis=-1)
    results = []
    for x in moved:
        taken = jnp.take_along_axis(x, source, axis=-1, mode="promise_in_bounds")
        results.append(jnp.moveaxis(taken, -1, dimension))
    return tuple(results)


def _word_key(x: Any) -> Any:
    """The order of `order_key`, as that of numbers of 32 bits with a sign."""
    if jnp.issubdtype(x.dtype, jnp.signedinteger):
        return x.astype(jnp.int32)
    key = order_key(x)
    if jnp.iinfo(key.dtype).bits < 32:
        return key.astype(jnp.int32)
    return lax.bitcast_convert_type(key ^ jnp.uint32(1 << 31), jnp.int32)


def _from_word_key(key: Any, dtype: Any) -> Any:
    """The integers that have these keys."""
    return lax.bitcast_convert_type(key, dtype) ^ jnp.uint32(1 << 31) if dtype == jnp.uint32 else key.astype(dtype)


def _register_size(rank: int, dimension: int) -> int:
    """The elements that lie in one register along a dimension."""
    return {rank - 1: 128, rank - 2: 8}.get(dimension, 1)


def _partners(x: Any, distance: int, dimension: int) -> Any:
    """Element i is the one whose index has one other bit: of the same register, which is looked up, or of another."""
    extent = x.shape[dimension]
    size = min(_register_size(x.ndim, dimension), extent)
    parts = [lax.slice_in_dim(x, start, start + size, axis=dimension) for start in range(0, extent, size)]
    if distance >= size:
        parts = [parts[number ^ (distance // size)] for number in range(len(parts))]
    else:
        index = lax.broadcasted_iota(jnp.int32, parts[0].shape, dimension) ^ distance
        parts = [jnp.take_along_axis(part, index, axis=dimension, mode="promise_in_bounds") for part in parts]
    return jnp.concatenate(parts, axis=dimension)


@TPU_PLATFORM.decomposition("sort", overrides=True)
def _sort_on_tpu(*operands: Any, dimension: int, num_keys: int, is_stable: bool) -> Any:
    """A bitonic network: in each step every element is compared with one a power of two away, all at once.

    The index of an element is the last of the keys, so that no two are equal, and selects the elements at the end. If
    all integers are keys themselves, equal ones are interchangeable. Elements after the end sort last. A comparison of
    every two elements would take a register for each of them.
    """
    del is_stable
    shape = operands[0].shape
    size = shape[dimension]
    extent = max(_register_size(len(shape), dimension), 1 << (size - 1).bit_length())
    widths = [(0, extent - size if d == dimension else 0) for d in range(len(shape))]
    keys = [_word_key(x) for x in operands[:num_keys]]
    padded = [jnp.pad(key, widths, constant_values=jnp.iinfo(jnp.int32).max) if extent > size else key for key in keys]
    index = lax.broadcasted_iota(jnp.int32, padded[0].shape, dimension)
    are_all = len(keys) == len(operands) and all(jnp.issubdtype(x.dtype, jnp.integer) for x in operands)
    arrays = padded if are_all else [*padded, index]
    stage = 2
    while stage <= extent:
        distance = stage // 2
        while distance:
            partners = [_partners(x, distance, dimension) for x in arrays]
            arrays = _exchanged(arrays, partners, index, stage, distance)
            distance //= 2
        stage *= 2
    arrays = [lax.slice_in_dim(x, 0, size, axis=dimension) for x in arrays]
    if are_all:
        return tuple(_from_word_key(key, x.dtype) for key, x in zip(arrays, operands, strict=True))
    source = arrays[-1]
    return tuple(jnp.take_along_axis(x, source, axis=dimension, mode="promise_in_bounds") for x in operands)


@GPU_PLATFORM.decomposition("sort", overrides=True)
def _sort_on_gpu(*operands: Any, dimension: int, num_keys: int, is_stable: bool) -> Any:
    """The same network as a loop over its steps, whose code is short for every size. Threads look partners up."""
    del is_stable
    size = operands[0].shape[dimension]
    extent = 1 << max(size - 1, 0).bit_length()
    widths = [(0, extent - size if d == dimension else 0) for d in range(operands[0].ndim)]
    keys = [order_key(x) for x in operands[:num_keys]]
    # Elements after the end have the largest keys and indices.
    if extent > size:
        keys = [jnp.pad(x, widths, constant_values=jnp.asarray(jnp.iinfo(x.dtype).max, x.dtype)) for x in keys]
    index = lax.broadcasted_iota(jnp.int32, keys[0].shape, dimension)

    def step(_: Any, state: Any) -> Any:
        stage, distance, arrays = state
        partners = [jnp.take_along_axis(x, index ^ distance, axis=dimension, mode="promise_in_bounds") for x in arrays]
        arrays = _exchanged(arrays, partners, index, stage, distance)
        is_last = distance == 1
        return jnp.where(is_last, 2 * stage, stage), jnp.where(is_last, stage, distance >> 1), arrays

    bits = extent.bit_length() - 1
    start = (jnp.int32(2), jnp.int32(1), [*keys, index])
    source = lax.fori_loop(0, bits * (bits + 1) // 2, step, start)[2][-1]
    source = lax.slice_in_dim(source, 0, size, axis=dimension)
    return tuple(jnp.take_along_axis(x, source, axis=dimension, mode="promise_in_bounds") for x in operands)


def _exchanged(arrays: Any, partners: Any, index: Any, stage: Any, distance: Any) -> Any:
    """One step: of two elements the first has the smaller keys, or the larger ones in every other run of a stage."""
    is_first = (index & distance) == 0
    is_less = arrays[-1] < partners[-1]
    for mine, theirs in reversed([*zip(arrays[:-1], partners[:-1], strict=True)]):
        is_less = (mine < theirs) | ((mine == theirs) & is_less)
    # It stays where the order is the wanted one: where three of these hold, or one.
    stays = is_less ^ (is_first ^ ((index & stage) == 0))
    return [jnp.where(stays, mine, theirs) for mine, theirs in zip(arrays, partners, strict=True)]


# Of equal elements the first is taken, which JAX need not do where the author says so.
@decomposition("top_k", ignores={"is_stable": ANY})
def _top_k(x: Any, *, k: int, axis: int) -> Any:
    axis %= x.ndim
    indices = lax.broadcasted_iota(jnp.int32, x.shape, axis)
    # Stable descending order of the values.
    _keys, values, order = lax.sort((_descending_key(x), x, indices), dimension=axis, num_keys=1, is_stable=True)
    return lax.slice_in_dim(values, 0, k, axis=axis), lax.slice_in_dim(order, 0, k, axis=axis)


def _descending_key(x: Any) -> Any:
    """An integer whose ascending order is the descending total order of `x`: NaN first, and -0 after 0."""
    if jnp.issubdtype(x.dtype, jnp.floating):
        bits = jnp.finfo(x.dtype).bits
        raw = lax.bitcast_convert_type(x, jnp.dtype(f"int{bits}"))
        # The magnitude of a negative number counts down.
        x = jnp.where(raw < 0, raw ^ jnp.asarray((1 << (bits - 1)) - 1, raw.dtype), raw)
    return lax.bitwise_not(x)


@CPU_PLATFORM.decomposition("top_k", ignores={"is_stable": ANY}, overrides=True)
def _top_k_on_cpu(x: Any, *, k: int, axis: int) -> Any:
    """Selects the largest element that follows the last one in the result, k times: k n comparisons instead of n^2."""
    axis %= x.ndim
    size = x.shape[axis]
    if not 0 < k <= size // 4:
        return _top_k(x, k=k, axis=axis)
    keys = order_key(jnp.moveaxis(x, axis, -1), merge=False)
    indices = lax.broadcasted_iota(jnp.int32, keys.shape, keys.ndim - 1)

    def select(last: Any, _: Any) -> Any:
        last_key, last_index = (part[..., None] for part in last)
        follows = (keys < last_key) | ((keys == last_key) & (indices > last_index))
        key = jnp.max(jnp.where(follows, keys, 0), axis=-1)
        index = jnp.min(jnp.where(follows & (keys == key[..., None]), indices, size), axis=-1)
        return (key, index), (key, index)

    first = jnp.full(keys.shape[:-1], jnp.iinfo(keys.dtype).max, keys.dtype), jnp.full(keys.shape[:-1], -1, jnp.int32)
    found = lax.scan(select, first, length=k)[1]
    sorted_keys, order = (jnp.moveaxis(part, 0, axis) for part in found)
    return _value_of_key(sorted_keys, x.dtype), order


def _value_of_key(key: Any, dtype: Any) -> Any:
    """The inverse of `order_key` without `merge`."""
    if not jnp.issubdtype(dtype, jnp.floating) and not jnp.issubdtype(dtype, jnp.signedinteger):
        return key.astype(dtype)
    top = jnp.asarray(1 << (jnp.iinfo(key.dtype).bits - 1), key.dtype)
    if jnp.issubdtype(dtype, jnp.integer):
        return lax.convert_element_type(key ^ top, dtype)
    return lax.bitcast_convert_type(jnp.where(key >= top, key ^ top, ~key), dtype)
