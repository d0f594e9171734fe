# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

from gridir.errors import Frame
from gridir.markup import environment
from gridir.report.model import KernelView, Report


def render(report: Report) -> str:
    """Returns a report as HTML that needs no other file and no network.

    Raises:
      MarkupError: when a package of the extra `report` is not installed.
    """
    templates = environment("gridir.report")
    # Imported after the template engine, whose ImportError names the missing packages.
    from gridir.markup.highlight import highlight
    from gridir.report.charts import roofline_chart

    sources = [
        {"path": source.path, "segments": [(s.first, highlight(s.lines, "python")) for s in source.segments]}
        for source in report.sources
    ]
    files = {source.path: number for number, source in enumerate(report.sources)}
    return templates.get_template("report.html").render(
        report=report,
        sources=sources,
        files=files,
        data=_page_data(report, files),
        charts=[roofline_chart(kernel.costs) if kernel.costs else "" for kernel in report.kernels],
        remarks=[_remarks(report, kernel, files) for kernel in report.kernels],
        highlight=highlight,
        style=_text("report.css"),
        script=_text("report.js"),
    )


def _remarks(report: Report, kernel: KernelView, files: dict[str, int]) -> dict[str, list[tuple[str, str]]]:
    """Returns the annotations of source lines: the kind of verdict, and its text."""
    remarks: dict[str, list[tuple[str, str]]] = {}

    def add(frames: Sequence[Frame], kind: str, text: str) -> None:
        if frames and frames[0].file in files:
            remarks.setdefault(f"{files[frames[0].file]}:{frames[0].line}", []).append((kind, text))

    for verdict in [*report.verdicts, *(target.verdict for target in kernel.targets)]:
        add(verdict.frames, verdict.verdict, f"{verdict.target}: {verdict.message}")
    for check in kernel.checks.checks:
        if check.verdict != "proved":
            add(check.frames, check.verdict, f"{check.check} of {check.subject}: {check.reason}")
    # Passes that targets share remark the same.
    shared: dict[tuple[str, int, str, str], list[str]] = {}
    for target in kernel.targets:
        for remark in target.remarks:
            if remark.file in files:
                key = (remark.file, remark.line, remark.by, remark.text)
                shared.setdefault(key, []).append(target.target)
    for (file, line, by, text), targets in shared.items():
        remarks.setdefault(f"{files[file]}:{line}", []).append(
            ("remark-of-pass", f"{by} ({', '.join(targets)}): {text}")
        )
    return remarks


def _text(name: str) -> str:
    return resources.files("gridir.report").joinpath("templates", name).read_text(encoding="utf-8")


def _page_data(report: Report, files: dict[str, int]) -> dict[str, Any]:
    """Returns the data of the page's script: the model without the texts, which the page has as HTML."""
    return {"kernels": [_kernel_data(kernel, files) for kernel in report.kernels]}


def _kernel_data(kernel: KernelView, files: dict[str, int]) -> dict[str, Any]:
    listings = []
    for target in kernel.targets:
        for listing in target.listings:
            sets: dict[tuple[str, ...], int] = {}
            lines = []
            for origins in listing.origins:
                keys = tuple(f"{files[file]}:{line}" for file, line in origins if file in files)
                lines.append(sets.setdefault(keys, len(sets)) if keys else -1)
            listings.append({"sets": list(sets), "lines": lines})
    return {"grid": kernel.grid.to_json(), "listings": listings}
