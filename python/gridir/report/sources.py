# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a kernel: the functions that its ops come from."""

from __future__ import annotations

import ast
import dataclasses
import linecache
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from gridir.report.listing import Origin

# Files of at most this many lines are shown completely; of longer ones, the functions with ops.
_WHOLE_FILE = 200


@dataclasses.dataclass(frozen=True)
class Segment:
    """Consecutive lines of a file.

    Attributes:
      first: the number of the first line, counted from 1.
      lines: the text.
    """

    first: int
    lines: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Source:
    """A file of the author's.

    Attributes:
      path: as MLIR's locations have it.
      segments: the parts that are shown, in order.
    """

    path: str
    segments: tuple[Segment, ...]

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return dataclasses.asdict(self)


def read_sources(path: str, origins: Iterable[Origin]) -> tuple[Source, ...]:
    """Returns the files that these lines are in.

    Args:
      path: the file that a person named; it comes first, and is shown although nothing comes from it.
      origins: the lines that ops come from. Files that cannot be read are left out.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    wanted[path] = set()
    for file, line in origins:
        wanted[file].add(line)
    sources = []
    for file, numbers in wanted.items():
        lines = [line.rstrip("\n") for line in linecache.getlines(file)]
        if lines:
            sources.append(Source(file, tuple(_segments(lines, numbers))))
    return tuple(sources)


def _segments(lines: list[str], wanted: set[int]) -> Iterable[Segment]:
    spans = [(1, len(lines))] if len(lines) <= _WHOLE_FILE else _functions("\n".join(lines), wanted)
    for first, last in spans:
        yield Segment(first, tuple(lines[first - 1 : last]))


def _functions(text: str, wanted: set[int]) -> list[tuple[int, int]]:
    """The spans of the outermost functions around lines, or of the lines alone, in order and apart."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        body = []
    spans = {(_first_line(node), node.end_lineno or node.lineno) for node in body}
    chosen: list[tuple[int, int]] = []
    for line in sorted(wanted):
        span = next((span for span in spans if span[0] <= line <= span[1]), (line, line))
        if not chosen or span[0] > chosen[-1][1]:
            chosen.append(span)
    return chosen


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
