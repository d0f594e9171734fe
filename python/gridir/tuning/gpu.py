# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for a GPU: a closed form first, then resources and instructions of the code that ptxas makes, with no GPU."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

import numpy as np

from gridir import __version__
from gridir.errors import Error
from gridir.frontend.compat.jax_gpu import is_mesh as is_gpu_mesh
from gridir.frontend.estimates.kernel_calls import KernelCall
from gridir.frontend.estimates.step_form import WorkBatch, alone
from gridir.frontend.estimates.step_work import count_work
from gridir.frontend.lower import lower
from gridir.reading import check_fields, check_value
from gridir.runtime.chip_constants import Chip
from gridir.runtime.ptxas import (
    CodeCounts,
    KernelReport,
    PtxasError,
    disassemble,
    find_nvdisasm,
    find_ptxas,
    ptxas_version,
    read_sass,
)
from gridir.runtime.triton import TritonError, plugin_version
from gridir.runtime.triton import check_installed as check_plugin
from gridir.tuning.backend import Backend, Finished, Outcome, combine
from gridir.tuning.cache import Cache
from gridir.tuning.gpu_model import Prediction, Resources, predict
from gridir.tuning.gpu_registers import Guess, guess_resources, predict_registers
from gridir.tuning.gpu_triton import Assembled, TritonCompiler
from gridir.tuning.ledger import mebibytes, no_steps
from gridir.tuning.measure import available_tiers, measure, run_by_jax
from gridir.tuning.traced import Traced, distinct_calls, function_key

_FROM_CODE = "times are predicted from the machine code"
_FROM_FORM = "times are predicted from the kernel's operations and buffers, not from its code"
_OWN_CODE = "the code is of gridir's own lowering; with the lowering 'jax' it is that of Triton, as JAX runs it"
_THREADS = 128
_LANES = 32
_WARPGROUP = 128
_KERNEL_FIELDS = {
    "name": str, "ctas": (int, type(None)), "threads": int, "registers": int, "shared_bytes": int, "spill_bytes": int,
    "code": (dict, type(None)),
}  # fmt: skip
"""The fields of a report of ptxas that a prediction uses, and their types in JSON."""


