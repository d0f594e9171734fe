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

from gridir.frontend.compat import jax_core
from gridir.frontend.walk.registry import decomposition


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
    """Computes narrower types in f32."""

    def widened(x: Any) -> Any:
        if x.dtype in (jnp.float32, jnp.float64):
            return function(x)
        return function(x.astype(jnp.float32)).astype(x.dtype)

    return widened


# The logarithm of gamma(x), divided by (x - 1) (x - 2), in single precision and fitted at Chebyshev's nodes: in x - 1
# for x in [0.5, 1.5], and in x - 2.75 for x in [1.5, 4]; the highest power first.
_LOG_GAMMA_BELOW = (
    0.0861445516,
    -0.08687111,
    0.0235716905,
    -0.0304855593,
    0.0562206767,
    -0.0615376644,
    0.066395022,
    -0.0771074444,
    0.0922535136,
    -0.115153335,
    0.155434027,
    -0.245251313,
    0.577215672,
)
_LOG_GAMMA_ABOVE = (
    0.0,
    -9.50086019e-07,
    2.66538109e-06,
    -3.45053036e-06,
    1.10737119e-05,
    -4.18910713e-05,
    0.000128701766,
    -0.000400093704,
    0.00130214612,
    -0.00441958243,
    0.0160310995,
    -0.0657293424,
    0.362068325,
)
# Stirling's series in 1 / x**2, the highest power first.
_STIRLING = (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def _log_sine(x: Any) -> Any:
    """The logarithm of |sin(pi x)|."""
    fraction = jnp.abs(x) - jnp.floor(jnp.abs(x))
    return jnp.log(jnp.sin(jnp.pi * jnp.where(fraction > 0.5, 1.0 - fraction, fraction)))


def _reflected(log_sine: Any, log_gamma: Any) -> Any:
    """The logarithm of |gamma(x)| of that of gamma(1 - x); infinite at a pole."""
    return jnp.where(jnp.isfinite(log_sine), math.log(math.pi) - log_sine - log_gamma, -log_sine)


# Numbers up to this one are reflected, which gives large terms that cancel beside a zero of the result. For others a
# recurrence gives terms near zero.
_LEAST_OF_RECURRENCE = -8.0


def _log_gamma_single(x: Any) -> Any:
    """Within a few units in the last place for numbers above -8, also beside the zeros at 1 and 2.

    Beside other zeros the error is that of numbers near 1.
    """
    is_negative, is_small = x <= _LEAST_OF_RECURRENCE, (x > _LEAST_OF_RECURRENCE) & (x < 0.5)
    # gamma(x) is gamma(1 + u) / (x (x + 1) ... u), with u from 0 to 1. The difference to 1 keeps all the digits of u.
    fraction = jnp.where(x < 0, x - jnp.floor(x), x)
    factors = jnp.where(x < 0, x * fraction, x)
    for k in range(1, int(-_LEAST_OF_RECURRENCE)):
        factors = jnp.where(x < -k, factors * (fraction - k), factors)
    y = jnp.where(is_negative, 1.0 - x, jnp.where(is_small, 1.0 + fraction, x))
    u = jnp.where(is_negative, -x, jnp.where(is_small, fraction, y - 1.0))
    is_near, is_below = y <= 4.0, u < 0.5
    u = jnp.where(is_near, u, 0.0)
    # One polynomial whose coefficients are chosen takes less than a choice between two.
    coefficients = [
        jnp.where(is_below, below, above) for below, above in zip(_LOG_GAMMA_BELOW, _LOG_GAMMA_ABOVE, strict=True)
    ]
    near = u * (u - 1.0) * _polynomial(jnp.where(is_below, u, u - 1.75), coefficients)
    z = jnp.where(is_near, 4.0, y)
    inverse = 1.0 / z
    series = inverse * _polynomial(inverse * inverse, _STIRLING)
    far = (z - 0.5) * (jnp.log(z) - 1.0) + (0.5 * math.log(2 * math.pi) - 0.5) + series
    result = jnp.where(is_near, near, far)
    result = jnp.where(is_small, result - jnp.log(jnp.abs(factors)), result)
    result = jnp.where(is_negative, _reflected(_log_sine(x), result), result)
    return jnp.where(jnp.isinf(x), jnp.inf, result)


@_single
def _log_gamma(x: Any) -> Any:
    if x.dtype == jnp.float32:
        return _log_gamma_single(x)
    reflect = x < 0.5
    z = jnp.where(reflect, -x, x - 1.0)
    total = jnp.full_like(z, _LANCZOS[0])
    for i, c in enumerate(_LANCZOS[1:]):
        total = total + c / (z + (i + 1.0))
    t = z + (_LANCZOS_G + 0.5)
    log_t = math.log(_LANCZOS_G + 0.5) + jnp.log1p(z / (_LANCZOS_G + 0.5))
    log_y = 0.5 * math.log(2 * math.pi) + (z + 0.5 - t / log_t) * log_t + jnp.log(total)
    result = jnp.where(reflect, _reflected(_log_sine(x), log_y), log_y)
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
    minus_one = jnp.asarray((1 << bits) - 1, unsigned)
    x_bits, y_bits = lax.bitcast_convert_type(x, unsigned), lax.bitcast_convert_type(y, unsigned)
    x_magnitude, y_magnitude = x_bits & ~top, y_bits & ~top
    x_sign, y_sign = x_bits & top, y_bits & top
    shrinks = (x_magnitude > y_magnitude) | (x_sign != y_sign)
    moved = x_bits + jnp.where(shrinks, minus_one, one)
    # From zero the next number is the smallest one with the sign of y.
    from_zero = jnp.where(y_magnitude == 0, y_bits, y_sign | one)
    result = jnp.where(x_magnitude == 0, from_zero, moved)
    result = jnp.where(x == y, y_bits, result)
    nan = lax.bitcast_convert_type(jnp.asarray(jnp.nan, x.dtype), unsigned)
    result = jnp.where((x != x) | (y != y), nan, result)
    return lax.bitcast_convert_type(result, x.dtype)


def _in_full_precision(function: Any) -> Any:
    """Broadcasts the operands and computes narrower types in f32."""

    def widened(*operands: Any) -> Any:
        dtype = operands[0].dtype
        work = dtype if jnp.finfo(dtype).bits >= 32 else jnp.float32
        broadcast = jnp.broadcast_arrays(*(x.astype(work) for x in operands))
        return function(*broadcast, dtype=work).astype(dtype)

    return widened


for _name, _function in jax_core.SPECIAL_FUNCTIONS.items():
    decomposition(_name)(_in_full_precision(_function))


@decomposition("bessel_i0e")
def _bessel_i0e(x: Any) -> Any:
    return jax_core.bessel_i0e(x)
