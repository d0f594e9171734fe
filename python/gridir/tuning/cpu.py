# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for the CPU: a rough order first, then the times of native code on this machine."""

from __future__ import annotations

import itertools
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gridir.frontend.estimates.kernel_calls import KernelCall
from gridir.frontend.estimates.step_form import WorkBatch
from gridir.frontend.lower import lower
from gridir.runtime.chip_constants import Chip
from gridir.tuning.backend import Backend, Finished, Outcome
from gridir.tuning.cache import Cache
from gridir.tuning.ledger import no_steps
from gridir.tuning.measure import measure
from gridir.tuning.traced import Traced


class CpuBackend(Backend):
    """The CPU of this machine."""

    tiers = ("estimate", "measure")

    def __init__(self, chip: Chip, cache: Cache):
        """Measures nothing yet."""
        self.chip, self._cache = chip, cache

    def estimate(self, call: KernelCall, work: WorkBatch) -> list[Outcome]:
        """See `Backend`: a rough order, since caches and vector units of CPUs are not modelled."""
        chip = self.chip
        refused = no_steps(work)
        moved, held = np.zeros(len(work.counts)), np.zeros(len(work.counts))
        for transfer in work.transfers:
            held += np.prod(transfer.block, axis=1, dtype=float) * transfer.itemsize
            changes = work.counts if transfer.changes is None else 1 + work.sum(transfer.changes.astype(float))
            moved += changes * np.prod(transfer.block, axis=1, dtype=float) * transfer.itemsize
        for _, shapes, itemsize in work.scratch:
            held += np.prod(shapes, axis=1, dtype=float) * itemsize
        products = sum(map(work.total, work.products.values()), np.zeros(len(work.counts)))
        parts = {
            "compute": products / chip["flops"]
            + work.total(work.amount("elements")) / chip["vector_ops"]
            + work.total(work.amount("functions")) / chip["function_ops"],
            "memory": moved / chip["bandwidth"],
            "steps": work.counts * chip["step_seconds"],
        }
        names = list(parts)
        totals = np.stack(list(parts.values())) * work.scale
        bounds, seconds, moved = totals.argmax(axis=0), totals.sum(axis=0), moved * work.scale
        return [
            Outcome.illegal(refused[i])
            if i in refused
            else Outcome(
                float(seconds[i]),
                "",
                names[bounds[i]],
                int(held[i]),
                {"steps": float(work.totals[i]), "bytes": float(moved[i])},
                work.notes_of(i),
            )
            for i in range(len(seconds))
        ]

    def measured_order(self, outcomes: Sequence[Outcome]) -> list[int]:
        """See `Backend`: configurations of each size of blocks take turns, since the estimate sees no caches."""
        sizes: dict[int, list[int]] = {}
        for number, outcome in enumerate(outcomes):
            sizes.setdefault(outcome.memory_bytes.bit_length(), []).append(number)
        turns = itertools.zip_longest(*sizes.values())
        return [number for turn in turns for number in turn if number is not None]

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
