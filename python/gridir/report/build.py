# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making the data of a report: queries each target about each kernel once."""

from __future__ import annotations

import concurrent.futures
import dataclasses
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from gridir import __version__
from gridir.compiler.checks import check_kernel
from gridir.compiler.kernel import Kernel
from gridir.errors import Error
from gridir.frontend.lower import Lowered
from gridir.frontend.tpu_report import kernels_of
from gridir.report.barriers import read_barriers
from gridir.report.blocks import read_grid, scalar_names
from gridir.report.chips import CAPACITIES, PEAKS, measured_cpu
from gridir.report.costs import Costs, count_costs
from gridir.report.explain import Progress, lower_or_error
from gridir.report.judges import ask_libtpu, assembled, check_target, compiled, judge_of
from gridir.report.listing import Listing, bundle_listing, stage_listing
from gridir.report.machine_code import machine_listings
from gridir.report.memory import Entry, Ledger, planned_entries
from gridir.report.model import KernelView, Report, Scalars, TargetView
from gridir.report.remarks import read_remarks
from gridir.report.running import run_function
from gridir.report.sources import read_sources
from gridir.report.verdicts import REFUSED, Verdict

TARGETS = ("cpu", "tpu:v5e", "gpu:sm_90a")
"""The default targets of a report."""

MAX_SCALARS = 64
"""The maximum number of elements of a prefetched operand that a report shows."""


def build_report(
    function: Callable[..., Any],
    args: Sequence[Any],
    *,
    name: str,
    path: str,
    targets: Sequence[str] = (),
    run: bool = True,
    timeout: float = 300,
    progress: Progress = lambda _: None,
) -> Report:
    """Collects the contents of a report about a function.

    Args:
      function: a function that JAX can trace.
      args: its arguments; arrays where it is to be run.
      name: the function's name.
      path: the file that it is in.
      targets: some of "cpu", "tpu:v5e", "gpu:sm_90a" and the like; `TARGETS` without it. The CPU is always there.
      run: whether the function is run once, on this machine's CPU.
      timeout: seconds after which libtpu is given up for a kernel.
      progress: is called with a line of text before each step.

    Raises:
      OptionError: for an unknown target.
      UnsupportedError: when gridir cannot lower a kernel for any target.
    """
    wanted = list(dict.fromkeys(["cpu", *map(check_target, targets or TARGETS)]))
    lowered = {}
    for target in wanted:
        progress(f"lowering {name} for {target}")
        form = judge_of(target).form(target)
        if form not in lowered:
            lowered[form] = lower_or_error(function, args, {}, form)
        lowered[target] = lowered[form]
    on_cpu = lowered["cpu"]
    if not isinstance(on_cpu, Lowered):
        raise on_cpu
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        of_libtpu = {
            target: threads.submit(_ask_libtpu, target, lowered[target], timeout)
            for target in wanted
            if judge_of(target).is_remote and isinstance(lowered[target], Lowered)
        }
        views: dict[str, list[TargetView]] = {}
        for target in wanted:
            if target not in of_libtpu and isinstance(lowered[target], Lowered):
                progress(f"compiling {name} for {target}")
                views[target] = [_view(target, kernel) for kernel in lowered[target].kernels]
        progress(f"waiting for libtpu, which compiles {name}")
        views |= {target: future.result() for target, future in of_libtpu.items()}
        progress(f"collecting remarks on {name}")
        for target, of_target in views.items():
            remarks = threads.map(read_remarks, lowered[target].kernels)
            views[target] = [dataclasses.replace(view, remarks=r) for view, r in zip(of_target, remarks, strict=True)]
    ran, scalars = None, {}
    if run:
        progress(f"running {name}")
        ran, scalars = run_function(function, args, on_cpu)
    kernels = []
    for number, kernel in enumerate(on_cpu.kernels):
        progress(f"checking {kernel.name}")
        mine = [_same(kernel, number, on_cpu, lowered[target], views[target]) for target in wanted if target in views]
        # The time of a function with one kernel is that of the kernel.
        milliseconds = ran.milliseconds if ran is not None and len(on_cpu.kernels) == 1 else None
        kernels.append(_kernel_view(kernel, [view for view in mine if view], scalars.get(kernel.key), milliseconds))
    refused = [
        Verdict.of_error(target, name, "gridir", error)
        for target, error in ((target, lowered[target]) for target in wanted)
        if isinstance(error, Exception)
    ]
    origins = [origin for kernel in kernels for origin in kernel.origins()]
    verdicts = [*refused, *(target.verdict for kernel in kernels for target in kernel.targets)]
    origins += [(frame.file, frame.line) for verdict in verdicts for frame in verdict.frames[:1]]
    return Report(name, path, _versions(), refused, kernels, ran, read_sources(path, origins))


