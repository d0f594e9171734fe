# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for a TPU: peaks and bytes first, then the schedule that libtpu makes, with no TPU."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import importlib.util
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from gridir import __version__
from gridir.errors import Error
from gridir.frontend.estimates.kernel_calls import KernelCall
from gridir.frontend.estimates.step_amounts import StepWork
from gridir.frontend.estimates.step_form import WorkBatch, alone
from gridir.frontend.estimates.step_time import predict_schedule, predict_work
from gridir.frontend.estimates.step_work import count_work
from gridir.frontend.lower import lower
from gridir.frontend.targets.tpu_aot import jax_own, lowering_for
from gridir.frontend.targets.tpu_report import Candidate, compile_candidates, kernels_of
from gridir.reading import check_fields, check_items
from gridir.runtime.chip_constants import Chip
from gridir.runtime.tpu.report import KernelReport
from gridir.runtime.tpu.steps import Steps
from gridir.runtime.tpu.workers import Workers, topology_of
from gridir.tuning.backend import Backend, Finished, Outcome, combine
from gridir.tuning.cache import Cache
from gridir.tuning.ledger import refusals, vmem_ledger, vmem_limit
from gridir.tuning.measure import available_tiers, measure, run_by_jax
from gridir.tuning.traced import Traced, distinct_calls, kernel_key


class TpuBackend(Backend):
    """A TPU, which need not be there."""

    def __init__(self, chip: Chip, cache: Cache, *, jobs: int, timeout: float, lowering: str):
        """Starts nothing yet; the arguments are those of `gridir.tune`."""
        self.chip = chip
        self.tiers = available_tiers(chip, bool(importlib.util.find_spec("libtpu")))
        self._cache, self._jobs, self._timeout, self._lowering = cache, jobs, timeout, lowering

    def estimate(self, call: KernelCall, work: WorkBatch) -> list[Outcome]:
        """See `Backend`."""
        ledger = vmem_ledger(work)
        refused = refusals(work, ledger, vmem_limit(call, self.chip["vmem_bytes"]))
        memory = sum((entry.bytes for entry in ledger), np.zeros(len(work.counts)))
        return [
            Outcome.illegal(refused[i])
            if i in refused
            else Outcome(
                each.seconds,
                "",
                each.bound,
                int(memory[i]),
                {"steps": each.steps, "bytes": each.bytes_moved},
                work.notes_of(i),
            )
            for i, each in enumerate(predict_work(work, self.chip, call.is_parallel))
        ]

    def compile(self, traced: dict[int, Traced]) -> Finished:
        """See `Backend`: libtpu runs in separate processes, and its results are cached as soon as they are there."""
        waiting = {}
        for number, each in traced.items():
            known = self._from_cache(each)
            if known is None:
                waiting[number] = each
            else:
                yield number, known
        if not waiting:
            return
        topology = topology_of(self.chip.name.partition(":")[2])
        with (
            Workers(topology, jobs=self._jobs, timeout=self._timeout) as workers,
            concurrent.futures.ThreadPoolExecutor(self._jobs) as threads,
        ):
            futures = {}
            try:
                for number, each in waiting.items():
                    with lowering_for(topology):
                        candidates = self._candidates(each)
                    futures[threads.submit(self._compile, each, candidates, workers)] = number
                for future in concurrent.futures.as_completed(futures):
                    yield futures[future], future.result()
            except BaseException:
                # Someone who interrupts does not wait for libtpu.
                threads.shutdown(wait=False, cancel_futures=True)
                workers.kill()
                raise

    def _compile(self, traced: Traced, candidates: list[Candidate], workers: Workers) -> Outcome:
        report = compile_candidates(candidates, workers)
        return self._outcome(traced, report.kernels or report.jax)

    def measure(self, traced: dict[int, Traced], tell: Callable[[str], None]) -> Finished:
        """See `Backend`: as JAX compiles it for the TPU that is there."""
        return measure(traced, run_by_jax, {"chip": self.chip.name}, self._cache, tell)

    def _candidates(self, traced: Traced) -> list[Candidate]:
        if self._lowering == "jax":
            candidates = jax_own(traced.function, *traced.args)
            calls = distinct_calls(traced)
            if len(candidates) != len(calls):
                return candidates
            return [
                dataclasses.replace(candidate, work=count_work(call.request, call.sizes, call.scalars, call.inputs))
                for candidate, call in zip(candidates, calls, strict=True)
            ]
        try:
            return kernels_of(lower(traced.function, *traced.args, target="tpu"))
        except Error as error:
            return [Candidate(error.kernel or "kernel", "gridir", error=error)]

    def _outcome(self, traced: Traced, reports: tuple[KernelReport, ...]) -> Outcome:
        outcomes = []
        for number, call in enumerate(distinct_calls(traced)):
            report = next((r for r in reports if r.name == call.request.kernel_name), None)
            if len(reports) == len(distinct_calls(traced)):
                report = reports[number]
            if report is None or report.error is not None or report.steps is None:
                error = next((r.error for r in reports if r.error is not None), None)
                reason = error.message if error is not None else f"kernel {call.request.kernel_name} was not compiled"
                record: dict[str, Any] = {"reason": reason}
                # Another run may have more time.
                if getattr(error, "stage", "") not in ("timeout", "crash"):
                    self._cache.put(self._key(call), record)
            else:
                record = _record(count_work(call.request, call.sizes, call.scalars, call.inputs), report)
                self._cache.put(self._key(call), record)
            outcomes.append((self._predict(call, record), call.times))
        return combine(outcomes)

    def _from_cache(self, traced: Traced) -> Outcome | None:
        records = [(self._cache.get(self._key(call), _read_record), call) for call in distinct_calls(traced)]
        if any(record is None for record, _ in records):
            return None
        return combine([(self._predict(call, record or {}), call.times) for record, call in records])

    def _predict(self, call: KernelCall, record: dict[str, Any]) -> Outcome:
        if "reason" in record:
            return Outcome.illegal(record["reason"])
        predicted = predict_schedule(Steps.from_json(record["steps"]), self.chip, call.is_parallel)
        figures = {
            "steps": predicted.steps,
            "bytes": predicted.bytes_moved,
            "bundles": record["bundles"],
            "spill_bytes": record["spill_bytes"],
        }
        return Outcome(predicted.seconds, "", predicted.bound, record["vmem_bytes"], figures, tuple(record["notes"]))

    def _key(self, call: KernelCall) -> str:
        facts = {
            "tier": "compile",
            "chip": self.chip.name,
            "lowering": self._lowering,
            "gridir": __version__,
            **{package: metadata.version(package) for package in ("jax", "libtpu")},
        }
        return kernel_key(call, facts)


def _read_record(record: Any) -> dict[str, Any]:
    """Returns the cache entry of a compiled kernel; raises ValueError for another form."""
    if isinstance(record, dict) and "reason" in record:
        check_fields(record, {"reason": str})
        return record
    kinds = {"steps": dict, "bundles": int, "vmem_bytes": int, "spill_bytes": int, "notes": list}
    check_fields(record, kinds)
    check_items("notes", record["notes"], str)
    Steps.from_json(record["steps"])
    return record


def _record(work: StepWork, report: KernelReport) -> dict[str, Any]:
    """Returns the cache entry of a compiled kernel, without constants of chips."""
    assert report.steps is not None
    return {
        "steps": report.steps.to_json(),
        "bundles": report.bundles,
        "vmem_bytes": report.vmem_bytes,
        "spill_bytes": report.vmem.get("spills", 0),
        "notes": [*alone(work).notes_of(0), *report.steps.notes],
    }
