# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decomposes functions of complex numbers without an upstream op."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax


def _sign(z: Any) -> Any:
    size = jnp.abs(z)
    return jnp.where(size == 0, z, z / lax.complex(jnp.where(size == 0, 1, size), jnp.zeros_like(size)))


def _sinh(z: Any) -> Any:
    a, b = jnp.real(z), jnp.imag(z)
    return lax.complex(jnp.sinh(a) * jnp.cos(b), jnp.cosh(a) * jnp.sin(b))


def _cosh(z: Any) -> Any:
    a, b = jnp.real(z), jnp.imag(z)
    return lax.complex(jnp.cosh(a) * jnp.cos(b), jnp.sinh(a) * jnp.sin(b))


def _asinh(z: Any) -> Any:
    """Odd, and computed where the real part is not negative, since nothing cancels there."""
    negative = jnp.real(z) < 0
    w = jnp.where(negative, -z, z)
    result = jnp.log(w + jnp.sqrt(w * w + 1))
    return jnp.where(negative, -result, result)


def _asin(z: Any) -> Any:
    a, b = jnp.real(z), jnp.imag(z)
    turned = _asinh(lax.complex(-b, a))
    return lax.complex(jnp.imag(turned), -jnp.real(turned))


def _acos(z: Any) -> Any:
    return math.pi / 2 - _asin(z)


def _acosh(z: Any) -> Any:
    return jnp.log(z + jnp.sqrt(z + 1) * jnp.sqrt(z - 1))


def _atanh(z: Any) -> Any:
    return (jnp.log1p(z) - jnp.log1p(-z)) / 2


def _atan(z: Any) -> Any:
    a, b = jnp.real(z), jnp.imag(z)
    turned = _atanh(lax.complex(-b, a))
    return lax.complex(jnp.imag(turned), -jnp.real(turned))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "eq": lambda x, y: (jnp.real(x) == jnp.real(y)) & (jnp.imag(x) == jnp.imag(y)),
    "ne": lambda x, y: (jnp.real(x) != jnp.real(y)) | (jnp.imag(x) != jnp.imag(y)),
    "acos": _acos,
    "acosh": _acosh,
    "asin": _asin,
    "asinh": _asinh,
    "atan": _atan,
    "atanh": _atanh,
    "cosh": _cosh,
    "exp2": lambda z: jnp.exp(z * math.log(2)),
    "sign": _sign,
    "sinh": _sinh,
}
"""For the name of a primitive, the function of complex arrays that it is."""
