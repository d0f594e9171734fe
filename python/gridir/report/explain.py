# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.explain`: asks gridir, libtpu and ptxas about the kernels of a function, for every chip."""

from __future__ import annotations

import concurrent.futures
import functools
from collections.abc import Callable, Sequence
from typing import Any

from gridir.compiler.targets import get_target
from gridir.errors import Error, OptionError
from gridir.frontend.lower import Lowered, lower
from gridir.frontend.tpu_report import Candidate, compile_candidates, kernels_of
from gridir.report.verdicts import ACCEPTED, UNKNOWN, Explanation, Verdict
from gridir.runtime.gpu import PtxasError, find_ptxas
from gridir.runtime.tpu.workers import TOPOLOGIES, LibtpuError, Workers

GPU_CHIPS = ("sm_80", "sm_90a", "sm_100a")
TPU_CHIPS = {topology.partition(":")[0]: topology for topology in TOPOLOGIES}
TARGETS = ("cpu", *(f"tpu:{chip}" for chip in TPU_CHIPS), *(f"gpu:{chip}" for chip in GPU_CHIPS))
"""All targets and chips that are asked by default."""

Progress = Callable[[str], None]
"""Is told what is done next."""


def explain(
    f: Callable[..., Any],
    *args: Any,
    targets: Sequence[str] = (),
    jobs: int = 2,
    timeout: float = 300,
    progress: Progress = lambda _: None,
    **kwargs: Any,
) -> Explanation:
    """Says of the kernels of a function which targets and chips accept them, who refuses them, and why.

    Nothing is executed. The kernels are lowered by gridir for each target; for a TPU libtpu compiles them, for a GPU
    ptxas assembles them, where these are installed.

    Args:
      f: a function that JAX can trace.
      *args: arrays or `jax.ShapeDtypeStruct`s.
      targets: some of "cpu", "tpu:v5e", "gpu:sm_90a" and the like; all that gridir knows without it.
      jobs: how many processes of libtpu may run at once.
      timeout: seconds after which libtpu is given up for a kernel.
      progress: is called with a line of text before each step.
      **kwargs: keyword arguments of `f`.

    Raises:
      OptionError: for a target that there is not.

    Example:
      >>> print(gridir.explain(f, x, y))
      >>> gridir.explain(f, x, y, targets=["tpu:v5e"]).refused
    """
    wanted = [check_target(name) for name in targets or TARGETS]
    name = _name_of(f)
    found: dict[str, Sequence[Verdict]] = {}
    lowered: dict[str, Lowered | Exception] = {}
    for target in wanted:
        base = target if target.startswith("gpu:") else target.partition(":")[0]
        if base not in lowered:
            progress(f"lowering {name} for {base}")
            lowered[base] = lower_or_error(f, args, kwargs, base)
        result = lowered[base]
        if isinstance(result, Exception):
            found[target] = [Verdict.of_error(target, name, "gridir", result)]
        elif base == "cpu":
            found[target] = [compiled(target, kernel) for kernel in result.kernels]
        elif base.startswith("gpu:"):
            progress(f"assembling {name} for {target}")
            found[target] = [assembled(target, kernel) for kernel in result.kernels]
    if isinstance(for_tpu := lowered.get("tpu"), Lowered):
        candidates = kernels_of(for_tpu)

        def ask(target: str) -> Sequence[Verdict]:
            progress(f"compiling {name} with libtpu for {target}")
            return ask_libtpu(target, candidates, timeout)[0]

        with concurrent.futures.ThreadPoolExecutor(max(jobs, 1)) as threads:
            of_tpu = [target for target in wanted if target.startswith("tpu:")]
            found |= dict(zip(of_tpu, threads.map(ask, of_tpu), strict=True))
    return Explanation(name, tuple(verdict for target in wanted for verdict in found[target]))


def _name_of(f: Any) -> str:
    return getattr(f, "__name__", "") or (_name_of(f.func) if isinstance(f, functools.partial) else "function")


def check_target(name: str) -> str:
    """Returns a target with its chip; raises OptionError where there is none of that name."""
    base, _, chip = name.partition(":")
    if base == "tpu":
        if (chip or "v5e") not in TPU_CHIPS:
            raise OptionError(f"expected a chip of target 'tpu' ({', '.join(TPU_CHIPS)}), got {name!r}")
        return f"tpu:{chip or 'v5e'}"
    target = get_target(name)
    return f"gpu:{target.check_options(None).chip}" if base == "gpu" else target.name


def lower_or_error(f: Callable[..., Any], args: Any, kwargs: Any, target: str) -> Lowered | Exception:
    """Returns a function lowered for a target, or the error that says why it is not."""
    try:
        return lower(f, *args, target=target, **kwargs)
    except Exception as error:
        # Of what JAX refuses while it traces, the class is any.
        return error


def compiled(target: str, kernel: Any) -> Verdict:
    """Returns what gridir's own compiler says of a kernel for the CPU."""
    try:
        prepared = kernel.prepare()
    except Error as error:
        return Verdict.of_error(target, kernel.name, "gridir", error)
    return Verdict(target, kernel.name, ACCEPTED, "gridir", figures={"arena bytes": prepared.arena_bytes})


def assembled(target: str, kernel: Any) -> Verdict:
    """Returns what ptxas says of a kernel for a GPU."""
    try:
        prepared = kernel.prepare()
    except Error as error:
        return Verdict.of_error(target, kernel.name, "gridir", error)
    if find_ptxas() is None:
        return Verdict(
            target, kernel.name, UNKNOWN, "ptxas", notes=("ptxas is not installed: pip install 'gridir[gpu]'",)
        )
    try:
        record = prepared.assemble().to_json()
    except PtxasError as error:
        return Verdict.of_error(target, kernel.name, "ptxas", error)
    figures = {
        "registers": record["registers"],
        "spill bytes": record["spill_bytes"],
        "shared bytes": record["shared_bytes"],
    }
    return Verdict(target, kernel.name, ACCEPTED, "ptxas", figures=figures)


def ask_libtpu(target: str, candidates: Sequence[Candidate], timeout: float) -> tuple[Sequence[Verdict], Sequence[Any]]:
    """Returns what libtpu says of kernels for a chip, and its reports.

    Args:
      target: as "tpu:v5e".
      candidates: the kernels.
      timeout: seconds after which a compilation is given up.
    """
    try:
        with Workers(TPU_CHIPS[target.partition(":")[2]], jobs=1, timeout=timeout) as workers:
            reports = compile_candidates(candidates, workers).kernels
    except LibtpuError as error:
        note = "; ".join((error.message, *error.notes))
        return [
            Verdict(target, c.name, UNKNOWN, "libtpu", notes=(note,))
            if c.error is None
            else Verdict.of_error(target, c.name, "gridir", c.error)
            for c in candidates
        ], []
    return [
        _of_report(target, candidate, report) for candidate, report in zip(candidates, reports, strict=True)
    ], reports


def _of_report(target: str, candidate: Candidate, report: Any) -> Verdict:
    if report.error is not None:
        by = "gridir" if candidate.program is None else "libtpu"
        return Verdict.of_error(target, report.name, by, report.error)
    figures = {"bundles": report.bundles, "cycles": report.cycles, "VMEM bytes": report.vmem_bytes}
    return Verdict(target, report.name, ACCEPTED, "libtpu", figures=figures)
