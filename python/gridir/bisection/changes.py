# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first change of a pass: the op before and after it, and the source lines of both.

Ops are compared by their computation: name, attributes and types, and for each operand the op that defines it, in the
same terms. An op with only another number or another position is therefore the same, and among ops that compute with a
changed value the first in program order is the changed one.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import itertools
from collections.abc import Iterator

from gridir.compiler.passes import parse_module
from gridir.errors import Frame
from gridir.locations import frames_of
from gridir.mlir import ir


@dataclasses.dataclass(frozen=True)
class Op:
    """An op of a module.

    Attributes:
      name: its name, as "arith.addf". text: the op as MLIR writes it, without its regions. frames: its location in the
      kernel's source, innermost first.
    """

    name: str
    text: str
    frames: tuple[Frame, ...]


@dataclasses.dataclass(frozen=True)
class Change:
    """The first ops in which two modules differ.

    Attributes:
      before: the first op of the module before that the one after does not have; None where it has all.
      after: the first op of the module after that the one before does not have.
      removed: how many ops of the module before the one after does not have.
      added: the same of the other.
    """

    before: Op | None
    after: Op | None
    removed: int
    added: int

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The location of the change in the kernel's source, innermost first; () if it is unknown."""
        for op in (self.after, self.before):
            if op is not None and op.frames:
                return op.frames
        return ()


def first_change(before: bytes, after: bytes, frame: Frame | None = None) -> Change:
    """Returns the first difference between two modules.

    Args:
      before: a module as bytecode.
      after: another one.
      frame: the frame of the author's code in which the change is looked for; without one there, or without one given,
        the first change anywhere.
    """
    modules = parse_module(before), parse_module(after)
    ops = [list(_keyed(module)) for module in modules]
    counts = [collections.Counter(key for key, _ in side) for side in ops]
    firsts: list[Op | None] = []
    numbers = []
    for side, other in ((0, 1), (1, 0)):
        missing = counts[side] - counts[other]
        numbers.append(missing.total())
        lacking = (op for key, op in ops[side] if key in missing)
        first = next(lacking, None)
        there = next((op for op in itertools.chain([first], lacking) if op is not None and _is_at(op, frame)), first)
        firsts.append(None if there is None else _describe(there))
    return Change(firsts[0], firsts[1], *numbers)


def _keyed(module: ir.Module) -> Iterator[tuple[str, ir.Operation]]:
    """Each op, in program order, with its computation."""
    keys: dict[ir.Value, str] = {}

    def visit(op: ir.Operation, path: str) -> Iterator[tuple[str, ir.Operation]]:
        attributes = sorted(f"{name}={op.attributes[name]}" for name in op.attributes)
        types = [str(result.type) for result in op.results]
        operands = [keys.get(operand, "?") for operand in op.operands]
        key = hashlib.sha1(repr((op.name, attributes, types, operands)).encode()).hexdigest()
        for number, result in enumerate(op.results):
            keys[result] = f"{key}#{number}"
        yield key, op
        for region in op.regions:
            for number, block in enumerate(region.blocks):
                inner = f"{path}/{op.name}"
                for position, argument in enumerate(block.arguments):
                    keys[argument] = f"{inner}.{number}.{position}:{argument.type}"
                for child in block.operations:
                    yield from visit(child.operation, inner)

    for op in module.body.operations:
        yield from visit(op.operation, "")


def is_changed_at(before: bytes, after: bytes, frame: Frame) -> bool:
    """Returns whether two modules differ in ops that come from a frame of the author's code."""
    change = first_change(before, after, frame)
    return any(op is not None and frame in op.frames for op in (change.before, change.after))


def _is_at(op: ir.Operation, frame: Frame | None) -> bool:
    return frame is not None and frame in frames_of(op.location)


def _describe(op: ir.Operation) -> Op:
    text = op.get_asm(skip_regions=True, large_elements_limit=16)
    return Op(op.name, text.strip(), frames_of(op.location))
