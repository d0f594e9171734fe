# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses libtpu's files about a compiled kernel: its final schedule, its allocations, and the use of each unit.

Nothing is executed. A bundle is one VLIW instruction and counts as one cycle. The body of a loop counts once for each
iteration, every predicated region as if it were taken, and waits for copies not at all.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable
from typing import Any

# Each pass of each component is a file: number, component, number of the pass, pass.
_FILE_NAME = re.compile(r"\d+-(?P<component>.+)-\d+-(?P<contents>.+)\.txt")

# Bundles that are issued after a branch before it is taken.
_DELAY_SLOTS = 4


@dataclasses.dataclass(frozen=True)
class Loop:
    """A loop of the schedule.

    Attributes:
      first: the number of its first bundle.
      last: the number of its last bundle.
      trips: how often it is repeated, or None when that is not a constant.
    """

    first: int
    last: int
    trips: int | None


@dataclasses.dataclass(frozen=True)
class Schedule:
    """The bundles of a kernel.

    Attributes:
      bundles: how many there are.
      loops: the loops, from the outside in.
    """

    bundles: int
    loops: tuple[Loop, ...]

    @property
    def cycles(self) -> int:
        """An estimate: bundles times trip counts. Loops of unknown trip counts are counted once."""
        return sum(self.cycles_of_bundles())

    def cycles_of_bundles(self) -> list[int]:
        """Returns the same for each bundle."""
        weights = [1] * self.bundles
        for loop in self.loops:
            for number in range(loop.first, loop.last + 1):
                weights[number] *= loop.trips or 1
        return weights


# Lines that begin a bundle: its number, a mark, and a `>` for each loop around it.
_BUNDLE = re.compile(r"^\s*(0x[0-9a-f]+|\d+)\s+([A-Z]{2})?\s*:[ >]*\{", re.MULTILINE)
_BRANCH_BACK = re.compile(r"sbr\.rel \(!?%(\w+?)\) target = \$region(\d+)")
_START_OF_REGION = re.compile(r"Start region (\d+)")
_COMPARISON = re.compile(r"%(p\w+) = scmp\.(?:ge|gt|eq|ne|lt|le)\.[su]32(?:\.totalorder)? %\w+, (\d+)")


# The location of an operation, between its operands: `/* loc("kernel.py":3:5) */`.
_LOCATION = re.compile(r" /\* loc\((.*?)\) \*/")
_POSITION = re.compile(r'"([^"]+)":(\d+)')


def split_locations(text: str) -> tuple[list[str], list[list[tuple[str, int]]]]:
    """Splits the file `final_bundles` into its lines, less the legend, and the files and lines that each names."""
    lines = text.rpartition("= control target key end")[2].strip("\n").split("\n")
    return [_LOCATION.sub("", line) for line in lines], [positions_of(line) for line in lines]


def positions_of(text: str) -> list[tuple[str, int]]:
    """Returns the files and lines in the locations of operations, innermost first."""
    return [(file, int(line)) for found in _LOCATION.findall(text) for file, line in _POSITION.findall(found)]


def strip_locations(text: str) -> str:
    """Returns a text without the locations of its operations."""
    return _LOCATION.sub("", text)


def split_bundles(text: str) -> list[str]:
    """Returns the bundles of the file `final_bundles`, each with the text after it."""
    starts = [match.start() for match in _BUNDLE.finditer(text)]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def read_schedule(text: str) -> Schedule:
    """Reads the file `final_bundles`."""
    bodies = split_bundles(_LOCATION.sub("", text))
    region_starts: dict[str, int] = {}
    bounds: dict[str, int] = {}
    loops = []
    for number, body in enumerate(bodies):
        mark = _BUNDLE.match(body)
        # The first bundle of a loop is marked; any other comment is about the code after the bundle.
        first = number if mark and mark.group(2) in ("LB", "LH") else number + 1
        region_starts |= dict.fromkeys(_START_OF_REGION.findall(body), first)
        bounds |= {name: int(bound) for name, bound in _COMPARISON.findall(body)}
        for predicate, region in _BRANCH_BACK.findall(body):
            target = region_starts.get(region)
            if target is not None and target <= number:
                last = min(number + _DELAY_SLOTS, len(bodies) - 1)
                loops.append(Loop(target, last, bounds.get(predicate)))
    loops.sort(key=lambda loop: (loop.first, -loop.last))
    return Schedule(len(bodies), tuple(loops))


