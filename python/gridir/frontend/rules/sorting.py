# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from gridir.frontend.registry import decomposition


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
    """Counts, for each element, those that go before it, and puts it at that index: n^2 comparisons, and stable."""
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
