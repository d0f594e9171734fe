# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles JAX's library kernels for GPUs, and counts their resources: registers, spills, instructions.

`--peer` adds the results of JAX's own pipeline, in one run and with one `ptxas`. Needs no GPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import gridir
from gridir.runtime.gpu.chips import capability_of
from gridir.runtime.ptxas import Code, assemble, compare
from gridir.runtime.ptxas.peer import Pipeline

if TYPE_CHECKING:
    from gpu_cases import Case


def measure(case: Case) -> tuple[Code, float, float]:
    """Lowers and assembles a kernel.

    Returns:
      Its code, the CPU time in seconds from the trace to PTX, and the elapsed time in seconds of the assembler.

    Raises:
      gridir.Error: where one of the two is refused.
    """
    start = time.process_time()
    lowered = gridir.lower(case.function, *case.args, target=f"gpu:{case.chip}")
    kernel = max(lowered.kernels, key=lambda kernel: len(kernel.text("ptx")))
    middle, elapsed = time.process_time(), time.monotonic()
    report = next(report for report in lowered.compile().kernels if report.name == kernel.name)
    seconds = time.monotonic() - elapsed
    return Code.of(report.cubin, report.shared_bytes), middle - start, seconds


def measure_peer(case: Case, pipeline: Pipeline) -> Code:
    """The same kernel by JAX's pipeline. Raises: gridir.Error, where it is refused."""
    from gridir.frontend.compat.jax_peer import lower_to_mosaic

    pipeline.driver.pretend(*capability_of(case.chip)[0])
    modules = lower_to_mosaic(case.function, case.args, case.chip)
    kernel = max((pipeline.compile(module) for module in modules), key=lambda kernel: len(kernel.ptx))
    return Code.of(assemble(kernel.ptx, case.chip), kernel.dynamic_shared_bytes)


def _attempt(function: Callable[..., Any], *args: Any) -> Any:
    """Returns the result, or the first line of the error: some authors reject some tile sizes."""
    try:
        return function(*args)
    except (gridir.Error, AssertionError, ValueError) as error:
        return (str(error).splitlines() or [type(error).__name__])[0]


def _is_worse(ours: Code, theirs: Code) -> bool:
    loops = ours.loop.instructions if ours.loop else 0, theirs.loop.instructions if theirs.loop else 0
    return (
        len(ours.remarks) > len(theirs.remarks)
        or ours.spill_bytes > theirs.spill_bytes
        or ours.registers > theirs.registers
        or loops[0] > loops[1]
    )


def sweep(cases: Iterable[Case], pipeline: Pipeline) -> int:
    """Prints the kernels with better code from JAX's pipeline, by remarks, spills, registers or the loop.

    Returns: 1 where gridir refuses a kernel that JAX's pipeline compiles.
    """
    number = refused = worse = 0
    for case in cases:
        theirs = _attempt(measure_peer, case, pipeline)
        if isinstance(theirs, str):
            continue
        number += 1
        ours = _attempt(measure, case)
        if isinstance(ours, str):
            refused += 1
            print(f"{case.name}: {ours}", flush=True)
        elif _is_worse(ours[0], theirs):
            worse += 1
            print(f"{case.name}:\n{compare({'gridir': ours[0], 'JAX': theirs})}\n", flush=True)
    print(f"{number} kernels that JAX's pipeline compiles, {refused} refused, {worse} worse")
    return int(refused > 0)


def main() -> int:
    """Prints a table; the exit status is 1 where a kernel does not assemble."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of rows (default: all)")
    parser.add_argument("--loops", action="store_true", help="also list the instructions of each steady loop")
    parser.add_argument("--peer", action="store_true", help="also by JAX's pipeline, of the extra `peer`")
    parser.add_argument(
        "--sweep", type=int, metavar="EVERY", help="compare every so many of 3,700 kernels with other tiles"
    )
    arguments = parser.parse_args()
    # Before JAX is imported.
    pipeline = Pipeline() if arguments.peer or arguments.sweep else None
    from gpu_cases import CASES

    if arguments.sweep and pipeline:
        from gpu_sweep import SWEEP

        return sweep(SWEEP[:: arguments.sweep], pipeline)
    columns = "chip | by | registers | spills | remarks | instructions | steady loop (matrix) | shared memory |"
    columns += " lowering s | ptxas s |"
    print(f"| kernel | {columns}\n| --- | --- | --- |" + " ---: |" * 8)
    status = 0
    for case in CASES:
        if arguments.names and not any(name in case.name for name in arguments.names):
            continue
        try:
            code, *seconds = measure(case)
            codes = {"gridir": (code, *(f"{x:.2f}" for x in seconds))}
            if pipeline is not None:
                codes["JAX"] = (measure_peer(case, pipeline), "", "")
        except gridir.Error as error:
            status = 1
            print(f"| {case.name} | {case.chip} | {str(error).splitlines()[0]} |")
            continue
        for name, (code, *times) in codes.items():
            loop = code.loop and f"{code.loop.instructions} ({code.loop.units})"
            cells = [case.name, case.chip, name, code.registers, code.spill_bytes, len(code.remarks)]
            cells += [code.instructions, loop, f"{code.shared_bytes:,}", *times]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            if arguments.loops and code.loop:
                kinds = code.loop.names.most_common()
                print(", ".join(f"{number} {kind}" for kind, number in kinds), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
