# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a kernel from the work of its grid steps, for a TPU.

A step takes as long as the slower of its computation and its copies, which run at the same time, and the computation
includes the constant cost of a step. Times of steps add up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gridir.frontend.estimates.step_form import BatchTransfer, WorkBatch
from gridir.runtime.chip_constants import Chip
from gridir.runtime.tpu.steps import Prediction, Steps
from gridir.runtime.tpu.tiles import extents_in_tiles


def bytes_of_steps(work: WorkBatch) -> tuple[np.ndarray, np.ndarray]:
    """Returns for each step the bytes moved while it computes, and for each kernel those moved while nothing does.

    While a step computes, the blocks of the next step are fetched and those of the step before are written back.
    Therefore nothing hides the first fetch and the last write.
    """
    moved = work.at_steps(work.amount("copied"))
    exposed = np.zeros(len(work.counts))
    for transfer in work.transfers:
        size = block_bytes(transfer)
        exposed += size
        if not transfer.block.shape[1] or (transfer.changes is not None and not transfer.changes.any()):
            continue
        each = np.repeat(size, work.counts)
        if transfer.changes is None:
            each[work.starts] = 0
        else:
            each *= transfer.changes
        # The first change of an input is its first fetch. A block of an output is written back after its last step.
        if transfer.is_output:
            moved += each
        else:
            moved[:-1] += each[1:]
    return moved, exposed


def block_bytes(transfer: BatchTransfer) -> np.ndarray:
    """Returns for each kernel the bytes of a block in HBM, where arrays have whole tiles."""
    if "smem" in transfer.space.lower():
        return np.prod(transfer.block, axis=1, dtype=float) * transfer.itemsize
    return held_bytes(np.minimum(transfer.block, transfer.array), transfer.itemsize)


def held_bytes(shapes: np.ndarray, itemsize: float) -> np.ndarray:
    """Returns the bytes of arrays in whole tiles; each row is a shape."""
    extents = extents_in_tiles(shapes, max(int(itemsize * 8), 1))
    return np.prod(extents, axis=1, dtype=float) * itemsize


def steps_of_schedule(work: WorkBatch, cycles: Any) -> Steps:
    """Joins the cycles of a schedule with the bytes of the steps; steps that are alike become one entry.

    Args:
      work: the work of one kernel.
      cycles: a `gridir.runtime.tpu.regions.StepCycles`.
    """
    moved, exposed = bytes_of_steps(work)
    rows = np.stack([cycles.bundles, cycles.products, moved], axis=1)
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    (scale,) = work.scale
    return Steps(
        tuple(float(count * scale) for count in counts),
        *(tuple(map(float, kinds[:, column])) for column in range(3)),
        before=float(cycles.before),
        exposed=float(exposed[0]),
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
    (found,) = _predict(
        np.zeros(1, np.int64),
        count,
        computing,
        moved,
        chip["step_seconds"],
        chip,
        np.array([steps.before]),
        np.array([steps.exposed]),
    )
    return found


def predict_work(work: WorkBatch, chip: Chip, parallel: bool) -> list[Prediction]:
    """Predicts the times of kernels from their operations alone, before anything is compiled."""
    peaks = {
        "elements": chip["vector_ops"],
        "functions": chip["function_ops"],
    }
    products = sum(
        (work.at_steps(flops) * _slowdown(bits) for bits, flops in work.products.items()), np.zeros(len(work.owner))
    )
    computing = products / (chip["flops"] * chip["efficiency"])
    for kind, peak in peaks.items():
        np.maximum(computing, work.at_steps(work.amount(kind)) / peak, out=computing)
    scale = np.repeat(work.scale / (chip["cores"] if parallel else 1), work.counts)
    moved, exposed = bytes_of_steps(work)
    # In an estimate by peaks a step costs a quarter less: some of it overlaps with the products.
    step = 0.75 * chip["step_seconds"]
    return _predict(work.starts, scale, computing, moved, step, chip, np.zeros(len(exposed)), exposed)


def _slowdown(bits: int) -> float:
    """The relative time of products by the width of their elements, compared with 16 bits."""
    return 0.5 if bits <= 8 else 1.0


_PARTS = ("memory", "compute", "steps")


def _predict(
    starts: np.ndarray,
    count: np.ndarray,
    computing: np.ndarray,
    moved: np.ndarray,
    step: float,
    chip: Chip,
    before: np.ndarray,
    exposed: np.ndarray,
) -> list[Prediction]:
    """Predicts the times of kernels whose steps begin at `starts`; the other arrays have steps or kernels."""

    def total(values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(count * values, starts)

    copying = moved / chip["bandwidth"]
    busy = computing + step
    hidden = copying <= busy
    alone = exposed / chip["bandwidth"]
    parts = np.stack([total(np.where(hidden, 0, copying)) + alone, total(hidden * computing), total(hidden * step)])
    seconds = total(np.maximum(busy, copying)) + alone + before / chip["clock_hz"]
    bounds = parts.argmax(axis=0)
    steps = np.add.reduceat(count, starts)
    sizes = total(moved) + exposed
    return [
        Prediction(*each)
        for each in zip(seconds.tolist(), [_PARTS[i] for i in bounds], steps.tolist(), sizes.tolist(), strict=True)
    ]
