# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.tpu.aot`: what the real Mosaic compiler makes of a function's kernels, with no TPU."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax

from gridir.compiler.mosaic import plan_vmem
from gridir.errors import Error, OptionError
from gridir.frontend import jax_compat_tpu
from gridir.frontend.install import jax_alone
from gridir.frontend.lower import Lowered, lower
from gridir.runtime.tpu.dumps import Loop
from gridir.runtime.tpu.messages import explain
from gridir.runtime.tpu.programs import KernelProgram, kernel_programs
from gridir.runtime.tpu.report import KernelReport, Report
from gridir.runtime.tpu.workers import Workers


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A kernel that is to be compiled, or the reason why it cannot be.

    Attributes:
      name: the kernel's name.
      lowering: who lowered it: "gridir" or "jax".
      program: what libtpu is given, or None.
      error: why there is none.
      inputs: the names of the inputs, without prefetched scalars.
      outputs: the names of the outputs.
      planned: bytes of VMEM by operand, as gridir plans them.
    """

    name: str
    lowering: str
    program: KernelProgram | None = None
    error: Error | None = None
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    planned: dict[str, int] = dataclasses.field(default_factory=dict)


def aot(
    f: Callable[..., Any] | Lowered,
    *args: Any,
    topology: str = "v5e:2x2",
    compare: bool = False,
    jobs: int = 2,
    timeout: float = 300,
    keep: str | None = None,
    workers: Workers | None = None,
    **kwargs: Any,
) -> Report:
    """Compiles the kernels of a function ahead of time with libtpu; needs `pip install 'gridir[tpu]'` and no TPU.

    libtpu runs in processes of its own: when it refuses a kernel, ends itself or hangs, that is in the report.

    Args:
      f: a function that JAX can trace, or what `gridir.lower(..., target="tpu")` made of one.
      *args: arrays or `jax.ShapeDtypeStruct`s; none for a lowered function.
      topology: the chips, as libtpu names them: "v4:2x2x1", "v5e:2x2", "v5p:2x2x1", "v6e:2x2", "tpu7x:2x2x1".
      compare: also compile the kernels as JAX itself lowers them.
      jobs: how many kernels are compiled at once.
      timeout: seconds after which a compilation is given up.
      keep: a directory for libtpu's files on each kernel: its schedule, register allocation and use of units.
      workers: processes to use instead of new ones; topology, jobs and timeout are then theirs.
      **kwargs: keyword arguments of `f`.

    Raises:
      LibtpuError: when libtpu is not installed, or does not know the topology.
      OptionError: when `f` was lowered for another target, or a comparison is asked of a lowered function.

    Example:
      >>> report = gridir.tpu.aot(f, x, y, topology="v6e:2x2")
      >>> report.accepted, report.kernels[0].bundles
    """
    if isinstance(f, Lowered):
        if f.target.name != "tpu":
            raise OptionError(f"expected a function lowered for target 'tpu', got one for {f.target.name!r}")
        if compare:
            raise OptionError("expected a function to compare with JAX's lowering of it, got a lowered one")
        candidates = kernels_of(f)
    else:
        candidates = ours(f, *args, **kwargs)
        if compare:
            theirs = jax_own(f, *args, **kwargs)
            if len(theirs) == len(candidates):
                # JAX's kernels come in the same order, and their operands have the same names.
                theirs = [
                    dataclasses.replace(other, inputs=mine.inputs, outputs=mine.outputs, planned=mine.planned)
                    for mine, other in zip(candidates, theirs, strict=True)
                ]
            candidates += theirs
    with contextlib.nullcontext(workers) if workers else Workers(topology, jobs=jobs, timeout=timeout) as pool:
        return compile_candidates(candidates, pool, keep)


def ours(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Candidate]:
    """Returns the kernels of a function as gridir lowers them."""
    try:
        return kernels_of(lower(f, *args, target="tpu", **kwargs))
    except Error as error:
        return [Candidate(error.kernel or getattr(f, "__name__", "kernel"), "gridir", error=error)]


def kernels_of(lowered: Lowered) -> list[Candidate]:
    """Returns the kernels of a function that was lowered for a TPU."""
    programs = {program.body: program for program in kernel_programs(lowered.stablehlo())}
    found = []
    for kernel in lowered.kernels:
        inputs, outputs = _operand_names(kernel.grid_mapping)
        try:
            program, error = programs[kernel.prepare().body], None
        except Error as refused:
            program, error = None, refused
        try:
            planned = plan_vmem(kernel.name, kernel.bytecode)
        except Error as refused:
            planned, program, error = {}, None, error or refused
        found.append(Candidate(kernel.name, "gridir", program, error, inputs, outputs, planned))
    return found


def jax_own(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Candidate]:
    """Returns the kernels of a function as JAX itself lowers them; an error of JAX's is one without a place."""
    jitted: Any = f if hasattr(f, "trace") else jax.jit(f)
    try:
        with jax_alone(), jax_compat_tpu.abstract_device():
            lowered = jitted.trace(*args, **kwargs).lower(lowering_platforms=("tpu",))
        programs = kernel_programs(lowered.compiler_ir("stablehlo"))
    except Exception as error:
        # Whatever JAX raises is what there is to compare with.
        message = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        name = getattr(f, "__name__", "kernel")
        return [Candidate(name, "jax", error=Error(message, kernel=name, details=str(error)))]
    return [Candidate(program.name, "jax", program) for program in programs]


def compile_candidates(candidates: Sequence[Candidate], workers: Workers, keep: str | None = None) -> Report:
    """Compiles kernels side by side, and reports on all of them.

    Raises:
      LibtpuError: when libtpu cannot be started.
    """
    wanted = [c for c in candidates if c.program is not None]
    directories = [os.path.join(keep, f"{c.name}.{c.lowering}") if keep else None for c in wanted]
    replies = iter(workers.compile_all([c.program.program for c in wanted if c.program], directories))
    reports, device = [], ""
    for candidate in candidates:
        if candidate.program is None:
            reports.append(KernelReport(candidate.name, candidate.lowering, candidate.error))
            continue
        reply = next(replies)
        device = reply.get("device_kind", device)
        reports.append(_to_report(candidate, reply))
    return Report(
        workers.topology,
        device,
        tuple(report for report in reports if report.lowering == "gridir"),
        tuple(report for report in reports if report.lowering == "jax"),
    )


def _to_report(candidate: Candidate, reply: dict[str, Any]) -> KernelReport:
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
    return KernelReport(
        candidate.name,
        candidate.lowering,
        error,
        reply.get("bundles"),
        reply.get("cycles"),
        tuple(Loop(*loop) for loop in reply.get("loops", ())),
        reply.get("vmem", {}),
        candidate.planned,
        reply.get("units", {}),
        reply.get("seconds", 0.0),
    )


def _operand_names(mapping: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if mapping is None:
        return (), ()
    names = tuple(block.origin for block in mapping.block_mappings)
    return names[: mapping.num_inputs], names[mapping.num_inputs :]
