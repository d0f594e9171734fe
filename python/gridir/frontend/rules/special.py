# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, each expressed by simpler ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from gridir.frontend import jax_compat
from gridir.frontend.registry import decomposition


def _polynomial(x: Any, coefficients: Sequence[Any]) -> Any:
    """Horner's scheme, the highest power first."""
    result = jnp.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        result = result * x + jnp.asarray(c, x.dtype)
    return result


# M. Giles, "Approximating the erfinv function", single precision: for w < 5 in w - 2.5, else in sqrt(w) - 3.
_ERF_INV_CENTRE = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
_ERF_INV_TAIL = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)


def _erf_inv_single(x: Any) -> Any:
    w = -jnp.log1p(-x * x)
    is_centre = w < 5.0
    # One polynomial whose coefficients are chosen takes less than a choice between two.
    coefficients = [
        jnp.where(is_centre, centre, tail) for centre, tail in zip(_ERF_INV_CENTRE, _ERF_INV_TAIL, strict=True)
    ]
    result = _polynomial(jnp.where(is_centre, w - 2.5, jnp.sqrt(w) - 3.0), coefficients) * x
    return jnp.where(jnp.abs(x) == 1.0, x * jnp.inf, result)


@decomposition("erf_inv")
def _erf_inv(x: Any) -> Any:
    """In double precision Newton's method refines the single precision result."""
    if x.dtype != jnp.float64:
        return _erf_inv_single(x.astype(jnp.float32)).astype(x.dtype)
    y = _erf_inv_single(x)
    for _step in range(3):
        slope = 2.0 / math.sqrt(math.pi) * jnp.exp(-y * y)
        y = jnp.where(jnp.isfinite(y) & (slope > 0), y - (lax.erf(y) - x) / slope, y)
    return y


# Lanczos' approximation with g = 7 and 9 terms.
_LANCZOS_G = 7.0
_LANCZOS = (
    0.99999999999980993227684700473478,
    676.520368121885098567009190444019,
    -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,
    -176.61502916214059906584551354,
    12.507343278686904814458936853,
    -0.13857109526572011689554707,
    9.984369578019570859563e-6,
    1.50563273514931155834e-7,
)


def _single(function: Any) -> Any:
    """Computes in f32 what is narrower."""

    def widened(x: Any) -> Any:
        if x.dtype in (jnp.float32, jnp.float64):
            return function(x)
        return function(x.astype(jnp.float32)).astype(x.dtype)

    return widened


@_single
def _log_gamma(x: Any) -> Any:
    reflect = x < 0.5
    z = jnp.where(reflect, -x, x - 1.0)
    total = jnp.full_like(z, _LANCZOS[0])
    for i, c in enumerate(_LANCZOS[1:]):
        total = total + c / (z + (i + 1.0))
    t = z + (_LANCZOS_G + 0.5)
    log_t = math.log(_LANCZOS_G + 0.5) + jnp.log1p(z / (_LANCZOS_G + 0.5))
    log_y = 0.5 * math.log(2 * math.pi) + (z + 0.5 - t / log_t) * log_t + jnp.log(total)
    fraction = jnp.abs(x) - jnp.floor(jnp.abs(x))
    fraction = jnp.where(fraction > 0.5, 1.0 - fraction, fraction)
    log_sine = jnp.log(jnp.sin(jnp.pi * fraction))
    reflected = jnp.where(jnp.isfinite(log_sine), math.log(math.pi) - log_sine - log_y, -log_sine)
    result = jnp.where(reflect, reflected, log_y)
    return jnp.where(jnp.isinf(x), jnp.inf, result)


@decomposition("lgamma")
def _lgamma(x: Any) -> Any:
    return _log_gamma(x)


@_single
def _psi(x: Any) -> Any:
    """Reflection below 1/2, then the derivative of Lanczos' approximation."""
    reflect = x < 0.5
    z = jnp.where(reflect, -x, x - 1.0)
    numerator, denominator = jnp.zeros_like(z), jnp.full_like(z, _LANCZOS[0])
    for i, c in enumerate(_LANCZOS[1:]):
        term = z + (i + 1.0)
        numerator = numerator - c / (term * term)
        denominator = denominator + c / term
    t = z + (_LANCZOS_G + 0.5)
    log_t = math.log(_LANCZOS_G + 0.5) + jnp.log1p(z / (_LANCZOS_G + 0.5))
    y = log_t + numerator / denominator - _LANCZOS_G / t
    # The cotangent has period 1, and near a whole number its argument must keep its digits.
    near = x + jnp.abs(jnp.floor(x + 0.5))
    reflected = y - jnp.pi * jnp.cos(jnp.pi * near) / jnp.sin(jnp.pi * near)
    result = jnp.where(reflect, reflected, y)
    return jnp.where((x <= 0) & (x == jnp.floor(x)), jnp.nan, result)


@decomposition("digamma")
def _digamma(x: Any) -> Any:
    return _psi(x)


@decomposition("nextafter")
def _nextafter(x: Any, y: Any) -> Any:
    """One step of the bits, away from zero or towards it."""
    bits = jnp.finfo(x.dtype).bits
    unsigned = jnp.dtype(f"uint{bits}")
    one, top = jnp.asarray(1, unsigned), jnp.asarray(1 << (bits - 1), unsigned)
    x_bits, y_bits = lax.bitcast_convert_type(x, unsigned), lax.bitcast_convert_type(y, unsigned)
    x_magnitude, y_magnitude = x_bits & ~top, y_bits & ~top
    x_sign, y_sign = x_bits & top, y_bits & top
    shrinks = (x_magnitude > y_magnitude) | (x_sign != y_sign)
    moved = jnp.where(shrinks, x_bits - one, x_bits + one)
    # From zero the next number is the smallest one with the sign of y.
    from_zero = jnp.where(y_magnitude == 0, y_bits, y_sign | one)
    result = jnp.where(x_magnitude == 0, from_zero, moved)
    result = jnp.where(x == y, y_bits, result)
    nan = lax.bitcast_convert_type(jnp.asarray(jnp.nan, x.dtype), unsigned)
    result = jnp.where((x != x) | (y != y), nan, result)
    return lax.bitcast_convert_type(result, x.dtype)


def _in_full_precision(function: Any) -> Any:
    """Broadcasts the operands and computes in f32 what is narrower."""

    def widened(*operands: Any) -> Any:
        dtype = operands[0].dtype
        work = dtype if jnp.finfo(dtype).bits >= 32 else jnp.float32
        broadcast = jnp.broadcast_arrays(*(x.astype(work) for x in operands))
        return function(*broadcast, dtype=work).astype(dtype)

    return widened


for _name, _function in jax_compat.SPECIAL_FUNCTIONS.items():
    decomposition(_name)(_in_full_precision(_function))


@decomposition("bessel_i0e")
def _bessel_i0e(x: Any) -> Any:
    return jax_compat.bessel_i0e(x)
