# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a kernel on a GPU, of its resources and the work of a CTA.

Several CTAs run on a multiprocessor at once, and share its units. They take as long as the unit that is busiest:

- the matrix units, at the rate that large products reach;
- the schedulers, which issue an instruction of a warp in a cycle;
- the units for functions such as `exp`;
- the path from the L2 cache, at its bandwidth, and at the bytes that are under way within its latency: those of the
  buffers in shared memory.

They take at least as long as one warpgroup does, which waits for its products before it uses them. The time is a soft
maximum of all of these, times the waves of CTAs. It is at least the time in which DRAM moves the arrays once.

With compiled code, the instructions come from the listing of the machine code: those of the loop that multiplies
matrices, or loads, as often as the work of the kernel demands, and all others once.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gridir.frontend.estimates.step_form import WorkBatch
from gridir.runtime.chip_constants import Chip
from gridir.runtime.ptxas import CodeCounts

CTA_RESERVED = 1024
"""Bytes of shared memory that CUDA reserves for each CTA."""
_LANES = 32
SCHEDULERS = 4
_SHARPNESS = 4
"""The exponent of the soft maximum."""
_ISSUED = 1.3
"""Instructions for each elementwise operation of a warp, where the code is not known."""
_IN_FLIGHT = 4 * 16
"""Bytes that a thread has under way without buffers in shared memory: four accesses of 16 bytes."""


@dataclasses.dataclass(frozen=True)
class Resources:
    """The resources of kernels, each a number or one for each kernel.

    Attributes:
      threads: threads of a CTA.
      groups: warpgroups of a CTA that compute.
      registers: registers of a thread.
      shared_bytes: shared memory of a CTA.
      spill_bytes: bytes that a thread spills.
      code: the counts of the compiled code; None before it is compiled.
    """

    threads: Any
    groups: Any
    registers: Any
    shared_bytes: Any
    spill_bytes: Any = 0
    code: CodeCounts | None = None


@dataclasses.dataclass(frozen=True)
class Prediction:
    """Predictions for several kernels; each attribute is an array of them.

    Attributes:
      seconds: the time.
      occupancy: CTAs that fit on a multiprocessor; 0 if none does.
      limits: the number of CTAs that each resource allows, by its name.
      waves: how often all multiprocessors are filled.
      units: the time of each unit on its own, by its name.
      moved: the bytes that arrays have in DRAM.
    """

    seconds: np.ndarray
    occupancy: np.ndarray
    limits: dict[str, np.ndarray]
    waves: np.ndarray
    units: dict[str, np.ndarray]
    moved: np.ndarray

    def bound(self, number: int) -> str:
        """Returns the name of the unit that takes longest."""
        return max(self.units, key=lambda name: float(self.units[name][number]))


def predict(work: WorkBatch, ctas: np.ndarray, resources: Resources, chip: Chip) -> Prediction:
    """Predicts the times of kernels.

    Args:
      work: the work of all steps.
      ctas: how many CTAs each kernel has.
      resources: see there.
      chip: the chip.
    """
    many = len(work.counts)
    threads, shared = np.broadcast_to(resources.threads, many), np.broadcast_to(resources.shared_bytes, many)
    limits = limit_ctas(threads, np.broadcast_to(resources.registers, many), shared, chip)
    occupancy = np.min(list(limits.values()), axis=0)
    ctas, count = np.maximum(ctas, 1), chip["multiprocessors"]
    # CTAs that run at the same time share the units of a multiprocessor.
    resident = np.clip(np.ceil(ctas / count), 1, np.maximum(occupancy, 1))
    copied, arrays = _bytes(work)
    # The CTA with the most work takes longest, where no other CTA follows it.
    share = work.scale / ctas * np.where(ctas <= count * resident, _imbalance(work, ctas), 1)
    cta = _cta_seconds(work, share, copied, resources, chip)
    # Buffers, or loads of the threads, are under way while the others are used.
    under_way = np.maximum(shared, threads * _IN_FLIGHT) * resident
    latency = resident * copied * share * chip["latency"] / under_way
    busy = {name: seconds * resident for name, seconds in cta.items()}
    busy["memory"] = np.maximum(busy["memory"], latency)
    alone = (cta["compute"] + cta["functions"] + cta["issue"]) / np.broadcast_to(resources.groups, many)
    parts = np.stack([*busy.values(), alone])
    inside = soft_maximum(parts)
    start = chip["cta_seconds"] + np.broadcast_to(resources.spill_bytes, many) * chip["spill_seconds"]
    waves = count_waves(ctas / (count * resident))
    dram = arrays / chip["bandwidth"]
    seconds = np.maximum(waves * (inside + start), dram) + chip["launch_seconds"]
    units = {name: waves * each for name, each in busy.items()}
    units["memory"] = np.maximum(units["memory"], dram)
    units["steps"] = waves * start
    return Prediction(seconds, occupancy, limits, waves, units, arrays)


