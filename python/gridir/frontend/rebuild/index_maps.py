# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index maps: from the regions of a `grid.kernel` to jaxprs, op by op, and whether two jaxprs say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

from gridir import emit
from gridir.errors import Error
from gridir.frontend.compat import jax_core
from gridir.frontend.header import index_maps
from gridir.frontend.header.operands import index_operand, size_of
from gridir.frontend.walk.types import bit_width
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.mlir.passmanager import PassManager

# ----------------------------------------------------------------------------------------------------------------------
# To a jaxpr
# ----------------------------------------------------------------------------------------------------------------------

# MLIR's integers are signless; here each is signed, and unsigned ops are explicit.
_SIGNED = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
_UNSIGNED = {1: np.bool_, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def _converted(value: Any, dtype: Any) -> Any:
    return value if value.dtype == dtype else lax.convert_element_type(value, dtype)


def _as_unsigned(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The same function of the unsigned numbers that the operands' bits are."""

    def apply(lhs: Any, rhs: Any) -> Any:
        dtype = _UNSIGNED[bit_width(lhs.dtype)]
        result = function(_converted(lhs, dtype), _converted(rhs, dtype))
        return result if result.dtype == np.bool_ else _converted(result, lhs.dtype)

    return apply


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "arith.addi": lax.add,
    "arith.subi": lax.sub,
    "arith.muli": lax.mul,
    "arith.divsi": lax.div,
    "arith.divui": _as_unsigned(lax.div),
    "arith.floordivsi": jnp.floor_divide,
    "arith.ceildivsi": lambda lhs, rhs: lax.neg(jnp.floor_divide(lax.neg(lhs), rhs)),
    "arith.remsi": lax.rem,
    "arith.remui": _as_unsigned(lax.rem),
    "arith.maxsi": lax.max,
    "arith.maxui": _as_unsigned(lax.max),
    "arith.minsi": lax.min,
    "arith.minui": _as_unsigned(lax.min),
    "arith.andi": lax.bitwise_and,
    "arith.ori": lax.bitwise_or,
    "arith.xori": lax.bitwise_xor,
    "arith.shli": lax.shift_left,
    "arith.shrsi": lax.shift_right_arithmetic,
    "arith.shrui": lax.shift_right_logical,
    "arith.select": lambda condition, on_true, on_false: lax.select_n(condition, on_false, on_true),
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
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
}
_PREDICATES = {number: _COMPARISONS[name] for name, number in emit.INT_PREDICATES.items()}


def _convert(name: str, value: Any, dtype: Any) -> Any:
    if name == "arith.extui":
        value = _converted(value, _UNSIGNED[bit_width(value.dtype)])
    elif name == "arith.extsi" and value.dtype == np.bool_:
        return lax.select_n(value, dtype(0), dtype(-1))
    return lax.convert_element_type(value, dtype)


class _Evaluation:
    """The values of an index map's block, as traced numbers and, for a Ref, an index operand and its indices."""

    def __init__(self, block: ir.Block, arguments: Sequence[Any], axis_of: Callable[[ir.Attribute], int]) -> None:
        self.axis_of = axis_of
        self.known: dict[ir.Value, Any] = dict(zip(block.arguments, arguments, strict=True))
        *ops, self.terminator = (op.operation for op in block.operations)
        for op in ops:
            self.known[op.results[0]] = self._result(op, [self.known[value] for value in op.operands])

    def results(self) -> list[Any]:
        return [self.known[value] for value in self.terminator.operands]

    def _result(self, op: ir.Operation, args: list[Any]) -> Any:
        type_ = op.results[0].type
        if op.name == "grid.slice_ref":
            ref, *dynamic = args
            rest = iter(dynamic)
            offsets = ir.DenseI64ArrayAttr(op.attributes["static_offsets"])
            return ref, tuple(next(rest) if offset == emit.DYNAMIC else offset for offset in offsets)
        dtype = _SIGNED.get(type_.width) if isinstance(type_, ir.IntegerType) else None
        if dtype is not None:
            match op.name:
                case "arith.constant":
                    return dtype(ir.IntegerAttr(op.attributes["value"]).value)
                case "arith.cmpi":
                    return _PREDICATES[ir.IntegerAttr(op.attributes["predicate"]).value](*args)
                case "arith.extsi" | "arith.extui" | "arith.trunci":
                    return _convert(op.name, args[0], dtype)
                case "grid.load":
                    ref, indices = args[0] if isinstance(args[0], tuple) else (args[0], ())
                    return _converted(jax_core.ref_get(ref, indices), dtype)
                case "grid.num_programs" | "grid.program_id":
                    return getattr(pl, op.name.removeprefix("grid."))(self.axis_of(op.attributes["axis"]))
                case name if name in _FUNCTIONS:
                    return _FUNCTIONS[name](*args)
        raise Error(f"an index map that holds {op.name} does not come from JAX and has no jaxpr")


def rebuild_index_map(
    block: ir.Block,
    dims: Sequence[Any],
    avals: Sequence[Any],
    sizes: Sequence[Any],
    results_of: Callable[[list[Any]], list[Any]],
) -> Any:
    """Traces an index map to a closed jaxpr.

    Args:
      block: the one block of the index map.
      dims: the dimensions of the grid, a `DimAttr` each.
      avals: abstract values of the program ids and the index operands.
      sizes: the sizes of the dimensions, as a GridMapping has them.
      results_of: the results of the jaxpr, of the indices that the map yields.

    Raises:
      Error: if the map holds an op that does not come from JAX.
    """
    authors = [i for i, dim in enumerate(dims) if not dim.vmapped]

    def axis_of(axis: ir.Attribute) -> int:
        names = [dim.name for dim in dims]
        number = names.index(ir.StringAttr(axis).value) if isinstance(axis, ir.StringAttr) else axis.value
        return authors.index(number)

    def index_map_function(*args: Any) -> list[Any]:
        return results_of(_Evaluation(block, args, axis_of).results())

    vmapped = [i for i, dim in enumerate(dims) if dim.vmapped]
    return jax_core.trace(index_map_function, avals, sizes, vmapped)


# ----------------------------------------------------------------------------------------------------------------------
# Equality
# ----------------------------------------------------------------------------------------------------------------------

_CANONICALIZE = "builtin.module(grid.kernel(grid-canonicalize-index-maps))"


def canonical_text(closed_jaxpr: Any, sizes: Sequence[Any], vmapped: Sequence[int] = ()) -> str:
    """Returns the canonical text of an index map on a grid of these sizes; equivalent maps have equal texts.

    It is the region of the map after `grid-canonicalize-index-maps`, with each op once, after its operands.
    """
    rank, jaxpr = len(sizes), closed_jaxpr.jaxpr
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        ones = [grid.BlockDimAttr.get(1)] * len(jaxpr.outvars)
        element = ir.F32Type.get()
        with ir.InsertionPoint(module.body):
            kernel = grid.KernelOp(
                "index_map",
                grid=[grid.DimAttr.get(size_of(size), None, i in vmapped) for i, size in enumerate(sizes)],
                index_operands=[index_operand(aval, "any") for aval in closed_jaxpr.in_avals[rank:]],
                inputs=[grid.OperandAttr.get(element, [1] * len(ones), ones, "any")],
            )
        [block] = kernel.index_maps
        with ir.InsertionPoint(block):
            context = index_maps.context("index_map", rank, vmapped)
            grid.YieldOp(index_maps.write(context, closed_jaxpr, list(block.arguments), "a jaxpr"))
        with ir.InsertionPoint(kernel.body):
            grid.YieldOp([])
        PassManager.parse(_CANONICALIZE).run(module.operation)
        [block] = kernel.index_maps
        return _text(block)


def _text(block: ir.Block) -> str:
    names = {argument: f"argument {i}" for i, argument in enumerate(block.arguments)}
    ops: dict[str, str] = {}

    def name(value: ir.Value) -> str:
        if value not in names:
            op = value.owner
            operands = ", ".join(map(name, op.operands))
            attributes = ", ".join(f"{key} = {op.attributes[key]}" for key in op.attributes)
            text = f"{op.name}({operands}) {{{attributes}}} : {value.type}"
            names[value] = ops.setdefault(text, f"value {len(ops)}")
        return names[value]

    terminator = list(block.operations)[-1].operation
    results = ", ".join([name(value) for value in terminator.operands])
    return "\n".join([*(f"{number} = {text}" for text, number in ops.items()), f"results: {results}"])
