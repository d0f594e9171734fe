# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, comparison, selection and the mathematical functions, element by element."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from gridir import emit
from gridir.frontend.rules import complex_functions
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import TPU_PLATFORM
from gridir.frontend.walk.registry import ANY, BASE, Function, Ignored, decomposition, rule, table, traced
from gridir.frontend.walk.types import is_bool, is_complex, is_float, is_unsigned
from gridir.mlir import ir


@dataclasses.dataclass(frozen=True)
class Ops:
    """The upstream op for each kind of element; None where the primitive has no such kind."""

    float_: str | None = None
    signed: str | None = None
    unsigned: str | None = None
    bool_: str | None = None
    complex_: str | None = None

    @classmethod
    def integer(cls, name: str) -> Ops:
        """One op for all integers and bools."""
        return cls(signed=name, unsigned=name, bool_=name)

    def choose(self, aval: Any) -> str | None:
        """The op for the elements of a value, or None."""
        if is_float(aval):
            return self.float_
        if is_complex(aval):
            return self.complex_
        if is_bool(aval):
            return self.bool_
        return self.unsigned if is_unsigned(aval) else self.signed


def same_shape(ctx: RuleContext, values: Sequence[ir.Value]) -> list[ir.Value]:
    """The operands of an elementwise primitive; scalars among them and dimensions of size 1 stand for all elements."""
    shape, type_ = ctx.avals_out[0].shape, ctx.out_type

    def broadcast(x: ir.Value) -> ir.Value:
        scalar = not emit.shape_of(x)
        return emit.splat_to(x, emit.like(type_, x.type)) if scalar else emit.broadcast_trailing(x, shape)

    return [x if emit.shape_of(x) == shape else broadcast(x) for x in values]


def elementwise(name: str, ctx: RuleContext, values: Sequence[ir.Value]) -> ir.Value:
    """The op `name` on all elements; ops on complex numbers take scalars only and go inside a `linalg.generic`."""
    operands = same_shape(ctx, values)
    type_ = ctx.out_type
    if not name.startswith("complex.") or not ctx.avals_out[0].shape:
        return emit.value(name, operands, type_)
    identity = ir.AffineMap.get_identity(len(type_.shape))
    return emit.generic(
        [(x, identity) for x in operands],
        [(emit.empty(type_), identity)],
        ["parallel"] * len(type_.shape),
        lambda *scalars: emit.value(name, scalars[:-1], type_.element_type),
    ).result


def _row(ops: Ops) -> Function:
    def lowering(ctx: RuleContext, *values: ir.Value) -> ir.Value:
        name = ops.choose(ctx.avals_in[0])
        if name is None:
            return _of_complex(ctx, *values)
        return elementwise(name, ctx, values)

    return lowering


def _of_complex(ctx: RuleContext, *values: ir.Value) -> ir.Value:
    """A function of complex numbers that has no op."""
    function = complex_functions.FUNCTIONS.get(ctx.eqn.primitive.name)
    if function is None:
        raise ctx.unsupported(f"expected operands of another dtype, got {ctx.avals_in[0].dtype}")
    return traced(ctx, function, values)[0]


table(
    {
        "add": Ops("arith.addf", "arith.addi", "arith.addi", "arith.ori", "complex.add"),
        "add_any": Ops("arith.addf", "arith.addi", "arith.addi", "arith.ori", "complex.add"),
        "sub": Ops("arith.subf", "arith.subi", "arith.subi", None, "complex.sub"),
        "max": Ops("arith.maximumf", "arith.maxsi", "arith.maxui", "arith.ori"),
        "min": Ops("arith.minimumf", "arith.minsi", "arith.minui", "arith.andi"),
        "and": Ops.integer("arith.andi"),
        "or": Ops.integer("arith.ori"),
        "xor": Ops.integer("arith.xori"),
        "clz": Ops.integer("math.ctlz"),
        "population_count": Ops.integer("math.ctpop"),
        "atan2": Ops("math.atan2", complex_="complex.atan2"),
        "acos": Ops("math.acos"),
        "acosh": Ops("math.acosh"),
        "asin": Ops("math.asin"),
        "asinh": Ops("math.asinh"),
        "atan": Ops("math.atan"),
        "atanh": Ops("math.atanh"),
        "ceil": Ops("math.ceil"),
        "cosh": Ops("math.cosh"),
        "erf": Ops("math.erf"),
        "floor": Ops("math.floor"),
        "sinh": Ops("math.sinh"),
    },
    _row,
)

table(
    {"mul": Ops("arith.mulf", "arith.muli", "arith.muli", "arith.andi", "complex.mul")},
    _row,
    ignores={"out_dtype": None},
)

# A tolerance that the author states for the result; JAX's kernels for a TPU have none either.
_ACCURACY = {"accuracy": None}

