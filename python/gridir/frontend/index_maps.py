# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index maps as jaxprs: read into expressions, and written from them.

The other half, between expressions and the regions of a `grid.kernel`, is `index_regions`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

from gridir.errors import UnsupportedError
from gridir.frontend import index_expr as ix
from gridir.frontend import jax_compat
from gridir.frontend.index_expr import Expr


@dataclasses.dataclass(frozen=True)
class IndexMap:
    """An index map in normal form: `results`, in the order of JAX's flat results."""

    results: tuple[Expr, ...]


def dtype_width(dtype: Any) -> int:
    """The number of bits of an integer or bool dtype; 0 for every other dtype."""
    if dtype == np.bool_:
        return 1
    return jnp.iinfo(dtype).bits if jnp.issubdtype(dtype, jnp.integer) else 0


def _is_signed(dtype: Any) -> bool:
    return jnp.issubdtype(dtype, jnp.signedinteger)


# ----------------------------------------------------------------------------------------------------------------------
# From a jaxpr
# ----------------------------------------------------------------------------------------------------------------------

# How a primitive of two operands is said: a function of expressions and whether they have a sign.
_BINARY: dict[str, Callable[[Expr, Expr, bool], Expr]] = {
    "add": lambda a, b, _: ix.add(a, b),
    "sub": lambda a, b, _: ix.sub(a, b),
    "mul": lambda a, b, _: ix.mul(a, b),
    "div": ix.divide,
    "rem": ix.remainder,
    "max": lambda a, b, signed: ix.binary("maxs" if signed else "maxu", a, b),
    "min": lambda a, b, signed: ix.binary("mins" if signed else "minu", a, b),
    "and": lambda a, b, _: ix.binary("and", a, b),
    "or": lambda a, b, _: ix.binary("or", a, b),
    "xor": lambda a, b, _: ix.binary("xor", a, b),
    "shift_left": lambda a, b, _: ix.shift("shl", a, b),
    "shift_right_arithmetic": lambda a, b, _: ix.shift("shrs", a, b),
    "shift_right_logical": lambda a, b, _: ix.shift("shru", a, b),
    "eq": lambda a, b, _: ix.compare("eq", a, b),
    "ne": lambda a, b, _: ix.compare("ne", a, b),
    "lt": lambda a, b, signed: ix.compare("slt" if signed else "ult", a, b),
    "le": lambda a, b, signed: ix.compare("sle" if signed else "ule", a, b),
    "gt": lambda a, b, signed: ix.compare("sgt" if signed else "ugt", a, b),
    "ge": lambda a, b, signed: ix.compare("sge" if signed else "uge", a, b),
}
_UNARY: dict[str, Callable[[Expr, bool], Expr]] = {
    "neg": lambda a, _: ix.scale(a, -1),
    "not": lambda a, _: ix.invert(a),
    "abs": lambda a, signed: ix.binary("maxs", a, ix.scale(a, -1)) if signed else a,
    "sign": lambda a, signed: _sign(a, signed),
    "squeeze": lambda a, _: a,
    "reshape": lambda a, _: a,
    "broadcast_in_dim": lambda a, _: a,
    "copy": lambda a, _: a,
    "stop_gradient": lambda a, _: a,
    "reduce_precision": lambda a, _: a,
}
_CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat")


def _sign(expr: Expr, signed: bool) -> Expr:
    zero = ix.const(0, expr.width)
    positive = ix.select(ix.compare("eq", expr, zero), zero, ix.const(1, expr.width))
    if not signed:
        return positive
    return ix.select(ix.compare("slt", expr, zero), ix.const(-1, expr.width), positive)


class _Missing(Exception):
    """One equation has no meaning as an index expression; carries why."""


