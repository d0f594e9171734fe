# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a kernel of a GPU whose values are in registers, as Triton compiles it, before anything is compiled.

A program is a CTA. Its threads load and store global memory, and copy the operands of products to shared memory. The
CTAs of a multiprocessor take turns at its matrix units, schedulers and units for functions. The warps of a CTA wait for
each other in every iteration of a loop; therefore, a CTA uses one unit at a time, and its own latencies delay it: it
starts, waits for its first data, for its products, and for instructions that depend on each other. Data that is loaded
some stages before it is used arrives after the latency of memory. Mean value analysis of this closed queueing network
gives the rate at which CTAs finish. Shared memory, the path from the L2 cache, and DRAM bound the time as well.

A product of 64 rows and more is one of a warpgroup, whose operands are in shared memory. Other products are those of
single warps, which are slower and load their operands into registers first. Where a product needs the result of another
one, the warps of a CTA divide the rows of both; warps without rows of their own repeat the work of others. A CTA
without products, where others have them, takes a time of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from gridir.frontend.estimates.step_form import WorkBatch
from gridir.runtime.chip_constants import Chip
from gridir.runtime.ptxas import CodeCounts
from gridir.tuning.gpu_model import SCHEDULERS, Prediction, count_waves, limit_ctas, soft_maximum