def _versions() -> dict[str, str]:
    found = {"gridir": __version__}
    for package in ("jax", "libtpu", "nvidia-cuda-nvcc"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _same(
    kernel: Kernel, number: int, on_cpu: Lowered, lowered: Lowered, views: Sequence[TargetView]
) -> TargetView | None:
    """The view of a kernel on another target, where `platform_dependent` may leave other kernels than on the CPU."""
    if [k.name for k in lowered.kernels] == [k.name for k in on_cpu.kernels]:
        return views[number]
    return next((view for k, view in zip(lowered.kernels, views, strict=True) if k.name == kernel.name), None)


def _kernel_view(
    kernel: Kernel, targets: Sequence[TargetView], scalars: Sequence[Any] | None, milliseconds: float | None
) -> KernelView:
    grid = read_grid(kernel, scalars)
    prefetched = tuple(
        Scalars(name, array.shape, tuple(array.reshape(-1)[:MAX_SCALARS].tolist()))
        for name, array in zip(scalar_names(kernel), scalars or (), strict=False)
    )
    return KernelView(
        kernel.name,
        kernel.source,
        grid,
        prefetched,
        check_kernel(kernel),
        tuple(targets),
        _costs(kernel, grid, [view.target for view in targets if view.verdict.verdict != REFUSED], milliseconds),
        read_barriers(kernel),
    )


def _costs(kernel: Kernel, grid: Any, targets: Sequence[str], milliseconds: float | None) -> Costs | None:
    try:
        costs = count_costs(kernel, grid)
    except Error:
        return None
    cpu = measured_cpu(working_set=costs.bytes_least)
    rooflines = [costs.roofline(target, PEAKS[target]) for target in targets if target in PEAKS]
    return dataclasses.replace(costs, rooflines=(costs.measured_roofline("cpu", cpu, milliseconds), *rooflines))


def _view(target: str, kernel: Kernel) -> TargetView:
    """A kernel on the CPU or a GPU: the stages that it reaches, and the result of the last one."""
    listings, error = _stage_listings(kernel)
    if error is not None:
        return TargetView(target, Verdict.of_error(target, kernel.name, "gridir", error), tuple(listings))
    return _VIEWS[kernel.target.name](target, kernel, listings)


def _gpu_view(target: str, kernel: Kernel, listings: Sequence[Listing]) -> TargetView:
    verdict = assembled(target, kernel)
    return TargetView(target, verdict, (*listings, *machine_listings(kernel)), _gpu_ledger(target, kernel, verdict))


def _cpu_view(target: str, kernel: Kernel, listings: Sequence[Listing]) -> TargetView:
    verdict = compiled(target, kernel)
    if verdict.verdict == REFUSED:
        return TargetView(target, verdict, tuple(listings))
    arena = verdict.figures["arena bytes"]
    ledger = Ledger(tuple(planned_entries(kernel)), "arena of a thread", arena, None, "gridir")
    return TargetView(target, verdict, tuple(listings), ledger)


_VIEWS = {"cpu": _cpu_view, "gpu": _gpu_view}
"""The views of kernels that this process compiled, by the name of the target."""


def _stage_listings(kernel: Kernel) -> tuple[list[Listing], Error | None]:
    """The texts of the stages of MLIR that a kernel reaches, and why it reaches no more."""
    listings = []
    for stage in kernel.stages:
        try:
            if kernel.target.suffix(stage) == "mlir":
                listings.append(stage_listing(kernel, stage))
            else:
                kernel.module(stage)
        except Error as error:
            return listings, error
    return listings, None


def _gpu_ledger(target: str, kernel: Kernel, verdict: Verdict) -> Ledger:
    prepared = kernel.prepare()
    entries = planned_entries(kernel)
    shared: int = verdict.figures.get("shared bytes") or prepared.shared_bytes
    if prepared.workspace_bytes:
        size = prepared.workspace_bytes
        entries.append(Entry("workspace", "gpu.gmem", size, size, 1, "temporaries of a CTA in global memory"))
    memory, capacity = CAPACITIES.get(target, ("shared memory of a CTA", None))
    return Ledger(tuple(entries), memory, shared, capacity, verdict.by)


def _ask_libtpu(target: str, lowered: Lowered, timeout: float) -> list[TargetView]:
    """Returns libtpu's results for every kernel."""
    verdicts, reports = ask_libtpu(target, kernels_of(lowered), timeout)
    views = []
    for kernel, verdict, report in zip(lowered.kernels, verdicts, reports or [None] * len(verdicts), strict=True):
        listings, _ = _stage_listings(kernel)
        if report is not None and report.schedule:
            listings.append(bundle_listing(report.schedule))
        views.append(TargetView(target, verdict, tuple(listings), _tpu_ledger(target, kernel, report)))
    return views


def _tpu_ledger(target: str, kernel: Kernel, report: Any) -> Ledger | None:
    try:
        entries = planned_entries(kernel)
    except Error:
        return None
    memory, capacity = CAPACITIES[target]
    planned = sum(entry.held for entry in entries if entry.space == "tpu.vmem")
    if report is None or not report.accepted:
        return Ledger(tuple(entries), memory, planned, capacity, "gridir")
    own = {"internal": "scratch of Mosaic's own", "spills": "registers that are spilled"}
    entries += [
        Entry(note, "tpu.vmem", report.vmem[key], report.vmem[key], 1, "by libtpu")
        for key, note in own.items()
        if report.vmem.get(key)
    ]
    return Ledger(tuple(entries), memory, report.vmem_bytes, capacity, "libtpu")