table(
    {
        "cbrt": Ops("math.cbrt"),
        "cos": Ops("math.cos", complex_="complex.cos"),
        "exp": Ops("math.exp", complex_="complex.exp"),
        "erfc": Ops("math.erfc"),
        "exp2": Ops("math.exp2"),
        "expm1": Ops("math.expm1", complex_="complex.expm1"),
        "log": Ops("math.log", complex_="complex.log"),
        "log1p": Ops("math.log1p", complex_="complex.log1p"),
        "rsqrt": Ops("math.rsqrt", complex_="complex.rsqrt"),
        "sin": Ops("math.sin", complex_="complex.sin"),
        "sqrt": Ops("math.sqrt", complex_="complex.sqrt"),
        "tan": Ops("math.tan", complex_="complex.tan"),
        "tanh": Ops("math.tanh", complex_="complex.tanh"),
    },
    _row,
    ignores=_ACCURACY,
)


def _comparison(predicates: tuple[str, str, str]) -> Function:
    float_, signed, unsigned = predicates

    def lowering(ctx: RuleContext, x: ir.Value, y: ir.Value) -> ir.Value:
        aval = ctx.avals_in[0]
        if is_complex(aval):
            return _of_complex(ctx, x, y)
        predicate = float_ if is_float(aval) else unsigned if is_unsigned(aval) else signed
        return emit.compare(predicate, *same_shape(ctx, (x, y)))

    return lowering


table(
    {
        "eq": ("oeq", "eq", "eq"),
        "ne": ("une", "ne", "ne"),
        "lt": ("olt", "slt", "ult"),
        "le": ("ole", "sle", "ule"),
        "gt": ("ogt", "sgt", "ugt"),
        "ge": ("oge", "sge", "uge"),
    },
    _comparison,
)


def _identity(_: RuleContext, *values: ir.Value) -> list[ir.Value]:
    return list(values)


# Primitives that inform JAX, autodiff or a compiler, and return their operand.
_IDENTITIES: dict[str, Ignored] = {
    "copy": {},
    "stop_gradient": {},
    "optimization_barrier": {},
    "name": {"name": ANY},
    "layout_constraint": {"layout": ANY},
    "reshard": {"dst_sharding": ANY, "concrete_mesh": ANY},
    "sharding_constraint": {"sharding": ANY, "layout": ANY, "context_mesh": ANY, "unconstrained_dims": ANY},
    "pvary": {"axes": ANY},
    "stage": {},
}
for _name, _ignores in _IDENTITIES.items():
    BASE.register(_name, _identity, _ignores)


@rule("tie")
def _tie(_: RuleContext, __: ir.Value, x: ir.Value) -> ir.Value:
    """The second value, which JAX computes after the first."""
    return x


@rule("not")
def _not(ctx: RuleContext, x: ir.Value) -> ir.Value:
    return emit.binary("arith.xori", x, emit.constant(1 if is_bool(ctx.avals_in[0]) else -1, x.type))


@rule("neg")
def _neg(ctx: RuleContext, x: ir.Value) -> ir.Value:
    if is_float(ctx.avals_in[0]):
        return emit.unary("arith.negf", x)
    if is_complex(ctx.avals_in[0]):
        return elementwise("complex.neg", ctx, [x])
    return emit.binary("arith.subi", emit.constant(0, x.type), x)


@rule("abs")
def _abs(ctx: RuleContext, x: ir.Value) -> ir.Value:
    aval = ctx.avals_in[0]
    if is_float(aval):
        return emit.unary("math.absf", x)
    if is_complex(aval):
        return elementwise("complex.abs", ctx, [x])
    return x if is_unsigned(aval) else emit.binary("arith.maxsi", x, emit.binary("arith.subi", _zero(x), x))


def _zero(x: ir.Value) -> ir.Value:
    return emit.constant(0, x.type)


@rule("sign")
def _sign(ctx: RuleContext, x: ir.Value) -> ir.Value:
    """NaN and both zeros are their own signs."""
    aval = ctx.avals_in[0]
    if is_complex(aval):
        return _of_complex(ctx, x)
    zero, one = _zero(x), emit.constant(1, x.type)
    if is_float(aval):
        # First the sign, as JAX does: on a TPU the order of instructions is one bundle.
        signed_one = emit.binary("math.copysign", one, x)
        return emit.select(emit.compare("one", x, zero), signed_one, x)
    if is_unsigned(aval):
        return emit.select(emit.compare("ne", x, zero), one, zero)
    return emit.binary("arith.minsi", emit.binary("arith.maxsi", x, emit.constant(-1, x.type)), one)


@rule("is_finite")
def _is_finite(ctx: RuleContext, x: ir.Value) -> ir.Value:
    if not np.isinf(np.asarray(math.inf, ctx.avals_in[0].dtype)):
        # A format without infinity has only NaN as a special value.
        return emit.compare("ord", x, x)
    return emit.compare("olt", emit.unary("math.absf", x), emit.constant(math.inf, x.type))


