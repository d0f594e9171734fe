# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory ledger of a kernel: the memory of each argument."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import shared_context
from gridir.mlir import ir
from gridir.mlir.dialects import grid


@dataclasses.dataclass(frozen=True)
class Entry:
    """The memory of one argument, scratch Ref or compiler buffer.

    Attributes:
      name: whose it is.
      space: the memory space, as "tpu.vmem".
      bytes: of its elements.
      padded: of one buffer, with the padding of its layout.
      buffers: how many of them are held.
      note: additional text; may be empty.
    """

    name: str
    space: str
    bytes: int
    padded: int
    buffers: int = 1
    note: str = ""

    @property
    def held(self) -> int:
        """All bytes that it takes."""
        return self.padded * self.buffers


@dataclasses.dataclass(frozen=True)
class Ledger:
    """The memory of a kernel on one target.

    Attributes:
      entries: the entries by owner.
      memory: the memory that `total` counts, as a person calls it.
      total: the bytes of it that the kernel takes.
      capacity: how many there are; None where the target sets no limit.
      by: the source of `total`.
    """

    entries: tuple[Entry, ...]
    memory: str
    total: int
    capacity: int | None
    by: str

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        entries = [dataclasses.asdict(entry) | {"held": entry.held} for entry in self.entries]
        return dataclasses.asdict(self) | {"entries": entries}


def planned_entries(kernel: Kernel) -> list[Entry]:
    """Returns the memory of a kernel in the plan of its target: windows of operands, scratch, and scopes in its body.

    Raises:
      CompileError: when there is not enough memory.
    """
    module = kernel.module(kernel.target.memory_stage, context=shared_context())
    (planned,) = [op.operation for op in module.body.operations if op.operation.name == "grid.kernel"]
    return [*_windows(planned), *_scratch(planned), *_scopes(planned)]


def _windows(kernel: ir.Operation) -> list[Entry]:
    if "grid.memory_plan" not in kernel.attributes:
        return []
    plan = grid.MemoryPlanAttr(kernel.attributes["grid.memory_plan"])
    refs = kernel.regions[0].blocks[0].arguments
    entries = []
    for operand, ref in zip(plan.operands, refs, strict=False):
        if operand.buffers:
            size = _size_of(ref.type)[1] or operand.block_bytes
            note = "" if operand.fetches is None else f"at most {operand.fetches} fetches"
            entries.append(Entry(operand.name, operand.space, size, operand.block_bytes, operand.buffers, note))
    return entries


def _scratch(kernel: ir.Operation) -> list[Entry]:
    if "scratch_origins" not in kernel.attributes:
        return []
    origins = [ir.StringAttr(origin).value for origin in ir.ArrayAttr(kernel.attributes["scratch_origins"])]
    arguments = list(kernel.regions[0].blocks[0].arguments)[-len(origins) :] if origins else []
    return [_entry(name, argument.type, "scratch") for name, argument in zip(origins, arguments, strict=True)]


def _scopes(kernel: ir.Operation) -> list[Entry]:
    entries = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "grid.scoped":
            arguments = list(op.regions[0].blocks[0].arguments)
            offsets = [-1] * len(arguments)
            if "warpgroup.offsets" in op.attributes:
                offsets = list(ir.DenseI64ArrayAttr(op.attributes["warpgroup.offsets"]))
            origins = [f"#{number}" for number in range(len(arguments))]
            if "origins" in op.attributes:
                origins = [ir.StringAttr(origin).value for origin in ir.ArrayAttr(op.attributes["origins"])]
            for name, argument, offset in zip(origins, arguments, offsets, strict=True):
                entries.append(_entry(name, argument.type, f"at byte {offset:,}" if offset >= 0 else "of a scope"))
        return ir.WalkResult.ADVANCE

    kernel.walk(visit)
    return entries


def _entry(name: str, kind: ir.Type, note: str) -> Entry:
    space, size = _size_of(kind)
    return Entry(name, space, size, size, 1, note)


def _size_of(kind: ir.Type) -> tuple[str, int]:
    """The memory space of a Ref, and the bytes of its elements; none for semaphores, which no memory counts."""
    memref = ir.MemRefType(kind)
    space = "" if memref.memory_space is None else grid.MemorySpaceAttr(memref.memory_space).value
    element = memref.element_type
    if isinstance(element, ir.IntegerType | ir.FloatType):
        bits = element.width
    elif str(element).startswith("!warpgroup.barrier"):
        bits = _BARRIER_BITS
    else:
        bits = 64 if isinstance(element, ir.IndexType) else 0
    return space, math.prod(memref.shape) * max(bits, 8 if bits == 1 else 0) // 8


# An mbarrier object of PTX.
_BARRIER_BITS = 64
