# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands on an MLIR file instead of Python: its kernels are run on operands that are drawn."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from gridir.cli.on import choose_device

if TYPE_CHECKING:
    from gridir.frontend.recording.module_records import ModuleFile


def is_module(path: str) -> bool:
    """True if a file holds a module and not Python."""
    return path.endswith((".mlir", ".mlirbc"))


def read_module(path: str, kernel: str | None) -> ModuleFile:
    """The module of a file, for all kernels or one."""
    from gridir.frontend.recording.module_records import ModuleFile

    with open(path, "rb") as file:
        return ModuleFile(file.read(), path, kernel)


def refuse_options(path: str, **options: Any) -> None:
    """Raises UsageError for options that only a Python file has."""
    for name, value in options.items():
        if value:
            raise click.UsageError(f"expected a Python file with --{name}, got {path}")


def run_module(
    file: tuple[str, str | None],
    target: str,
    stage: str | None,
    pipeline: str | None,
    check: bool,
    checks: str,
    schedule_seed: int | None,
    repeat: int,
    on: str | None,
) -> dict[str, Any]:
    """Runs the kernels of a module on operands that are drawn, and compares with the CPU's own pipeline.

    Args:
      file: the path, and the only kernel to run.
      target: the target.
      stage: the stage to run; None for the usual one.
      pipeline: passes instead of the target's own.
      check: whether to compare.
      checks: the checks of the running kernel, with commas.
      schedule_seed: the seed of the order of concurrent work.
      repeat: the number of runs.
      on: where kernels for a GPU run.

    Returns:
      The record of a run, as `gridir run` prints it.
    """
    from gridir.compiler.targets import get_target
    from gridir.frontend.recording.module_records import records_of
    from gridir.frontend.recording.replay import run
    from gridir.recording.record import options_of
    from gridir.testing import compare

    chosen = get_target(target)
    options = chosen.check_options(None)
    if pipeline is not None:
        options = dataclasses.replace(options, pipeline=pipeline)
    execution = chosen.execution(stage)
    needs_executor = bool(checks) or schedule_seed is not None or execution.cpu_options is not None
    device = choose_device(chosen, on, needs_executor=needs_executor)
    if device is not None:
        options = dataclasses.replace(options, device=device.number)
    execution, options = chosen.executed(stage, options, list(filter(None, checks.split(","))), schedule_seed)
    if execution.cpu_options is not None:
        target = "cpu"
    # The name of the target includes the chip.
    fields = {name: value for name, value in options_of(options).items() if name != "chip"}
    is_own = not check or (target == "cpu" and not fields)
    record: dict[str, Any] = {"function": file[0], "kernels": [], "results": [], "values": [], "milliseconds": 0.0}
    comparisons = []
    for one in records_of(read_module(*file), target):
        results, seconds = run(dataclasses.replace(one, options=fields), repeat=repeat)
        record["kernels"].append({"name": one.name})
        record["milliseconds"] += seconds * 1e3
        record["results"] += [f"{x.dtype}{list(x.shape)}" for x in results]
        record["values"] += [np.array2string(np.asarray(x), threshold=64, edgeitems=2) for x in results]
        if not is_own:
            expected, _ = run(dataclasses.replace(one, target="cpu", options={}))
            comparisons += compare(list(results), list(expected))
    how = execution.how if device is None else f"on the GPU {device.number}, {device.name}"
    record |= {"stage": execution.stage, "executed": how, "oracle": "" if is_own else "the CPU's pipeline"}
    record["check"] = check
    record["differences"] = [line for c in comparisons if c.wrong for line in c.describe(record["oracle"])]
    return record


def format_run(record: dict[str, Any]) -> str:
    """Returns the output of `gridir run` for a module."""
    lines = [f"{record['function']}: {', '.join(record['results'])}"]
    lines.append(f"  executed: stage {record['stage']}, {record['executed']}")
    lines += [f"  kernel {kernel['name']}" for kernel in record["kernels"]]
    lines.append(f"  one call: {record['milliseconds']:.3f} ms")
    if not record["oracle"]:
        reason = ", as another target or pipeline would be" if record["check"] else ""
        lines.append(f"  results: compared with nothing{reason}")
        lines += [f"    {line}" for text in record["values"] for line in text.splitlines()]
        return "\n".join(lines)
    verdict = "different from" if record["differences"] else "equal to"
    lines.append(f"  results: {verdict} those of {record['oracle']}")
    return "\n".join(lines + [f"    {line}" for line in record["differences"]])
