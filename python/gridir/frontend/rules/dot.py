# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from gridir import emit
from gridir.frontend.rules.casts import convert
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, rule
from gridir.frontend.walk.types import bit_width, element_type, is_complex, is_float, is_unsigned
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def _precision(precision: Any) -> tuple[ir.Attribute | None, ir.Attribute | None]:
    """The attributes `precision` and `algorithm` for JAX's parameters; neither for the default."""
    if precision is None:
        return None, None
    if isinstance(precision, lax.DotAlgorithmPreset):
        return None, ir.StringAttr.get(precision.name)
    if isinstance(precision, lax.DotAlgorithm):
        return None, ir.StringAttr.get(str(precision))
    sides = precision if isinstance(precision, tuple) else (precision, precision)
    names = [(side or lax.Precision.DEFAULT).name for side in sides]
    if names == ["DEFAULT", "DEFAULT"]:
        return None, None
    return ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names]), None


def dot(
    ctx: RuleContext,
    lhs: ir.Value,
    rhs: ir.Value,
    dimension_numbers: Any,
    precision: Any,
    result: Any,
) -> ir.Value:
    """`grid.dot` of two tensors of the equation's first two operands; `result` is the abstract value it has."""
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    names, algorithm = _precision(precision)
    return grid.DotOp(
        emit.typed(result.shape, _accumulator(result)),
        lhs,
        rhs,
        ir.DenseI64ArrayAttr.get(list(lhs_contract)),
        ir.DenseI64ArrayAttr.get(list(rhs_contract)),
        lhs_batch=ir.DenseI64ArrayAttr.get(list(lhs_batch)),
        rhs_batch=ir.DenseI64ArrayAttr.get(list(rhs_batch)),
        precision=names,
        algorithm=algorithm,
        unsigned_lhs=is_unsigned(ctx.avals_in[0]) or None,
        unsigned_rhs=is_unsigned(ctx.avals_in[1]) or None,
    ).result


def _accumulator(result: Any) -> ir.Type:
    """The type that products are summed in: f32 for narrower floats, else that of the result."""
    if is_float(result) and bit_width(result.dtype) < 32:
        return ir.F32Type.get()
    return element_type(result.dtype)


@rule("dot_general", ignores={"preferred_element_type": ANY, "out_sharding": ANY})
def _dot_general(ctx: RuleContext, lhs: ir.Value, rhs: ir.Value, *, dimension_numbers: Any, precision: Any) -> ir.Value:
    """Narrow floats are summed in f32 and rounded once, as XLA does on every platform."""
    result = ctx.avals_out[0]
    if not all(x.shape for x in ctx.avals_in):
        return _product(ctx, lhs, rhs)
    product = dot(ctx, lhs, rhs, dimension_numbers, precision, result)
    if emit.element_of(product) == emit.element_of(ctx.out_type):
        return product
    wide = result.update(dtype=jnp.float32)
    return convert(product, wide, result)


def _product(ctx: RuleContext, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """The product with a scalar, which has no dimension to contract."""
    result = ctx.avals_out[0]
    is_narrow = is_float(result) and bit_width(result.dtype) < 32
    wide = result.update(dtype=jnp.float32) if is_narrow else result
    type_ = emit.typed(result.shape, element_type(wide.dtype))
    x, y = (
        emit.splat_to(convert(x, aval, wide), type_) if not aval.shape else convert(x, aval, wide)
        for x, aval in zip((lhs, rhs), ctx.avals_in, strict=True)
    )
    name = "complex.mul" if is_complex(result) else "arith.mulf" if is_float(result) else "arith.muli"
    return convert(emit.binary(name, x, y), wide, result)
