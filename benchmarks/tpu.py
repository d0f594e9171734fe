# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels for TPUs with libtpu, as gridir lowers them and as JAX itself does; needs libtpu and no TPU.

Nothing is executed. Bundles are VLIW instructions of libtpu's final schedule; cycles are bundles times trip counts, in
which no copy is waited for. Both sides compile with the author's own settings; gridir switches off run-time checks that
a proof makes needless, but with --keep-checks. Times, of the processor, are from the traced jaxpr to JAX's module with
the serialised kernels in it: medians of one run, both sides in turn.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any


def parse_arguments() -> argparse.Namespace:
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", help="rows, by a part of their names or by their group; all but the group `more` by default"
    )
    parser.add_argument("--topology", action="append", help="chips (default: v5e:2x2 and v6e:2x2)")
    parser.add_argument("--jobs", type=int, default=2, help="how many kernels are compiled at once (default: 2)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one kernel (default: 120)")
    parser.add_argument("--repetitions", type=int, default=9, help="how often lowering is timed (default: 9; 0: never)")
    parser.add_argument("--keep-checks", action="store_true", help="keep run-time checks that are proved needless")
    parser.add_argument("--json", type=pathlib.Path, help="also write the tables to this file")
    return parser.parse_args()


@contextlib.contextmanager
def timed_rules() -> Iterator[list[float]]:
    """Collects the milliseconds that JAX's lowering of a program spends in the rule for `pallas_call` on a TPU.

    The rule starts from the traced jaxpr and ends with the custom call that holds the serialised kernel. Around it, JAX
    does the same for both sides.
    """
    from gridir.frontend.compat.stack_size import with_room
    from jax._src.interpreters import mlir
    from jax._src.pallas.pallas_call import pallas_call_p

    rules = mlir._platform_specific_lowerings["tpu"]
    entry = rules[pallas_call_p]
    times: list[float] = []

    def rule(*args: Any, **params: Any) -> Any:
        start = time.process_time()
        try:
            # How deep the stack is here is neither side's affair.
            return with_room(entry.rule, *args, **params)
        finally:
            times.append(1e3 * (time.process_time() - start))

    rules[pallas_call_p] = dataclasses.replace(entry, rule=rule)
    try:
        yield times
    finally:
        rules[pallas_call_p] = entry


def lowering_times(function: Callable[..., Any], args: tuple[Any, ...], repetitions: int) -> dict[str, float]:
    """Returns median milliseconds from jaxpr to module, ours and JAX's, of all kernels in a function together."""
    import gridir
    import jax
    from gridir.frontend.capture import emitter
    from gridir.frontend.capture.install import jax_alone
    from gridir.frontend.compat import jax_tpu

    def once(context: Any) -> float:
        with context, jax_tpu.some_device():
            # A new function each time, or JAX finds its earlier module.
            traced = jax.jit(lambda *xs: function(*xs)).trace(*args)
            emitter.forget_kernels()
            with timed_rules() as milliseconds:
                traced.lower(lowering_platforms=("tpu",))
        return sum(milliseconds)

    times: dict[str, list[float]] = {"ours_ms": [], "jax_ms": []}
    for _ in range(repetitions + 1):
        times["ours_ms"].append(once(gridir.installed(platforms=("tpu",))))
        times["jax_ms"].append(once(jax_alone()))
    # The first of each pays for imports.
    return {side: statistics.median(values[1:]) for side, values in times.items()}


def candidates(case: Any, topology: str, keep_checks: bool) -> list[Any]:
    """Returns the kernels of a case as gridir lowers them for the chip of a topology and as JAX does."""
    import gridir
    from gridir.frontend.targets.tpu_aot import both, lowering_for

    function, args = case.make()
    options = gridir.TpuOptions(elide_checks=not keep_checks)
    with lowering_for(topology):
        return both(function, *args, options=options)


def rows_of(case: Any, report: Any) -> list[dict[str, Any]]:
    """Returns one row for each kernel of a case on a topology."""
    rows = []
    for number, mine in enumerate(report.kernels):
        theirs = report.jax[number] if number < len(report.jax) else None
        row: dict[str, Any] = {
            "case": case.name,
            "group": case.group,
            "topology": report.topology,
            "kernel": mine.name,
            "accepted": mine.accepted,
            "jax_accepted": theirs is not None and theirs.accepted,
            "planned": sum(mine.planned.values()),
        }
        for prefix, side in (("", mine), ("jax_", theirs)):
            if side is not None and side.accepted:
                row |= {f"{prefix}bundles": side.bundles, f"{prefix}cycles": side.cycles}
                row[f"{prefix}vmem"] = side.vmem_bytes
            elif side is not None:
                row[f"{prefix}error"] = side.error.message.splitlines()[0]
        rows.append(row)
    return rows


