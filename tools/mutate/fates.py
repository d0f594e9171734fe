# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fates of mutants: the levels of tests at which each has run, and the test that detected it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mutant import Mutant
from suite import LEVELS


@dataclasses.dataclass(frozen=True)
class Fate:
    """The fate of one mutant.

    Attributes:
      key: the identity of the mutant.
      file: its source, relative to the repository.
      levels: the levels of tests that it has survived.
      reached: whether a test of theirs executes it.
      level: the level that killed it, if one did.
      test: the test that did.
    """

    key: str
    file: str
    levels: tuple[str, ...] = ()
    reached: bool = False
    level: str | None = None
    test: str | None = None

    def unmet(self, levels: Sequence[str], again: bool) -> list[str]:
        """The remaining levels of the mutant: none after the one that killed it.

        Args:
          levels: those that are asked for.
          again: True to repeat the levels that it survived, since their tests may have changed.
        """
        before = LEVELS if self.level is None else LEVELS[: LEVELS.index(self.level)]
        return [level for level in levels if level in before and (again or level not in self.levels)]

    def after(self, survived: Sequence[str], reached: bool, level: str | None = None, test: str | None = None) -> Fate:
        """The fate after some more levels.

        Args:
          survived: the levels whose tests let it live.
          reached: whether a test of theirs, or of the level that killed it, executes it.
          level: the level that killed it, if one did.
          test: the test that did.
        """
        met = tuple(one for one in LEVELS if one in self.levels or one in survived)
        killer = (self.level, self.test) if level is None else (level, test)
        return Fate(self.key, self.file, met, self.reached or reached, *killer)


def read(path: Path) -> dict[str, Fate]:
    """The fates in a file of JSON lines, by the keys of the mutants; of two lines for one mutant the later counts."""
    if not path.exists():
        return {}
    records = map(json.loads, path.read_text().splitlines())
    return {record["key"]: Fate(**{**record, "levels": tuple(record["levels"])}) for record in records}


@dataclasses.dataclass(frozen=True)
class Row:
    """The number of mutants of a directory, and their fates.

    Attributes:
      mutants: all that were drawn.
      equivalent: those that no test can kill.
      killed: how many the tests of each level and of those before have killed.
    """

    mutants: int = 0
    equivalent: int = 0
    killed: tuple[int, ...] = (0,) * len(LEVELS)

    def __add__(self, other: Row) -> Row:
        killed = tuple(map(sum, zip(self.killed, other.killed, strict=True)))
        return Row(self.mutants + other.mutants, self.equivalent + other.equivalent, killed)

    def format(self, name: str) -> str:
        """The row of a Markdown table."""
        judged = max(1, self.mutants - self.equivalent)
        shares = " | ".join(f"{number} ({100 * number // judged} %)" for number in self.killed)
        return f"| {name} | {self.mutants} | {self.equivalent} | {shares} |"


TOGETHER = "together"


def count(fates: Mapping[str, Fate], equivalent: Mapping[str, str]) -> dict[str, Row]:
    """A row for each directory.

    Args:
      fates: the known fates, by the keys of the mutants.
      equivalent: why no test can kill a mutant, by its key.
    """
    rows: dict[str, Row] = {}
    for key, fate in fates.items():
        killed = tuple(int(fate.level is not None and fate.level in LEVELS[: i + 1]) for i in range(len(LEVELS)))
        row = Row(1, int(fate.level is None and key in equivalent), killed)
        directory = str(Path(fate.file).parent)
        rows[directory] = rows.get(directory, Row()) + row
    return rows


def read_table(text: str) -> dict[str, Row]:
    """The rows of a table that was written by `table`."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip().partition(" ")[0] for cell in line.strip("|").split("|")]
        if len(cells) == 3 + len(LEVELS) and cells[1].isdigit() and cells[0] != TOGETHER:
            rows[cells[0]] = Row(int(cells[1]), int(cells[2]), tuple(map(int, cells[3:])))
    return rows


def table(rows: Mapping[str, Row]) -> str:
    """The rows as a Markdown table, and their sum."""
    lines = [
        "| sources | mutants | equivalent | killed by tests of the same name | by unit tests | by all tests |",
        "| --- | --- | --- | --- | --- | --- |",
        *(rows[name].format(name) for name in sorted(rows)),
        sum(rows.values(), Row()).format(TOGETHER),
    ]
    return "\n".join(lines)


def living(fates: Mapping[str, Fate], mutants: Mapping[str, Mutant], equivalent: Mapping[str, str]) -> str:
    """The mutants that no test has killed and that are not listed as equivalent, with their levels."""
    alive = [
        f"- {key} {mutants[key]} ({'survived' if fate.reached else 'unreached by'} {', '.join(fate.levels) or 'some'})"
        for key, fate in fates.items()
        if fate.level is None and key not in equivalent
    ]
    return "\n".join([f"{len(alive)} mutants live:", "", *sorted(alive, key=lambda line: line.split()[2])])
