# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between dtypes, and the same bits as another dtype."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gridir import emit
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, rule, traced
from gridir.frontend.walk.types import (
    bit_width,
    element_type,
    is_bool,
    is_complex,
    is_float,
    is_unsigned,
)
from gridir.mlir import ir


def _float_to_float(x: ir.Value, source: Any, target: Any) -> ir.Value:
    """Floats of one width, as f16 and bf16, are promoted to f32, which holds both."""
    element = element_type(target)
    source_bits, target_bits = bit_width(source), bit_width(target)
    if source_bits < target_bits:
        return emit.cast("arith.extf", x, element)
    if source_bits > target_bits:
        return emit.cast("arith.truncf", x, element)
    return emit.cast("arith.truncf", emit.cast("arith.extf", x, ir.F32Type.get()), element)


def _float_to_integer(x: ir.Value, source: Any, target: Any, unsigned: bool) -> ir.Value:
    """Rounds towards zero; values out of range become the nearest integer in range, and NaN becomes 0."""
    if bit_width(source) < 32:
        x = emit.cast("arith.extf", x, ir.F32Type.get())
    info = jnp.iinfo(target)
    element = element_type(target)
    type_ = emit.like(x.type, element)
    # Both bounds are powers of two and exact: the first integers beyond the range, but for -2^31 itself.
    low = emit.constant(-1.0 if unsigned else float(info.min), x.type)
    high = emit.constant(float(2 ** (info.bits - (not unsigned))), x.type)
    below = emit.compare("ole" if unsigned else "olt", x, low)
    above = emit.compare("oge", x, high)
    unordered = emit.compare("uno", x, x)
    outside = emit.binary("arith.ori", emit.binary("arith.ori", below, above), unordered)
    safe = emit.select(outside, emit.constant(0, x.type), x)
    result = emit.cast("arith.fptoui" if unsigned else "arith.fptosi", safe, element)
    if not unsigned:
        result = emit.select(below, emit.constant(int(info.min), type_), result)
    return emit.select(above, emit.constant(int(info.max), type_), result)


def _to_complex(x: ir.Value, source: Any, target: Any) -> ir.Value:
    """A real number as a complex one; the op that makes it takes scalars only."""
    element, real = element_type(target.dtype), np.dtype(np.float32 if bit_width(target.dtype) == 64 else np.float64)
    x = convert(x, source, jax.ShapeDtypeStruct(source.shape, real))

    def create(scalar: ir.Value) -> ir.Value:
        return emit.value("complex.create", [scalar, emit.constant(0, scalar.type)], element)

    if not source.shape:
        return create(x)
    result, identity = emit.like(x.type, element), ir.AffineMap.get_identity(len(source.shape))
    kinds = ["parallel"] * len(source.shape)
    return emit.generic([(x, identity)], [(emit.empty(result), identity)], kinds, lambda a, _: create(a)).result


def convert(x: ir.Value, source: Any, target: Any) -> ir.Value:
    """Converts a value between the dtypes of two abstract values."""
    if source.dtype == target.dtype:
        return x
    element = element_type(target.dtype)
    if is_complex(target):
        return _to_complex(x, source, target)
    if is_bool(target):
        # Denormal numbers are false if arithmetic flushes them to zero, as in XLA since JAX 0.11.
        zero = emit.constant(0, x.type)
        return emit.compare("une" if is_float(source) else "ne", x, zero)
    if is_float(source):
        if is_float(target):
            return _float_to_float(x, source.dtype, target.dtype)
        return _float_to_integer(x, source.dtype, target.dtype, is_unsigned(target))
    if is_float(target):
        return emit.cast("arith.uitofp" if is_unsigned(source) else "arith.sitofp", x, element)
    source_bits, target_bits = bit_width(source.dtype), bit_width(target.dtype)
    if source_bits == target_bits:
        return x
    if source_bits > target_bits:
        return emit.cast("arith.trunci", x, element)
    return emit.cast("arith.extui" if is_unsigned(source) else "arith.extsi", x, element)


_CONVERSION = {"new_dtype": ANY, "weak_type": ANY, "sharding": ANY}


@rule("convert_element_type", ignores=_CONVERSION)
def _convert_element_type(ctx: RuleContext, x: ir.Value) -> ir.Value:
    source, target = ctx.avals_in[0], ctx.avals_out[0]
    if is_complex(source):
        raise ctx.unsupported(f"expected real arrays, got a conversion from {source.dtype} to {target.dtype}")
    return convert(x, source, target)


