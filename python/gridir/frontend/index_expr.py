# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an index map computes, as expressions in a normal form.

An index map reaches us as a jaxpr and leaves as a region of a `grid.kernel`, and comes back the other way. Both are
read into the expressions of this file, and both are written from them, so that two index maps that say the same in
other words (`2 * i + i`, `i * 3`; `i % 2`, `i - i // 2 * 2`) become one. Integers have no sign here, as in MLIR: an
operation whose result depends on the sign has a name of its own.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable


@dataclasses.dataclass(frozen=True)
class Expr:
    """One scalar integer of `width` bits.

    The kinds are `const` (data: the value), `id` (data: the grid dimension), `load` (data: the number of the index
    operand; args: its indices), `sum` (data: one coefficient per argument, and a constant), and otherwise the name of
    an operation on the arguments, with `data` for what else it needs.
    """

    kind: str
    width: int
    args: tuple[Expr, ...] = ()
    data: tuple[int | str, ...] = ()

    @functools.cached_property
    def key(self) -> tuple:
        """A key that orders expressions the same way in every process: program ids first, constants last."""
        rank = {"id": 0, "load": 1, "const": 3}.get(self.kind, 2)
        return (rank, self.kind, self.width, tuple(map(str, self.data)), tuple(arg.key for arg in self.args))

    @functools.cached_property
    def is_affine(self) -> bool:
        """Whether this is made of program ids, constants, sums and floor divisions alone."""
        return self.kind in ("const", "id", "sum", "floordiv") and all(arg.is_affine for arg in self.args)

    @functools.cached_property
    def is_never_negative(self) -> bool:
        """Whether no program can see a negative value: program ids are not negative."""
        if self.kind == "const":
            return self.value >= 0
        if self.kind == "sum":
            return all(int(c) >= 0 for c in self.data) and all(arg.is_never_negative for arg in self.args)
        return self.kind in ("id", "num_programs", "program_id") or (
            self.kind == "floordiv" and self.args[0].is_never_negative
        )

    @property
    def value(self) -> int:
        """The value of a constant."""
        return int(self.data[0])


def _wrap(value: int, width: int) -> int:
    """The number that `value` becomes in `width` bits: 0 or 1 for one bit, signed otherwise."""
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def const(value: int, width: int) -> Expr:
    """A constant, wrapped around to the width."""
    return Expr("const", width, data=(_wrap(int(value), width),))


def program_id(dim: int, width: int = 32) -> Expr:
    """The index of the program along grid dimension `dim`, as the index map receives it."""
    return Expr("id", width, data=(dim,))


def load(ref: int, indices: Iterable[Expr], width: int) -> Expr:
    """One element of index operand `ref`."""
    return Expr("load", width, tuple(indices), (ref,))


def axis_query(kind: str, axis: int | str) -> Expr:
    """`num_programs` or `program_id` of an axis, where the map asks for it."""
    return Expr(kind, 32, data=(axis,))


# ----------------------------------------------------------------------------------------------------------------------
# Sums and what distributes over them
# ----------------------------------------------------------------------------------------------------------------------


def _terms(expr: Expr) -> tuple[dict[Expr, int], int]:
    if expr.kind == "const":
        return {}, expr.value
    if expr.kind == "sum":
        *coefficients, constant = map(int, expr.data)
        return dict(zip(expr.args, coefficients, strict=True)), constant
    return {expr: 1}, 0


def _sum(terms: dict[Expr, int], constant: int, width: int) -> Expr:
    wrapped = ((atom, _wrap(coefficient, width)) for atom, coefficient in terms.items())
    kept = sorted(((atom, c) for atom, c in wrapped if c), key=lambda term: term[0].key)
    constant = _wrap(constant, width)
    if not kept:
        return const(constant, width)
    if constant == 0 and len(kept) == 1 and kept[0][1] == 1:
        return kept[0][0]
    return Expr("sum", width, tuple(atom for atom, _ in kept), (*(c for _, c in kept), constant))


def add(lhs: Expr, rhs: Expr) -> Expr:
    """The sum."""
    terms, constant = _terms(lhs)
    for atom, coefficient in _terms(rhs)[0].items():
        terms[atom] = terms.get(atom, 0) + coefficient
    return _sum(terms, constant + _terms(rhs)[1], lhs.width)


