# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cycles of a schedule by line of the author's file, by loop and functional unit, and its spills.

Nothing is executed: a bundle is a cycle, times the trip counts of the loops around it.
"""

from __future__ import annotations

import collections
import dataclasses
import os
import re
from collections.abc import Sequence
from typing import Any

from gridir.errors import Frame
from gridir.runtime.tpu.dumps import Loop, Utilization, positions_of, read_schedule, split_bundles

_SEPARATOR = " ;; "
_RESULT = re.compile(r"%(v\w+) = ")
_SPILL = re.compile(r"\[#(allocation\w+_spill)\b.*?/\*vst_source=\*/%(v\w+)")

Position = tuple[str, int]
"""A file and a line."""


@dataclasses.dataclass(frozen=True)
class LineCost:
    """The cost of a source line.

    Attributes:
      file: the file; "" for all that libtpu gives no line, as loops, waits and addresses.
      line: counted from 1.
      cycles: those of its bundles; lines that are in one bundle share it equally.
      bundles: how many bundles have an operation of the line.
      operations: how many operations it has.
      spills: vector registers with its values that are stored to VMEM for want of registers.
    """

    file: str
    line: int
    cycles: float
    bundles: int
    operations: int
    spills: int

    def __str__(self) -> str:
        if not self.file:
            return "no line"
        return f"{os.path.basename(self.file)}:{self.line}: {Frame(self.file, self.line).source()}"


@dataclasses.dataclass(frozen=True)
class LoopCost:
    """The cost of a loop of the schedule, with the loops in it.

    Attributes:
      loop: its first and last bundle, and how often it is repeated.
      cycles: all that it takes.
      used: the share of a functional unit's slots that has an operation, by unit; the busiest is the first.
    """

    loop: Loop
    cycles: int
    used: dict[str, float]

    def __str__(self) -> str:
        trips = f"{self.loop.trips} times" if self.loop.trips is not None else "repeated"
        busy = ", ".join(f"{unit} {share:.0%}" for unit, share in self.used.items() if share >= 0.005)
        where = f"bundles {self.loop.first} to {self.loop.last}, {trips}"
        return f"{where}: {self.cycles:,} cycles; {busy or 'no unit is used'}"


@dataclasses.dataclass(frozen=True)
class Profile:
    """The distribution of the cycles of a schedule.

    Attributes:
      lines: by cycles, the most expensive first.
      loops: in the order of the schedule.
    """

    lines: tuple[LineCost, ...]
    loops: tuple[LoopCost, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the profile in its JSON form."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        total = sum(line.cycles for line in self.lines) or 1
        rows = [("cycles", "", "bundles", "operations", "spills", "line")]
        rows += [
            (
                f"{line.cycles:,.0f}",
                f"{line.cycles / total:.0%}",
                f"{line.bundles:,}",
                f"{line.operations:,}",
                f"{line.spills:,}",
                str(line),
            )
            for line in self.lines
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        text = ["  ".join([*(x.rjust(w) for x, w in zip(row[:-1], widths, strict=False)), row[-1]]) for row in rows]
        return "\n".join([*text, *(f"loop of {loop}" for loop in self.loops)])


def read_profile(
    schedule: str, utilization: Utilization | None = None, times: Sequence[float] | None = None
) -> Profile:
    """Reads the file `final_bundles`, and the use of each unit by each bundle if it is known."""
    found = read_schedule(schedule)
    cycles: Sequence[float] = found.cycles_of_bundles() if times is None else list(times)
    costs: dict[Position, float] = collections.defaultdict(float)
    bundles: collections.Counter[Position] = collections.Counter()
    operations: collections.Counter[Position] = collections.Counter()
    origins: dict[str, Position] = {}
    spilled: dict[str, Position] = {}
    nowhere = ("", 0)
    for count, body in zip(cycles, split_bundles(schedule), strict=True):
        here: set[Position] = set()
        for operation in body.split(_SEPARATOR):
            # The innermost line is the first.
            position = next(iter(positions_of(operation)), nowhere)
            operations[position] += "%" in operation
            if position != nowhere:
                here.add(position)
            if result := _RESULT.search(operation):
                origins[result[1]] = position
            if spill := _SPILL.search(operation):
                spilled[spill[1]] = origins.get(spill[2], nowhere)
        for position in here or {nowhere}:
            costs[position] += count / max(len(here), 1)
            bundles[position] += 1
    spills = collections.Counter(spilled.values())
    lines = [
        LineCost(*position, round(costs[position], 2), bundles[position], operations[position], spills[position])
        for position in {**costs, **operations, **spills}
    ]
    lines.sort(key=lambda line: (-line.cycles, line.file, line.line))
    return Profile(
        tuple(lines),
        tuple(
            LoopCost(loop, round(sum(cycles[loop.first : loop.last + 1])), _shares(loop, cycles, utilization))
            for loop in found.loops
        ),
    )


def _shares(loop: Loop, cycles: Sequence[float], utilization: Utilization | None) -> dict[str, float]:
    """The share of each unit's slots that a loop uses, those of an inner loop as often as it is repeated."""
    if utilization is None:
        return {}
    numbers = range(loop.first, min(loop.last + 1, len(utilization.bundles)))
    total = sum(cycles[number] for number in numbers)
    shares = {
        unit: sum(cycles[number] * utilization.bundles[number][column] for number in numbers) / (slots * total)
        for column, (unit, slots) in enumerate(utilization.slots.items())
        if slots and total
    }
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
