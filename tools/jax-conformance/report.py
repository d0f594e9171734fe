# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The summary of a run: passes beside JAX's own by file, the slowest kernels, and failures grouped by cause."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

Record = dict[str, Any]
MODES = ("jax", "gridir")
LONE_DEVICES = ("gpu", "sparsecore", "tpu7x")
LONE_MODES = ("gridir",)
"""JAX runs kernels of a GPU or a SparseCore only on such a device: the expectations of their tests replace its results.
"""

Test = tuple[str, str]
"""A file and a test in it."""


def passes(records: Iterable[Record], mode: str) -> set[Test]:
    """The tests that pass in a mode."""
    return {(r["file"], r["test"]) for r in records if r["mode"] == mode and r["status"] == "passed"}


def expected(records: Sequence[Record]) -> set[Test]:
    """The tests that should pass: those that JAX passes, and of a file that JAX cannot run all that skip nothing."""
    of_jax = {r["file"] for r in records if r["mode"] == "jax"}
    alone = {
        (r["file"], r["test"])
        for r in records
        if r["mode"] == "gridir" and r["file"] not in of_jax and r["status"] != "skipped"
    }
    return passes(records, "jax") | alone


def cause(record: Record) -> str:
    """Returns the cause that a failure shares with others: its error without numbers, file names and shapes."""
    error = record["error"]
    lines = [line.strip() for line in error["message"].splitlines() if line.strip()]
    # XLA and NumPy put a heading before the line that tells.
    heading = ("Not equal to tolerance", "Arrays are not equal", "Traceback", "Error Stack")
    text = lines[0] if lines else "no message"
    if any(text.startswith(h) for h in heading):
        text = "results differ: " + text
    text = re.sub(r"^\w+: (?=\w+: )", "", text)
    text = re.sub(r"(tensor|memref|vector)<[^>]*>+", r"\1<..>", text)
    text = re.sub(r"\S*/(\S+\.py)", r"\1", text)
    text = re.sub(r"0x[0-9a-f]+|-?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)
    text = re.sub(r"(#(, ?| x |x)?)+", "#", text)
    return f"{error['type']}: {text[:200]}"


def _rows(records: Sequence[Record]) -> list[tuple[str, ...]]:
    by_test: dict[tuple[str, str], dict[str, Record]] = defaultdict(dict)
    for record in records:
        by_test[record["file"], record["test"]][record["mode"]] = record
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        peak, counts = f"peak {record['mode']}", totals[record["file"]]
        # A worker that crashed has no record of its memory, nor has an old baseline.
        counts[peak] = max(counts[peak], record.get("peak_mib", 0))
    wanted = expected(records)
    for (file, test), modes in by_test.items():
        counts, jax, ours = totals[file], modes.get("jax"), modes.get("gridir")
        counts["tests"] += 1
        if (file, test) not in wanted:
            continue
        counts["expected"] += 1
        if jax is not None:
            counts["jax no kernel"] += not jax["interpreted"]
            counts["interpreted"] += jax["interpreted"]
        if ours is None:
            continue
        counts["native"] += ours["native"]
        counts["fallbacks"] += ours["interpreted"]
        counts["seconds jax"] += jax["seconds"] if jax is not None else 0
        counts["seconds gridir"] += ours["seconds"]
        if ours["status"] == "passed":
            counts["gridir"] += 1
            counts["gridir no kernel"] += not ours["native"]
    rows = []
    total: Counter[str] = Counter()
    for file in sorted(totals):
        rows.append(_row(file.removeprefix("tests/pallas/"), totals[file]))
        peaks = {f"peak {mode}": max(total[f"peak {mode}"], totals[file][f"peak {mode}"]) for mode in MODES}
        # Files run one after another: their memory does not add up.
        total = Counter({**(total + totals[file]), **peaks})
    return [*rows, _row("total", total)]


def _row(name: str, counts: Counter[str]) -> tuple[str, ...]:
    columns = ("tests", "expected", "gridir", "jax no kernel", "gridir no kernel", "interpreted", "native", "fallbacks")
    measured = ("seconds jax", "seconds gridir", "peak jax", "peak gridir")
    return (name, *(str(counts[column]) for column in columns), *(f"{counts[column]:.0f}" for column in measured))


HEADER = (
    "file",
    "tests",
    "expected",
    "gridir passes",
    "no kernel (JAX)",
    "no kernel (gridir)",
    "kernels interpreted",
    "kernels native",
    "fallbacks",
    "seconds JAX",
    "seconds gridir",
    "peak MiB JAX",
    "peak MiB gridir",
)


def table(records: Sequence[Record]) -> str:
    """Passes by file, of the tests that are expected to pass; a pass without a kernel is also counted by itself."""
    rows = [HEADER, *_rows(records)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    lines = []
    for row in rows:
        numbers = (text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    lines.insert(-1, lines[1])
    return "\n".join(lines)


def slowest(records: Iterable[Record], count: int = 10) -> str:
    """The kernels that took longest to compile: seconds, name, grid and test.

    Args:
      records: of both modes.
      count: how many.
    """
    kernels = [(kernel, record) for record in records for kernel in record.get("compiled", ())]
    kernels.sort(key=lambda item: -item[0]["seconds"])
    seconds = sum(kernel["seconds"] for kernel, _ in kernels)
    lines = [f"{len(kernels)} kernels compiled in {seconds:.1f} s; the slowest:"]
    for kernel, record in kernels[:count]:
        grid = "x".join(map(str, kernel["grid"])) or "none"
        test = f"{record['file'].removeprefix('tests/pallas/')} {record['test']}"
        lines.append(f"{kernel['seconds']:8.3f} s  {kernel['name']}, grid {grid}: {test}")
    return "\n".join(lines)


def failures(records: Iterable[Record], examples: int = 3) -> str:
    """Lists failures with gridir of tests that are expected to pass, by cause, the most expensive first.

    Args:
      records: of both modes.
      examples: how many tests are named for each cause.
    """
    records = list(records)
    wanted = expected(records)
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        failed = record["mode"] == "gridir" and record["status"] != "passed"
        if failed and (record["file"], record["test"]) in wanted:
            groups[cause(record)].append(record)
    lines = []
    for name, members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"{len(members):5}  {name}")
        lines += [f"         {r['file'].removeprefix('tests/pallas/')} {r['test']}" for r in members[:examples]]
    return "\n".join(lines) if lines else "nothing that is expected to pass fails"


def left_out(records: Iterable[Record]) -> str:
    """The tests that were not run, and those that skipped themselves, by reason."""
    reasons = Counter(r["reason"] for r in records if r["mode"] == "left out")
    skipped = Counter(r["error"]["message"] for r in records if r["mode"] == "gridir" and r["status"] == "skipped")
    lines = [f"{count:5}  left out: {reason}" for reason, count in reasons.most_common()]
    return "\n".join([*lines, *(f"{count:5}  skipped: {reason}" for reason, count in skipped.most_common())])
