# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for a GPU: a closed form first, then registers, spills and shared memory as ptxas says, with no GPU."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from gridir import __version__
from gridir.errors import Error
from gridir.frontend.kernel_calls import KernelCall
from gridir.frontend.lower import lower
from gridir.frontend.step_form import WorkBatch, alone
from gridir.frontend.step_work import count_work
from gridir.reading import check_fields, check_value
from gridir.runtime.chip_constants import Chip
from gridir.runtime.ptxas import KernelReport, PtxasError, find_ptxas, ptxas_version
from gridir.tuning.backend import Backend, Finished, Outcome, combine
from gridir.tuning.cache import Cache
from gridir.tuning.ledger import mebibytes, no_steps
from gridir.tuning.measure import available_tiers, measure, run_by_jax
from gridir.tuning.traced import Traced, function_key

_UNCERTAIN = (
    "times of GPUs are rough: a closed form of this kind ranks measured winners within the first 10 %, with times that "
    "are off by a factor of 0.8 to 1.3; measure the first ones"
)
_THREADS = 128
_REGISTERS = 128
_CTA_RESERVED = 1024
"""Bytes of shared memory that CUDA reserves for each CTA."""
_CTA_SECONDS = 1e-6
_SPILL_SECONDS = 4e-9
"""The cost of starting a CTA, and of a byte that a thread spills."""
_KERNEL_FIELDS = {
    "name": str, "ctas": (int, type(None)), "threads": int, "registers": int, "shared_bytes": int, "spill_bytes": int,
}  # fmt: skip
"""The fields of a report of ptxas that a prediction uses, and their types in JSON."""