def _cta_seconds(
    work: WorkBatch, share: np.ndarray, copied: np.ndarray, resources: Resources, chip: Chip
) -> dict[str, np.ndarray]:
    """Returns how long each unit of a multiprocessor works for a CTA."""
    clock, count = chip["clock_hz"], chip["multiprocessors"]
    # The rate of the matrix units is stated for elements of 16 bits.
    scaled = [work.total(amount) * bits / 16 for bits, amount in work.products.items()]
    flops = sum(scaled, np.zeros(len(work.counts))) * share
    functions = work.total(work.amount("functions")) * share
    vector = work.total(work.amount("elements")) * share / chip["vector_ops"]
    issue = vector * _ISSUED
    code = resources.code
    if code is not None:
        products = sum(map(work.total, work.products.values()), np.zeros(len(work.counts))) * share
        trips = code.trips(products, copied * share)
        if trips is not None:
            warps = resources.threads / _LANES
            issue = (trips * code.loop_instructions + warps * code.other_instructions) / SCHEDULERS
            functions = np.maximum(trips * code.loop_functions + warps * code.other_functions, 0) * _LANES
    return {
        "compute": flops / (chip["flops"] * chip["efficiency"] / count),
        "functions": functions / (chip["function_ops"] * clock),
        "issue": issue / clock,
        "memory": copied * share / (chip["l2_bandwidth"] / count),
    }


def _imbalance(work: WorkBatch, ctas: np.ndarray) -> np.ndarray:
    """Returns how much more work the CTA with the most products, or else copies, has than the mean."""
    amount = sum((work.at_steps(each) for each in work.products.values()), np.zeros(int(work.counts.sum())))
    if not amount.any():
        amount = work.at_steps(work.amount("copied"))
    found = np.ones(len(ctas))
    for i, (start, steps, total) in enumerate(zip(work.starts, work.counts, ctas, strict=True)):
        # Consecutive steps of the grid are the warpgroups of a CTA.
        mine, group = amount[start : start + steps], max(int(work.totals[i] // max(total, 1)), 1)
        if steps % group == 0 and (sums := mine.reshape(-1, group).sum(axis=1)).any():
            found[i] = sums.max() / sums.mean()
    return found


def soft_maximum(times: Any) -> np.ndarray:
    """Returns for each kernel a time that is a little longer than the longest of some."""
    return np.asarray((np.stack([*times]) ** _SHARPNESS).sum(axis=0) ** (1 / _SHARPNESS))


def count_waves(waves: np.ndarray) -> np.ndarray:
    """Returns how many waves take time: the last of few is rarely full; of many, CTAs drift apart."""
    return np.where(waves < 4, np.ceil(waves), waves + 0.3)


def limit_ctas(threads: np.ndarray, registers: np.ndarray, shared_bytes: np.ndarray, chip: Chip) -> dict[str, Any]:
    """Returns for each resource how many CTAs of each kernel a multiprocessor has at once.

    Args:
      threads: threads of a CTA.
      registers: registers of a thread, which are allocated in units of 8.
      shared_bytes: shared memory of a CTA.
      chip: the chip.
    """
    return {
        "registers": chip["registers"] // np.maximum(np.ceil(registers / 8) * 8 * threads, 1),
        "shared memory": chip["shared_bytes"] // (shared_bytes + CTA_RESERVED),
        "threads": chip["threads"] // threads,
        "ctas": np.full(len(threads), chip["ctas"]),
    }


def _bytes(work: WorkBatch) -> tuple[np.ndarray, np.ndarray]:
    """The bytes that all evaluated programs read and write, and those of the arrays, which come from DRAM once."""
    moved = work.total(work.amount("copied"))
    if work.in_registers:
        moved = moved + work.total(work.amount("read")) + work.total(work.amount("written"))
    arrays = np.zeros(len(work.counts))
    for transfer in work.transfers:
        arrays += np.prod(transfer.array, axis=1, dtype=float) * transfer.itemsize
        # Programs share no memory but global memory: each has blocks of its own. Those of a mesh copy them themselves.
        if transfer.space != "gmem" and not work.in_registers:
            moved = moved + work.counts * np.prod(transfer.block, axis=1, dtype=float) * transfer.itemsize
    return moved, arrays
