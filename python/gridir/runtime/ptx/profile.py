# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counts of a PTX launch, by instruction, by kind and by source line."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any


@dataclasses.dataclass(frozen=True)
class MemoryCounts:
    """How warps have accessed shared or global memory.

    Attributes:
      requests: the simultaneous accesses of the lanes of a warp.
      bytes: the bytes of all lanes.
      pieces: of shared memory how often its 32 banks were gone through; of global memory sectors of 32 bytes.
      least: how many pieces would do for as many different bytes.
    """

    requests: int = 0
    bytes: int = 0
    pieces: int = 0
    least: int = 0

    def __add__(self, other: MemoryCounts) -> MemoryCounts:
        return MemoryCounts(*map(sum, zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))


@dataclasses.dataclass(frozen=True)
class Counts:
    """The counts of one or more instructions in a launch.

    Attributes:
      warps: how often warps have executed them, where lanes at one instruction go together.
      threads: how often threads have.
      shared: accesses to shared memory.
      global_: accesses to global memory.
      copied_shared: bytes of shared memory that asynchronous copies have read and written.
      copied_global: bytes of global memory that they have.
      waits: how often threads have waited for others.
      stalled: how many instructions more those have executed until then, in sum.
    """

    warps: int = 0
    threads: int = 0
    shared: MemoryCounts = MemoryCounts()
    global_: MemoryCounts = MemoryCounts()
    copied_shared: int = 0
    copied_global: int = 0
    waits: int = 0
    stalled: int = 0

    def __add__(self, other: Counts) -> Counts:
        names = [field.name for field in dataclasses.fields(self)]
        return Counts(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def conflicts(self) -> int:
        """The number of unnecessary bank accesses of shared memory."""
        return self.shared.pieces - self.shared.least


@dataclasses.dataclass(frozen=True)
class InstructionProfile:
    """An instruction with its counts.

    Attributes:
      text: the instruction, without its predicate.
      line: its line in the PTX, from 1.
      source: the author's file and line, where `.loc` says them.
      counts: its counts.
    """

    text: str
    line: int
    source: tuple[str, int] | None
    counts: Counts

    @property
    def kind(self) -> str:
        """The opcode with its modifiers, as `ld.global.f32`."""
        return self.text.partition(" ")[0]


@dataclasses.dataclass(frozen=True)
class Profile:
    """The counts of a launch.

    Attributes:
      instructions: all of the function, in the order of the text.
    """

    instructions: tuple[InstructionProfile, ...]

    @property
    def total(self) -> Counts:
        """The counts of all instructions."""
        return sum((instruction.counts for instruction in self.instructions), Counts())

    def by_kind(self) -> dict[str, Counts]:
        """The counts of each executed opcode with its modifiers, the most executed first."""
        return self._by(lambda instruction: instruction.kind)

    def by_source(self) -> dict[tuple[str, int], Counts]:
        """The counts of each line of the author's, in the order of files and lines."""
        return dict(sorted(self._by(lambda instruction: instruction.source).items()))

    def _by(self, key: Callable[[InstructionProfile], Any]) -> dict[Any, Counts]:
        groups: dict[Hashable, Counts] = {}
        for instruction in self.instructions:
            if (name := key(instruction)) is not None and instruction.counts.threads:
                groups[name] = groups.get(name, Counts()) + instruction.counts
        return dict(sorted(groups.items(), key=lambda item: -item[1].warps))

    def to_json(self) -> dict[str, Any]:
        """The counts as numbers, lists and dictionaries; of instructions those that were executed."""
        return {
            "total": _to_json(self.total),
            "kinds": [{"kind": kind, **_to_json(counts)} for kind, counts in self.by_kind().items()],
            "instructions": [
                {"line": one.line, "text": one.text, "source": one.source, **_to_json(one.counts)}
                for one in self.instructions
                if one.counts.threads
            ],
            "sources": [
                {"file": file, "line": line, **_to_json(counts)} for (file, line), counts in self.by_source().items()
            ],
        }

    def to_text(self, most: int = 10) -> str:
        """The counts as tables with at most this many rows each, the greatest first."""
        total = self.total
        lanes = total.threads / max(total.warps, 1)
        parts = [
            f"{total.warps} instructions of warps, {total.threads} of threads: {lanes:.1f} lanes each",
            _table("executed", "warps lanes", self.by_kind().items(), _executed, most),
            self._table("shared memory", "requests bytes passes needed", _shared, most),
            self._table("global memory", "requests bytes sectors needed", _global, most),
            self._table("asynchronous copies", "shared global", _copied, most),
            self._table("waits", "threads stalled", _waits, most),
        ]
        return "\n\n".join(part for part in parts if part)

    def _table(self, title: str, columns: str, numbers: Callable[[Counts], _Row | None], most: int) -> str:
        named = (
            (
                f"line {one.line}: {one.text}" + (f"  ({one.source[0]}:{one.source[1]})" if one.source else ""),
                one.counts,
            )
            for one in self.instructions
        )
        return _table(title, columns, named, numbers, most)


_open: list[list[tuple[str, Profile]]] = []


@contextlib.contextmanager
def profiling() -> Iterator[list[tuple[str, Profile]]]:
    """Counts the executions of every launch of this process, from any caller.

    Yields:
      The name of the entry and the counts of each launch so far, in the order in which they ended.
    """
    launches: list[tuple[str, Profile]] = []
    _open.append(launches)
    try:
        yield launches
    finally:
        _open.remove(launches)


def is_profiling() -> bool:
    """True if the counts of every launch are requested."""
    return bool(_open)


def tell(name: str, profile: Profile) -> None:
    """Passes the counts of a launch to the collector of all launches."""
    for launches in _open:
        launches.append((name, profile))


# The weight of a row, and its numbers.
_Row = tuple[float, tuple[str, ...]]


def read_profile(records: Iterable[dict[str, Any]]) -> Profile:
    """The profile of the counts of the native library."""
    return Profile(
        tuple(
            InstructionProfile(
                re.sub(r"^@!?\S+\s+", "", " ".join(record["text"].split())).rstrip(";"),
                record["line"],
                (record["source_file"], record["source_line"]) if record["source_file"] else None,
                Counts(
                    record["warps"],
                    record["threads"],
                    MemoryCounts(**record["shared"]),
                    MemoryCounts(**record["global"]),
                    *(record[name] for name in ("copied_shared", "copied_global", "waits", "stalled")),
                ),
            )
            for record in records
        )
    )


def _to_json(counts: Counts) -> dict[str, Any]:
    record = dataclasses.asdict(counts)
    return {"global" if name == "global_" else name: value for name, value in record.items()}


def _executed(counts: Counts) -> _Row:
    return counts.warps, (str(counts.warps), f"{counts.threads / counts.warps:.1f}")


def _memory(counts: MemoryCounts) -> _Row | None:
    numbers = (counts.requests, counts.bytes, counts.pieces, counts.least)
    return (counts.pieces, tuple(map(str, numbers))) if counts.requests else None


def _shared(counts: Counts) -> _Row | None:
    return _memory(counts.shared)


def _global(counts: Counts) -> _Row | None:
    return _memory(counts.global_)


def _copied(counts: Counts) -> _Row | None:
    numbers = (counts.copied_shared, counts.copied_global)
    return (sum(numbers), tuple(map(str, numbers))) if any(numbers) else None


def _waits(counts: Counts) -> _Row | None:
    return (counts.stalled, (str(counts.waits), str(counts.stalled))) if counts.waits else None


def _table(
    title: str, columns: str, named: Iterable[tuple[str, Counts]], numbers: Callable[[Counts], _Row | None], most: int
) -> str:
    """Rows of numbers with a name each, the heaviest first; nothing if there are none."""
    rows = [(row[0], row[1], name) for name, counts in named if (row := numbers(counts)) is not None]
    if not rows:
        return ""
    rows.sort(key=lambda row: -row[0])
    lines = [f"{title:<20}" + "".join(f"{column:>12}" for column in columns.split())]
    lines += [
        " " * 20 + "".join(f"{number:>12}" for number in row) + f"  {name}"
        for _, row, name in itertools.islice(rows, most)
    ]
    if len(rows) > most:
        lines.append(f"{'':<20}  and {len(rows) - most} more")
    return "\n".join(lines)
