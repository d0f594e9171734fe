# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels compiled by gridir beside the plain JAX program that XLA compiles, and beside interpret mode.

One process, one run: each repetition times XLA's program and ours, one after the other, and the table has the least of
each and the median of their ratios. Results are checked before they are timed. Nothing here asserts a time.

Memory is kept by the allocator between calls, on both sides: XLA allocates every large result afresh, and the page
faults of a new one cost several times the kernel.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

# Must be in force before the process starts.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "4000000000"}


def parse_arguments() -> argparse.Namespace:
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="rows to time, by a part of their names; all by default")
    parser.add_argument("--threads", type=int, default=1, help="how many processors both sides may use (default: 1)")
    parser.add_argument("--repetitions", type=int, default=15, help="how often each program is timed (default: 15)")
    parser.add_argument("--no-interpret", action="store_true", help="leave interpret mode out: it takes seconds a row")
    parser.add_argument("--json", type=pathlib.Path, help="also write the table to this file")
    return parser.parse_args()


def seconds(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Returns how long one call takes until its result is there."""
    import jax

    start = time.perf_counter()
    jax.block_until_ready(function(*args))
    return time.perf_counter() - start


def largest_error(result: Any, expected: Any) -> float:
    """Returns the largest difference, relative to the largest expected value."""
    import numpy as np

    result, expected = (np.asarray(value).astype(np.float64) for value in (result, expected))
    return float(np.abs(result - expected).max() / np.abs(expected).max())


def measure(case: Any, repetitions: int, interpret: bool) -> dict[str, Any]:
    """Returns one row: times in milliseconds, ratios above 1 where gridir is faster.

    Raises:
      ValueError: when gridir's result is further from XLA's than the case allows.
    """
    import gridir
    import jax
    from gridir.testing import interpreted

    args = jax.block_until_ready(case.args())
    reference = jax.jit(case.reference)
    lowered = gridir.lower(case.kernel, *args)
    compile_seconds = sum(kernel.prepare().seconds for kernel in lowered.kernels)
    ours = lowered.compile()

    error = largest_error(ours(*args), reference(*args))
    if not error <= case.tolerance:
        raise ValueError(f"{case.name}: expected an error of at most {case.tolerance}, got {error}")
    times = [(seconds(ours, args), seconds(reference, args)) for _ in range(repetitions)]
    row = {
        "name": case.name,
        "error": error,
        "ours_ms": 1e3 * min(t for t, _ in times),
        "xla_ms": 1e3 * min(t for _, t in times),
        "speed_over_xla": statistics.median(xla / mine for mine, xla in times),
        "compile_ms": 1e3 * compile_seconds,
    }
    if interpret:
        with interpreted():
            program = jax.jit(case.kernel)
            seconds(program, args)
            row["interpret_ms"] = 1e3 * min(seconds(program, args) for _ in range(2))
        row["speed_over_interpret"] = row["interpret_ms"] / row["ours_ms"]
    return row


def print_table(rows: list[dict[str, Any]]) -> None:
    """Prints the table and the geometric means of its ratios."""
    columns = {
        "name": "kernel",
        "ours_ms": "ours ms",
        "xla_ms": "XLA ms",
        "speed_over_xla": "speed / XLA",
        "interpret_ms": "interpret ms",
        "speed_over_interpret": "/ interpret",
        "compile_ms": "compile ms",
        "error": "error",
    }
    present = {key: title for key, title in columns.items() if any(key in row for row in rows)}
    formats = {"error": "{:.0e}", "name": "{}"}
    cells = [[formats.get(key, "{:.2f}").format(row[key]) for key in present] for row in rows]
    widths = [max(map(len, column)) for column in zip(present.values(), *cells, strict=True)]
    for line in [list(present.values()), *cells]:
        print(
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True))
            )
        )
    for key in ("speed_over_xla", "speed_over_interpret"):
        if key in present:
            ratios = [row[key] for row in rows]
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            print(f"{present[key]}: geometric mean {mean:.2f}, worst {min(ratios):.2f}")


def main() -> int:
    """Runs the rows that were asked for."""
    arguments = parse_arguments()
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ALLOCATOR})
    # Before JAX starts its threads, of which it has one for each processor.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-arguments.threads :])
    os.environ["JAX_PLATFORMS"] = "cpu"

    from cases import cases

    rows = []
    for case in cases():
        if arguments.names and not any(name in case.name for name in arguments.names):
            continue
        print(f"timing {case.name}", file=sys.stderr)
        rows.append(measure(case, arguments.repetitions, not arguments.no_interpret))
    print_table(rows)
    if arguments.json:
        report = {"threads": arguments.threads, "repetitions": arguments.repetitions, "rows": rows}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