class GpuBackend(Backend):
    """A GPU, which need not be there."""

    def __init__(self, chip: Chip, cache: Cache, *, jobs: int, timeout: float, lowering: str):
        """Starts nothing yet; the arguments are those of `gridir.tune`."""
        self.chip, self._cache, self._jobs, self._timeout, self._lowering = chip, cache, jobs, timeout, lowering
        self.tiers = available_tiers(chip, bool(find_ptxas()))

    def estimate(self, call: KernelCall, work: WorkBatch) -> list[Outcome]:
        """See `Backend`; registers and shared memory follow from the values and buffers of the kernel."""
        programs, threads, groups = _shape(call, work)
        if work.in_registers:
            warps, stages = threads // _LANES, getattr(call.request.compiler_params, "num_stages", None)
            guess = guess_resources(work, warps, stages, self.chip)
            found = predict_registers(work, warps, stages, guess, self.chip)
            resources = Resources(threads, groups, guess.registers, guess.shared_bytes, guess.spill_bytes)
            return self._outcomes(work, resources, found, _FROM_FORM)
        # Warpgroups exchange registers, so all of a multiprocessor are used.
        registers = np.minimum(self.chip["registers"] // threads, 168)
        resources = Resources(threads, groups, registers, work.held[:, 0])
        return self._predict(work, work.totals // programs, resources, _FROM_FORM)

    def compile(self, traced: dict[int, Traced]) -> Finished:
        """See `Backend`: compilers run in separate processes, and each result is cached as soon as it is there."""
        facts = {
            "tier": "compile",
            "chip": self.chip.name,
            "lowering": self._lowering,
            "gridir": __version__,
            "jax": metadata.version("jax"),
            "ptxas": ptxas_version(),
            "listed": find_nvdisasm() is not None,
        }
        with contextlib.ExitStack() as stack:
            compiler = None
            if self._lowering == "jax":
                # Someone who has only cached results needs no compiler, but its version.
                check_plugin()
                facts["plugin"] = plugin_version()
                compiler = TritonCompiler(self.chip, jobs=self._jobs, timeout=self._timeout)
                stack.callback(compiler.close)
            yield from self._compile(traced, facts, compiler)

    def _compile(self, traced: dict[int, Traced], facts: dict[str, Any], compiler: TritonCompiler | None) -> Finished:
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
                    kernels = _lower_by_gridir(each, self.chip) if compiler is None else compiler.lower(each)
                except Error as error:
                    yield number, Outcome.illegal(error.message)
                    continue
                futures[threads.submit(self._assemble, key, kernels)] = number
            for future in concurrent.futures.as_completed(futures):
                number = futures[future]
                yield number, self._outcome(traced[number], future.result())
        except BaseException:
            # Someone who interrupts does not wait for JAX's compiler.
            if compiler is not None:
                compiler.kill()
            raise
        finally:
            threads.shutdown(cancel_futures=True)

    def _assemble(self, key: str, kernels: Sequence[Assembled]) -> dict[str, Any]:
        """Assembles the kernels of a function; returns their record."""
        try:
            reports = [kernel.assemble(timeout=self._timeout) for kernel in kernels]
            record: dict[str, Any] = {"kernels": [each.to_json() | {"code": _counts(each)} for each in reports]}
        except (PtxasError, TritonError) as error:
            record = {"reason": error.message}
            # Another run may give an answer.
            if error.stage != "compile":
                return record
        self._cache.put(key, record)
        return record

    def measure(self, traced: dict[int, Traced], tell: Callable[[str], None]) -> Finished:
        """See `Backend`: as JAX compiles it for the GPU that is there."""
        return measure(traced, run_by_jax, {"chip": self.chip.name}, self._cache, tell)

    def _outcome(self, traced: Traced, record: dict[str, Any]) -> Outcome:
        if "reason" in record:
            return Outcome.illegal(record["reason"])
        outcomes = []
        calls, kernels = distinct_calls(traced), record["kernels"]
        for number, call in enumerate(calls):
            kernel = next((k for k in kernels if k["name"] == call.request.kernel_name), None)
            if len(kernels) == len(calls):
                kernel = kernels[number]
            if kernel is None:
                return Outcome.illegal(f"kernel {call.request.kernel_name} was not compiled")
            outcomes.append((self._outcome_of(call, kernel), call.times))
        return combine(outcomes)

    def _outcome_of(self, call: KernelCall, kernel: dict[str, Any]) -> Outcome:
        """Returns the outcome of a kernel."""
        work = alone(count_work(call.request, call.sizes, call.scalars, call.inputs, on_gpu=True))
        programs, threads, groups = _shape(call, work)
        code = None if kernel["code"] is None else CodeCounts.from_json(kernel["code"])
        note = _FROM_FORM if code is None else _FROM_CODE
        registers, spills, shared = kernel["registers"], kernel["spill_bytes"], kernel["shared_bytes"]
        resources = Resources(kernel["threads"], groups, registers, shared, spills, code)
        if self._lowering == "jax" and work.in_registers:
            warps, stages = threads // _LANES, getattr(call.request.compiler_params, "num_stages", None)
            used = Guess(np.array([registers]), np.array([spills]), np.array([shared]))
            (outcome,) = self._outcomes(
                work, resources, predict_registers(work, warps, stages, used, self.chip, code), note
            )
            return outcome
        ctas = np.array([kernel["ctas"]]) if kernel["ctas"] else work.totals // programs
        (outcome,) = self._predict(work, ctas, resources, note)
        if "triton" in type(call.request.compiler_params).__module__:
            outcome = dataclasses.replace(outcome, notes=(*outcome.notes, _OWN_CODE))
        return outcome

    @property
    def _uncertainty(self) -> str:
        """How far times may be off."""
        if "uncertainty" not in self.chip.values:
            return f"times of {self.chip.name} were compared with no measurement: measure the first configurations"
        return f"they are uncertain by {self.chip['uncertainty']:.0%} ({self.chip.sources['uncertainty']})"

    def _predict(self, work: WorkBatch, ctas: np.ndarray, resources: Resources, note: str) -> list[Outcome]:
        return self._outcomes(work, resources, predict(work, ctas, resources, self.chip), note)

    def _outcomes(self, work: WorkBatch, resources: Resources, found: Prediction, note: str) -> list[Outcome]:
        chip = self.chip
        refused = no_steps(work)
        many = len(work.counts)
        shared = np.broadcast_to(resources.shared_bytes, many)
        registers, spills = (np.broadcast_to(x, many) for x in (resources.registers, resources.spill_bytes))
        for i in range(many):
            if shared[i] > chip["cta_shared_bytes"]:
                limit = mebibytes(chip["cta_shared_bytes"])
                refused.setdefault(i, f"needs {mebibytes(shared[i])} of shared memory of a CTA, the limit is {limit}")
            elif found.occupancy[i] < 1:
                name = min(found.limits, key=lambda name: float(found.limits[name][i]))
                refused.setdefault(i, f"no CTA fits: too many {name}")
        return [
            Outcome.illegal(refused[i])
            if i in refused
            else Outcome(
                float(found.seconds[i]),
                "",
                found.bound(i),
                int(shared[i]),
                {
                    "steps": float(work.totals[i]),
                    "bytes": float(found.moved[i]),
                    "registers": float(registers[i]),
                    "spill_bytes": float(spills[i]),
                    "occupancy": float(found.occupancy[i]),
                    "waves": float(found.waves[i]),
                }
                | {f"{name}_seconds": float(seconds[i]) for name, seconds in found.units.items()},
                (*work.notes_of(i), f"{note}; {self._uncertainty}"),
            )
            for i in range(many)
        ]


def _lower_by_gridir(traced: Traced, chip: Chip) -> Sequence[Assembled]:
    lowered = lower(traced.function, *traced.args, target=chip.name)
    return [kernel.prepare() for kernel in lowered.kernels]


def _counts(report: KernelReport) -> dict[str, float] | None:
    """Returns the counts of a kernel's instructions; None without an nvdisasm that reads its code."""
    if find_nvdisasm() is None:
        return None
    try:
        return read_sass(disassemble(report.cubin.code, kernel=report.name)).counts().to_json()
    except PtxasError as error:
        if error.stage != "compile":
            raise
        return None


def _shape(call: KernelCall, work: WorkBatch) -> tuple[Any, Any, Any]:
    """Returns how many steps of the grid are programs of one CTA, its threads, and its warpgroups that compute."""
    mesh = call.request.mesh
    if is_gpu_mesh(mesh):
        groups = work.sizes[:, -1] if mesh.num_threads is not None else np.ones(len(work.counts), np.int64)
        # Of several warpgroups, one copies for the others.
        return groups, groups * _WARPGROUP, np.maximum(groups - 1, 1)
    warps = getattr(call.request.compiler_params, "num_warps", None)
    threads = _LANES * warps if warps else _THREADS
    return 1, threads, max(threads // _WARPGROUP, 1)


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
