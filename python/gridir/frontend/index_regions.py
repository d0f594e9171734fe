# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index maps as regions of a `grid.kernel`: written from expressions, and read into them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from gridir.errors import Error
from gridir.frontend import index_expr as ix
from gridir.frontend.index_expr import Expr
from gridir.mlir import ir
from gridir.mlir.dialects import arith, grid

_DYNAMIC = ir.ShapedType.get_dynamic_size()

# The operations that mean the same in an expression and in `arith`.
_BINARY = {
    "mul": arith.MulIOp,
    "divs": arith.DivSIOp,
    "divu": arith.DivUIOp,
    "rems": arith.RemSIOp,
    "remu": arith.RemUIOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "shl": arith.ShLIOp,
    "shrs": arith.ShRSIOp,
    "shru": arith.ShRUIOp,
}
_CONVERT = {"exts": arith.ExtSIOp, "extu": arith.ExtUIOp, "trunc": arith.TruncIOp}
_PREDICATES = {predicate.name: predicate for predicate in arith.CmpIPredicate}
_PREDICATE_NAMES = {int(predicate): predicate.name for predicate in arith.CmpIPredicate}


class RegionWriter:
    """Writes expressions at the insertion point, each once.

    Args:
      ids: the program ids, i32 values.
      refs: the index operands, Refs.
    """

    def __init__(self, ids: Sequence[ir.Value], refs: Sequence[ir.Value]) -> None:
        self._ids, self._refs = ids, refs
        self._known: dict[Expr, ir.Value] = {}

    def write(self, expr: Expr) -> ir.Value:
        """Returns the value of an expression."""
        if expr not in self._known:
            self._known[expr] = self._write(expr)
        return self._known[expr]

    def _write(self, expr: Expr) -> ir.Value:
        type_ = ir.IntegerType.get_signless(expr.width)
        match expr.kind:
            case "const":
                return arith.ConstantOp(type_, ir.IntegerAttr.get(type_, expr.value)).result
            case "id":
                value = self._ids[int(expr.data[0])]
                return value if expr.width == 32 else arith.ExtSIOp(type_, value).result
            case "load":
                return self._load(expr, type_)
            case "sum":
                return self._sum(expr)
            case "floordiv":
                divisor = ix.const(int(expr.data[0]), expr.width)
                return arith.FloorDivSIOp(self.write(expr.args[0]), self.write(divisor)).result
            case "num_programs":
                return grid.NumProgramsOp(_axis(expr)).result
            case "program_id":
                return grid.ProgramIdOp(_axis(expr)).result
            case "select":
                return arith.SelectOp(*(self.write(arg) for arg in expr.args)).result
            case kind if kind in _CONVERT:
                return _CONVERT[kind](type_, self.write(expr.args[0])).result
            case kind if kind in _BINARY:
                return _BINARY[kind](self.write(expr.args[0]), self.write(expr.args[1])).result
        return arith.CmpIOp(_PREDICATES[expr.kind], self.write(expr.args[0]), self.write(expr.args[1])).result

    def _load(self, expr: Expr, type_: ir.Type) -> ir.Value:
        ref = self._refs[int(expr.data[0])]
        if expr.args:
            space = ir.MemRefType(ref.type).memory_space
            ones = ir.DenseI64ArrayAttr.get([1] * len(expr.args))
            ref = grid.SliceRefOp(
                ir.MemRefType.get([], type_, memory_space=space),
                ref,
                [self.write(arg) for arg in expr.args if arg.kind != "const"],
                ir.DenseI64ArrayAttr.get([arg.value if arg.kind == "const" else _DYNAMIC for arg in expr.args]),
                ones,
                ones,
                dropped=ir.DenseI64ArrayAttr.get(list(range(len(expr.args)))),
            ).result
        return grid.LoadOp(type_, ref).result

    def _sum(self, expr: Expr) -> ir.Value:
        *coefficients, constant = map(int, expr.data)
        total: ir.Value | None = None
        # Positive terms come first, so that a difference is written as one.
        for atom, coefficient in sorted(zip(expr.args, coefficients, strict=True), key=lambda term: term[1] < 0):
            negative = total is not None and coefficient < 0
            value = self.write(atom)
            factor = -coefficient if negative else coefficient
            if factor != 1:
                value = arith.MulIOp(value, self.write(ix.const(factor, expr.width))).result
            total = value if total is None else (arith.SubIOp if negative else arith.AddIOp)(total, value).result
        if constant and total is not None:
            total = arith.AddIOp(total, self.write(ix.const(constant, expr.width))).result
        assert total is not None, "a sum has a term"
        return total


