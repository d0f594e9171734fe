# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a kernel of a GPU whose values are in registers, as Triton compiles it, before anything is compiled.

A program is a CTA. Its threads load and store global memory, and copy the operands of products to shared memory. Two
times bound the time of the CTAs of a multiprocessor:

- The units of the multiprocessor, which its CTAs share: matrix units, schedulers, units for functions, shared memory
  and the path from the L2 cache.
- The latency of one CTA, divided by how many run at once: it starts, waits for its first data, and runs the iterations
  of its loops one after the other. An iteration computes its products and what depends on them, and waits for its
  threads. Data that is loaded some stages before it is used arrives after the latency of memory.

A product of 64 rows and more is one of a warpgroup, whose operands are in shared memory. Other products are those of
single warps, which are slower and load their operands into registers first. A CTA without products, where others have
them, only starts.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from gridir.frontend.estimates.step_form import WorkBatch
from gridir.runtime.chip_constants import Chip
from gridir.tuning.gpu_model import SCHEDULERS, Prediction, count_waves, limit_ctas, soft_maximum

_LANES = 32
_ACCESS_BYTES = 16
"""Bytes that one instruction of a thread loads or stores."""
_LOAD_INSTRUCTIONS = 3
_STORE_INSTRUCTIONS = 6
"""Instructions for an access: its address, its condition, and for a result the way through shared memory."""
_SHARED_BYTES = 128
"""Bytes of shared memory that a multiprocessor reads or writes in a cycle: 32 banks of 4 bytes."""
_ISSUE = 0.5
"""Instructions of one warp that a scheduler issues in a cycle, where they depend on each other."""
_ROW_THREADS = 4
_OTHER_REGISTERS = 40
"""Registers of a thread for addresses, counters and the like."""
_MOST_REGISTERS = 255


@dataclasses.dataclass(frozen=True)
class Guess:
    """The resources that a compiler is taken to use; arrays of kernels.

    Attributes:
      registers: registers of a thread.
      spill_bytes: bytes of a thread that do not fit.
      shared_bytes: shared memory of a CTA.
    """

    registers: np.ndarray
    spill_bytes: np.ndarray
    shared_bytes: np.ndarray


