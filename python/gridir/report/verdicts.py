# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The acceptance of the kernels of a function by every target and chip, with reasons of rejections."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

from gridir.errors import Error, Frame

ACCEPTED, REFUSED, UNKNOWN = "accepted", "refused", "unknown"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The result for one kernel on one chip.

    Attributes:
      target: the target and chip, as "gpu:sm_80"; "cpu" alone has no chip.
      kernel: the kernel's name, or that of the function if the error came before any kernel.
      verdict: "accepted"; "refused"; or "unknown" where the one that decides is not installed.
      by: who decided: "gridir", "libtpu", "ptxas", or "jax" for an error while the function was traced.
      message: why not; empty where the kernel is accepted.
      cause: the meaning of the message, if it is known.
      change: the nearest change that would be accepted, where the diagnostic knows it.
      notes: the other notes of the diagnostic.
      frames: the location in the author's code, innermost first.
      figures: the resources of an accepted kernel, as "bundles" or "registers".
    """

    target: str
    kernel: str
    verdict: str
    by: str
    message: str = ""
    cause: str = ""
    change: str = ""
    notes: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    figures: dict[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def of_error(cls, target: str, kernel: str, by: str, error: Exception) -> Verdict:
        """Returns the refusal that an exception is."""
        if not isinstance(error, Error):
            summary = str(error).strip().partition("\n")[0]
            return cls(target, kernel, REFUSED, "jax", ": ".join(filter(None, (type(error).__name__, summary))))
        cause, change = getattr(error, "cause", None) or "", getattr(error, "change", None) or ""
        known = {f"cause: {cause}", f"a change that works: {change}"}
        return cls(
            target,
            error.kernel or kernel,
            REFUSED,
            by,
            error.message,
            cause,
            change,
            tuple(note for note in error.notes if note not in known),
            error.frames,
        )

    @property
    def location(self) -> str:
        """The author's line, as "file.py:3:5"; empty if it is unknown."""
        return str(dataclasses.replace(self.frames[0], function=None)) if self.frames else ""

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        frame = self.frames[0] if self.frames else None
        return {
            "target": self.target,
            "kernel": self.kernel,
            "verdict": self.verdict,
            "by": self.by,
            "message": self.message,
            "cause": self.cause,
            "change": self.change,
            "notes": list(self.notes),
            "file": frame and frame.file,
            "line": frame and frame.line,
            "column": frame and frame.column,
            "figures": self.figures,
        }


@dataclasses.dataclass(frozen=True)
class Explanation:
    """The results of all targets for a function's kernels; `gridir.explain` returns it.

    Attributes:
      function: the function's name.
      verdicts: one for each target and kernel, in the order in which they were asked for.
    """

    function: str
    verdicts: tuple[Verdict, ...]

    @property
    def refused(self) -> tuple[Verdict, ...]:
        """The refusals."""
        return tuple(verdict for verdict in self.verdicts if verdict.verdict == REFUSED)

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return {"function": self.function, "targets": [verdict.to_json() for verdict in self.verdicts]}

    def __str__(self) -> str:
        counts = Counter(verdict.verdict for verdict in self.verdicts)
        summary = ", ".join(f"{counts[name]} {name}" for name in (ACCEPTED, REFUSED, UNKNOWN) if counts[name])
        rows = [("target", "kernel", "verdict", "by", "figures")]
        rows += [(v.target, v.kernel, v.verdict, v.by, _figures(v)) for v in self.verdicts]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        lines = [f"{self.function}: {summary}", f"  {table[0]}"]
        # Chips of one target most often say the same.
        first: dict[tuple[str, ...], str] = {}
        for row, verdict in zip(table[1:], self.verdicts, strict=True):
            reasons = _reasons(verdict)
            earlier = first.setdefault(reasons, verdict.target)
            if reasons and earlier != verdict.target:
                reasons = (f"as for {earlier}",)
            lines += [f"  {row}", *(f"    {line}" for line in reasons)]
        return "\n".join(lines)

    def _repr_html_(self) -> str | None:
        """Returns HTML for a notebook; None if Jinja2 is not installed."""
        from gridir.markup import MarkupError, environment

        try:
            return environment("gridir.report").get_template("verdicts.html").render(explanation=self)
        except MarkupError:
            return None


def _figures(verdict: Verdict) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in verdict.figures.items())


def _reasons(verdict: Verdict) -> tuple[str, ...]:
    lines = [verdict.message] if verdict.message else []
    if verdict.frames:
        lines.append(f"at {verdict.frames[0]}")
        lines += [f"  {line}" for line in verdict.frames[0].source().splitlines()]
    lines += [f"cause: {verdict.cause}"] if verdict.cause else []
    lines += [f"a change that works: {verdict.change}"] if verdict.change else []
    return (*lines, *(f"note: {note}" for note in verdict.notes))
