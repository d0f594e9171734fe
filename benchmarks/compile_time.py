# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the compiler on kernels of growing size: the walk of the jaxpr, every pass of every target, and LLVM.

A step whose time grows as the number of operations to the power of e has the exponent e: about 1 where it visits each
operation a few times, 2 where it looks at all of them for each. It is fitted to the larger sizes; a step that takes no
time worth fitting has none. Each program of a step runs by itself, on one thread, without the verifier between passes,
as a kernel that is compiled for a call. Nothing here asserts a time.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Iterator
from typing import Any

# Below this many seconds the resolution of MLIR's timer, 0.1 ms, and other programs have too much weight.
LEAST_SECONDS = 5e-3

# Rows of MLIR's report that are no passes.
NO_PASSES = ("Rest", "Total")


def parse_arguments() -> argparse.Namespace:
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="kinds of operations, by a part of their names; all by default")
    parser.add_argument("--targets", default="check,cpu,tpu,gpu", help="what to compile for (default: %(default)s)")
    parser.add_argument("--smallest", type=int, default=1000, help="operations of the smallest kernel (default: 1000)")
    parser.add_argument("--largest", type=int, default=16000, help="the size to stop at; 2, 4, 8... times the smallest")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a target at one size (default: 120)")
    parser.add_argument("--least", type=float, default=0.02, help="seconds that a step must take to have a row")
    parser.add_argument("--json", type=pathlib.Path, help="also write the table to this file")
    parser.add_argument("--codegen", type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


@dataclasses.dataclass
class Series:
    """The times of one step.

    Attributes:
      family: the kind of operations.
      target: the target of the kernel.
      step: the name of the pass, or "walk" or "LLVM".
      seconds: by the number of operations.
    """

    family: str
    target: str
    step: str
    seconds: dict[int, float] = dataclasses.field(default_factory=dict)

    @property
    def exponent(self) -> float | None:
        """The slope of time over size, both as logarithms, of the larger half of the sizes; None for too little."""
        known = [(math.log(size), math.log(s)) for size, s in sorted(self.seconds.items()) if s >= LEAST_SECONDS]
        points = known[-max(2, math.ceil(len(self.seconds) / 2)) :]
        if len(points) < 2:
            return None
        mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
        spread = sum((x - mean_x) ** 2 for x, _ in points)
        return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def pass_times(report: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """Names and seconds of the passes in MLIR's report; analyses belong to the pass that asks for them."""
    for entry in report:
        if not entry:
            continue
        if entry["name"].endswith("Pipeline"):
            yield from pass_times(entry["passes"])
        elif entry["name"] not in NO_PASSES:
            yield re.sub("Pass$", "", entry["name"]), entry["wall"]["duration"]


def run_passes(module: pathlib.Path, pipeline: str, output: pathlib.Path, timeout: float) -> dict[str, float]:
    """Returns the CPU seconds of each pass of a pipeline; passes of one name are added up.

    Raises:
      subprocess.TimeoutExpired: when they take longer than allowed.
      subprocess.CalledProcessError: when a pass fails.
    """
    command = [sys.executable, "-m", "gridir", "opt", str(module), f"--pass-pipeline=builtin.module({pipeline})"]
    command += ["--verify-each=false", "--mlir-disable-threading", "--emit-bytecode", "-o", str(output)]
    command += ["--mlir-timing", "--mlir-timing-display=tree", "--mlir-output-format=json"]
    start, cpu_start = time.monotonic(), cpu_seconds_of_children()
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=timeout, check=True)
    # The report has elapsed time. Where other programs ran beside, each pass waited about as much as the whole did.
    share = min(1.0, (cpu_seconds_of_children() - cpu_start) / (time.monotonic() - start))
    seconds: dict[str, float] = collections.defaultdict(float)
    # Remarks may stand before the report, which is an array on lines of its own.
    report = re.search(r"^\[\n.*", done.stderr, re.MULTILINE | re.DOTALL)
    for name, duration in pass_times(json.loads(report.group()) if report else []):
        seconds[name] += duration * share
    return seconds


def cpu_seconds_of_children() -> float:
    """Returns the CPU time of the child processes that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def generate_code(module: pathlib.Path) -> float:
    """Returns the CPU seconds from the LLVM dialect to an object file that is linked, in this process."""
    from gridir.compiler.cpu import CpuOptions
    from gridir.runtime.cpu import prepare

    start = time.process_time()
    prepare("kernel", str(module), module.read_bytes(), CpuOptions(pipeline=""))
    return time.process_time() - start


def steps_of(target: str, kernel: Any, folder: pathlib.Path, timeout: float) -> dict[str, float]:
    """Returns the seconds of every step after the walk. Raises: as `run_passes`."""
    from gridir.compiler.targets import get_target

    module, output = folder / "grid.mlirbc", folder / "output.mlirbc"
    module.write_bytes(kernel.bytecode)
    if target == "check":
        return run_passes(module, "grid.kernel(grid-canonicalize-index-maps,grid-check)", output, timeout)
    chosen = get_target(target)
    pipeline = chosen.pipeline(kernel.options, chosen.stages[-1])
    seconds = run_passes(module, pipeline, output, timeout)
    if target == "cpu":
        command = [sys.executable, __file__, "--codegen", str(output)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=timeout, check=True)
        seconds["LLVM"] = float(done.stdout)
    return seconds


def measure(name: str, targets: list[str], arguments: argparse.Namespace) -> list[Series]:
    """Returns the times of every step for kernels of one kind; stops a target at the size that takes too long."""
    import gridir
    import jax
    from compile_time_cases import FAMILIES

    series: dict[tuple[str, str], Series] = {}
    size, left = arguments.smallest, list(targets)
    while size <= arguments.largest and left:
        function, args = FAMILIES[name](size)
        traced = jax.jit(function).trace(*args)
        known: Any = types.SimpleNamespace(trace=lambda *_, traced=traced: traced)
        for target in list(left):
            start = time.process_time()
            lowered = gridir.lower(known, *args, target="cpu" if target == "check" else target)
            seconds = {} if target == "check" else {"walk": time.process_time() - start}
            with tempfile.TemporaryDirectory() as folder:
                try:
                    seconds |= steps_of(target, lowered.kernels[0], pathlib.Path(folder), arguments.timeout)
                except subprocess.TimeoutExpired:
                    print(f"{name}, {target}: more than {arguments.timeout:g} s at {size}", file=sys.stderr)
                    left.remove(target)
                except subprocess.CalledProcessError as error:
                    print(f"{name}, {target}: failed at {size}\n{(error.stderr or '')[:2000]}", file=sys.stderr)
                    left.remove(target)
            for step, duration in seconds.items():
                series.setdefault((target, step), Series(name, target, step)).seconds[size] = duration
            print(f"{name}, {target}, {size}: {sum(seconds.values()):.2f} s", file=sys.stderr)
        size *= 2
    return list(series.values())


def print_table(series: list[Series], least: float) -> None:
    """Prints the steps that take long, those of the largest exponents first in each kernel."""
    from rich.console import Console
    from rich.table import Table

    sizes = sorted({size for row in series for size in row.seconds})
    table = Table("kind", "target", "step", title="seconds by number of operations")
    for title in (*(f"{size:,}" for size in sizes), "exponent"):
        table.add_column(title, justify="right")
    for row in sorted(series, key=lambda row: (row.family, row.target, -max(row.seconds.values()))):
        if max(row.seconds.values()) < least:
            continue
        cells = [f"{row.seconds[size]:.3f}" if size in row.seconds else "-" for size in sizes]
        exponent = "-" if row.exponent is None else f"{row.exponent:.2f}"
        table.add_row(row.family, row.target, row.step, *cells, exponent)
    Console(width=160).print(table)


def main() -> int:
    """Times the kinds that were asked for."""
    arguments = parse_arguments()
    os.environ["JAX_PLATFORMS"] = "cpu"
    if arguments.codegen:
        print(generate_code(arguments.codegen))
        return 0
    from compile_time_cases import FAMILIES

    names = [name for name in FAMILIES if not arguments.names or any(part in name for part in arguments.names)]
    series = [row for name in names for row in measure(name, arguments.targets.split(","), arguments)]
    print_table(series, arguments.least)
    if arguments.json:
        rows = [dataclasses.asdict(row) | {"exponent": row.exponent} for row in series]
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