def guess_resources(work: WorkBatch, warps: int, stages: int | None, chip: Chip) -> Guess:
    """Returns the resources that a compiler is taken to use for kernels."""
    threads = _LANES * warps
    _, carried, _, _, made, summed, loaded, kept = work.held.T
    if _in_tensor_memory(warps, chip):
        carried = carried - summed
    most = min(_MOST_REGISTERS, chip["registers"] // threads)
    # The largest value that is made is there twice for a while: once more with elements of half the size.
    wanted = (carried + 1.5 * made) / 4 / threads + _OTHER_REGISTERS
    registers = np.clip(wanted, min(_LANES, most), most)
    # Products of warpgroups read 16 bits and less from the buffers, which are in use until they are finished. Other
    # operands are loaded into registers first.
    narrow = work.total(work.amount("narrow")) > 0
    is_read_late = (warps >= 4) & ~narrow & (max(work.products, default=16) <= 16)
    buffers = np.maximum(max(stages or 1, 1) - np.where(is_read_late, 0, 1), 1)
    # Where an operand is too large for its buffers, a compiler takes fewer of them.
    shared = np.minimum(loaded * buffers + kept, chip["cta_shared_bytes"])
    return Guess(registers, np.maximum(wanted - most, 0) * 4, shared)


def _in_tensor_memory(warps: int, chip: Chip) -> bool:
    """Returns whether accumulators of products are in tensor memory."""
    return bool(chip["tensor_memory"]) and warps >= 4


def predict_registers(work: WorkBatch, warps: int, stages: int | None, guess: Guess, chip: Chip) -> Prediction:
    """Predicts the times of kernels.

    Args:
      work: the work of all steps, each a CTA.
      warps: the warps of a CTA.
      stages: how many iterations of a loop are under way at once.
      guess: the resources.
      chip: the chip.
    """
    many, threads, clock, count = len(work.counts), _LANES * warps, chip["clock_hz"], chip["multiprocessors"]
    flops = sum((work.total(x) * bits / 16 for bits, x in work.products.items()), np.zeros(many))
    active = np.maximum(work.totals * _active(work), 1)

    def each(kind: str) -> np.ndarray:
        """The work of a CTA that has products, or of any CTA where none has."""
        return work.total(work.amount(kind)) * work.scale / active

    flops = flops * work.scale / active
    narrow = each("narrow") if warps >= 4 else flops
    alone = np.divide(narrow, flops, out=np.zeros(many), where=flops > 0)
    operands = (1 - alone) * each("rows read") + alone * (each("left") + each("right")) * np.sqrt(warps)
    iterations = each("iterations")
    # The four threads that have a row of a product all have the values of the row.
    copies = np.where(flops > 0, _ROW_THREADS, 1)
    # Warpgroups that divide the columns of a product wait for each other, too.
    shared_rows = np.divide(each("short"), flops, out=np.zeros(many), where=flops > 0) if warps >= 8 else 0.0
    waits = each("waits") * (1 + shared_rows)
    spilled = 2 * guess.spill_bytes * threads * np.maximum(iterations, 1)
    read, written = each("read"), each("written")
    accesses = read / _ACCESS_BYTES * _LOAD_INSTRUCTIONS + written / _ACCESS_BYTES * _STORE_INSTRUCTIONS
    rate = chip["flops"] * chip["efficiency"] / count
    units = {
        "compute": ((flops - narrow) + narrow / chip["narrow_share"]) / rate,
        "functions": each("functions") / (chip["function_ops"] * clock),
        "issue": (each("elements") + each("rows") * copies + accesses) / (chip["vector_ops"] * clock),
        "shared": (operands + spilled) / (_SHARED_BYTES * clock),
        "memory": (read + written) / (chip["l2_bandwidth"] / count),
    }
    limits = limit_ctas(np.full(many, threads), guess.registers, guess.shared_bytes, chip)
    if _in_tensor_memory(warps, chip):
        limits["accumulators"] = chip["tensor_memory"] // np.maximum(work.held[:, 5], 1)
    occupancy = np.min(list(limits.values()), axis=0)
    # The fullest multiprocessor has this many CTAs; where there are many, they even out.
    share = active / count
    share = np.where(share < 4 * np.maximum(occupancy, 1), np.ceil(share), share)
    resident = np.clip(share, 1, np.maximum(occupancy, 1))
    chain = _chain(units, iterations, waits, warps, stages, chip)
    waves = count_waves(share / resident)
    busy = {name: seconds * share for name, seconds in units.items()}
    empty = (work.totals - active) / count * (chip["cta_seconds"] + chip["latency"]) / np.maximum(occupancy, 1)
    moved = sum((np.prod(x.array, axis=1, dtype=float) * x.itemsize for x in work.transfers), np.zeros(many))
    dram = moved / chip["bandwidth"]
    inside = soft_maximum([*busy.values(), waves * chain, dram])
    busy["memory"] = np.maximum(busy["memory"], dram)
    busy["steps"] = waves * chain + empty
    return Prediction(inside + empty + chip["launch_seconds"], occupancy, limits, waves, busy, moved)


def _active(work: WorkBatch) -> np.ndarray:
    """Returns the share of CTAs that have products; 1 where none has."""
    amounts = [work.at_steps(each) for each in work.products.values()]
    if not amounts:
        return np.ones(len(work.counts))
    found = work.sum(np.sum(amounts, axis=0) > 0) / work.counts
    return np.where(found > 0, found, 1)


def _chain(
    units: dict[str, np.ndarray], iterations: np.ndarray, waits: np.ndarray, warps: int, stages: int | None, chip: Chip
) -> np.ndarray:
    """Returns how long a CTA takes that is alone on its multiprocessor."""
    # Warpgroups share the work, and one computes while another waits for products.
    groups = max(warps / SCHEDULERS, 1)
    computing = (units["compute"] + units["functions"] + units["issue"] / _ISSUE) / groups
    computing = computing + waits * chip["sync_seconds"]
    ahead = np.minimum(max(stages or 1, 1) - 1, np.maximum(iterations, 1))
    # The data of the first iterations arrive together.
    waiting = np.maximum(iterations - np.maximum(ahead, 1), 0) * chip["latency"]
    # Without stages each iteration waits for its data before it computes.
    whole = np.where(ahead < 1, computing + waiting, np.maximum(computing, waiting / np.maximum(ahead, 1)))
    return chip["cta_seconds"] + chip["latency"] + whole
