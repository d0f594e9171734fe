# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A result of tuning as a page: the table, and time against memory."""

from __future__ import annotations

from importlib import resources
from typing import Any

from gridir.markup import environment
from gridir.report.charts import SERIES, chart
from gridir.runtime.tpu.steps import duration
from gridir.tuning.backend import TIERS
from gridir.tuning.ledger import mebibytes
from gridir.tuning.results import Problem, TuningResult
from gridir.tuning.space import describe


def render(result: TuningResult) -> str:
    """Returns a result as one HTML page, which needs no other file.

    Raises:
      MarkupError: when a package of the extra `report` is not installed.
    """
    style = resources.files("gridir.report").joinpath("templates", "report.css").read_text(encoding="utf-8")
    template = environment("gridir.tuning").get_template("tuning.html")
    problems = [(problem, time_chart(problem)) for problem in result.problems]
    return template.render(problems=problems, style=style, duration=duration, memory=mebibytes, describe=describe)


def time_chart(problem: Problem) -> str:
    """Returns the times of the legal configurations against the memory that they take, as an SVG element."""

    def draw(axes: Any) -> None:
        for number, tier in enumerate(TIERS):
            points = [
                ((entry.memory_bytes or entry.steps or 0), entry.seconds)
                for entry in problem.legal
                if entry.tier == tier
            ]
            if points:
                memory, seconds = zip(*points, strict=True)
                axes.plot(memory, [x * 1e6 for x in seconds], "o", color=SERIES[number], markersize=5, label=tier)
        in_bytes = any(entry.memory_bytes for entry in problem.legal)
        axes.set(yscale="log", xlabel="bytes of memory" if in_bytes else "steps of the grid", ylabel="microseconds")

    if not problem.legal:
        return ""
    return chart(draw, f"time against memory of {len(problem.legal)} configurations")
