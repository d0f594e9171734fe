# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for the CPU: a rough order first, then the times of native code on this machine."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import jax
import numpy as np

from gridir import __version__
from gridir.errors import Error
from gridir.frontend.lower import lower
from gridir.frontend.step_work import StepWork, count_work
from gridir.runtime.chip_constants import Chip
from gridir.tuning.arguments import drawn, is_abstract
from gridir.tuning.backend import Backend, Finished, Outcome, combine
from gridir.tuning.cache import Cache
from gridir.tuning.traced import Traced, function_key

_ROUNDS = 11
"""How often the configurations that are near the best are measured."""
_FIRST_ROUNDS = 3
"""After this many rounds, configurations that are slower than the best by more than a factor are left out."""
_SLOWER = 1.5
_SECONDS = 2e-3
"""A measurement repeats a function until it takes so long."""


class CpuBackend(Backend):
    """The CPU of this machine."""

    tiers = ("estimate", "measure")

    def __init__(self, chip: Chip, cache: Cache):
        """Measures nothing yet."""
        self.chip, self._cache = chip, cache

    def estimate(self, traced: Traced) -> Outcome:
        """As of `Backend`: a rough order, as caches and vector units of CPUs are not modelled."""
        outcomes = []
        for call in traced.calls.kernels:
            work = count_work(call.request, call.sizes, call.scalars)
            if not work.total:
                return Outcome.illegal(f"has a grid without steps: {work.steps.sizes}")
            outcomes.append((self._predict(work), call.times))
        return combine(outcomes)

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
        """As of `Backend`: medians of runs that take turns, so that all have the same of what else the machine does."""
        facts = {"tier": "measure", "cpu": _cpu(), "gridir": __version__, "jax": metadata.version("jax")}
        keys = {number: function_key(each, facts) for number, each in traced.items()}
        known = {number: record for number, key in keys.items() if (record := self._cache.get(key)) is not None}
        # Times that were not taken in turns do not compare.
        if len(known) == len(traced):
            yield from ((number, Outcome.from_json(record)) for number, record in known.items())
            return
        ready: dict[int, Callable[[], object]] = {}
        for done, (number, each) in enumerate(traced.items(), 1):
            tell(f"compiling configuration {done} of {len(traced)}")
            try:
                ready[number] = _prepare(each)
            except Error as error:
                yield number, Outcome.illegal(error.message)
        times = _take_turns(ready, tell)
        for number, seconds in times.items():
            notes = ("arguments without values are drawn",) if is_abstract(traced[number].args) else ()
            steps = self.estimate(traced[number]).figures
            outcome = Outcome(statistics.median(seconds), figures={**steps, "runs": len(seconds)}, notes=notes)
            self._cache.put(keys[number], outcome.to_json())
            yield number, outcome


def _prepare(traced: Traced) -> Callable[[], object]:
    """Compiles a configuration and runs it once."""
    compiled = lower(traced.function, *traced.args).compile()
    args = drawn(traced.args)

    def call() -> object:
        return jax.block_until_ready(compiled(*args))

    call()
    return call


def _take_turns(calls: dict[int, Callable[[], object]], tell: Callable[[str], None]) -> dict[int, list[float]]:
    """Returns the times of functions that are called in turns; the slow ones are called less often."""
    times: dict[int, list[float]] = {number: [] for number in calls}
    repeats = {number: max(1, min(100, int(_SECONDS / max(_seconds(call, 1), 1e-6)))) for number, call in calls.items()}
    alive = list(calls)
    for turn in range(_ROUNDS):
        tell(f"measuring {len(alive)} configurations, round {turn + 1} of {_ROUNDS}")
        for number in alive:
            times[number].append(_seconds(calls[number], repeats[number]))
        if turn + 1 == _FIRST_ROUNDS and times:
            best = min(min(each) for each in times.values())
            alive = [number for number in alive if min(times[number]) <= _SLOWER * best]
    return times


def _seconds(call: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def _cpu() -> dict[str, Any]:
    """What tells this machine from another one."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass  # Not Linux: the name of the processor has to do.
    return {"model": model, "processors": len(os.sched_getaffinity(0))}
