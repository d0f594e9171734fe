# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mutant: a span of a source, and the text instead of it."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A change of one span of a file.

    Attributes:
      file: the path, relative to the repository.
      start: the first byte of the span.
      end: the byte after the span.
      line: the line of the first byte, from 1.
      operator: the name of the mutation operator.
      before: the text of the span.
      after: the text instead; empty where a statement is left out.
      context: the text of the line.
      number: its number in the switch; 0 is no mutant.
    """

    file: str
    start: int
    end: int
    line: int
    operator: str
    before: str
    after: str
    context: str
    number: int = 0

    @property
    def key(self) -> str:
        """Returns the identity of the mutant across runs and small edits: the file, the line's text and the change."""
        words = "\0".join((self.file, self.context.strip(), self.operator, self.before, self.after))
        return hashlib.sha256(words.encode()).hexdigest()[:12]

    @property
    def lines(self) -> range:
        """The lines of the span, from 1."""
        return range(self.line, self.line + self.before.count("\n") + 1)

    def __str__(self) -> str:
        change = f"`{self.before}` -> `{self.after}`" if self.after else f"without `{self.before}`"
        return f"{self.file}:{self.line}: {self.operator}: {' '.join(change.split())}"


Wrap = Callable[[Mutant, str], str]


def instrument(source: bytes, mutants: Iterable[Mutant], wrap: Wrap) -> bytes:
    """The source with a switch at every mutant; the number of lines stays.

    Args:
      source: the file as it stands.
      mutants: those of the file; their spans nest or are apart.
      wrap: writes the switch between a mutant and the text that it would replace, which may hold switches itself.
    """

    def render(start: int, end: int, inside: Sequence[Mutant]) -> bytes:
        pieces, position, rest = [], start, list(inside)
        while rest:
            span = (rest[0].start, rest[0].end)
            within = [mutant for mutant in rest if mutant.start < span[1]]
            same = [mutant for mutant in within if (mutant.start, mutant.end) == span]
            rest = rest[len(within) :]
            text = render(*span, [mutant for mutant in within if mutant not in same]).decode()
            for mutant in same:
                text = wrap(mutant, text)
            pieces += [source[position : span[0]], text.encode()]
            position = span[1]
        return b"".join([*pieces, source[position:end]])

    return render(0, len(source), sorted(mutants, key=lambda mutant: (mutant.start, -mutant.end)))
