# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Division, remainder, powers and shifts, which upstream leaves undefined for some operands and JAX does not."""

from __future__ import annotations

from gridir import emit
from gridir.frontend.rules.elementwise import elementwise, same_shape
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import Function, rule, table
from gridir.frontend.walk.types import (
    bit_width,
    is_complex,
    is_float,
    is_integer,
    is_unsigned,
)
from gridir.mlir import ir


def _all_ones(x: ir.Value) -> ir.Value:
    return emit.constant(-1, x.type)


def _static_divisor(ctx: RuleContext) -> int | None:
    """The divisor, when it is written in the jaxpr and none of the special ones."""
    divisor = ctx.static_value(1)
    if divisor is None or divisor.ndim or int(divisor) in (0, -1):
        return None
    return int(divisor)


def _without_zero(y: ir.Value) -> bool:
    """True if `y` replaces the author's divisor where that is 0, as in `jnp.remainder`."""
    choice = y.owner
    if isinstance(choice, ir.Block) or choice.name != "arith.select":
        return False
    condition, instead, otherwise = choice.operands
    test = condition.owner
    return (
        not isinstance(test, ir.Block)
        and test.name == "arith.cmpi"
        and test.attributes["predicate"].value == emit.INT_PREDICATES["eq"]
        and test.operands[0] == otherwise
        and _number(test.operands[1]) == 0
        and _number(instead) not in (None, 0)
    )


def _number(x: ir.Value) -> int | None:
    """The integer that a constant holds everywhere."""
    owner = x.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return None
        attribute = attribute.get_splat_value()
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


@rule("div")
def _div(ctx: RuleContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """x / 0 has all bits set, and the smallest integer divided by -1 is itself."""
    aval = ctx.avals_out[0]
    if is_float(aval) or is_complex(aval):
        return elementwise("complex.div" if is_complex(aval) else "arith.divf", ctx, (x, y))
    static = _static_divisor(ctx)
    x, y = same_shape(ctx, (x, y))
    name = "arith.divui" if is_unsigned(aval) else "arith.divsi"
    if static is not None:
        return emit.binary(name, x, y)
    is_zero = emit.compare("eq", y, emit.constant(0, y.type))
    if is_unsigned(aval):
        safe = emit.select(is_zero, emit.constant(1, y.type), y)
        return emit.select(is_zero, _all_ones(x), emit.binary(name, x, safe))
    is_minus_one = emit.compare("eq", y, _all_ones(y))
    safe = emit.select(emit.binary("arith.ori", is_zero, is_minus_one), emit.constant(1, y.type), y)
    negated = emit.binary("arith.subi", emit.constant(0, x.type), x)
    quotient = emit.select(is_minus_one, negated, emit.binary(name, x, safe))
    return emit.select(is_zero, _all_ones(x), quotient)


@rule("rem")
def _rem(ctx: RuleContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """The remainder has the sign of x; by 0 it is x, and by -1 it is 0."""
    aval = ctx.avals_out[0]
    static = _static_divisor(ctx)
    # Analyses of index maps match scalars with both guards: the one of JAX, and the one here.
    without_zero = isinstance(y.type, ir.RankedTensorType) and _without_zero(y)
    x, y = same_shape(ctx, (x, y))
    if is_float(aval):
        return emit.binary("arith.remf", x, y)
    name = "arith.remui" if is_unsigned(aval) else "arith.remsi"
    if static is not None or (without_zero and is_unsigned(aval)):
        return emit.binary(name, x, y)
    if without_zero:
        is_minus_one = emit.compare("eq", y, _all_ones(y))
        return emit.binary(name, x, emit.select(is_minus_one, emit.constant(1, y.type), y))
    is_zero = emit.compare("eq", y, emit.constant(0, y.type))
    one = emit.constant(1, y.type)
    if is_unsigned(aval):
        return emit.select(is_zero, x, emit.binary(name, x, emit.select(is_zero, one, y)))
    is_special = emit.binary("arith.ori", is_zero, emit.compare("eq", y, _all_ones(y)))
    # Both a remainder by 1 and one by -1 are 0.
    return emit.select(is_zero, x, emit.binary(name, x, emit.select(is_special, one, y)))


def _shift(name: str) -> Function:
    def lowering(ctx: RuleContext, x: ir.Value, amount: ir.Value) -> ir.Value:
        """A shift by the width or more returns 0, or the sign in every bit; the amount is unsigned."""
        static = ctx.static_value(1)
        x, amount = same_shape(ctx, (x, amount))
        width = bit_width(ctx.avals_in[0].dtype)
        if static is not None and not static.ndim and 0 <= int(static) < width:
            return emit.binary(name, x, amount)
        in_range = emit.compare("ult", amount, emit.constant(width, amount.type))
        if name == "arith.shrsi":
            most = emit.constant(width - 1, amount.type)
            return emit.binary(name, x, emit.select(in_range, amount, most))
        zero = emit.constant(0, x.type)
        return emit.select(in_range, emit.binary(name, x, emit.select(in_range, amount, zero)), zero)

    return lowering


table(
    {"shift_left": "arith.shli", "shift_right_logical": "arith.shrui", "shift_right_arithmetic": "arith.shrsi"},
    _shift,
)


@rule("pow")
def _pow(ctx: RuleContext, x: ir.Value, y: ir.Value) -> ir.Value:
    base, exponent = ctx.avals_in
    x, y = same_shape(ctx, (x, y))
    if is_complex(base):
        return elementwise("complex.pow", ctx, (x, y))
    if is_integer(exponent) and is_float(base):
        y = emit.cast("arith.uitofp" if is_unsigned(exponent) else "arith.sitofp", y, emit.element_of(x))
    return emit.binary("math.powf", x, y)


@rule("mulhi")
def _mulhi(ctx: RuleContext, x: ir.Value, y: ir.Value) -> ir.Value:
    x, y = same_shape(ctx, (x, y))
    name = "arith.mului_extended" if is_unsigned(ctx.avals_in[0]) else "arith.mulsi_extended"
    return emit.op(name, [x, y], [x.type, x.type]).results[1]
