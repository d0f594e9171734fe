# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of a kernel, and bounds for its time on a chip."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import run_pipeline, shared_context
from gridir.mlir import ir
from gridir.report.blocks import Grid
from gridir.report.chips import Peak


@dataclasses.dataclass(frozen=True)
class Roofline:
    """The bound that a chip sets.

    Attributes:
      target: the target and chip.
      peak: the chip.
      seconds: the least time that operations, or bytes, take there; None where it took less, as not all of the
        operations that are counted run.
      bound: which of both: "compute" or "memory".
      milliseconds: the time that the function took; None where it did not run there.
    """

    target: str
    peak: Peak
    seconds: float | None
    bound: str
    milliseconds: float | None = None


@dataclasses.dataclass(frozen=True)
class Costs:
    """The operations and bytes of one call of a kernel.

    Attributes:
      flops: additions, multiplications and the like of floats; all branches count as taken.
      functions: elements of functions such as `exp`.
      bytes_moved: blocks that are fetched or written, each time that an operand's block changes.
      bytes_least: each array once.
      notes: how exact that is.
      rooflines: for each target.
    """

    flops: int
    functions: int
    bytes_moved: int
    bytes_least: int
    notes: tuple[str, ...]
    rooflines: tuple[Roofline, ...] = ()

    @property
    def intensity(self) -> float:
        """Operations for each byte moved."""
        return self.flops / max(self.bytes_moved, 1)

    def roofline(self, target: str, peak: Peak) -> Roofline:
        """Returns the bound that a chip sets which copies blocks to its cores."""
        seconds, bound = self._bound(peak, self.bytes_moved)
        return Roofline(target, peak, seconds, bound)

    def measured_roofline(self, target: str, peak: Peak, milliseconds: float | None) -> Roofline:
        """Returns the bound of a CPU, whose caches keep data that is read again, beside the measured time."""
        seconds, bound = self._bound(peak, self.bytes_least)
        is_bound = milliseconds is None or seconds * 1e3 <= milliseconds
        return Roofline(target, peak, seconds if is_bound else None, bound if is_bound else "", milliseconds)

    def _bound(self, peak: Peak, moved: int) -> tuple[float, str]:
        compute, memory = self.flops / peak.flops, moved / peak.bandwidth
        return max(compute, memory), "compute" if compute > memory else "memory"

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return dataclasses.asdict(self) | {"intensity": self.intensity}


def count_costs(kernel: Kernel, grid: Grid) -> Costs:
    """Counts the costs of a kernel.

    Args:
      kernel: the kernel, of the target cpu.
      grid: its grid.

    Raises:
      CompileError: when a pass refuses the kernel.
    """
    counter = _Counter(kernel)
    notes = ["all branches are counted as taken"]
    if counter.is_approximate:
        notes.append("a loop whose trip count is not a constant is counted once")
    moved = least = 0
    for operand in grid.operands:
        whole = math.ceil(math.prod(operand.shape) * operand.itemsize)
        least += whole
        fetches = operand.statistics().get("fetches") if grid.programs == grid.shown else None
        if fetches is None or operand.is_whole:
            moved += whole
        else:
            moved += math.ceil(fetches * math.prod(operand.block) * operand.itemsize)
    if any(operand.unknown for operand in grid.operands) or grid.programs != grid.shown:
        notes.append("of operands whose blocks are not known the array is counted once")
    return Costs(counter.flops, counter.functions, moved, least, tuple(notes))


class _Counter:
    """Counts the operations of a kernel's loops, in which every op on arrays has a loop nest."""

    def __init__(self, kernel: Kernel):
        module = kernel.module("loops", context=shared_context())
        run_pipeline(module, "linalg-generalize-named-ops,canonicalize")
        functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
        named = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in functions}
        self.flops = self.functions = 0
        self.is_approximate = False
        self._items = _returned(named.get(f"{kernel.name}.range"))
        self._count(named[kernel.name], 1)

    def _count(self, parent: ir.Operation, factor: int) -> None:
        for region in parent.regions:
            for block in region:
                for op in block.operations:
                    self._count_op(op.operation, factor)

    def _count_op(self, op: ir.Operation, factor: int) -> None:
        dialect = op.name.partition(".")[0]
        types = [result.type for result in op.results]
        if dialect in ("arith", "math") and types and _is_float(types[0]):
            elements = factor * _elements(types[0])
            if dialect == "math":
                self.functions += elements
            elif len(op.operands) and all(operand.type == types[0] for operand in op.operands):
                self.flops += elements
        elif "indexing_maps" in op.attributes:
            self._count(op, factor * _iterations(op))
        else:
            self._count(op, factor * self._trips(op))

    def _trips(self, op: ir.Operation) -> int:
        """The number of executions of the regions of an op; 1 if it is not a loop, or its bounds are unknown."""
        if op.name != "scf.for":
            self.is_approximate |= op.name == "scf.while"
            return 1
        lower, upper, step = (_constant(op.operands[i]) for i in range(3))
        if lower is not None and upper is not None and step:
            return max(-(-(upper - lower) // step), 0)
        if self._items is not None and all(_is_function_argument(op.operands[i]) for i in range(2)):
            return self._items
        self.is_approximate = True
        return 1


def _returned(function: ir.Operation | None) -> int | None:
    """Returns the constant that a function returns, or None: the number of work items of a kernel."""
    return None if function is None else _constant(function.regions[0].blocks[0].operations[-1].operands[0])


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def _is_function_argument(value: ir.Value) -> bool:
    return isinstance(value.owner, ir.Block) and value.owner.owner.operation.name == "func.func"


def _is_float(kind: ir.Type) -> bool:
    return isinstance(getattr(kind, "element_type", kind), ir.FloatType)


def _elements(kind: ir.Type) -> int:
    return math.prod(kind.shape) if isinstance(kind, ir.ShapedType) and kind.has_static_shape else 1


def _iterations(op: ir.Operation) -> int:
    """The points of the iteration space of a structured op."""
    sizes: dict[int, int] = {}
    for operand, attribute in zip(op.operands, ir.ArrayAttr(op.attributes["indexing_maps"]), strict=True):
        shape = operand.type.shape if isinstance(operand.type, ir.ShapedType) else ()
        for result, size in zip(ir.AffineMapAttr(attribute).value.results, shape, strict=False):
            if isinstance(result, ir.AffineDimExpr) and size >= 0:
                sizes[result.position] = size
    return math.prod(sizes.values())
