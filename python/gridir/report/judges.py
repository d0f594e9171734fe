# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Acceptance checkers, one for each target: gridir's compiler, ptxas, libtpu."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from gridir.compiler.targets import get_target
from gridir.errors import Error, OptionError
from gridir.frontend.lower import Lowered
from gridir.frontend.tpu_report import Candidate, compile_candidates, kernels_of
from gridir.report.verdicts import ACCEPTED, UNKNOWN, Verdict
from gridir.runtime.ptxas import PtxasError, find_ptxas
from gridir.runtime.tpu.workers import TOPOLOGIES, LibtpuError, Workers

GPU_CHIPS = ("sm_80", "sm_90a", "sm_100a")
TPU_CHIPS = {topology.partition(":")[0]: topology for topology in TOPOLOGIES}


class Judge(abc.ABC):
    """Judges the kernels of one target.

    Attributes:
      chips: those that are asked by default; none for a target that has one form for all.
      asks: a description of its work for a waiting user; "" if it takes no time.
      is_remote: whether other processes do that, so that several chips are asked at once.
    """

    chips: Sequence[str] = ()
    asks = ""
    is_remote = False

    def check(self, name: str) -> str:
        """Returns a target with its chip, as "tpu:v5e"; raises OptionError for an unknown name."""
        return get_target(name).name

    def form(self, target: str) -> str:
        """Returns the target of the lowering: the target with its chip, or the one that all chips share."""
        return target

    def prepare(self, lowered: Lowered) -> Sequence[Any]:
        """Returns the candidates of a function, for all chips that share its form."""
        return lowered.kernels

    @abc.abstractmethod
    def verdicts(self, target: str, prepared: Sequence[Any], timeout: float) -> Sequence[Verdict]:
        """Returns a result for each kernel; the timeout is in seconds."""


class _CpuJudge(Judge):
    def verdicts(self, target: str, prepared: Sequence[Any], timeout: float) -> Sequence[Verdict]:
        """See `Judge`."""
        return [compiled(target, kernel) for kernel in prepared]


class _GpuJudge(Judge):
    chips = GPU_CHIPS
    asks = "assembling {}"

    def check(self, name: str) -> str:
        """See `Judge`."""
        target = get_target(name)
        return f"{target.name}:{target.check_options(None).chip}"

    def verdicts(self, target: str, prepared: Sequence[Any], timeout: float) -> Sequence[Verdict]:
        """See `Judge`."""
        return [assembled(target, kernel) for kernel in prepared]


class _TpuJudge(Judge):
    chips = tuple(TPU_CHIPS)
    asks = "compiling {} with libtpu"
    is_remote = True

    def check(self, name: str) -> str:
        """See `Judge`."""
        base, _, chip = name.partition(":")
        if (chip or "v5e") not in TPU_CHIPS:
            raise OptionError(f"expected a chip of target {base!r} ({', '.join(TPU_CHIPS)}), got {name!r}")
        return f"{base}:{chip or 'v5e'}"

    def form(self, target: str) -> str:
        """See `Judge`."""
        return target.partition(":")[0]

    def prepare(self, lowered: Lowered) -> Sequence[Candidate]:
        """See `Judge`."""
        return kernels_of(lowered)

    def verdicts(self, target: str, prepared: Sequence[Candidate], timeout: float) -> Sequence[Verdict]:
        """See `Judge`."""
        return ask_libtpu(target, prepared, timeout)[0]


JUDGES: dict[str, Judge] = {"cpu": _CpuJudge(), "tpu": _TpuJudge(), "gpu": _GpuJudge()}

TARGETS = tuple(f"{name}:{chip}" if chip else name for name, judge in JUDGES.items() for chip in judge.chips or ("",))
"""All targets and chips that are asked by default."""


def judge_of(name: str) -> Judge:
    """Returns the checker of a target; raises OptionError for an unknown name."""
    base = name.partition(":")[0]
    return JUDGES[base] if base in JUDGES else JUDGES[get_target(name).name]


def check_target(name: str) -> str:
    """Returns a target with its chip; raises OptionError for an unknown name."""
    return judge_of(name).check(name)


def compiled(target: str, kernel: Any) -> Verdict:
    """Returns the verdict of gridir's own compiler on a kernel for the CPU."""
    try:
        prepared = kernel.prepare()
    except Error as error:
        return Verdict.of_error(target, kernel.name, "gridir", error)
    return Verdict(target, kernel.name, ACCEPTED, "gridir", figures={"arena bytes": prepared.arena_bytes})


def assembled(target: str, kernel: Any) -> Verdict:
    """Returns the verdict of ptxas on a kernel for a GPU."""
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
    return Verdict(target, kernel.name, ACCEPTED, "ptxas", figures=figures, notes=tuple(record["remarks"]))


def ask_libtpu(target: str, candidates: Sequence[Candidate], timeout: float) -> tuple[Sequence[Verdict], Sequence[Any]]:
    """Returns libtpu's verdicts on kernels for a chip, and its reports.

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
    if report.prediction is not None:
        figures["predicted us"] = round(report.prediction.seconds * 1e6, 2)
    return Verdict(target, report.name, ACCEPTED, "libtpu", figures=figures)
