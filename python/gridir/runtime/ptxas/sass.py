# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine code of a kernel: its instructions, and the loop in which it multiplies matrices.

NOPs are not counted. A loop is that of the control flow: a branch back to an instruction through which every path to
the branch goes. Only its instructions between the two count: after the branch `ptxas` places code that is seldom
executed, such as the next try of a wait.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Any

from gridir.reading import check_fields

_LABEL = re.compile(r"^(\.L\w+):")
_INSTRUCTION = re.compile(
    r"^\s+(?:/\*[0-9a-f]+\*/\s+)?(?P<guard>@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9_]*)(?P<rest>[^;]*);"
)
_TARGET = re.compile(r"`\((\.L\w+)\)")
_UNIT = re.compile(r"(UTC)?[A-Z]G?MMA")
_WARPGROUP_UNITS = frozenset(("HGMMA", "IGMMA", "QGMMA", "BGMMA"))
_WARPGROUP_SHAPE = re.compile(r"\.(\d+)x(\d+)x(\d+)\b")
_WARP_SHAPE = re.compile(r"\.(16|8)(8)(\d{1,3})\b")
_GLOBAL = frozenset(("LDG", "STG", "LDGSTS"))
# Shared memory and the stacks of threads have one path.
_SHARED = frozenset(("LDS", "STS", "LDL", "STL"))
_MATRICES = frozenset(("LDSM", "STSM"))
_MATRIX_BYTES = 128
_MATRIX_COUNT = re.compile(r"\.MT?\d+\.([24])\b")
_LANES = 32
_WIDTH = re.compile(r"\.[US]?(8|16|64|128|256)\b")
# The predicates on which a branch or an exit depends, apart from its guard.
_PREDICATE = re.compile(r"\bU?P\d")


