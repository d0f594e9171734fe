# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels compiled by gridir beside the plain JAX program that XLA compiles, and beside interpret mode.

One process, one run. Each repetition times XLA's program and ours, one after the other. The table has the least time of
each and their ratio, the median of the ratios of all repetitions, and the range of the middle half of these. On one
processor times are CPU time of the process, all of its threads, which other programs disturb less; on more they are
elapsed time. Results are checked before they are timed. Nothing here asserts a time.

Memory is kept by the allocator between calls, on both sides: XLA allocates every large result afresh, and the page
faults of a new one cost several times the kernel.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

# Must be in force before the process starts.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "4000000000"}

# The CPU that gridir compiles for, as LLVM names it, the value of XLA's flag, and that of oneDNN's variable.
ISAS = {"avx2": ("x86-64-v3", "AVX2", "AVX2"), "avx512": ("x86-64-v4", "AVX512", "AVX512_CORE")}

# XLA computes matrix products by YNNPACK, which selects instructions by the machine and has no limit. Without it XLA
# uses Eigen with oneDNN's product.
WITHOUT_UNLIMITED_LIBRARIES = "--xla_cpu_experimental_ynn_fusion_type="

# A sample of this length is long against the resolution of the clocks, and short against a time slice.
SAMPLE_SECONDS = 10e-3


def parse_arguments() -> argparse.Namespace:
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="rows to time, by a part of their names; all by default")
    parser.add_argument("--threads", type=int, default=1, help="how many processors both sides may use (default: 1)")
    parser.add_argument("--repetitions", type=int, default=25, help="how often each program is timed (default: 25)")
    parser.add_argument("--cpu", default="", help="what gridir compiles for, as LLVM names it (default: this machine)")
    parser.add_argument("--isa", choices=[*ISAS], help="the vector instructions that both sides may use (default: all)")
    parser.add_argument("--examples", action="store_true", help="only the examples, at their own sizes")
    parser.add_argument("--functions", action="store_true", help="functions that kernels apply to blocks, instead")
    parser.add_argument("--no-interpret", action="store_true", help="leave interpret mode out: it takes seconds a row")
    parser.add_argument("--json", type=pathlib.Path, help="also write the table to this file")
    return parser.parse_args()


class Program:
    """A compiled function with its arguments, called again and again.

    A donated argument is replaced by the result that took its memory, so that the next call has one to give.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], donate: int | None) -> None:
        import jax

        self._function = function
        self._donate = donate
        # Every program owns the array that it gives away.
        self._args = [jax.numpy.array(arg) if i == donate else arg for i, arg in enumerate(args)]

    def call(self) -> Any:
        """Returns the result of one call, perhaps before it is there."""
        result = self._function(*self._args)
        if self._donate is not None:
            self._args[self._donate] = result
        return result

    def time(self, calls: int) -> tuple[float, float]:
        """Returns the CPU seconds and the elapsed seconds of one of `calls` calls."""
        elapsed, used = time.perf_counter(), time.process_time()
        for _ in range(calls):
            self.call().block_until_ready()
        return (time.process_time() - used) / calls, (time.perf_counter() - elapsed) / calls

    def calls_in_a_sample(self) -> int:
        """Returns how many calls a sample needs to be long enough for the clock."""
        least = self.time(1)[1]
        if least < SAMPLE_SECONDS:
            least = min(self.time(1)[1] for _ in range(3))
        return max(1, math.ceil(SAMPLE_SECONDS / max(1e-6, least)))


def largest_error(result: Any, expected: Any) -> float:
    """Returns the largest difference, relative to the largest expected value."""
    import numpy as np

    result, expected = (np.asarray(value).astype(np.float64) for value in (result, expected))
    return float(np.abs(result - expected).max() / np.abs(expected).max())


def compile_with(function: Callable[..., Any], case: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
    """Returns `function` compiled by XLA for `args`, with the case's donated arguments."""
    import jax

    donated = () if case.donate is None else (case.donate,)
    return jax.jit(function, donate_argnums=donated).lower(*args).compile()


