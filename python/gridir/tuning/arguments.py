# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments to run a function with, where its user has given only their types."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def drawn(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns arguments whose abstract arrays are drawn: floats from a normal distribution, integers as zero."""
    generator = np.random.default_rng(0)

    def draw(value: Any) -> Any:
        if not isinstance(value, jax.ShapeDtypeStruct):
            return value
        if not jnp.issubdtype(value.dtype, jnp.floating):
            return jnp.zeros(value.shape, value.dtype)
        return jnp.asarray(generator.standard_normal(value.shape, np.float32)).astype(value.dtype)

    return jax.tree.map(draw, args)


def is_abstract(args: tuple[Any, ...]) -> bool:
    """Returns whether an argument has no value."""
    return any(isinstance(value, jax.ShapeDtypeStruct) for value in jax.tree.leaves(args))
