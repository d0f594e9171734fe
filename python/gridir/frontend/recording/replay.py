# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of calls of kernels: created from the calls of a program, written as files, and run again."""

from __future__ import annotations

import dataclasses
import itertools
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from gridir.compiler.gpu import GpuOptions
from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import parse_module, run_pipeline, shared_context, to_bytecode
from gridir.errors import OptionError
from gridir.frontend.recording.recorder import Call, Recorder
from gridir.frontend.targets.gpu_call import executor_of
from gridir.frontend.targets.hooks import hooks_of
from gridir.recording.archive import SUFFIX, save
from gridir.recording.record import Record, draw, options_of, versions


def record_of(call: Call, *, oracle: str = "gridir", program: str = "") -> Record:
    """Returns the record of a call.

    Args:
      oracle: whose the results of the call are.
      program: the caller, for people.
    """
    kernel, request = call.kernel, call.request
    chip = getattr(kernel.target, "chip", "")
    return Record(
        name=kernel.name,
        module=kernel.bytecode,
        target=f"{kernel.target.name}:{chip}" if chip else kernel.target.name,
        options=options_of(kernel.options),
        operands=call.operands,
        results=call.results,
        oracle=oracle,
        aliases=request.operand_aliases,
        seconds=call.seconds,
        error=call.error,
        source=kernel.source,
        program=program,
        versions=versions(),
    )


class FileRecorder(Recorder):
    """Writes each call of a kernel to a separate file in a directory, as soon as it has ended.

    Attributes:
      paths: the files so far.
    """

    def __init__(self, directory: Path, *, program: str = "", seed: int | None = None, limit: int | None = None):
        """Makes the directory.

        Args:
          directory: where the files are.
          program: the caller of the kernels, for people.
          seed: keeps this number instead of the floats among the operands, and the results that they give.
          limit: how many calls of a kernel are kept; None for all.
        """
        super().__init__(self._write)
        directory.mkdir(parents=True, exist_ok=True)
        self.paths: list[Path] = []
        self._directory, self._program, self._seed, self._limit = directory, program, seed, limit
        self._calls: dict[str, int] = {}
        self._drawn: list[tuple[Path, Record]] = []

    def _write(self, call: Call) -> None:
        key = call.kernel.key
        self._calls[key] = self._calls.get(key, 0) + 1
        if self._limit is not None and self._calls[key] > self._limit:
            return
        record = record_of(call, program=self._program)
        # The path of another program's record in the same directory is not taken.
        name = re.sub(r"[^\w.-]", "_", record.name)
        paths = (self._directory / f"{name}-{number}{SUFFIX}" for number in itertools.count(1))
        path = next(path for path in paths if path not in self.paths and not path.exists())
        self.paths.append(path)
        if self._seed is None:
            save(record, path)
        else:
            self._drawn.append((path, record))

    def close(self) -> None:
        """Runs the calls whose operands are drawn by a seed, and writes them: no kernel may run while one is called."""
        for path, record in self._drawn:
            assert self._seed is not None
            drawn = dataclasses.replace(record, operands=draw(record.operands, self._seed), seed=self._seed)
            if not record.error:
                results, seconds = run(drawn)
                drawn = dataclasses.replace(drawn, results=results, seconds=seconds)
            save(drawn, path)
        self._drawn = []


def run(
    record: Record,
    target: str | None = None,
    *,
    repeat: int = 1,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    device: int | None = None,
    image: bytes | None = None,
) -> tuple[tuple[np.ndarray, ...], float]:
    """Runs the kernel of a record on its operands.

    Args:
      record: the record.
      target: the target, as "gpu:sm_80"; by default that of the record.
      repeat: the number of runs.
      checks: the checks of the running kernel, in addition to the record's options.
      schedule_seed: the seed of the order of concurrent work; None for the record's.
      device: the GPU of this machine that runs the kernel; None for an emulator on the CPU.
      image: a cubin or a text of PTX that the GPU runs instead of the code that the kernel is compiled to.

    Returns:
      The results, and the seconds that the fastest run took.

    Raises:
      OptionError: for an unknown target, for options that it does not have, and for checks of a kernel whose
        passes the record has.
      CompileError: when a pass refuses the kernel.
      LaunchError, ExecutionError, DriverError: when it fails.
    """
    kernel = record.kernel(target)
    if checks or schedule_seed is not None:
        if record.passes is not None:
            raise OptionError("expected no checks, since the record fixes the passes of its module")
        kernel = dataclasses.replace(kernel, options=kernel.options.with_checks(checks, schedule_seed))
    if isinstance(kernel.options, GpuOptions):
        # The record may come from a machine with other devices.
        kernel = dataclasses.replace(kernel, options=dataclasses.replace(kernel.options, device=device))
    if record.passes is not None:
        module = parse_module(record.module, kernel=record.name, context=shared_context())
        run_pipeline(module, record.passes, kernel=record.name, source=record.module)
        kernel = Kernel.at_last_stage(record.name, kernel.target, kernel.options, to_bytecode(module))
    if image is None:
        execute = hooks_of(kernel.target).executor(kernel)
    else:
        execute = executor_of(dataclasses.replace(kernel.prepare(), image=image))
    types = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in record.results]
    seconds, results = float("inf"), ()
    for _ in range(max(repeat, 1)):
        operands: list[Any] = [np.array(x) for x in record.operands]
        start = time.perf_counter()
        results = tuple(execute(operands, types, record.aliases))
        seconds = min(seconds, time.perf_counter() - start)
    return results, seconds
