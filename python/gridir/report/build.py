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
from gridir.report.barriers import read_barriers
from gridir.report.blocks import read_grid, scalar_names
from gridir.report.chips import measured_cpu, peak_of
from gridir.report.costs import Costs, count_costs
from gridir.report.explain import Progress, lower_or_error
from gridir.report.judges import check_target, judge_of
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
        remote = {
            target: threads.submit(judge_of(target).views, target, lowered[target], timeout)
            for target in wanted
            if judge_of(target).is_remote and isinstance(lowered[target], Lowered)
        }
        views: dict[str, list[TargetView]] = {}
        for target in wanted:
            if target not in remote and isinstance(lowered[target], Lowered):
                progress(f"compiling {name} for {target}")
                views[target] = judge_of(target).views(target, lowered[target], timeout)
        progress(f"waiting for libtpu, which compiles {name}")
        views |= {target: future.result() for target, future in remote.items()}
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
    peaks = ((target, peak_of(target)) for target in targets)
    rooflines = [costs.roofline(target, peak) for target, peak in peaks if peak is not None]
    return dataclasses.replace(costs, rooflines=(costs.measured_roofline("cpu", cpu, milliseconds), *rooflines))