class GpuBackend(Backend):
    """A GPU, which need not be there."""

    def __init__(self, chip: Chip, cache: Cache, *, jobs: int):
        """Starts nothing yet."""
        self.chip, self._cache, self._jobs = chip, cache, jobs
        self.tiers = available_tiers(chip, bool(find_ptxas()))

    def estimate(self, call: KernelCall, work: WorkBatch) -> list[Outcome]:
        """See `Backend`; with registers and threads that most kernels have."""
        return self._predict(work, work.totals, _threads(call), _REGISTERS, 0, 0)

    def compile(self, traced: dict[int, Traced]) -> Finished:
        """See `Backend`: ptxas runs in separate processes, and its results are cached as soon as they are there."""
        facts = {
            "tier": "compile",
            "chip": self.chip.name,
            "gridir": __version__,
            "jax": metadata.version("jax"),
            "ptxas": ptxas_version(),
        }
        threads = concurrent.futures.ThreadPoolExecutor(self._jobs)
        try:
            futures = {}
            for number, each in traced.items():
                key = function_key(each, facts)
                record = self._cache.get(key, _read_record)
                if record is not None:
                    yield number, self._outcome(each, record)
                    continue
                try:
                    lowered = lower(each.function, *each.args, target=self.chip.name)
                    kernels = [kernel.prepare() for kernel in lowered.kernels]
                except Error as error:
                    yield number, Outcome.illegal(error.message)
                    continue
                futures[threads.submit(self._assemble, key, kernels)] = number
            for future in concurrent.futures.as_completed(futures):
                number = futures[future]
                yield number, self._outcome(traced[number], future.result())
        finally:
            threads.shutdown(cancel_futures=True)

    def _assemble(self, key: str, kernels: list[Any]) -> dict[str, Any]:
        """Assembles the kernels of a function; returns their record."""
        try:
            reports: list[KernelReport] = [kernel.assemble() for kernel in kernels]
        except PtxasError as error:
            record: dict[str, Any] = {"reason": error.message}
            # Another run may give an answer.
            if error.stage != "compile":
                return record
        else:
            record = {"kernels": [report.to_json() for report in reports]}
        self._cache.put(key, record)
        return record

    def measure(self, traced: dict[int, Traced], tell: Callable[[str], None]) -> Finished:
        """See `Backend`: as JAX compiles it for the GPU that is there."""
        return measure(traced, run_by_jax, {"chip": self.chip.name}, self._cache, tell)

    def _outcome(self, traced: Traced, record: dict[str, Any]) -> Outcome:
        if "reason" in record:
            return Outcome.illegal(record["reason"])
        outcomes = []
        for call in traced.calls.kernels:
            kernel = next((k for k in record["kernels"] if k["name"] == call.request.kernel_name), None)
            if kernel is None:
                return Outcome.illegal(f"kernel {call.request.kernel_name} was not compiled")
            work = alone(count_work(call.request, call.sizes, call.scalars))
            (outcome,) = self._predict(
                work,
                np.array([kernel["ctas"]]) if kernel["ctas"] else work.totals,
                kernel["threads"],
                kernel["registers"],
                kernel["shared_bytes"],
                kernel["spill_bytes"],
            )
            outcomes.append((outcome, call.times))
        return combine(outcomes)

    def _predict(
        self, work: WorkBatch, ctas: np.ndarray, threads: int, registers: int, shared_bytes: int, spill_bytes: int
    ) -> list[Outcome]:
        chip, kernels = self.chip, range(len(work.counts))
        if shared_bytes > chip["cta_shared_bytes"]:
            limit = mebibytes(chip["cta_shared_bytes"])
            reason = f"needs {mebibytes(shared_bytes)} of shared memory of a CTA, the limit is {limit}"
            return [Outcome.illegal(reason) for _ in kernels]
        limits = {
            "registers": chip["registers"] // max(registers * threads, 1),
            "shared memory": chip["shared_bytes"] // (shared_bytes + _CTA_RESERVED),
            "threads": chip["threads"] // threads,
            "ctas": chip["ctas"],
        }
        occupancy = int(min(limits.values()))
        if occupancy < 1:
            return [Outcome.illegal(f"no CTA fits: {registers} registers of {threads} threads") for _ in kernels]
        refused = no_steps(work)
        ctas = np.maximum(ctas, 1)
        clock, count = chip["clock_hz"], chip["multiprocessors"]
        # CTAs that run at the same time share the units of a multiprocessor.
        resident = np.minimum(occupancy, np.ceil(ctas / count))
        share = work.scale / ctas * resident
        moved, total_moved = _bytes(work)
        products = sum(map(work.total, work.products.values()), np.zeros(len(work.counts)))
        busy = [
            products / (chip["flops"] / count),
            work.total(work.amount("functions")) / (chip["function_ops"] * clock),
            work.total(work.amount("elements")) / (chip["vector_ops"] * clock),
        ]
        fixed = _CTA_SECONDS + spill_bytes * _SPILL_SECONDS
        parts = {
            "compute": np.max(busy, axis=0) * share,
            "memory": moved / (chip["l2_bandwidth"] / count) * share,
            "steps": np.full(len(work.counts), fixed),
        }
        waves = ctas / (count * resident)
        # The last of few waves is rarely full; of many, CTAs drift apart.
        waves = np.where(waves < 4, np.ceil(waves), waves + 0.3)
        slower = np.maximum(parts["compute"], parts["memory"])
        seconds = np.maximum(waves * (slower + fixed), total_moved / chip["bandwidth"])
        names = list(parts)
        bounds = np.stack(list(parts.values())).argmax(axis=0)
        return [
            Outcome.illegal(refused[i])
            if i in refused
            else Outcome(
                float(seconds[i]),
                "",
                names[bounds[i]],
                shared_bytes,
                {
                    "steps": float(work.totals[i]),
                    "bytes": float(total_moved[i]),
                    "registers": float(registers),
                    "spill_bytes": float(spill_bytes),
                    "occupancy": float(occupancy),
                    "waves": float(waves[i]),
                },
                (*work.notes_of(i), _UNCERTAIN),
            )
            for i in kernels
        ]


def _read_record(record: Any) -> dict[str, Any]:
    """Returns the cache entry of the kernels of a function; raises ValueError for another form."""
    if isinstance(record, dict) and "reason" in record:
        check_fields(record, {"reason": str})
        return record
    check_fields(record, {"kernels": list})
    for kernel in record["kernels"]:
        check_value("a kernel", kernel, dict)
        for name, kind in _KERNEL_FIELDS.items():
            check_value(name, kernel.get(name), kind)
    return record


def _threads(call: KernelCall) -> int:
    warps = getattr(call.request.compiler_params, "num_warps", None)
    return 32 * warps if warps else _THREADS


def _bytes(work: WorkBatch) -> tuple[np.ndarray, np.ndarray]:
    """The bytes that all programs read and write, and those of the arrays, which come from DRAM once."""
    moved = work.total(work.amount("copied"))
    arrays = np.zeros(len(work.counts))
    for transfer in work.transfers:
        # Programs share no memory but global memory: each has blocks of its own.
        moved = moved + work.counts * np.prod(transfer.block, axis=1, dtype=float) * transfer.itemsize
        arrays += np.prod(transfer.array, axis=1, dtype=float) * transfer.itemsize
    return moved, arrays
