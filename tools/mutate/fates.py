# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of mutants: the levels of tests that each has met, and what killed it."""

from __future__ import annotations

import collections
import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mutant import Mutant
from suite import LEVELS


@dataclasses.dataclass(frozen=True)
class Fate:
    """What became of one mutant.

    Attributes:
      key: what names the mutant.
      file: its source, relative to the repository.
      levels: the levels of tests that it has met and survived.
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
        """The levels that the mutant has still to meet: none after the one that killed it.

        Args:
          levels: those that are asked for.
          again: whether it meets those once more that it survived, as their tests may be others now.
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


def table(fates: Mapping[str, Fate], equivalent: Mapping[str, str]) -> str:
    """The fates as a Markdown table with a row for each directory.

    Args:
      fates: what is known, by the keys of the mutants.
      equivalent: why no test can kill a mutant, by its key.
    """
    rows: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for key, fate in fates.items():
        kind = fate.level or ("equivalent" if key in equivalent else "alive")
        for row in (str(Path(fate.file).parent), "together"):
            rows[row][kind] += 1
    lines = [
        "| sources | mutants | equivalent | killed by tests of the same name | by unit tests | by all tests |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in [*sorted(set(rows) - {"together"}), *({"together"} & set(rows))]:
        counts = rows[row]
        judged = max(1, counts.total() - counts["equivalent"])
        killed = [sum(counts[level] for level in LEVELS[: i + 1]) for i in range(len(LEVELS))]
        shares = " | ".join(f"{number} ({100 * number // judged} %)" for number in killed)
        lines.append(f"| {row} | {counts.total()} | {counts['equivalent']} | {shares} |")
    return "\n".join(lines)


def living(fates: Mapping[str, Fate], mutants: Mapping[str, Mutant], equivalent: Mapping[str, str]) -> str:
    """The mutants that no test has killed and that are not said to be equivalent, with the levels that they met."""
    alive = [
        f"- {key} {mutants[key]} ({'survived' if fate.reached else 'unreached by'} {', '.join(fate.levels) or 'some'})"
        for key, fate in fates.items()
        if fate.level is None and key not in equivalent
    ]
    return "\n".join([f"{len(alive)} mutants live:", "", *sorted(alive, key=lambda line: line.split()[2])])
