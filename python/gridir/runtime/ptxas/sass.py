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

_LABEL = re.compile(r"^(\.L\w+):")
_INSTRUCTION = re.compile(
    r"^\s+(?:/\*[0-9a-f]+\*/\s+)?(?P<guard>@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9_]*)(?P<rest>[^;]*);"
)
_TARGET = re.compile(r"`\((\.L\w+)\)")
_UNIT = re.compile(r"(UTC)?[A-Z]G?MMA")
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
