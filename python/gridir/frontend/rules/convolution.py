# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution, as one contraction for each element of the kernel's window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from gridir.frontend.walk.registry import ANY, decomposition


def _split(x: Any, axis: int, groups: int) -> Any:
    """The groups of an axis as a new first axis."""
    shape = (*x.shape[:axis], groups, x.shape[axis] // groups, *x.shape[axis + 1 :])
    return jnp.moveaxis(x.reshape(shape), axis, 0)


def _accumulator(dtype: Any, preferred: Any) -> Any:
    """Returns the type of accumulation: f32 for narrower floats."""
    result = jnp.dtype(preferred or dtype)
    return jnp.dtype(jnp.float32) if jnp.issubdtype(result, jnp.floating) and result.itemsize < 4 else result


@decomposition("conv_general_dilated", ignores={"out_sharding": ANY})
def _conv_general_dilated(
    lhs: Any,
    rhs: Any,
    *,
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    dimension_numbers: Any,
    feature_group_count: int,
    batch_group_count: int,
    precision: Any,
    preferred_element_type: Any,
) -> Any:
    """Each element of the window multiplies a strided slice of the padded array, and the products are added up."""
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    dtype, accumulator = lhs.dtype, _accumulator(lhs.dtype, preferred_element_type)
    # From here on: (batch, space..., feature) and (space..., in feature, out feature), which leaves the most common
    # layouts as they are.
    lhs = jnp.transpose(lhs, (lhs_spec[0], *lhs_spec[2:], lhs_spec[1]))
    rhs = jnp.transpose(rhs, (*rhs_spec[2:], rhs_spec[1], rhs_spec[0]))
    spatial = [(low, high, dilation - 1) for (low, high), dilation in zip(padding, lhs_dilation, strict=True)]
    lhs = lax.pad(lhs, jnp.asarray(0, dtype), [(0, 0, 0), *spatial, (0, 0, 0)])
    last = lhs.ndim - 1
    groups = max(batch_group_count, feature_group_count)
    parts = _split(lhs, 0 if batch_group_count > 1 else last, groups)
    kernels = _split(rhs, last, groups)
    window_shape, (depth, features) = rhs.shape[:-2], kernels.shape[-2:]
    spans = [(size - 1) * d + 1 for size, d in zip(window_shape, rhs_dilation, strict=True)]
    out_space = [
        max(0, (n - span) // stride + 1) for n, span, stride in zip(lhs.shape[1:-1], spans, window_strides, strict=True)
    ]
    batch = parts.shape[1]
    # The contractions are plain matrix products: (outputs, depth) times (depth, features), for each group.
    outputs = batch * math.prod(out_space)
    totals = [jnp.zeros((outputs, features), accumulator)] * groups
    for tap_index in np.ndindex(*(window_shape if outputs else (0,))):
        start = [p * d for p, d in zip(tap_index, rhs_dilation, strict=True)]
        limit = [s + (n - 1) * stride + 1 for s, n, stride in zip(start, out_space, window_strides, strict=True)]
        window = lax.slice(parts, [0, 0, *start, 0], [groups, batch, *limit, depth], [1, 1, *window_strides, 1])
        for group in range(groups):
            part = window[group].reshape(outputs, depth)
            tap = kernels[(group, *tap_index)]
            product = lax.dot_general(
                part, tap, (((1,), (0,)), ((), ())), precision=precision, preferred_element_type=accumulator
            )
            totals[group] = totals[group] + product
    # (batch, space..., group x feature) becomes the author's order.
    result = (
        jnp.concatenate(totals, 1).reshape(batch, *out_space, groups * features).astype(preferred_element_type or dtype)
    )
    order = np.argsort((out_spec[0], *out_spec[2:], out_spec[1]))
    return jnp.transpose(result, order.tolist())