def _axis(expr: Expr) -> ir.Attribute:
    axis = expr.data[0]
    if isinstance(axis, str):
        return ir.StringAttr.get(axis)
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)


# ----------------------------------------------------------------------------------------------------------------------
# Reading
# ----------------------------------------------------------------------------------------------------------------------

_READ: dict[str, Callable[[Expr, Expr], Expr]] = {
    "arith.addi": ix.add,
    "arith.subi": ix.sub,
    "arith.muli": ix.mul,
    **{cls.OPERATION_NAME: functools.partial(ix.binary, name) for name, cls in _BINARY.items() if name != "mul"},
}


def read_region(block: ir.Block, rank: int) -> list[Expr]:
    """Reads the indices that an index map yields.

    Args:
      block: the one block of the region; its arguments are `rank` program ids and the index operands.
      rank: the rank of the grid.

    Raises:
      Error: if the region holds an operation that an index map cannot have come from.
    """
    known: dict[ir.Value, Expr] = {block.arguments[i]: ix.program_id(i) for i in range(rank)}
    refs: dict[ir.Value, tuple[int, list[Expr]]] = {
        argument: (i, []) for i, argument in enumerate(list(block.arguments)[rank:])
    }
    *operations, terminator = (op.operation for op in block.operations)
    for op in operations:
        if op.name == "grid.slice_ref" and op.operands[0] in refs:
            ref, _ = refs[op.operands[0]]
            dynamic = iter([known[value] for value in list(op.operands)[1:]])
            offsets = ir.DenseI64ArrayAttr(op.attributes["static_offsets"])
            refs[op.results[0]] = (
                ref,
                [next(dynamic) if o == _DYNAMIC else ix.const(o, 32) for o in offsets],
            )
        elif op.name == "grid.load" and op.operands[0] in refs:
            ref, indices = refs[op.operands[0]]
            known[op.results[0]] = ix.load(ref, indices, ir.IntegerType(op.results[0].type).width)
        else:
            known[op.results[0]] = _read_op(op, [known.get(value) for value in op.operands])
    return [known[value] for value in terminator.operands]


def _read_op(op: ir.Operation, args: list[Expr | None]) -> Expr:
    name = op.name
    if name in ("grid.num_programs", "grid.program_id"):
        axis = op.attributes["axis"]
        return ix.axis_query(name[5:], ir.StringAttr(axis).value if isinstance(axis, ir.StringAttr) else axis.value)
    if None in args or not isinstance(op.results[0].type, ir.IntegerType):
        raise Error(f"expected an index map to compute with integers, got {name}")
    width = ir.IntegerType(op.results[0].type).width
    if name == "arith.constant":
        return ix.const(ir.IntegerAttr(op.attributes["value"]).value, width)
    operands = [arg for arg in args if arg is not None]
    if name in _READ:
        lhs, rhs = operands
        return _READ[name](lhs, rhs)
    if name == "arith.cmpi":
        return ix.compare(_PREDICATE_NAMES[ir.IntegerAttr(op.attributes["predicate"]).value], *operands)
    if name == "arith.select":
        return ix.select(*operands)
    if name in ("arith.floordivsi", "arith.ceildivsi") and operands[1].kind == "const" and operands[1].value > 0:
        value, divisor = operands[0], operands[1].value
        if name == "arith.floordivsi":
            return ix.floordiv(value, divisor)
        return ix.scale(ix.floordiv(ix.scale(value, -1), divisor), -1)
    if name in ("arith.extsi", "arith.extui", "arith.trunci"):
        return ix.resize(operands[0], width, signed=name == "arith.extsi")
    raise Error(f"an index map that holds {name} does not come from JAX and has no jaxpr")