@rule("round")
def _round(_: RuleContext, x: ir.Value, *, rounding_method: Any) -> ir.Value:
    away_from_zero = int(rounding_method) == 0
    return emit.unary("math.round" if away_from_zero else "math.roundeven", x)


@rule("select_n")
def _select_n(ctx: RuleContext, which: ir.Value, *cases: ir.Value) -> ir.Value:
    """Case 0 where `which` is false or 0."""
    cases_ = same_shape(ctx, cases)
    if is_bool(ctx.avals_in[0]):
        return cases_[0] if len(cases_) == 1 else emit.select(which, cases_[1], cases_[0])
    result = cases_[-1]
    for number in reversed(range(len(cases_) - 1)):
        is_case = emit.compare("ule", which, emit.constant(number, which.type))
        result = emit.select(is_case, cases_[number], result)
    return result


@rule("clamp")
def _clamp(ctx: RuleContext, low: ir.Value, x: ir.Value, high: ir.Value) -> ir.Value:
    aval = ctx.avals_in[1]
    low, x, high = same_shape(ctx, (low, x, high))
    if is_float(aval):
        minimum, maximum = "arith.minimumf", "arith.maximumf"
    else:
        sign = "u" if is_unsigned(aval) else "s"
        minimum, maximum = f"arith.min{sign}i", f"arith.max{sign}i"
    return emit.binary(minimum, emit.binary(maximum, x, low), high)


@rule("integer_pow")
def _integer_pow(ctx: RuleContext, x: ir.Value, *, y: int) -> ir.Value:
    """Repeated squaring; a negative power is the reciprocal of the positive one."""
    ops = {"add": "arith.mulf"} if is_float(ctx.avals_in[0]) else {"add": "arith.muli"}
    if is_complex(ctx.avals_in[0]):
        ops = {"add": "complex.mul"}
    if y == 0:
        return emit.constant(1, x.type)
    result, square, power = None, x, abs(y)
    while power:
        if power & 1:
            result = square if result is None else elementwise(ops["add"], ctx, (result, square))
        power >>= 1
        if power:
            square = elementwise(ops["add"], ctx, (square, square))
    if y < 0:
        return emit.binary("arith.divf", emit.constant(1, x.type), result)
    return result


@rule("square")
def _square(ctx: RuleContext, x: ir.Value) -> ir.Value:
    name = "arith.mulf" if is_float(ctx.avals_in[0]) else "arith.muli"
    return elementwise("complex.mul" if is_complex(ctx.avals_in[0]) else name, ctx, (x, x))


# Separate primitives since JAX 0.11 and 0.12, decomposed as in JAX.
@decomposition("log2", ignores=_ACCURACY)
def _log2(x: Any) -> Any:
    return lax.mul(lax.log(x), lax.full_like(x, 1.4426950408889634))


@decomposition("one_minus_square")
def _one_minus_square(x: Any) -> Any:
    one = lax.full_like(x, 1)
    return lax.mul(lax.add(one, x), lax.sub(one, x))


@decomposition("polynomial", ignores={"unroll": ANY})
def _polynomial(x: Any, *coefficients: Any) -> Any:
    *others, result = coefficients
    for coefficient in reversed(others):
        result = lax.add(lax.mul(result, x), coefficient)
    return result


@decomposition("logistic", ignores=_ACCURACY)
def _logistic(x: Any) -> Any:
    return 1 / (1 + jnp.exp(-x))


@decomposition("reciprocal", ignores={"approx": ANY, "full_range": ANY})
def _reciprocal(x: Any) -> Any:
    """The exact one, of the full range, whatever the author is content with."""
    return 1 / x


@TPU_PLATFORM.rule("reciprocal", overrides=True)
def _reciprocal_on_tpu(ctx: RuleContext, x: ir.Value, *, approx: bool, full_range: bool) -> ir.Value:
    """There is an instruction for the approximate one, and the ends of the range take more."""
    flags = [*(["afn"] if approx else []), *([] if full_range else ["nnan", "ninf"])]
    fastmath = ir.Attribute.parse(f"#arith.fastmath<{','.join(flags) or 'none'}>")
    return emit.value("arith.divf", [emit.constant(1, x.type), x], ctx.out_type, fastmath=fastmath)


def _part(name: str) -> Function:
    """The real or imaginary part of complex numbers."""

    def lowering(ctx: RuleContext, *values: ir.Value) -> ir.Value:
        return elementwise(name, ctx, values)

    return lowering


table({"real": "complex.re", "imag": "complex.im", "complex": "complex.create"}, _part)


@decomposition("conj", ignores={"input_dtype": ANY})
def _conj(x: Any) -> Any:
    return jnp.real(x) - 1j * jnp.imag(x) if np.iscomplexobj(x) else x