_LANES = 32
_ACCESS_BYTES = 16
"""Bytes that one instruction of a thread loads or stores."""
_LOAD_INSTRUCTIONS = 3
_STORE_INSTRUCTIONS = 6
"""Instructions for an access: its address, its condition, and for a result the way through shared memory."""
_ITERATION_INSTRUCTIONS = 50
_CTA_INSTRUCTIONS = 150
"""Instructions of a warp for an iteration of a loop with products, and for a CTA, beside operations and accesses.

They were counted in the code of Triton 3.9 for sm_90a, as were the registers below: 45 to 60, and 140 to 230.
"""
_SHARED_BYTES = 128
"""Bytes of shared memory that a multiprocessor reads or writes in a cycle: 32 banks of 4 bytes."""
_ISSUE = 0.5
"""Instructions of one warp that a scheduler issues in a cycle, where they depend on each other."""
_ROW_THREADS = 4
_WARP_ROWS = 16
"""The rows of a product that one warp has."""
_OTHER_REGISTERS = 32
"""Registers of a thread for addresses, counters and the like: 26 to 37 beside the accumulators of plain products."""
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
    _, carried, _, _, made, summed, staged, kept = work.held.T
    if _in_tensor_memory(warps, chip):
        carried = carried - summed
    most = min(_MOST_REGISTERS, chip["registers"] // threads)
    # Products of warpgroups read 16 bits and less from the buffers, which are in use until they are finished. Other
    # operands are loaded into registers first.
    narrow = work.total(work.amount("narrow")) > 0
    is_read_late = _has_warpgroup_products(warps, chip) & ~narrow & (max(work.products, default=16) <= 16)
    # The largest value that is made is there twice for a while: once more with elements of half the size. An operand
    # from outside of the loop stays in registers, too.
    values = carried + 1.5 * made * _repeats(work, warps) + kept + np.where(is_read_late, 0, staged)
    wanted = values / 4 / threads + _OTHER_REGISTERS
    registers = np.clip(wanted, min(_LANES, most), most)
    # A product has all of its accumulators in registers: where some do not fit, all are moved.
    spilled = np.where(wanted > most, (wanted - most) * 4 + carried / threads, 0)
    # Without products, loaded values are in registers alone.
    buffers = np.maximum(max(stages or 1, 1) - np.where(is_read_late, 0, 1), 1)
    return Guess(registers, spilled, (staged * buffers + kept) * bool(work.products))


def _repeats(work: WorkBatch, warps: int) -> np.ndarray:
    """Returns how many warps compute each row of a product that another one needs, and of what is between them."""
    chained, by_rows = (work.total(work.amount(kind)) for kind in ("chained", "chained by rows"))
    rows = np.divide(chained, by_rows, out=np.full(len(work.counts), np.inf), where=by_rows > 0)
    return np.maximum(_WARP_ROWS * warps / rows, 1)


def _has_warpgroup_products(warps: int, chip: Chip) -> bool:
    """Returns whether warpgroups multiply in CTAs of this number of warps; single warps multiply on all chips."""
    return chip["narrow_share"] < 1 and warps >= SCHEDULERS


def _in_tensor_memory(warps: int, chip: Chip) -> bool:
    """Returns whether accumulators of products are in tensor memory."""
    return bool(chip["tensor_memory"]) and warps >= 4


def predict_registers(
    work: WorkBatch, warps: int, stages: int | None, guess: Guess, chip: Chip, code: CodeCounts | None = None
) -> Prediction:
    """Predicts the times of kernels.

    Args:
      work: the work of all steps, each a CTA.
      warps: the warps of a CTA.
      stages: how many iterations of a loop are under way at once.
      guess: the resources.
      chip: the chip.
      code: the counts of the code of the only kernel, once it is compiled.
    """
    many, threads, clock, count = len(work.counts), _LANES * warps, chip["clock_hz"], chip["multiprocessors"]
    ahead_of_use = max(stages or 1, 1) - 1
    active = np.maximum(work.totals * _active(work), 1)

    def each(kind: str | int) -> np.ndarray:
        """The work of a CTA that has products, or of any CTA where none has."""
        amount = work.products[kind] if isinstance(kind, int) else work.amount(kind)
        return work.total(amount) * work.scale / active

    once = sum((each(bits) * bits / 16 for bits in work.products), np.zeros(many))
    has_products = once > 0
    repeats, chained = _repeats(work, warps), each("chained")
    flops = (once - chained) * repeats + chained
    narrow = each("narrow") if _has_warpgroup_products(warps, chip) else flops
    if code is not None and code.loop_flops:
        narrow = flops * code.loop_warp_flops / code.loop_flops
    alone = np.minimum(np.divide(narrow, flops, out=np.zeros(many), where=has_products), 1)
    by_warps = alone * (each("left") + each("right")) * np.sqrt(warps)
    by_groups = (1 - alone) * each("rows read")
    iterations = each("iterations")
    # The four threads that have a row of a product all have the values of the row.
    copies = np.where(has_products, _ROW_THREADS, 1)
    # Warpgroups that divide the columns of a product wait for each other, too.
    divides = has_products & (chained == 0) & (warps >= 2 * SCHEDULERS)
    waits = each("waits") * (1 + np.divide(each("short"), once, out=np.zeros(many), where=divides))
    spilled = guess.spill_bytes * threads * np.maximum(iterations, 1)
    read, written = each("read"), each("written")
    # Loads before the loop are as many as those of the stages that are ahead.
    before = np.where(has_products, work.held[:, 6] * ahead_of_use, 0)
    accesses = (read + before) / _ACCESS_BYTES * _LOAD_INSTRUCTIONS + written / _ACCESS_BYTES * _STORE_INSTRUCTIONS
    fixed = threads * (_CTA_INSTRUCTIONS + np.where(has_products, _ITERATION_INSTRUCTIONS * iterations, 0))
    instructions = (each("elements") + each("rows") * copies) * repeats + accesses + fixed + spilled / 4
    functions, shared = each("functions") * repeats, by_groups + by_warps + spilled
    if code is not None:
        # The kernel says how often its loop with products runs, and the bytes how often others do.
        around = (read + written) / code.loop_bytes if code.loop_bytes else np.zeros(many)
        trips = np.where(has_products, warps * iterations, around)
        instructions = _LANES * (trips * code.loop_instructions + warps * code.other_instructions)
        functions = _LANES * (trips * code.loop_functions + warps * code.other_functions)
        # Products of warpgroups read their operands themselves.
        shared = by_groups + trips * code.loop_shared_bytes + warps * code.other_shared_bytes
    units = {
        "compute": ((flops - narrow) + narrow / chip["narrow_share"]) / (chip["flops"] * chip["efficiency"] / count),
        "functions": functions / (chip["function_ops"] * clock),
        # Half of the operations of a GPU with few units for floats are others, which have units of their own.
        "issue": instructions / (SCHEDULERS * _LANES * clock),
        "shared": shared / (_SHARED_BYTES * clock),
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
    chain = _chain(units, iterations, waits, warps, ahead_of_use, chip)
    waves = share / resident
    turns = [units[name] for name in ("compute", "issue", "functions")]
    rate = finish_rate(turns, np.maximum(chain - sum(turns), 0), resident)
    computing = share / rate * count_waves(waves) / waves
    busy = {name: seconds * share for name, seconds in units.items()}
    empty = (work.totals - active) / count * chip["empty_seconds"] / np.maximum(occupancy, 1)
    moved = sum((np.prod(x.array, axis=1, dtype=float) * x.itemsize for x in work.transfers), np.zeros(many))
    dram = moved / chip["bandwidth"]
    inside = soft_maximum([computing, busy["shared"], busy["memory"], dram])
    busy["memory"] = np.maximum(busy["memory"], dram)
    busy["steps"] = np.maximum(computing - np.max([seconds * share for seconds in turns], axis=0), 0) + empty
    return Prediction(inside + empty + chip["launch_seconds"], occupancy, limits, count_waves(waves), busy, moved)


def finish_rate(turns: Sequence[np.ndarray], delay: np.ndarray, residents: np.ndarray) -> np.ndarray:
    """Returns how many CTAs a multiprocessor finishes in a second, by mean value analysis.

    Args:
      turns: for each unit that CTAs wait for, how long a CTA uses it.
      delay: how long a CTA is delayed by itself.
      residents: how many CTAs there are at once.
    """
    queues = [np.zeros(len(delay)) for _ in turns]
    rate = np.zeros(len(delay))
    for number in range(1, int(residents.max(initial=1)) + 1):
        # A CTA that arrives at a unit finds those that would be there without it.
        times = [seconds * (1 + queue) for seconds, queue in zip(turns, queues, strict=True)]
        rate = np.where(number <= residents, number / (delay + sum(times)), rate)
        queues = [rate * seconds for seconds in times]
    return rate


def _active(work: WorkBatch) -> np.ndarray:
    """Returns the share of CTAs that have products; 1 where none has."""
    amounts = [work.at_steps(each) for each in work.products.values()]
    if not amounts:
        return np.ones(len(work.counts))
    found = work.sum(np.sum(amounts, axis=0) > 0) / work.counts
    return np.where(found > 0, found, 1)


def _chain(
    units: dict[str, np.ndarray], iterations: np.ndarray, waits: np.ndarray, warps: int, ahead_of_use: int, chip: Chip
) -> np.ndarray:
    """Returns how long a CTA takes that is alone on its multiprocessor."""
    # The warps of a scheduler issue instructions in turn; a CTA of few warps uses few schedulers.
    groups = warps / SCHEDULERS
    issuing = units["issue"] / min(_ISSUE * groups, 1)
    computing = units["compute"] + np.maximum(units["functions"] / min(groups, 1), issuing)
    computing = computing + waits * chip["sync_seconds"]
    ahead = np.minimum(ahead_of_use, np.maximum(iterations, 1))
    # The data of the first iterations arrive together.
    waiting = np.maximum(iterations - np.maximum(ahead, 1), 0) * chip["latency"]
    # Without stages each iteration waits for its data before it computes.
    staged = soft_maximum([computing, waiting / np.maximum(ahead, 1)])
    return chip["cta_seconds"] + chip["latency"] + np.where(ahead < 1, computing + waiting, staged)