_ALLOCATION = re.compile(
    r"#allocation(\w+) \[shape = '[^']*', space=(\w+), size = (0x[0-9a-f]+|\d+)(.*?)tag = '([^']*)'"
)

# The purpose of an allocation by its tag, in the order of the tests.
_PURPOSES = (("spill", "spills"), ("internal scratch", "internal"), ("window allocation", "windows"))


def read_allocations(text: str) -> dict[str, int]:
    """Reads bytes of VMEM by purpose (windows, scratch, internal, spills) from the program with its registers."""
    parts: dict[str, int] = {}
    for name, space, size, _, tag in _ALLOCATION.findall(text):
        if space == "vmem":
            purpose = next((purpose for word, purpose in _PURPOSES if word in f"{name} {tag}"), "scratch")
            parts[purpose] = parts.get(purpose, 0) + int(size, 0)
    return parts


@dataclasses.dataclass(frozen=True)
class Utilization:
    """The use of functional units by bundles.

    Attributes:
      slots: how many operations of a unit (MXU, XLU, VALU, ...) a bundle may have, by unit.
      bundles: for each bundle how many it has, in the order of the units.
    """

    slots: dict[str, int]
    bundles: tuple[tuple[int, ...], ...]

    def totals(self) -> dict[str, int]:
        """Returns how many operations each unit is given, summed over the bundles."""
        return dict(zip(self.slots, map(sum, zip(*self.bundles, strict=True)), strict=True)) if self.bundles else {}


def read_utilization(text: str) -> Utilization | None:
    """Reads the use of each unit by each bundle; None where the text does not say it."""
    rows = text.splitlines()
    header = next((i for i, row in enumerate(rows) if row.startswith("MXU")), None)
    if header is None:
        return None
    units = [unit.strip() for unit in rows[header].split(",")]
    slots = map(int, rows[header + 1].split())
    numbers = (tuple(map(int, row.split())) for row in rows[header + 2 :] if row[:1].isdigit())
    return Utilization(dict(zip(units, slots, strict=True)), tuple(numbers))


def read_dumps(paths: Iterable[str]) -> dict[str, Any]:
    """Reads the files of one compilation, of a program with one kernel in it.

    Returns:
      `bundles`, `cycles`, `loops`, `vmem` (bytes by purpose), `utilization`, and `schedule`, the text of the bundles;
      nothing when there is no kernel.
    """
    components: dict[str, dict[str, str]] = {}
    for path in paths:
        match = _FILE_NAME.fullmatch(os.path.basename(path))
        if match:
            components.setdefault(match["component"], {})[match["contents"]] = path
    for files in components.values():
        if "final_bundles" not in files:
            continue
        text = _read(files["final_bundles"])
        # The program around the kernel is scheduled, too; the kernel's first bundle names the call.
        if not re.search(r"entry bundle: %\S+ = custom-call\(", text):
            continue
        schedule = read_schedule(text)
        utilization = read_utilization(_read(files.get("final_hlo-static-per-bundle-utilization")))
        return {
            "bundles": schedule.bundles,
            "cycles": schedule.cycles,
            "loops": [dataclasses.astuple(loop) for loop in schedule.loops],
            "vmem": read_allocations(_read(files["post-ra"])) if "post-ra" in files else {},
            "utilization": utilization and dataclasses.astuple(utilization),
            "schedule": text,
        }
    return {}


def _read(path: str | None) -> str:
    if path is None:
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
