# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a kernel from the work of its grid steps, for a TPU.

A step takes as long as the slower of its computation and its copies, which run at the same time, and the computation
includes the constant cost of a step. Times of steps add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gridir.frontend.step_work import StepWork, Transfer
from gridir.runtime.chip_constants import Chip
from gridir.runtime.tpu.steps import Prediction, Steps
from gridir.runtime.tpu.tiles import extent_in_tiles


def bytes_of_steps(work: StepWork) -> tuple[np.ndarray, float]:
    """Returns the bytes that are moved while each step computes, and those that are moved while nothing does.

    While a step computes, the blocks of the next step are fetched and those of the step before are written back. So
    nothing hides the first fetch and the last write.
    """
    count = work.steps.count
    total = np.zeros(count) + work.copied
    exposed = 0.0
    for transfer in work.transfers:
        changes = np.ones(count) if transfer.changes is None else transfer.changes.astype(float)
        size = block_bytes(transfer)
        exposed += size
        # The first change of an input is its first fetch. A block of an output is written back after its last step.
        total[: count - 1] += changes[1:] * size if not transfer.is_output else 0
        total[1:] += changes[1:] * size if transfer.is_output else 0
    return total, exposed


def block_bytes(transfer: Transfer) -> float:
    """Returns the bytes of a block in HBM, where arrays have whole tiles."""
    if "smem" in transfer.space.lower():
        return float(np.prod(transfer.block, dtype=float) * transfer.itemsize)
    clipped = tuple(min(block, size) for block, size in zip(transfer.block, transfer.array, strict=True))
    return held_bytes(clipped, transfer.itemsize)


def held_bytes(shape: Sequence[int], itemsize: float) -> float:
    """Returns the bytes of an array in whole tiles."""
    if not shape:
        return float(itemsize)
    extents = [extent_in_tiles(shape, dim, max(int(itemsize * 8), 1)) for dim in range(len(shape))]
    return float(np.prod(extents, dtype=float) * itemsize)


def steps_of_schedule(work: StepWork, cycles: Any) -> Steps:
    """Joins the cycles of a schedule with the bytes of the steps; steps that are alike become one entry.

    Args:
      work: the work of the kernel.
      cycles: a `gridir.runtime.tpu.regions.StepCycles`.
    """
    moved, exposed = bytes_of_steps(work)
    rows = np.stack([cycles.bundles, cycles.products, moved], axis=1)
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    scale = work.total / work.steps.count
    return Steps(
        tuple(float(count * scale) for count in counts),
        *(tuple(map(float, kinds[:, column])) for column in range(3)),
        before=float(cycles.before),
        exposed=exposed,
        notes=cycles.notes,
    )


def predict_schedule(steps: Steps, chip: Chip, parallel: bool) -> Prediction:
    """Predicts the time of a compiled kernel.

    Args:
      steps: its steps.
      chip: the chip.
      parallel: whether a dimension of the grid may be split over the cores of the chip.
    """
    count, cycles, products, moved = (np.array(x) for x in (steps.count, steps.cycles, steps.products, steps.bytes))
    count = count / (chip["cores"] if parallel else 1)
    computing = np.maximum(cycles, chip["product_cycles"] * products) / chip["clock_hz"]
    return _predict(count, computing, moved, chip["step_seconds"], chip, steps.before, steps.exposed)


def predict_work(work: StepWork, chip: Chip, parallel: bool) -> Prediction:
    """Predicts the time of a kernel from its operations alone, before anything is compiled."""
    products = sum((flops * _slowdown(bits) for bits, flops in work.products.items()), np.zeros(1))
    computing = np.maximum(
        products / (chip["flops"] * chip["efficiency"]),
        np.maximum(work.elements / chip["vector_ops"], work.functions / chip["function_ops"]),
    )
    computing = np.broadcast_to(computing, (work.steps.count,))
    scale = work.total / work.steps.count / (chip["cores"] if parallel else 1)
    moved, exposed = bytes_of_steps(work)
    # In an estimate by peaks a step costs a quarter less: some of it overlaps with the products.
    step = 0.75 * chip["step_seconds"]
    return _predict(np.full(work.steps.count, scale), computing, moved, step, chip, 0.0, exposed)


def _slowdown(bits: int) -> float:
    """The relative time of products by the width of their elements, compared with 16 bits."""
    return 0.5 if bits <= 8 else 1.0


def _predict(
    count: np.ndarray,
    computing: np.ndarray,
    moved: np.ndarray,
    step: float,
    chip: Chip,
    before: float,
    exposed: float,
) -> Prediction:
    copying = moved / chip["bandwidth"]
    each = np.maximum(computing + step, copying)
    hidden = copying <= computing + step
    alone = exposed / chip["bandwidth"]
    parts = {
        "memory": float((count * np.where(hidden, 0, copying)).sum()) + alone,
        "compute": float((count * np.where(hidden, computing, 0)).sum()),
        "steps": float((count * np.where(hidden, step, 0)).sum()),
    }
    return Prediction(
        float((count * each).sum()) + alone + before / chip["clock_hz"],
        max(parts, key=lambda name: parts[name]),
        float(count.sum()),
        float((count * moved).sum()) + exposed,
    )
