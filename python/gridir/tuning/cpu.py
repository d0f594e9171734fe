# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for the CPU: a rough order first, then the times of native code on this machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gridir.frontend.lower import lower
from gridir.frontend.step_work import StepWork
from gridir.runtime.chip_constants import Chip
from gridir.tuning.backend import Backend, Finished, Outcome, estimate_kernels
from gridir.tuning.cache import Cache
from gridir.tuning.measure import measure
from gridir.tuning.traced import Traced


class CpuBackend(Backend):
    """The CPU of this machine."""

    tiers = ("estimate", "measure")

    def __init__(self, chip: Chip, cache: Cache):
        """Measures nothing yet."""
        self.chip, self._cache = chip, cache

    def estimate(self, traced: Traced) -> Outcome:
        """See `Backend`: a rough order, since caches and vector units of CPUs are not modelled."""
        return estimate_kernels(traced, lambda _, work: self._predict(work))

    def _predict(self, work: StepWork) -> Outcome:
        chip, count = self.chip, work.steps.count
        moved = np.zeros(count)
        for transfer in work.transfers:
            changes = np.ones(count) if transfer.changes is None else transfer.changes
            moved += changes * float(np.prod(transfer.block)) * transfer.itemsize
        parts = {
            "compute": sum(work.products.values(), np.zeros(1)) / chip["flops"]
            + work.elements / chip["vector_ops"]
            + work.functions / chip["function_ops"],
            "memory": moved / chip["bandwidth"],
            "steps": np.full(count, chip["step_seconds"]),
        }
        scale = work.total / count
        totals = {name: float(np.broadcast_to(part, (count,)).sum() * scale) for name, part in parts.items()}
        figures = {"steps": float(work.total), "bytes": float(moved.sum() * scale)}
        return Outcome(sum(totals.values()), "", max(totals, key=lambda name: totals[name]), 0, figures)

    def measure(self, traced: dict[int, Traced], tell: Callable[[str], None]) -> Finished:
        """See `Backend`: gridir's native code."""

        def prepare(each: Traced) -> Callable[..., Any]:
            return lower(each.function, *each.args).compile()

        return measure(traced, prepare, _cpu(), self._cache, tell)


def _cpu() -> dict[str, Any]:
    """Returns the identity of this machine's CPU."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass  # Not Linux: the name of the processor has to do.
    return {"model": model, "processors": len(os.sched_getaffinity(0))}