def measure(case: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns one row: times in milliseconds, ratios above 1 where gridir is faster.

    Raises:
      ValueError: when gridir's result is further from XLA's than the case allows.
    """
    import gridir
    import jax
    from gridir.compiler.cpu import CpuOptions
    from gridir.testing import interpreted

    args = jax.block_until_ready(case.args())
    donated = () if case.donate is None else (case.donate,)
    function = jax.jit(case.kernel, donate_argnums=donated)
    lowered = gridir.lower(function, *args, target="cpu", options=CpuOptions(cpu=arguments.cpu))
    start = time.process_time()
    for kernel in lowered.kernels:
        kernel.prepare()
    compile_seconds = time.process_time() - start

    ours = Program(lowered.compile(), args, case.donate)
    xla = Program(compile_with(case.reference, case, args), args, case.donate)
    error = largest_error(ours.call(), xla.call())
    if not error <= case.tolerance:
        raise ValueError(f"{case.name}: expected an error of at most {case.tolerance}, got {error}")

    clock = 0 if arguments.threads == 1 else 1
    ours_calls, xla_calls = ours.calls_in_a_sample(), xla.calls_in_a_sample()
    pairs = [(ours.time(ours_calls)[clock], xla.time(xla_calls)[clock]) for _ in range(arguments.repetitions)]
    ours_seconds, xla_seconds = (min(times) for times in zip(*pairs, strict=True))
    ratios = [theirs / mine for mine, theirs in pairs]
    low, _, high = statistics.quantiles(ratios, n=4)
    spread = f"{low:.2f}-{high:.2f}"
    row = {
        "name": case.name,
        "example": case.is_example,
        "equal_work": not case.difference,
        "difference": case.difference,
        "error": error,
        "ours_ms": 1e3 * ours_seconds,
        "xla_ms": 1e3 * xla_seconds,
        "speed_over_xla": xla_seconds / ours_seconds,
        "median_of_ratios": statistics.median(ratios),
        "spread": spread,
        "compile_ms": 1e3 * compile_seconds,
    }
    if not arguments.no_interpret:
        with interpreted():
            slow = Program(compile_with(case.kernel, case, args), args, case.donate)
            slow_calls = slow.calls_in_a_sample()
            interpret_seconds = min(slow.time(slow_calls)[clock] for _ in range(2))
        row["interpret_ms"] = 1e3 * interpret_seconds
        row["speed_over_interpret"] = interpret_seconds / ours_seconds
    return row


COLUMNS = {
    "name": ("kernel", "{}"),
    "ours_ms": ("ours ms", "{:.3f}"),
    "xla_ms": ("XLA ms", "{:.3f}"),
    "speed_over_xla": ("speed / XLA", "{:.2f}"),
    "median_of_ratios": ("median", "{:.2f}"),
    "spread": ("half within", "{}"),
    "interpret_ms": ("interpret ms", "{:.2f}"),
    "speed_over_interpret": ("/ interpret", "{:.1f}"),
    "compile_ms": ("compile ms", "{:.0f}"),
    "error": ("error", "{:.0e}"),
    "difference": ("equal work", "{}"),
}


# Larger than the caches of most processors.
COPY_BYTES = 256 << 20


def copy_bandwidth(threads: int, repetitions: int = 5) -> float:
    """Returns how many bytes a second NumPy reads and writes when threads copy an array, each a part of its own."""
    import concurrent.futures

    import numpy as np

    source, target = np.ones(COPY_BYTES // 8), np.zeros(COPY_BYTES // 8)
    parts = list(zip(np.array_split(source, threads), np.array_split(target, threads), strict=True))
    least = math.inf
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for _ in range(repetitions):
            start = time.perf_counter()
            list(pool.map(lambda part: np.copyto(part[1], part[0]), parts))
            least = min(least, time.perf_counter() - start)
    return 2 * COPY_BYTES / least


def format_table(rows: list[dict[str, Any]]) -> str:
    """Returns the rows as a table in Markdown."""
    present = {key: column for key, column in COLUMNS.items() if any(key in row for row in rows)}
    cells = [[title for title, _ in present.values()]]
    for row in rows:
        texts = {key: form.format(row[key]) for key, (_, form) in present.items()}
        texts["difference"] = f"no: {row['difference']}" if row["difference"] else "yes"
        cells.append(list(texts.values()))
    left = [key in ("name", "difference") for key in present]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        [cell.ljust(w) if to_left else cell.rjust(w) for cell, w, to_left in zip(line, widths, left, strict=True)]
        for line in cells
    ]
    rule = ["-" * w if to_left else "-" * (w - 1) + ":" for w, to_left in zip(widths, left, strict=True)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]])


def summarize(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the geometric mean and the worst of each ratio, over each group of rows."""
    groups = {
        "examples": [row for row in rows if row["example"]],
        "examples of equal work": [row for row in rows if row["example"] and row["equal_work"]],
        "all rows": rows,
        "all rows of equal work": [row for row in rows if row["equal_work"]],
    }
    if len(groups["examples"]) == len(rows):
        groups = {name: members for name, members in groups.items() if name.startswith("examples")}
    summary = []
    for group, members in groups.items():
        for key, peer in (("speed_over_xla", "XLA"), ("speed_over_interpret", "interpret mode")):
            ratios = {row["name"]: row[key] for row in members if key in row}
            if ratios:
                worst = min(ratios, key=lambda name: ratios[name])
                summary.append(
                    {
                        "rows": group,
                        "number": len(ratios),
                        "against": peer,
                        "geometric_mean": statistics.geometric_mean(ratios.values()),
                        "worst": ratios[worst],
                        "worst_row": worst,
                    }
                )
    return summary


def describe_processor() -> str:
    """Returns the property of the processor that decides the times: its vector instructions."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.machine()
    flags = text.partition("\nflags")[2].partition("\n")[0].split()
    known = [flag for flag in ("avx2", "fma", "avx512f", "avx512_bf16", "amx_tile") if flag in flags]
    return f"{platform.machine()} with {', '.join(known) or 'no vector extensions that are known here'}"


def main() -> int:
    """Runs the rows that were asked for."""
    arguments = parse_arguments()
    needed = dict(ALLOCATOR)
    if arguments.isa:
        arguments.cpu, word, needed["ONEDNN_MAX_CPU_ISA"] = ISAS[arguments.isa]
        flag = f"--xla_cpu_max_isa={word} {WITHOUT_UNLIMITED_LIBRARIES}"
        flags = os.environ.get("XLA_FLAGS", "")
        needed["XLA_FLAGS"] = flags if flag in flags else f"{flags} {flag}".strip()
    if any(os.environ.get(name) != value for name, value in needed.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **needed})
    # Before JAX starts its threads, one for each processor.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-arguments.threads :])
    os.environ["JAX_PLATFORMS"] = "cpu"

    import cases
    import gridir

    every = cases.functions if arguments.functions else cases.examples if arguments.examples else cases.cases
    chosen = [case for case in every() if not arguments.names or any(name in case.name for name in arguments.names)]
    # Work that a process does once, for its first kernel, belongs to no row.
    warm = chosen[0]
    gridir.lower(warm.kernel, *warm.args(), options=gridir.CpuOptions(opt_level=1)).compile()
    rows = []
    for case in chosen:
        print(f"timing {case.name}", file=sys.stderr, flush=True)
        rows.append(measure(case, arguments))
    print(format_table(rows))
    clock = "CPU time" if arguments.threads == 1 else "elapsed time"
    processor = describe_processor()
    print(f"\n{clock} on {arguments.threads} processor(s), {processor}; least of {arguments.repetitions} repetitions")
    bandwidth = copy_bandwidth(arguments.threads)
    print(
        f"copying {COPY_BYTES >> 20} MiB on {arguments.threads} thread(s): {bandwidth / 1e9:.1f} GB/s read and written"
    )
    summary = summarize(rows)
    for line in summary:
        print(
            f"{line['rows']} ({line['number']}) against {line['against']}: geometric mean "
            f"{line['geometric_mean']:.2f}, worst {line['worst']:.2f} ({line['worst_row']})"
        )
    if arguments.json:
        report = {
            "threads": arguments.threads,
            "clock": clock,
            "processor": processor,
            "repetitions": arguments.repetitions,
            "copy_bytes_per_second": bandwidth,
            "rows": rows,
            "summary": summary,
        }
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