@rule("bitcast_convert_type", ignores={"new_dtype": ANY})
def _bitcast_convert_type(ctx: RuleContext, x: ir.Value) -> ir.Value:
    """Widths that differ add or take away a last dimension; the first element of it has the lowest bits."""
    source, target = ctx.avals_in[0], ctx.avals_out[0]
    source_bits, target_bits = bit_width(source.dtype), bit_width(target.dtype)
    if source_bits == target_bits:
        return x if x.type == ctx.out_type else emit.value("arith.bitcast", [x], ctx.out_type)
    if source_bits > target_bits:
        return _from_integer(split_bits(x, source, target), ctx.out_type)
    return _from_integer(join_bits(x, source, target), ctx.out_type)


def _as_integer(x: ir.Value, dtype: Any) -> ir.Value:
    """The bits of a value as an integer."""
    type_ = emit.like(x.type, ir.IntegerType.get_signless(bit_width(dtype)))
    return x if x.type == type_ else emit.value("arith.bitcast", [x], type_)


def _from_integer(x: ir.Value, target: ir.Type) -> ir.Value:
    return x if x.type == target else emit.value("arith.bitcast", [x], target)


def split_bits(x: ir.Value, source: Any, target: Any) -> ir.Value:
    """The bits of each element as several narrower integers, in a new last dimension."""
    bits = _as_integer(x, source.dtype)
    width, ratio = bit_width(target.dtype), target.shape[-1]
    narrow = ir.IntegerType.get_signless(width)
    result = emit.empty(ir.RankedTensorType.get(target.shape, narrow))
    for i in range(ratio):
        shifted = emit.binary("arith.shrui", bits, emit.constant(i * width, bits.type)) if i else bits
        part = emit.cast("arith.trunci", shifted, narrow)
        if not source.shape:
            result = emit.insert(part, result, [emit.index(i)])
        else:
            offsets = [0] * len(source.shape) + [i]
            result = emit.insert_slice(part, result, offsets, sizes=[*source.shape, 1])
    return result


def join_bits(x: ir.Value, source: Any, target: Any) -> ir.Value:
    """The bits of the elements of the last dimension as one wider integer."""
    bits = _as_integer(x, source.dtype)
    width, ratio = bit_width(source.dtype), source.shape[-1]
    wide = ir.IntegerType.get_signless(bit_width(target.dtype))
    result = None
    for i in range(ratio):
        if target.shape:
            offsets = [0] * len(target.shape) + [i]
            part = emit.extract_slice(bits, offsets, [*target.shape, 1], shape=target.shape)
        else:
            part = emit.extract(bits, [emit.index(i)])
        part = emit.cast("arith.extui", part, wide)
        if i:
            part = emit.binary("arith.shli", part, emit.constant(i * width, part.type))
        result = part if result is None else emit.binary("arith.ori", result, part)
    return result


@rule("reduce_precision")
def _reduce_precision(ctx: RuleContext, x: ir.Value, *, exponent_bits: int, mantissa_bits: int) -> ir.Value:
    """Rounds to a narrower format and back."""
    if (exponent_bits, mantissa_bits) == (8, 7) and emit.element_of(x) == ir.F32Type.get():
        return emit.cast("arith.extf", emit.cast("arith.truncf", x, ir.BF16Type.get()), emit.element_of(x))
    return traced(ctx, lambda array: _rounded_bits(array, exponent_bits, mantissa_bits), [x])[0]


def _rounded_bits(x: Any, exponent_bits: int, mantissa_bits: int) -> Any:
    """As XLA defines it: ties go to even, too large values become infinite, and subnormal results become zero."""
    width, mantissa = bit_width(x.dtype), jnp.finfo(x.dtype).nmant
    exponent, word = width - 1 - mantissa, jnp.dtype(f"uint{width}")
    bits = lax.bitcast_convert_type(x, word)
    if mantissa_bits < mantissa:
        last = 1 << (mantissa - mantissa_bits)
        odd = (bits & word.type(last)) >> word.type(mantissa - mantissa_bits)
        bits = (bits + odd + word.type((last >> 1) - 1)) & ~word.type(last - 1)
    if exponent_bits < exponent:
        bias, reduced = (1 << (exponent - 1)) - 1, (1 << (exponent_bits - 1)) - 1
        sign, field = word.type(1 << (width - 1)), word.type(((1 << exponent) - 1) << mantissa)
        size = bits & field
        infinite = (bits & sign) | field
        bits = jnp.where(
            size > word.type((bias + reduced) << mantissa),
            infinite,
            jnp.where(size <= word.type((bias - reduced) << mantissa), bits & sign, bits),
        )
    return jnp.where(x != x, x, lax.bitcast_convert_type(bits, x.dtype))
