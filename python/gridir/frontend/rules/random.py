# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's counter-based random numbers."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from gridir.frontend.registry import decomposition

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
