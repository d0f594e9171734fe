# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that show a fault again: the module before a wrong pass, or wrong machine code; and a record that runs."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gridir.bisection.find import Found
from gridir.bisection.oracle import Expected, to_record
from gridir.bisection.reduce import Reduction, count_ops
from gridir.bisection.triage import NOTHING
from gridir.bisection.worker import Worker
from gridir.compiler.pass_list import join_passes, passes_of
from gridir.compiler.passes import parse_module
from gridir.errors import KernelError, UnsupportedError
from gridir.passes import loaded
from gridir.recording.archive import SUFFIX, save
from gridir.recording.record import Record, options_of

# A record contains the float64 run only up to this number of elements, since it is many times larger than the results.
_WIDE_ELEMENTS = 1 << 16


@dataclasses.dataclass(frozen=True)
class Reproducer:
    """The files that show a wrong pass.

    Attributes:
      record: the call from the module before the pass on, for `gridir replay`.
      module: the module before the pass as text, with the command that runs the pass.
      ops: how many ops the module had, and has since it was reduced.
      tried: how many modules the reducer has tried.
    """

    record: Path
    module: Path
    ops: tuple[int, int]
    tried: int

    @property
    def command(self) -> str:
        """Returns the command that runs the recording."""
        return " ".join(["gridir replay", *_load_options(), str(self.record)])


def write_reproducer(
    found: Found, directory: Path, *, worker: Worker | None = None, reduce: bool = True, seconds: float = 60
) -> Reproducer:
    """Writes the module before the pass that was named, with the operands and the results that are right.

    Args:
      found: the result of `bisect` for a kernel. directory: where the files are; it is made. worker: the process in
      which modules run; by default a new one.
      reduce: makes the module small, as long as the results differ.
      seconds: how long that may take.

    Raises:
      KernelError: where no pass was named.
    """
    wrong = found.wrong
    if wrong is None or wrong.culprit is None:
        raise KernelError("expected a pass that was named, got none", kernel=found.expected.kernel.name)
    number = wrong.suspects[0]
    right_passes, passes = wrong.rest(number - 1), (wrong.culprit, *wrong.rest(number))
    record = _record(found)
    module, results, tried = wrong.modules[number - 1], found.expected.call.results, 0
    if reduce:
        with Worker(seconds) if worker is None else contextlib.nullcontext(worker) as process:
            process.load(to_record(found.expected))

            def run_with(texts: Sequence[str]) -> Callable[[bytes], Sequence[np.ndarray] | None]:
                return lambda m: process.run(m, texts, wrong.route.target, wrong.route.options).get("results")

            reduction = Reduction(run_with(right_passes), run_with(passes), seconds=seconds)
            reduced = reduction.run(module)
            tried = reduction.tried
            if reduced != module:
                # The correct passes define the expected results of the smaller module.
                module, results = reduced, tuple(run_with(right_passes)(reduced) or results)
                record = dataclasses.replace(record, wide=None)
    directory.mkdir(parents=True, exist_ok=True)
    stem = found.expected.kernel.name
    record = dataclasses.replace(
        record,
        module=module,
        results=results,
        passes=join_passes(passes),
        right_passes=join_passes(right_passes),
    )
    paths = directory / f"{stem}{SUFFIX}", directory / f"{stem}.mlir"
    save(record, paths[0])
    # This is gridir-opt with passes in Python.
    tool = " ".join(["gridir opt", *_load_options()]) if loaded() else "gridir-opt"
    header = f"// run with: {tool} --pass-pipeline='builtin.module({wrong.culprit})' {paths[1].name}\n"
    text = parse_module(module).operation.get_asm(enable_debug_info=True)
    paths[1].write_text(f"{header}{text}", encoding="utf-8")
    return Reproducer(*paths, (count_ops(wrong.modules[number - 1]), count_ops(module)), tried)


@dataclasses.dataclass(frozen=True)
class MachineCodeReproducer:
    """The files that show wrong machine code.

    Attributes:
      record: the call, for `gridir replay`.
      ptx: the text.
      images: the machine code by its compiler.
    """

    record: Path
    ptx: Path
    images: dict[str, Path]

    def command(self, compiler: str) -> str:
        """Returns the command that launches the code of a compiler on the operands."""
        return " ".join(["gridir replay", *_load_options(), f"--image {self.images[compiler]}", str(self.record)])


def write_machine_code(found: Found, directory: Path) -> MachineCodeReproducer:
    """Writes the PTX of a kernel, the machine code of each compiler, and the call with the results that are right.

    Args:
      found: the result of `bisect` for a kernel, with a triage.
      directory: the directory of the files; it is made.

    Raises:
      KernelError: without a triage that has found something.
    """
    compared = found.triage
    if compared is None or compared.fault == NOTHING:
        raise KernelError("expected machine code that is wrong, got none", kernel=found.expected.kernel.name)
    directory.mkdir(parents=True, exist_ok=True)
    stem = f"{found.expected.kernel.name}-machine-code"
    record, ptx = directory / f"{stem}{SUFFIX}", directory / f"{stem}.ptx"
    route = compared.route
    own = passes_of(route.target.pipeline(route.options, route.target.stages[-1]))
    passes = None if route.passes == own else join_passes(route.passes)
    save(dataclasses.replace(to_record(found.expected), passes=passes, wide=_wide(found.expected)), record)
    ptx.write_text(compared.ptx, encoding="utf-8")
    images = {}
    for code in compared.codes:
        if code.image is not None:
            images[code.compiler] = directory / f"{stem}-{re.sub(r'[^0-9A-Za-z.]+', '-', code.compiler)}.cubin"
            images[code.compiler].write_bytes(code.image)
    return MachineCodeReproducer(record, ptx, images)


def _load_options() -> list[str]:
    return [f"--load {name}" for name in loaded()]


def _record(found: Found) -> Record:
    """The record of the call for the target of the route, which may be another one than the kernel's."""
    assert found.wrong is not None
    route = found.wrong.route
    record = dataclasses.replace(to_record(found.expected), wide=_wide(found.expected))
    if route.target.name != found.expected.kernel.target.name:
        return dataclasses.replace(record, target=route.target.name, options=options_of(route.options))
    return record


def _wide(expected: Expected) -> tuple[tuple[np.ndarray, np.ndarray], ...] | None:
    """The run in float64 that measures rounding errors; None if there is none, or if it would be large."""
    if expected.note or sum(x.size for x in expected.call.results) > _WIDE_ELEMENTS:
        return None
    try:
        return tuple(zip(expected.wide.exact, expected.wide.samples, strict=True))
    except UnsupportedError:
        return None