class _Reader:
    """Reads a jaxpr of scalars into expressions, and remembers every equation that it cannot read."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        # For each reason the primitives that it holds for, with their first equation.
        self.missing: dict[str, dict[str, Any]] = {}

    def read(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], guard: Expr | None = None) -> list[Any]:
        """Returns the values of the results; a value is an Expr, or the number of an index operand.

        `guard` is the condition under which the jaxpr runs: where it is false no element is loaded that may not exist.
        """
        env: dict[Any, Any] = dict(zip(jaxpr.invars, args, strict=True))
        env.update(zip(jaxpr.constvars, map(self._captured, consts), strict=True))

        def value(atom: Any) -> Any:
            return self._literal(atom) if isinstance(atom, jax_compat.Literal) else env[atom]

        for eqn in jaxpr.eqns:
            try:
                results = self._equation(eqn, [value(atom) for atom in eqn.invars], guard)
            except _Missing as why:
                self.missing.setdefault(str(why), {}).setdefault(eqn.primitive.name, eqn)
                results = [ix.const(0, dtype_width(v.aval.dtype) or 32) for v in eqn.outvars]
            env.update(zip(eqn.outvars, results, strict=True))
        return [value(atom) for atom in jaxpr.outvars]

    def _captured(self, value: Any) -> Expr:
        array = np.asarray(value)
        if array.size != 1 or not dtype_width(array.dtype):
            self.missing.setdefault(f"captures {array.dtype}{list(array.shape)}", {})["a constant"] = None
            return ix.const(0, 32)
        return ix.const(int(array.reshape(())), dtype_width(array.dtype))

    def _literal(self, literal: Any) -> Expr:
        # Where a literal is no integer, the operation that takes it is none of integers either and says so.
        width = dtype_width(literal.aval.dtype)
        return ix.const(int(literal.val) if width else 0, width or 32)

    def _equation(self, eqn: Any, args: list[Any], guard: Expr | None) -> list[Any]:
        name = eqn.primitive.name
        if name in _CALLS:
            return self._call(eqn, args, guard)
        if name == "cond":
            return self._cond(eqn, args, guard)
        if name == "check" and eqn.params["debug"] and not jax_compat.debug_checks_enabled():
            return []
        if not eqn.outvars:
            raise _Missing("gives nothing")
        out = eqn.outvars[0].aval
        if not hasattr(out, "dtype") or not dtype_width(out.dtype):
            raise _Missing(f"gives {out.str_short()}" if hasattr(out, "str_short") else f"gives {out}")
        if out.size != 1:
            raise _Missing(f"gives {out.str_short()}")
        if name == "get":
            return [self._load(eqn, args, guard)]
        if name in ("num_programs", "program_id"):
            # A negative dimension counts from the last one.
            return [ix.axis_query(name, eqn.params["axis"] % self.rank)]
        signed = _is_signed(eqn.invars[0].aval.dtype) if hasattr(eqn.invars[0].aval, "dtype") else False
        if not all(isinstance(arg, Expr) for arg in args):
            raise _Missing("takes a Ref")
        if name in _BINARY:
            return [_BINARY[name](args[0], args[1], signed)]
        if name in _UNARY:
            return [_UNARY[name](args[0], signed)]
        if name == "convert_element_type":
            width = dtype_width(out.dtype)
            if not dtype_width(eqn.invars[0].aval.dtype):
                raise _Missing(f"takes {eqn.invars[0].aval.str_short()}")
            if width == 1:
                return [ix.compare("ne", args[0], ix.const(0, args[0].width)) if args[0].width > 1 else args[0]]
            return [ix.resize(args[0], width, signed)]
        if name == "select_n":
            return [self._select_n(args)]
        if name == "clamp":
            signed = _is_signed(out.dtype)
            return [_BINARY["min"](_BINARY["max"](args[1], args[0], signed), args[2], signed)]
        if name == "integer_pow" and eqn.params["y"] >= 0:
            result = ix.const(1, args[0].width)
            for _ in range(eqn.params["y"]):
                result = ix.mul(result, args[0])
            return [result]
        raise _Missing("has no meaning here")

    def _call(self, eqn: Any, args: list[Any], guard: Expr | None) -> list[Any]:
        # jnp names its integer division; as one operation it stays readable, and affine.
        divides = eqn.params.get("name") in ("floor_divide", "remainder") and len(args) == 2
        if divides and args[1].kind == "const" and args[1].value > 0 and _is_signed(eqn.invars[0].aval.dtype):
            divide = ix.floordiv if eqn.params["name"] == "floor_divide" else ix.mod
            return [divide(args[0], args[1].value)]
        inner = next(eqn.params[key] for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if key in eqn.params)
        return self.read(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), args, guard)

    def _cond(self, eqn: Any, args: list[Any], guard: Expr | None) -> list[Any]:
        which, operands = args[0], args[1:]
        branches = eqn.params["branches"]
        picks = [self._is_branch(which, i, len(branches)) for i in range(len(branches))]
        results = None
        for branch, pick in reversed(list(zip(branches, picks, strict=True))):
            inner = pick if guard is None else ix.binary("and", guard, pick)
            values = self.read(branch.jaxpr, branch.consts, operands, inner)
            results = (
                values if results is None else [ix.select(pick, v, r) for v, r in zip(values, results, strict=True)]
            )
        return results or []

    def _is_branch(self, which: Expr, i: int, count: int) -> Expr:
        """Whether branch `i` runs; the index of a `cond` is clamped to its branches."""
        if which.width == 1:
            return which if i else ix.invert(which)
        if which.kind == "extu" and which.args[0].width == 1 and count == 2:
            return which.args[0] if i else ix.invert(which.args[0])
        bound = ix.const(i, which.width)
        predicate = "sle" if i == 0 else "sge" if i == count - 1 else "eq"
        return ix.compare(predicate, which, bound)

    def _select_n(self, args: list[Expr]) -> Expr:
        which, *cases = args
        if which.width == 1:
            return ix.select(which, cases[1], cases[0])
        result = cases[-1]
        for i, case in reversed(list(enumerate(cases[:-1]))):
            result = ix.select(ix.compare("eq", which, ix.const(i, which.width)), case, result)
        return result

    def _load(self, eqn: Any, args: list[Any], guard: Expr | None) -> Expr:
        ref, *flat = args
        transforms = jax.tree.unflatten(eqn.params["tree"], flat)
        if len(transforms) > 1 or not all(hasattr(transform, "indices") for transform in transforms):
            raise _Missing("reads a view of an index operand")
        # One element is read: of a slice the first one, and without an index the only one.
        indexers = [index for transform in transforms for index in transform.indices]
        starts = [index.start if isinstance(index, jax_compat.Slice) else index for index in indexers]
        starts = starts or [0] * len(eqn.invars[0].aval.shape)
        indices = [index if isinstance(index, Expr) else ix.const(int(index), 32) for index in starts]
        if guard is not None:
            indices = [ix.select(guard, index, ix.const(0, index.width)) for index in indices]
        return ix.load(ref, indices, dtype_width(eqn.outvars[0].aval.dtype))


def read_jaxpr(closed_jaxpr: Any, rank: int, operand: str = "") -> IndexMap:
    """Reads the jaxpr of an index map for a grid of `rank` dimensions.

    Raises:
      UnsupportedError: naming everything that an index map cannot say, and the operand that it is for.
    """
    jaxpr = closed_jaxpr.jaxpr
    args: list[Any] = [ix.program_id(i) for i in range(rank)]
    args += range(len(jaxpr.invars) - rank)
    reader = _Reader(rank)
    results = reader.read(jaxpr, closed_jaxpr.consts, args)
    if reader.missing:
        equations = [eqn for found in reader.missing.values() for eqn in found.values() if eqn is not None]
        frames = [jax_compat.user_frame(eqn.source_info) for eqn in equations]
        reasons = (f"{', '.join(found)} ({why})" for why, found in reader.missing.items())
        raise UnsupportedError(
            f"expected the index map of {operand or 'an operand'} to compute with scalar integers, got "
            + "; ".join(reasons),
            frames=[frame for frame in frames if frame][:1],
            notes=["compute it before the call and pass the result as an index operand (scalar prefetch)"],
        )
    return IndexMap(tuple(results))


# ----------------------------------------------------------------------------------------------------------------------
# To a jaxpr
# ----------------------------------------------------------------------------------------------------------------------

_INT = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
_UINT = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def _as_unsigned(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The same function of the unsigned numbers that the operands' bits are."""

    def apply(lhs: Any, rhs: Any) -> Any:
        dtype = _UINT[np.dtype(lhs.dtype).itemsize * 8]
        result = function(lax.convert_element_type(lhs, dtype), lax.convert_element_type(rhs, dtype))
        return result if result.dtype == np.bool_ else lax.convert_element_type(result, lhs.dtype)

    return apply


