# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles JAX's library kernels for GPUs, and counts what they take: registers, spills, instructions.

The steady loop is the loop with the most matrix instructions among those that no other loop with any is inside of; its
instructions are those from the target of its branch back to the branch. NOPs count nowhere. Needs no GPU.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import re
import sys
import time

import gridir
from gpu_cases import CASES, Case
from gridir.runtime.gpu import disassemble

_LABEL = re.compile(r"^(\.L_x_\d+):")
_INSTRUCTION = re.compile(r"^\s+(?:/\*[0-9a-f]+\*/\s+)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)([^;]*);")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")


@dataclasses.dataclass(frozen=True)
class Row:
    """What one kernel takes.

    Attributes:
      registers: of each thread.
      spill_bytes: stored and loaded by each thread.
      instructions: of the whole kernel.
      loop: instructions of the steady loop by their first word; empty where there is none.
      units: matrix instructions in the steady loop.
      shared_bytes: of each block.
      gridir_seconds: from the trace to PTX, CPU time.
      ptxas_seconds: elapsed time of the assembler.
    """

    registers: int
    spill_bytes: int
    instructions: int
    loop: collections.Counter[str]
    units: int
    shared_bytes: int
    gridir_seconds: float
    ptxas_seconds: float


def read_instructions(sass: str) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Returns the instructions but NOPs, as names and operands, and where each label points to."""
    instructions: list[tuple[str, str]] = []
    labels: dict[str, int] = {}
    for line in sass.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = len(instructions)
        elif (instruction := _INSTRUCTION.match(line)) and instruction[1] != "NOP":
            instructions.append((instruction[1], instruction[2]))
    return instructions, labels


def steady_loop(instructions: list[tuple[str, str]], labels: dict[str, int], unit: str) -> collections.Counter[str]:
    """Returns the instructions of the innermost loop that multiplies most, by their names."""
    loops = []
    for end, (name, operands) in enumerate(instructions):
        target = _TARGET.search(operands)
        if name.startswith("BRA") and target and labels.get(target[1], end + 1) <= end:
            names = [n for n, _ in instructions[labels[target[1]] : end + 1]]
            if any(re.match(unit, n) for n in names):
                loops.append((labels[target[1]], end, collections.Counter(names)))
    inner = [
        loop
        for loop in loops
        if not any(other is not loop and other[0] >= loop[0] and other[1] <= loop[1] for other in loops)
    ]
    return max((loop[2] for loop in inner), key=lambda names: count(names, unit), default=collections.Counter())


def count(names: collections.Counter[str], unit: str) -> int:
    """Returns how many instructions match a regular expression."""
    return sum(number for name, number in names.items() if re.match(unit, name))


def measure(case: Case) -> Row:
    """Lowers and assembles a kernel. Raises: gridir.Error, where one of the two is refused."""
    start = time.process_time()
    lowered = gridir.lower(case.function, *case.args, target=f"gpu:{case.chip}")
    kernel = max(lowered.kernels, key=lambda kernel: len(kernel.text("ptx")))
    middle, elapsed = time.process_time(), time.monotonic()
    report = next(report for report in lowered.compile().kernels if report.name == kernel.name)
    ptxas_seconds = time.monotonic() - elapsed
    instructions, labels = read_instructions(disassemble(report.cubin.code))
    loop = steady_loop(instructions, labels, case.unit)
    return Row(
        registers=report.cubin.registers,
        spill_bytes=report.cubin.spill_bytes,
        instructions=len(instructions),
        loop=loop,
        units=count(loop, case.unit),
        shared_bytes=report.shared_bytes + report.cubin.static_shared_bytes,
        gridir_seconds=middle - start,
        ptxas_seconds=ptxas_seconds,
    )


def main() -> int:
    """Prints a table; the exit status is 1 where a kernel does not assemble."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of rows (default: all)")
    parser.add_argument("--loops", action="store_true", help="also list the instructions of each steady loop")
    arguments = parser.parse_args()
    columns = "chip | registers | spills | instructions | steady loop (matrix) | shared memory | gridir s | ptxas s |"
    print(f"| kernel | {columns}\n| --- | --- |" + " ---: |" * 7)
    status = 0
    for case in CASES:
        if arguments.names and not any(name in case.name for name in arguments.names):
            continue
        try:
            row = measure(case)
        except gridir.Error as error:
            status = 1
            print(f"| {case.name} | {case.chip} | {str(error).splitlines()[0]} |")
            continue
        cells = [row.registers, row.spill_bytes, row.instructions, f"{row.loop.total()} ({row.units})"]
        cells += [f"{row.shared_bytes:,}", f"{row.gridir_seconds:.2f}", f"{row.ptxas_seconds:.2f}"]
        print(f"| {case.name} | {case.chip} | {' | '.join(map(str, cells))} |", flush=True)
        if arguments.loops:
            print(", ".join(f"{number} {name}" for name, number in row.loop.most_common()), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