def print_kernels(rows: list[dict[str, Any]]) -> None:
    """Prints the figures of both sides, and the geometric means of their ratios.

    Of VMEM, "planned" is the count of `grid-plan-memory`; libtpu adds its own scratch and the registers it spills.
    """
    from rich.console import Console
    from rich.table import Table

    console = Console(width=150)
    titles = ("kernel", "chip", "bundles", "JAX", "ratio", "cycles", "JAX", "ratio", "planned", "VMEM", "JAX")
    table = Table(*titles, title="libtpu's schedules")
    ratios: dict[str, list[float]] = {"bundles": [], "cycles": []}
    for row in rows:
        cells = [f"{row['case']}: {row['kernel']}"[:48], row["topology"].split(":")[0]]
        for key in ("bundles", "cycles"):
            mine, theirs = row.get(key), row.get(f"jax_{key}")
            cells += [f"{x:,}" if x is not None else "-" for x in (mine, theirs)]
            if mine and theirs:
                ratios[key].append(mine / theirs)
            cells.append(f"{mine / theirs:.2f}" if mine and theirs else "-")
        cells += [f"{row[key]:,}" if key in row else "-" for key in ("planned", "vmem", "jax_vmem")]
        table.add_row(*cells)
    console.print(table)
    for key, values in ratios.items():
        if values:
            mean = math.exp(statistics.fmean(map(math.log, values)))
            console.print(f"{key}: geometric mean of ours over JAX's {mean:.3f}, worst {max(values):.3f}")
    for row in rows:
        for key, who in (("error", "gridir"), ("jax_error", "JAX")):
            if key in row:
                text = f"{row['case']}: {row['kernel']} on {row['topology']}, lowered by {who}: {row[key]}"
                console.print(text, markup=False, soft_wrap=True)


def print_times(times: dict[str, dict[str, float]]) -> None:
    """Prints the milliseconds of both lowerings."""
    from rich.console import Console
    from rich.table import Table

    table = Table("function", "ours ms", "JAX ms", "ratio", title="from jaxpr to serialised kernels")
    for name, row in times.items():
        table.add_row(name, f"{row['ours_ms']:.1f}", f"{row['jax_ms']:.1f}", f"{row['ours_ms'] / row['jax_ms']:.2f}")
    Console(width=150).print(table)
    if times:
        mean = math.exp(statistics.fmean(math.log(row["ours_ms"] / row["jax_ms"]) for row in times.values()))
        print(f"lowering: geometric mean of ours over JAX's {mean:.3f}")


def main() -> int:
    """Compiles the rows that were asked for."""
    arguments = parse_arguments()
    os.environ["JAX_PLATFORMS"] = "cpu"

    from gridir.frontend.targets.tpu_report import compile_candidates
    from gridir.runtime.tpu.workers import Workers
    from tpu_cases import CASES
    from tpu_more_cases import CASES as MORE

    names = arguments.names
    chosen = [c for c in (*CASES, *MORE) if any(name in c.name or name == c.group for name in names)]
    cases = chosen if names else [*CASES]
    kernels: dict[str, list[Any]] = {}
    rows: list[dict[str, Any]] = []
    for topology in arguments.topology or ["v5e:2x2", "v6e:2x2"]:
        with Workers(topology, jobs=arguments.jobs, timeout=arguments.timeout) as workers:
            for case in cases:
                print(f"{topology}: {case.name}", file=sys.stderr)
                kernels[case.name] = candidates(case, topology, arguments.keep_checks)
                rows += rows_of(case, compile_candidates(kernels[case.name], workers))
    print_kernels(rows)
    times = {}
    for case in cases if arguments.repetitions else []:
        # Only what both sides lower can be timed against each other.
        if all(candidate.program is not None for candidate in kernels[case.name]):
            times[case.name] = lowering_times(*case.make(), arguments.repetitions)
    print_times(times)
    if arguments.json:
        arguments.json.write_text(json.dumps({"kernels": rows, "lowering": times}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