_WRITE: dict[str, Callable[..., Any]] = {
    "mul": lax.mul,
    "divs": lax.div,
    "divu": _as_unsigned(lax.div),
    "rems": lax.rem,
    "remu": _as_unsigned(lax.rem),
    "maxs": lax.max,
    "maxu": _as_unsigned(lax.max),
    "mins": lax.min,
    "minu": _as_unsigned(lax.min),
    "and": lax.bitwise_and,
    "or": lax.bitwise_or,
    "xor": lax.bitwise_xor,
    "shl": lax.shift_left,
    "shrs": lax.shift_right_arithmetic,
    "shru": lax.shift_right_logical,
    "eq": lax.eq,
    "ne": lax.ne,
    "slt": lax.lt,
    "sle": lax.le,
    "sgt": lax.gt,
    "sge": lax.ge,
    "ult": _as_unsigned(lax.lt),
    "ule": _as_unsigned(lax.le),
    "ugt": _as_unsigned(lax.gt),
    "uge": _as_unsigned(lax.ge),
    "select": lambda condition, on_true, on_false: lax.select_n(condition, on_false, on_true),
}


class _Writer:
    """Writes expressions as operations on traced values."""

    def __init__(self, ids: Sequence[Any], refs: Sequence[Any]) -> None:
        self.ids, self.refs = ids, refs
        self.known: dict[Expr, Any] = {}

    def write(self, expr: Expr) -> Any:
        if expr not in self.known:
            self.known[expr] = self._write(expr)
        return self.known[expr]

    def _write(self, expr: Expr) -> Any:
        match expr.kind:
            case "const":
                return _INT[expr.width](expr.value)
            case "id":
                value = self.ids[int(expr.data[0])]
                return value if expr.width == 32 else lax.convert_element_type(value, _INT[expr.width])
            case "load":
                value = jax_compat.ref_get(self.refs[int(expr.data[0])], tuple(self._index(a) for a in expr.args))
                dtype = _INT[expr.width]
                return value if value.dtype == dtype else lax.convert_element_type(value, dtype)
            case "sum":
                return self._sum(expr)
            case "floordiv":
                value, divisor = self.write(expr.args[0]), _INT[expr.width](expr.data[0])
                return (lax.div if expr.args[0].is_never_negative else jnp.floor_divide)(value, divisor)
            case "num_programs" | "program_id":
                return getattr(pl, expr.kind)(expr.data[0])
            case "trunc" | "exts":
                return lax.convert_element_type(self.write(expr.args[0]), _INT[expr.width])
            case "extu":
                value = self.write(expr.args[0])
                if value.dtype != np.bool_:
                    value = lax.convert_element_type(value, _UINT[expr.args[0].width])
                return lax.convert_element_type(value, _INT[expr.width])
            case kind:
                return _WRITE[kind](*(self.write(arg) for arg in expr.args))

    def _index(self, expr: Expr) -> Any:
        return expr.value if expr.kind == "const" else self.write(expr)

    def _sum(self, expr: Expr) -> Any:
        integer = _INT[expr.width]
        *coefficients, constant = map(int, expr.data)
        total = None
        # Positive terms come first, so that a difference is written as one.
        terms = sorted(zip(expr.args, coefficients, strict=True), key=lambda term: term[1] < 0)
        for atom, coefficient in terms:
            negative = total is not None and coefficient < 0
            factor = -coefficient if negative else coefficient
            value = self.write(atom)
            value = value if factor == 1 else lax.mul(value, integer(factor))
            total = value if total is None else (lax.sub if negative else lax.add)(total, value)
        if constant and total is not None:
            total = lax.add(total, integer(constant)) if constant > 0 else lax.sub(total, integer(-constant))
        return total


def write_jaxpr(index_map: IndexMap, avals: Sequence[Any], grid: Sequence[Any], vmapped: Sequence[int] = ()) -> Any:
    """Traces an index map to a closed jaxpr.

    Args:
      index_map: what the map computes.
      avals: abstract values of the program ids and the index operands.
      grid: the sizes of the grid's dimensions, as a GridMapping has them.
      vmapped: the dimensions that come from vmap.
    """
    rank = len(grid)

    def index_map_function(*args: Any) -> list[Any]:
        writer = _Writer(args[:rank], args[rank:])
        return [writer.write(expr) for expr in index_map.results]

    return jax_compat.trace(index_map_function, avals, grid, vmapped)


def canonical_text(closed_jaxpr: Any, grid: Sequence[Any]) -> str:
    """The text of an index map's jaxpr in normal form: equal for maps that say the same in other words."""
    index_map = read_jaxpr(closed_jaxpr, len(grid))
    return str(write_jaxpr(index_map, closed_jaxpr.in_avals, grid))