@dataclasses.dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
      name: its first word, as "HGMMA".
      rest: its modifiers and operands.
      is_conditional: whether a predicate may leave it out.
    """

    name: str
    rest: str
    is_conditional: bool

    @property
    def is_unit(self) -> bool:
        """True if the instruction is a matrix multiplication."""
        return _UNIT.fullmatch(self.name) is not None

    @property
    def flops(self) -> float:
        """The floating-point operations of products that a warp does; 0 where the shape is an operand."""
        if self.name in ("FFMA", "FFMA2"):
            return 2.0 * _LANES * (2 if self.name == "FFMA2" else 1)
        if not self.is_unit:
            return 0.0
        # Four warps share an instruction of a warpgroup.
        found, warps = _WARPGROUP_SHAPE.match(self.rest), 4
        if found is None:
            found, warps = _WARP_SHAPE.match(self.rest), 1
        return 0.0 if found is None else 2.0 * int(found[1]) * int(found[2]) * int(found[3]) / warps

    @property
    def is_of_warpgroup(self) -> bool:
        """True if the instruction is a matrix multiplication of a warpgroup or of tensor memory."""
        return self.name in _WARPGROUP_UNITS or self.name.startswith("UTC")

    @property
    def shared_bytes(self) -> float:
        """The bytes that a warp moves between registers and shared memory, or its stacks."""
        modifiers = self.rest.partition(" ")[0]
        if self.name in _MATRICES:
            count = _MATRIX_COUNT.search(modifiers)
            return float(_MATRIX_BYTES * (int(count[1]) if count else 1))
        if self.name not in _SHARED:
            return 0.0
        width = _WIDTH.search(modifiers)
        return _LANES * (int(width[1]) if width else 32) / 8

    @property
    def global_bytes(self) -> float:
        """The bytes of global memory that a warp loads or stores; 0 for bulk copies, whose size is an operand."""
        if self.name not in _GLOBAL:
            return 0.0
        width = _WIDTH.search(self.rest.partition(" ")[0])
        return _LANES * (int(width[1]) if width else 32) / 8


@dataclasses.dataclass(frozen=True)
class CodeCounts:
    """Counts of the instructions of a warp, by which a model predicts a time.

    Attributes:
      loop_instructions: those of the loop in which it multiplies matrices, or else of all innermost loops that multiply
        and add, or else of those that access global memory.
      loop_functions: how many of them compute functions such as `exp`.
      loop_flops: the operations of products in one iteration; 0 where there are none, or the code does not show them.
      loop_warp_flops: those of products of single warps.
      loop_bytes: the bytes of global memory that an iteration loads and stores.
      loop_shared_bytes: the bytes that it moves between registers and shared memory, or the stacks of threads.
      other_instructions: instructions outside of these loops.
      other_functions: how many of them compute functions.
      other_shared_bytes: as `loop_shared_bytes`.
      loops: how many loops the code has.
    """

    loop_instructions: int
    loop_functions: int
    loop_flops: float
    loop_warp_flops: float
    loop_bytes: float
    loop_shared_bytes: float
    other_instructions: int
    other_functions: int
    other_shared_bytes: float
    loops: int

    def trips(self, flops: Any, moved: Any) -> Any:
        """Returns how many iterations of a warp do the work of a kernel; None if the code does not show it.

        Args:
          flops: the operations of products; a number or an array.
          moved: the bytes of global memory that are loaded and stored; likewise.
        """
        if self.loop_flops:
            return flops / self.loop_flops
        if self.loop_bytes:
            return moved / self.loop_bytes
        return None if self.loops else 0.0 * moved

    def to_json(self) -> dict[str, float]:
        """Returns the counts in their JSON form."""
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(record: Any) -> CodeCounts:
        """Returns the counts that `to_json` gave; raises ValueError for another form."""
        check_fields(record, {field.name: (int, float) for field in dataclasses.fields(CodeCounts)})
        return CodeCounts(**record)


@dataclasses.dataclass(frozen=True)
class Loop:
    """The instructions of a loop.

    Attributes:
      names: how many it has of each name.
      units: how many of them multiply matrices.
    """

    names: collections.Counter[str]
    units: int

    @property
    def instructions(self) -> int:
        """How many there are."""
        return self.names.total()


@dataclasses.dataclass(frozen=True)
class Listing:
    """The instructions of a kernel.

    Attributes:
      instructions: all of them, in order.
      labels: the number of the instruction that each label stands before.
    """

    instructions: tuple[Instruction, ...]
    labels: dict[str, int]

    def steady_loop(self) -> Loop | None:
        """Returns the loop with the most matrix instructions among innermost loops.

        Where several have as many, the one with the fewest instructions is returned; None if there is no such loop.
        """
        found = []
        for header, latch, body in self._loops():
            inside = [self.instructions[i] for i in sorted(body) if header <= i <= latch]
            if units := sum(instruction.is_unit for instruction in inside):
                found.append((body, Loop(collections.Counter(x.name for x in inside), units)))
        inner = [loop for body, loop in found if not any(other < body for other, _ in found)]
        return max(inner, key=lambda loop: (loop.units, -loop.instructions), default=None)

    def counts(self) -> CodeCounts:
        """Returns the counts of its instructions."""
        loops = [(body, {i for i in body if header <= i <= latch}) for header, latch, body in self._loops()]
        inner = [inside for body, inside in loops if not any(other < body for other, _ in loops)]
        chosen: set[int] = set()
        if inner:
            units = max(inner, key=lambda inside: (sum(self.instructions[i].is_unit for i in inside), -len(inside)))
            if any(self.instructions[i].is_unit for i in units):
                chosen = units
            else:
                multiplying = [inside for inside in inner if any(self.instructions[i].flops for i in inside)]
                accesses = [inside for inside in inner if any(self.instructions[i].global_bytes for i in inside)]
                chosen = set().union(*(multiplying or accesses))
        inside = [self.instructions[i] for i in sorted(chosen)]
        functions = sum(x.name == "MUFU" for x in inside)
        # With matrix units, other products are not those of the kernel.
        has_units = any(x.is_unit for x in inside)
        products = [x for x in inside if x.is_unit or not has_units]
        shared = sum(x.shared_bytes for x in inside)
        return CodeCounts(
            loop_instructions=len(inside),
            loop_functions=functions,
            loop_flops=sum(x.flops for x in products),
            loop_warp_flops=sum(x.flops for x in products if not x.is_of_warpgroup),
            loop_bytes=sum(x.global_bytes for x in inside),
            loop_shared_bytes=shared,
            other_instructions=len(self.instructions) - len(inside),
            other_functions=sum(x.name == "MUFU" for x in self.instructions) - functions,
            other_shared_bytes=sum(x.shared_bytes for x in self.instructions) - shared,
            loops=len(loops),
        )

    def _loops(self) -> Iterator[tuple[int, int, frozenset[int]]]:
        """The first and last instruction of each loop, and all of them."""
        starts = self._starts()
        if not starts:
            return
        ends = [*starts[1:], len(self.instructions)]
        number = {start: block for block, start in enumerate(starts)}
        successors = [[number[i] for i in self._next(end - 1) if i < len(self.instructions)] for end in ends]
        predecessors: list[list[int]] = [[] for _ in starts]
        for block, others in enumerate(successors):
            for other in others:
                predecessors[other].append(block)
        dominators = _dominators(successors, predecessors)
        bodies: dict[int, tuple[int, set[int]]] = {}
        for block, others in enumerate(successors):
            for header in others:
                if header in dominators.get(block, ()):
                    latch, body = bodies.get(header, (0, {header}))
                    pending = [block]
                    while pending:
                        if (each := pending.pop()) not in body:
                            body.add(each)
                            pending += predecessors[each]
                    bodies[header] = max(latch, block), body
        for header, (latch, body) in bodies.items():
            inside = frozenset(i for block in body for i in range(starts[block], ends[block]))
            yield starts[header], ends[latch] - 1, inside

    def _starts(self) -> list[int]:
        """The first instructions of basic blocks."""
        starts = {0, *self.labels.values()}
        starts.update(i + 1 for i, x in enumerate(self.instructions) if x.name in ("BRA", "EXIT", "RET"))
        return sorted(start for start in starts if start < len(self.instructions))

    def _next(self, index: int) -> list[int]:
        """Returns the possible successors of an instruction."""
        instruction = self.instructions[index]
        goes_on = instruction.is_conditional or instruction.name not in ("BRA", "EXIT", "RET")
        following = [index + 1] if goes_on else []
        target = _TARGET.search(instruction.rest)
        if instruction.name == "BRA" and target and target[1] in self.labels:
            following.append(self.labels[target[1]])
        return following


def read_sass(text: str) -> Listing:
    """Reads the output of `nvdisasm` for one kernel."""
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = len(instructions)
        elif (found := _INSTRUCTION.match(line)) and found["name"] != "NOP":
            operands = _TARGET.sub("", found["rest"])
            conditional = found["guard"] is not None or _PREDICATE.search(operands) is not None
            instructions.append(Instruction(found["name"], found["rest"], conditional))
    return Listing(tuple(instructions), labels)


def _dominators(successors: Sequence[Sequence[int]], predecessors: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """The blocks that every way from the first block to each one passes, for those that there is a way to."""
    order, seen, pending = [], {0}, [(0, iter(successors[0]))]
    while pending:
        block, others = pending[-1]
        if (other := next((o for o in others if o not in seen), None)) is not None:
            seen.add(other)
            pending.append((other, iter(successors[other])))
        else:
            order.append(block)
            pending.pop()
    order.reverse()
    dominators = {block: set(order) for block in order}
    dominators[0] = {0}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [dominators[p] for p in predecessors[block] if p in dominators]
            new = {block} | set.intersection(*known)
            if new != dominators[block]:
                dominators[block], changed = new, True
    return dominators
