# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces a module by `gridir-reduce` as long as two routes give different results.

The correct result of a smaller module is not known. The search therefore watches one element in which the results
differ: the correct route must still compute its original value, and the wrong route another one. A smaller module
cannot be computed in float64 either, so only a difference beyond a tolerance of the type counts.

`gridir-reduce` runs a test program on each candidate module. That program only forwards the request through a pipe, so
that no interpreter is started for each candidate.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gridir.bisection.worker import Worker
from gridir.compiler.passes import parse_module, to_bytecode
from gridir.errors import Error, OptionError
from gridir.mlir import ir
from gridir.recording.record import Record
from gridir.testing import compare

Run = Callable[[bytes], Sequence[np.ndarray] | None]
"""Returns the results of a module as bytecode, or None."""

# The exit statuses of a test of mlir-reduce.
_BORING, _INTERESTING = 0, 1

_REDUCER = "import sys; from gridir.mlir._mlir_libs import _gridirDialects as d; sys.exit(d.reduce_main(sys.argv[1:]))"
_SCRIPT = """#!/bin/sh
echo "$1" > '{directory}/questions'
read answer < '{directory}/answers'
exit "$answer"
"""


class Reduction:
    """The search for a small module whose results differ between two routes."""

    def __init__(self, right: Run, wrong: Run, *, seconds: float = 60):
        """Starts nothing yet.

        Args:
          right: the route whose results are right.
          wrong: the other one.
          seconds: after how long no further change is tried.
        """
        self._right, self._wrong, self._seconds = right, wrong, seconds
        self.tried = 0
        """The number of modules that were run."""

    def run(self, module: bytes) -> bytes:
        """Returns a smaller module as bytecode, or the same where none is, or where the two routes agree about it."""
        self._watched = self._find(module)
        if self._watched is None:
            return module
        self._end = time.monotonic() + self._seconds
        with tempfile.TemporaryDirectory(prefix="gridir-reduce-") as directory:
            path = Path(directory)
            (path / "module.mlir").write_text(_text(module), encoding="utf-8")
            reduced = self._reduce(path)
        return reduced if reduced is not None and self._still_differs(reduced) else module

    def _find(self, module: bytes) -> tuple[int, tuple[int, ...], Any] | None:
        """The result and the index of the element that differs most, and its value; None where nothing is wrong."""
        right, wrong = self._right(module), self._wrong(module)
        if right is None or not _differ(right, wrong):
            return None
        for number, x in enumerate(right):
            y = wrong[number] if wrong is not None else np.full(x.shape, np.nan)
            apart = np.nan_to_num(np.abs(_numbers(x) - _numbers(y)), nan=np.inf, posinf=np.inf)
            apart = np.where(np.isfinite(_numbers(x)), apart, 0)
            if apart.size and apart.max() > 0:
                index = tuple(map(int, np.unravel_index(np.argmax(apart), apart.shape)))
                return number, index, _numbers(x)[index]
        return None

    def _still_differs(self, module: bytes) -> bool:
        assert self._watched is not None
        number, index, value = self._watched
        self.tried += 1
        right = self._right(module)
        if right is None or _numbers(right[number])[index] != value:
            return False
        wrong = self._wrong(module)
        return wrong is None or (_numbers(wrong[number])[index] != value and _differ(right, wrong))

    def _reduce(self, directory: Path) -> bytes | None:
        script = directory / "test.sh"
        script.write_text(_SCRIPT.format(directory=directory), encoding="utf-8")
        script.chmod(0o700)
        for name in ("questions", "answers"):
            os.mkfifo(directory / name)
        output = directory / "reduced.mlir"
        pass_ = f"--reduction-tree=traversal-mode=0 test={script}"
        command = [sys.executable, "-c", _REDUCER, "gridir-reduce", str(directory / "module.mlir"), pass_]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        with contextlib.ExitStack() as stack:
            # Open for reading too: the requester may have died, and its writer must not block.
            answers = os.open(directory / "answers", os.O_RDWR)
            stack.callback(os.close, answers)
            process = stack.enter_context(
                subprocess.Popen(
                    [*command, "-o", str(output)],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            for question in self._questions(directory, process):
                interesting = time.monotonic() < self._end and self._is_interesting(question)
                os.write(answers, f"{_INTERESTING if interesting else _BORING}\n".encode())
        return _read(output) if process.returncode == 0 else None

    @staticmethod
    def _questions(directory: Path, process: subprocess.Popen[bytes]) -> Iterator[str]:
        """The paths of the candidates, until the reducer ends."""
        # Open for writing too, so that it does not end between two questions.
        with contextlib.closing(os.fdopen(os.open(directory / "questions", os.O_RDWR), "rb", buffering=0)) as pipe:
            while process.poll() is None:
                if select.select([pipe], [], [], 0.05)[0]:
                    yield pipe.readline().decode().strip()

    def _is_interesting(self, path: str) -> bool:
        module = _read(Path(path))
        return module is not None and self._still_differs(module)


def _differ(right: Sequence[np.ndarray], wrong: Sequence[np.ndarray] | None) -> bool:
    """True if results differ, also for a module that nothing can evaluate in float64."""
    return wrong is None or any(one.wrong for one in compare(list(wrong), list(right)))


def _numbers(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _text(module: bytes) -> str:
    return parse_module(module).operation.get_asm(enable_debug_info=True)


def _read(path: Path) -> bytes | None:
    """A module that the reducer has written; None for one that is none."""
    try:
        return to_bytecode(parse_module(path.read_bytes()))
    except (Error, OSError):
        return None


def reduce_record(record: Record, target: str | None = None, *, seconds: float = 60) -> tuple[Record, tuple[int, int]]:
    """Reduces the module of a record as long as its results differ.

    Args:
      record: a record with passes that are right beside those that are not, as `gridir bisect` writes it.
      target: another target than the record's, whose results differ from those.
      seconds: after how long no further change is tried.

    Returns:
      The record, with the results of the right route, and the number of ops before and after.

    Raises:
      OptionError: if the expected results are not known.
    """
    if target is None and record.right_passes is None:
        raise OptionError("expected a record with passes that are right, or another target, got neither")
    right = record if record.right_passes is None else dataclasses.replace(record, passes=record.right_passes)
    with Worker(seconds) as worker:
        worker.load(record)

        def route(record: Record, target: str | None) -> Run:
            kernel = record.kernel(target)
            passes = record.passes
            if passes is None:
                passes = kernel.target.pipeline(kernel.options, kernel.stages[-1])
            return lambda module: worker.run(module, [passes], kernel.target, kernel.options).get("results")

        run_right, run_wrong = route(right, None), route(record, target)
        module = Reduction(run_right, run_wrong, seconds=seconds).run(record.module)
        results = run_right(module)
    counts = count_ops(record.module), count_ops(module)
    if results is None or module == record.module:
        return record, counts
    return dataclasses.replace(record, module=module, results=tuple(results), wide=None), counts


def count_ops(module: bytes) -> int:
    """Returns how many ops a module has."""
    count = 0

    def visit(_: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    parse_module(module).operation.walk(visit)
    return count - 1
