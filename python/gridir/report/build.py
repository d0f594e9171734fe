# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making the data of a report: asks each target about each kernel, once."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import glob
import os
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from gridir import __version__
from gridir.compiler.checks import check_kernel
from gridir.compiler.kernel import Kernel
from gridir.errors import Error
from gridir.frontend.lower import Lowered
from gridir.frontend.tpu_report import kernels_of
from gridir.report import explain
from gridir.report.blocks import read_grid
from gridir.report.chips import CAPACITIES, PEAKS, measured_cpu
from gridir.report.costs import Costs, count_costs
from gridir.report.listing import Listing, bundle_listing, stage_listing
from gridir.report.machine_code import machine_listings
from gridir.report.memory import Entry, Ledger, planned_entries
from gridir.report.model import KernelView, Report, Run, TargetView
from gridir.report.sources import read_sources
from gridir.report.timing import fastest
from gridir.report.verdicts import ACCEPTED, REFUSED, Verdict
from gridir.runtime.tpu.dumps import read_bundles

TARGETS = ("cpu", "tpu:v5e", "gpu:sm_90a")
"""What a report shows when nothing else is asked for."""


def build_report(
    function: Callable[..., Any],
    args: Sequence[Any],
    *,
    name: str,
    path: str,
    targets: Sequence[str] = (),
    run: bool = True,
    timeout: float = 300,
    progress: explain.Progress = lambda _: None,
) -> Report:
    """Collects all that a report says of a function.

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
      OptionError: for a target that there is not.
      UnsupportedError: when gridir cannot lower a kernel for any target.
    """
    wanted = list(dict.fromkeys(["cpu", *map(explain.check_target, targets or TARGETS)]))
    lowered = {}
    for target in wanted:
        progress(f"lowering {name} for {target}")
        base = "tpu" if target.startswith("tpu:") else target
        if base not in lowered:
            lowered[base] = explain.lower_or_error(function, args, {}, base)
        lowered[target] = lowered[base]
    on_cpu = lowered["cpu"]
    if not isinstance(on_cpu, Lowered):
        raise on_cpu
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        of_libtpu = {
            target: threads.submit(_ask_libtpu, target, lowered[target], timeout)
            for target in wanted
            if target.startswith("tpu:") and isinstance(lowered[target], Lowered)
        }
        views: dict[str, dict[str, TargetView]] = {}
        for target in wanted:
            if target not in of_libtpu and isinstance(lowered[target], Lowered):
                progress(f"compiling {name} for {target}")
                views[target] = {k.name: _view(target, k) for k in lowered[target].kernels}
        progress(f"waiting for libtpu, which compiles {name}")
        views |= {target: future.result() for target, future in of_libtpu.items()}
    ran = None
    if run:
        progress(f"running {name}")
        ran = _run(on_cpu, args)
    kernels = []
    for kernel in on_cpu.kernels:
        progress(f"checking {kernel.name}")
        kernels.append(_kernel_view(kernel, [t for t in wanted if t in views], views, ran, len(on_cpu.kernels)))
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


def _run(lowered: Lowered, args: Sequence[Any], calls: int = 5) -> Run:
    import jax

    from gridir.runtime.cpu.kernels import host_cpu

    try:
        compiled = lowered.compile()
        jax.block_until_ready(compiled(*args))
        milliseconds = fastest(lambda: jax.block_until_ready(compiled(*args)), calls) * 1e3
    except Exception as error:
        # What a kernel's own checks find comes through XLA, by errors of any class.
        return Run(None, 0, host_cpu(), str(error).strip())
    return Run(milliseconds, calls, host_cpu())


def _kernel_view(
    kernel: Kernel, targets: Sequence[str], views: dict[str, dict[str, TargetView]], ran: Run | None, kernels: int
) -> KernelView:
    grid = read_grid(kernel, None)
    mine = tuple(views[target][kernel.name] for target in targets if kernel.name in views[target])
    # The time of a function is that of its kernel where there is one.
    milliseconds = ran.milliseconds if ran is not None and kernels == 1 else None
    costs = _costs(kernel, grid, [view.target for view in mine], milliseconds)
    return KernelView(kernel.name, kernel.source, grid, (), check_kernel(kernel), mine, costs)


def _costs(kernel: Kernel, grid: Any, targets: Sequence[str], milliseconds: float | None) -> Costs | None:
    try:
        costs = count_costs(kernel, grid)
    except Error:
        return None
    rooflines = [costs.roofline(target, PEAKS[target]) for target in targets if target in PEAKS]
    return dataclasses.replace(costs, rooflines=(costs.roofline("cpu", measured_cpu(), milliseconds), *rooflines))


def _view(target: str, kernel: Kernel) -> TargetView:
    """A kernel on the CPU or a GPU: as far as its stages go, and what the last one says."""
    listings, error = _stage_listings(kernel)
    if error is not None:
        return TargetView(target, Verdict.of_error(target, kernel.name, "gridir", error), tuple(listings))
    if target == "cpu":
        arena = kernel.prepare().arena_bytes
        verdict = Verdict(target, kernel.name, ACCEPTED, "gridir", figures={"arena bytes": arena})
        entries = tuple(planned_entries(kernel))
        return TargetView(target, verdict, tuple(listings), Ledger(entries, "arena of a thread", arena, None, "gridir"))
    verdict = explain.assembled(target, kernel)
    if verdict.verdict != REFUSED:
        listings[-1:] = machine_listings(kernel)
    return TargetView(target, verdict, tuple(listings), _gpu_ledger(target, kernel, verdict))


def _stage_listings(kernel: Kernel) -> tuple[list[Listing], Error | None]:
    """The texts of the stages that a kernel reaches, and why it reaches no more."""
    listings = []
    for stage in kernel.stages:
        try:
            listings.append(stage_listing(kernel, stage))
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


def _ask_libtpu(target: str, lowered: Lowered, timeout: float) -> dict[str, TargetView]:
    """What libtpu says of every kernel, by name."""
    candidates = kernels_of(lowered)
    with tempfile.TemporaryDirectory(prefix="gridir-report-") as directory:
        verdicts, reports = explain.ask_libtpu(target, candidates, timeout, directory)
        views = {}
        for number, (kernel, verdict) in enumerate(zip(lowered.kernels, verdicts, strict=True)):
            listings, _ = _stage_listings(kernel)
            text = read_bundles(
                glob.glob(os.path.join(glob.escape(directory), f"{glob.escape(kernel.name)}.gridir", "*"))
            )
            listings += [bundle_listing(text)] if text else []
            report = reports[number] if reports else None
            views[kernel.name] = TargetView(target, verdict, tuple(listings), _tpu_ledger(target, kernel, report))
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
