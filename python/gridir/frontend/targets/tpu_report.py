# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels with the Mosaic compiler, without a TPU."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gridir.compiler.tpu import planned_vmem
from gridir.errors import Error
from gridir.frontend.compat import jax_tpu
from gridir.frontend.estimates.kernel_calls import KernelCall, find_calls
from gridir.frontend.estimates.step_amounts import StepWork
from gridir.frontend.estimates.step_form import alone
from gridir.frontend.estimates.step_time import predict_schedule, steps_of_schedule
from gridir.frontend.estimates.step_work import count_work
from gridir.runtime.chip_constants import Chip, chip_names, load_chip
from gridir.runtime.tpu.dumps import Loop, Utilization
from gridir.runtime.tpu.messages import explain
from gridir.runtime.tpu.programs import KernelProgram, kernel_programs
from gridir.runtime.tpu.regions import count_cycles
from gridir.runtime.tpu.report import KernelReport, Report
from gridir.runtime.tpu.workers import Workers

if TYPE_CHECKING:
    from gridir.frontend.lower import Lowered


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A kernel that is to be compiled, or the reason why it cannot be.

    Attributes:
      name: the kernel's name.
      lowering: who lowered it: "gridir" or "jax".
      program: the program for libtpu, or None.
      error: why there is none.
      inputs: the names of the inputs, without prefetched scalars.
      outputs: the names of the outputs.
      planned: bytes of VMEM by operand, as gridir plans them.
      needed_checks: why it needs run-time checks, see `MosaicKernel`.
      own_checks: its own assertions instead, as in `MosaicKernel`.
      work: its work at each step of its grid; None if it is unknown.
      is_parallel: whether a dimension of its grid may be split over the cores of a chip.
    """

    name: str
    lowering: str
    program: KernelProgram | None = None
    error: Error | None = None
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    planned: dict[str, int] = dataclasses.field(default_factory=dict)
    needed_checks: dict[str, str] = dataclasses.field(default_factory=dict)
    own_checks: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    work: StepWork | None = dataclasses.field(default=None, repr=False)
    is_parallel: bool = False


def kernels_of(lowered: Lowered) -> list[Candidate]:
    """Returns the kernels of a function that was lowered for a TPU."""
    programs = {program.body: program for program in kernel_programs(lowered.stablehlo())}
    calls = find_calls(lowered.jaxpr, lowered.arguments).kernels if lowered.jaxpr is not None else ()
    found = []
    for kernel in lowered.kernels:
        call = call_of(kernel, calls)
        work = None if call is None else count_work(call.request, call.sizes, call.scalars, call.inputs)
        inputs, outputs = _operand_names(kernel.grid_mapping)
        needed: dict[str, str] = {}
        own: dict[str, tuple[str, ...]] = {}
        try:
            mosaic = kernel.prepare()
            program = jax_tpu.of_body(programs, mosaic.body)
            error, needed, own = None, mosaic.needed_checks, mosaic.own_checks
        except Error as refused:
            program, error = None, refused
        try:
            planned = planned_vmem(kernel)
        except Error as refused:
            planned, program, error = {}, None, error or refused
        found.append(
            Candidate(
                kernel.name,
                "gridir",
                program,
                error,
                inputs,
                outputs,
                planned,
                needed,
                own,
                work,
                call is not None and call.is_parallel,
            )
        )
    return found


def call_of(kernel: Any, calls: Sequence[KernelCall]) -> KernelCall | None:
    """Returns the first call of a kernel; None where a transformation has hidden it."""
    for call in calls:
        if call.request.kernel_name == kernel.name and call.request.grid_mapping == kernel.grid_mapping:
            return call
    return None


def report(
    candidates: Sequence[Candidate],
    *,
    topology: str = "v5e:2x2",
    jobs: int = 2,
    timeout: float = 300,
    keep: str | None = None,
    workers: Workers | None = None,
) -> Report:
    """Compiles kernels side by side, and reports on all of them; the arguments are those of `gridir.tpu.aot`.

    Raises:
      LibtpuError: when libtpu cannot be started, or does not know the topology.
    """
    with contextlib.nullcontext(workers) if workers else Workers(topology, jobs=jobs, timeout=timeout) as pool:
        return compile_candidates(candidates, pool, keep)


def compile_candidates(candidates: Sequence[Candidate], workers: Workers, keep: str | None = None) -> Report:
    """Compiles kernels side by side, and reports on all of them.

    Raises:
      LibtpuError: when libtpu cannot be started.
    """
    wanted = [c for c in candidates if c.program is not None]
    directories = [os.path.join(keep, f"{c.name}.{c.lowering}") if keep else None for c in wanted]
    replies = iter(workers.compile_all([c.program.program for c in wanted if c.program], directories))
    reports, device = [], ""
    name = f"tpu:{workers.topology.partition(':')[0]}"
    chip = load_chip(name) if name in chip_names() else None
    for candidate in candidates:
        if candidate.program is None:
            reports.append(KernelReport(candidate.name, candidate.lowering, candidate.error))
            continue
        reply = next(replies)
        device = reply.get("device_kind", device)
        reports.append(_to_report(candidate, reply, chip))
    return Report(
        workers.topology,
        device,
        tuple(report for report in reports if report.lowering == "gridir"),
        tuple(report for report in reports if report.lowering == "jax"),
    )


def _to_report(candidate: Candidate, reply: dict[str, Any], chip: Chip | None) -> KernelReport:
    error = None
    if "error" in reply:
        error = explain(
            reply["error"],
            stage=reply.get("stage", "compile"),
            kernel=candidate.name,
            inputs=candidate.inputs,
            outputs=candidate.outputs,
            planned=candidate.planned,
            first_column=0 if candidate.lowering == "jax" else 1,
        )
    steps = times = prediction = None
    if candidate.work is not None and candidate.work.total and reply.get("schedule"):
        executed = count_cycles(reply["schedule"], candidate.work.kernel_parts(), candidate.work.steps.count)
        times = executed.times * (candidate.work.total / candidate.work.steps.count)
        steps = steps_of_schedule(alone(candidate.work), executed)
        if chip is not None:
            prediction = predict_schedule(steps, chip, candidate.is_parallel)
    return KernelReport(
        candidate.name,
        candidate.lowering,
        error,
        reply.get("bundles"),
        reply.get("cycles") if times is None else round(float(times.sum())),
        tuple(Loop(*loop) for loop in reply.get("loops", ())),
        reply.get("vmem", {}),
        candidate.planned,
        Utilization(*reply["utilization"]) if reply.get("utilization") else None,
        candidate.needed_checks,
        candidate.own_checks,
        reply.get("seconds", 0.0),
        reply.get("schedule", ""),
        steps,
        prediction,
        times,
    )


def _operand_names(mapping: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if mapping is None:
        return (), ()
    names = tuple(block.origin for block in mapping.block_mappings)
    return names[: mapping.num_inputs], names[mapping.num_inputs :]