def scale(expr: Expr, factor: int) -> Expr:
    """The product with a constant."""
    terms, constant = _terms(expr)
    return _sum({atom: c * factor for atom, c in terms.items()}, constant * factor, expr.width)


def sub(lhs: Expr, rhs: Expr) -> Expr:
    """The difference."""
    return add(lhs, scale(rhs, -1))


def mul(lhs: Expr, rhs: Expr) -> Expr:
    """The product."""
    if rhs.kind == "const":
        return scale(lhs, rhs.value)
    if lhs.kind == "const":
        return scale(rhs, lhs.value)
    return Expr("mul", lhs.width, tuple(sorted((lhs, rhs), key=lambda e: e.key)))


def floordiv(lhs: Expr, divisor: int) -> Expr:
    """Division by a positive constant, rounded down.

    Multiples of the divisor leave an affine dividend, as MLIR's affine expressions do it; elsewhere a sum may wrap
    around, so the dividend stays whole.
    """
    if divisor == 1:
        return lhs
    if not lhs.is_affine:
        return Expr("floordiv", lhs.width, (lhs,), (divisor,))
    terms, constant = _terms(lhs)
    whole = {atom: c // divisor for atom, c in terms.items() if c % divisor == 0}
    rest = {atom: c for atom, c in terms.items() if c % divisor}
    quotient, remainder = divmod(constant, divisor)
    inner = _sum(rest, remainder, lhs.width)
    if inner.kind == "const":
        return _sum(whole, quotient, lhs.width)
    divided = Expr("floordiv", lhs.width, (inner,), (divisor,))
    return add(_sum(whole, quotient, lhs.width), divided)


def mod(lhs: Expr, divisor: int) -> Expr:
    """The remainder of `floordiv`, which has the sign of the (positive) divisor."""
    return sub(lhs, scale(floordiv(lhs, divisor), divisor))


# ----------------------------------------------------------------------------------------------------------------------
# Everything else
# ----------------------------------------------------------------------------------------------------------------------


def _unsigned(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}
_FOLD: dict[str, Callable[[int, int], int]] = {
    "maxs": max,
    "mins": min,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_COMMUTATIVE = frozenset(("eq", "ne", "maxs", "mins", "maxu", "minu", "and", "or", "xor"))


def compare(predicate: str, lhs: Expr, rhs: Expr) -> Expr:
    """A comparison; the predicates are those of `arith.cmpi`."""
    if lhs.kind == rhs.kind == "const":
        if predicate in _COMPARE:
            return const(_COMPARE[predicate](lhs.value, rhs.value), 1)
        unsigned = _COMPARE["s" + predicate[1:]]
        return const(unsigned(_unsigned(lhs.value, lhs.width), _unsigned(rhs.value, rhs.width)), 1)
    if predicate in _COMMUTATIVE:
        lhs, rhs = sorted((lhs, rhs), key=lambda e: e.key)
    return Expr(predicate, 1, (lhs, rhs))


def binary(name: str, lhs: Expr, rhs: Expr) -> Expr:
    """`maxs`, `mins`, `maxu`, `minu`, `and`, `or`, `xor`, `shl`, `shrs`, `shru`, `divs`, `rems`, `divu`, `remu`.

    The last seven have the domain of their `arith` op: shifts below the width, divisors that are neither 0 nor, where
    signed, -1.
    """
    if lhs.kind == rhs.kind == "const" and name in _FOLD:
        return const(_FOLD[name](lhs.value, rhs.value), lhs.width)
    if name in _COMMUTATIVE:
        lhs, rhs = sorted((lhs, rhs), key=lambda e: e.key)
    return Expr(name, lhs.width, (lhs, rhs))


def select(condition: Expr, on_true: Expr, on_false: Expr) -> Expr:
    """One of two values; an inverted condition swaps them."""
    if condition.kind == "const":
        return on_true if condition.value else on_false
    if condition.kind == "xor" and condition.args[1].kind == "const":
        return select(condition.args[0], on_false, on_true)
    return Expr("select", on_true.width, (condition, on_true, on_false))


def invert(expr: Expr) -> Expr:
    """All bits inverted."""
    return binary("xor", expr, const(-1, expr.width))


def resize(expr: Expr, width: int, signed: bool) -> Expr:
    """The same number in another width: sign or zero extension, or the low bits."""
    if width == expr.width:
        return expr
    if expr.kind == "const":
        value = expr.value if signed and expr.width > 1 else _unsigned(expr.value, expr.width)
        return const(value, width)
    if width < expr.width:
        return Expr("trunc", width, (expr,))
    if signed and expr.is_affine:
        # Program ids are widened, and what is computed from them is computed in the wider type.
        if expr.kind == "id":
            return Expr("id", width, data=expr.data)
        wide = tuple(resize(arg, width, signed) for arg in expr.args)
        if expr.kind == "floordiv":
            return Expr("floordiv", width, wide, expr.data)
        *coefficients, constant = map(int, expr.data)
        return _sum(dict(zip(wide, coefficients, strict=True)), constant, width)
    return Expr("exts" if signed else "extu", width, (expr,))


# ----------------------------------------------------------------------------------------------------------------------
# Division and shifts as JAX defines them, on the whole range
# ----------------------------------------------------------------------------------------------------------------------


def _is_safe_divisor(expr: Expr, signed: bool) -> bool:
    """Whether `expr` is what `_safe_divisor` makes, or a constant that needs no guard."""
    if expr.kind == "const":
        return expr.value != 0 and not (signed and expr.value == -1)
    return expr.kind == "select" and expr == _safe_divisor(expr.args[2], signed)


def _safe_divisor(divisor: Expr, signed: bool) -> Expr:
    unsafe = compare("eq", divisor, const(0, divisor.width))
    if signed:
        unsafe = binary("or", unsafe, compare("eq", divisor, const(-1, divisor.width)))
    return select(unsafe, const(1, divisor.width), divisor)


def divide(lhs: Expr, rhs: Expr, signed: bool) -> Expr:
    """Division toward zero; by 0 it gives -1 (all ones), and INT_MIN by -1 gives INT_MIN."""
    if rhs.kind == "const" and rhs.value in (0, 1, -1) and (signed or rhs.value >= 0):
        return {0: const(-1, lhs.width), 1: lhs, -1: scale(lhs, -1)}[rhs.value]
    if signed and rhs.kind == "const" and rhs.value > 0 and lhs.is_never_negative:
        return floordiv(lhs, rhs.value)
    name = "divs" if signed else "divu"
    if _is_safe_divisor(rhs, signed):
        return binary(name, lhs, rhs)
    result = binary(name, lhs, _safe_divisor(rhs, signed))
    if signed:
        result = select(compare("eq", rhs, const(-1, rhs.width)), scale(lhs, -1), result)
    return select(compare("eq", rhs, const(0, rhs.width)), const(-1, lhs.width), result)


def remainder(lhs: Expr, rhs: Expr, signed: bool) -> Expr:
    """The remainder of `divide`, with the sign of `lhs`; by 0 it gives `lhs`."""
    if rhs.kind == "const" and rhs.value in (0, 1, -1) and (signed or rhs.value >= 0):
        return lhs if rhs.value == 0 else const(0, lhs.width)
    if signed and rhs.kind == "const" and rhs.value > 0 and lhs.is_never_negative:
        return mod(lhs, rhs.value)
    name = "rems" if signed else "remu"
    if _is_safe_divisor(rhs, signed):
        return binary(name, lhs, rhs)
    result = binary(name, lhs, _safe_divisor(rhs, signed))
    return select(compare("eq", rhs, const(0, rhs.width)), lhs, result)


def shift(name: str, lhs: Expr, amount: Expr) -> Expr:
    """`shl`, `shrs` or `shru`; past the width nothing is left but, for `shrs`, the sign."""
    last = const(lhs.width - 1, lhs.width)
    if amount.kind == "const":
        if 0 <= amount.value < lhs.width:
            return scale(lhs, 1 << amount.value) if name == "shl" else binary(name, lhs, amount)
        return binary(name, lhs, last) if name == "shrs" else const(0, lhs.width)
    if name == "shrs":
        return binary(name, lhs, amount if _is_min_with(amount, last) else binary("minu", amount, last))
    if _is_min_with(amount, last):
        return binary(name, lhs, amount)
    inside = compare("ule", amount, last)
    return select(inside, binary(name, lhs, binary("minu", amount, last)), const(0, lhs.width))


def _is_min_with(expr: Expr, bound: Expr) -> bool:
    return expr.kind == "minu" and bound in expr.args
