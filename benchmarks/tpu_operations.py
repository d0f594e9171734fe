# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a small kernel for each operation of JAX's with libtpu, lowered by gridir and by JAX itself; needs no TPU.

The kernels are those of `tpu_operation_cases.py`. Both sides have the same run-time checks. What JAX's own lowering
gives is kept in a file, by kernel, chip and versions, so that a later run compiles one side only.
"""

from __future__ import annotations

import argparse
import collections
import importlib.metadata
import json
import math
import os
import pathlib
import statistics
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Row = dict[str, Any]


def parse_arguments() -> argparse.Namespace:
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="kernels, by a part of their names or by their family (default: all)")
    parser.add_argument("--topology", default="v5e:2x2", help="the chip (default: v5e:2x2)")
    parser.add_argument("--every", type=int, default=1, help="a sample: one of so many kernels (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="how many kernels are compiled at once (default: 2)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one kernel (default: 60)")
    parser.add_argument("--cache", type=pathlib.Path, help="keep JAX's half of the table in this file")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the summary to this file, not to stdout")
    return parser.parse_args()


def figures(candidates: list[Any], workers: Any) -> Row:
    """Returns the bundles of a function's kernels, or why one of them was refused."""
    from gridir.frontend.targets.tpu_report import compile_candidates

    report = compile_candidates(candidates, workers)
    bundles = 0
    for kernel in (*report.kernels, *report.jax):
        if not kernel.accepted:
            return {"error": kernel.error.message.splitlines()[0]}
        bundles += kernel.bundles
    return {"bundles": bundles}


class JaxResults:
    """Earlier results of JAX's own lowering, in a file."""

    def __init__(self, path: pathlib.Path | None, topology: str):
        versions = [importlib.metadata.version(name) for name in ("jax", "jaxlib", "libtpu")]
        self._key = " ".join([topology, *versions])
        self._path = path
        self._all = json.loads(path.read_text()) if path and path.exists() else {}
        self._mine = self._all.setdefault(self._key, {})

    def get(self, name: str, make: Callable[[], Row]) -> Row:
        """Returns the result for a kernel; makes and keeps it if there is none."""
        if name not in self._mine:
            self._mine[name] = make()
            if self._path:
                self._path.write_text(json.dumps(self._all, indent=1) + "\n")
        return self._mine[name]


def measure(operations: Iterable[Any], arguments: argparse.Namespace) -> Iterator[Row]:
    """Compiles kernels on both sides."""
    import gridir
    from gridir.frontend.targets.tpu_aot import jax_own, lowering_for, ours
    from gridir.runtime.tpu.workers import Workers

    options = gridir.TpuOptions(elide_checks=False)
    cached = JaxResults(arguments.cache, arguments.topology)
    with (
        lowering_for(arguments.topology),
        Workers(arguments.topology, jobs=arguments.jobs, timeout=arguments.timeout) as workers,
    ):
        for operation in operations:
            function, args = operation.make()
            theirs = cached.get(operation.name, lambda f=function, xs=args: figures(jax_own(f, *xs), workers))
            mine = figures(ours(function, *args, options=options), workers)
            yield {"family": operation.family, "name": operation.name, "gridir": mine, "jax": theirs}


def ratio(row: Row) -> float | None:
    """Returns gridir's bundles over JAX's; None where one side is refused."""
    if "bundles" in row["gridir"] and "bundles" in row["jax"]:
        return row["gridir"]["bundles"] / row["jax"]["bundles"]
    return None


def _accepted(row: Row) -> str:
    mine, theirs = ("bundles" in row[side] for side in ("gridir", "jax"))
    return {(True, True): "both", (True, False): "gridir alone", (False, True): "JAX alone"}.get((mine, theirs), "none")


def summary(rows: list[Row], topology: str) -> str:
    """Returns the summary of a table as Markdown: counts by family, what is refused, and what takes more bundles."""
    columns = ("both", "gridir alone", "JAX alone", "none")
    lines = [f"{len(rows)} kernels, {topology}:", ""]
    lines += [f"| family | {' | '.join(columns)} | mean ratio | worst | above 1 |", f"| --- |{' ---: |' * 7}"]
    families = collections.defaultdict(list)
    for row in rows:
        families[row["family"]].append(row)
    for name, members in (*families.items(), ("all", rows)):
        counts = collections.Counter(map(_accepted, members))
        ratios = [x for x in map(ratio, members) if x is not None]
        mean = f"{math.exp(statistics.fmean(map(math.log, ratios))):.3f}" if ratios else "-"
        worst = f"{max(ratios):.3f}" if ratios else "-"
        above = sum(x > 1 for x in ratios)
        cells = [name, *(str(counts[column]) for column in columns), mean, worst, str(above)]
        lines.append(f"| {' | '.join(cells)} |")
    refused = [row for row in rows if _accepted(row) == "JAX alone"]
    lines += ["", f"What JAX accepts and gridir refuses ({len(refused)}):", ""]
    lines += [f"- {row['name']}: {row['gridir']['error']}" for row in refused]
    slower = sorted((row for row in rows if (ratio(row) or 0) > 1), key=lambda row: -(ratio(row) or 0))
    lines += ["", f"What takes more bundles than JAX's lowering ({len(slower)}):", ""]
    lines += ["| kernel | gridir | JAX | ratio |", "| --- | ---: | ---: | ---: |"]
    for row in slower:
        cells = (row["name"], row["gridir"]["bundles"], row["jax"]["bundles"], f"{ratio(row):.2f}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compiles the kernels that were asked for."""
    arguments = parse_arguments()
    os.environ["JAX_PLATFORMS"] = "cpu"

    from tpu_operation_cases import operations

    names = arguments.names
    chosen = [x for x in operations() if not names or any(name in x.name or name == x.family for name in names)]
    # Neighbours differ by a dtype: a sample is taken in an order that has nothing to do with what they are.
    sample = sorted(chosen, key=lambda operation: zlib.crc32(operation.name.encode()))[:: arguments.every]
    rows = []
    for row in measure(sample, arguments):
        rows.append(row)
        # The results can be read even if the run is stopped.
        if arguments.json:
            arguments.json.write_text(json.dumps({"topology": arguments.topology, "rows": rows}, indent=1) + "\n")
    order = {operation.name: number for number, operation in enumerate(chosen)}
    text = summary(sorted(rows, key=lambda row: order[row["name"]]), arguments.topology)
    if arguments.markdown:
        arguments.markdown.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
