# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of a kernel itself: they explain results that differ although every pass is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gridir.bisection.worker import Worker
from gridir.compiler.checks import faults_of
from gridir.compiler.cpu import CpuOptions
from gridir.compiler.pass_list import passes_of
from gridir.compiler.targets import CPU
from gridir.errors import Error
from gridir.recording.record import Record
from gridir.testing import Comparison


def find_unwritten(record: Record, worker: Worker) -> tuple[np.ndarray, ...]:
    """Returns for each result the elements that depend on memory that nothing has written.

    The kernel runs twice on the CPU, with memory that holds zeros at first and with memory that holds NaN. There are
    no such elements if it cannot run there.

    Args:
      record: the record of a call.
      worker: has its operands.
    """
    runs = []
    for fill in ("zero", "nan"):
        options = CpuOptions(fill_memory=fill)
        try:
            kernel = record.kernel("cpu")
        except Error:
            # The module is that of a later stage.
            break
        passes = passes_of(CPU.pipeline(options, kernel.stages[-1]))
        reply = worker.run(record.module, passes, CPU, options)
        if "results" not in reply:
            break
        runs.append(reply["results"])
    if len(runs) < 2:
        return tuple(np.zeros(x.shape, bool) for x in record.results)
    return tuple((x != y) & ~((x != x) & (y != y)) for x, y in zip(*runs, strict=True))


class OwnFaults:
    """The faults of the kernel of a record, which are searched for when results differ.

    Attributes:
      reason: why results differ although no pass has changed them; "" if none did.
    """

    def __init__(self, record: Record, worker: Worker):
        """Searches for nothing yet.

        Args:
          record: the record of a call.
          worker: has its operands.
        """
        self.reason = ""
        self._record, self._worker = record, worker
        self._checks: tuple[str, ...] | None = None
        self._unwritten: tuple[np.ndarray, ...] = ()

    def explain(self, comparisons: Sequence[Comparison]) -> bool:
        """Returns whether faults of the kernel explain all wrong elements of results, and keeps the reason."""
        if self._checks is None:
            kernel = self._record.kernel()
            self._checks = tuple(map(str, faults_of(kernel, kernel.target.name)))
            self._unwritten = () if self._checks else find_unwritten(self._record, self._worker)
        reasons = list(self._checks)
        for number, (found, mask) in enumerate(zip(comparisons, self._unwritten, strict=False)):
            if not found.wrong:
                continue
            if found.wrong_elements is None or (found.wrong_elements & ~mask).any():
                return False
            reasons.append(
                f"{mask.sum()} of {mask.size} elements of result {number} depend on memory that nothing has written"
            )
        if reasons:
            self.reason = "the kernel itself explains the difference: " + "; ".join(reasons)
        return bool(reasons)
