# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports on kernels for TPUs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.errors import Error
from gridir.frontend.lower import Lowered
from gridir.frontend.targets.tpu_report import Candidate, compile_candidates, kernels_of
from gridir.report.judges import Judge
from gridir.report.listing import bundle_listing, stage_listings
from gridir.report.memory import Entry, Ledger, planned_entries
from gridir.report.model import TargetView
from gridir.report.verdicts import ACCEPTED, UNKNOWN, Verdict
from gridir.runtime.chips import facts_of, product_chips
from gridir.runtime.tpu.workers import LibtpuError, Workers, topology_of


class TpuJudge(Judge):
    """libtpu, which compiles what gridir lowers."""

    chips = product_chips("tpu")
    asks = "compiling {} with libtpu"
    is_remote = True

    def check(self, name: str) -> str:
        """See `Judge`."""
        name = f"{name}:v5e" if name == "tpu" else name
        facts_of(name)
        return name

    def form(self, target: str) -> str:
        """See `Judge`."""
        return target.partition(":")[0]

    def prepare(self, lowered: Lowered) -> Sequence[Candidate]:
        """See `Judge`."""
        return kernels_of(lowered)

    def verdicts(self, target: str, prepared: Sequence[Candidate], timeout: float) -> Sequence[Verdict]:
        """See `Judge`."""
        return _ask_libtpu(target, prepared, timeout)[0]

    def views(self, target: str, lowered: Lowered, timeout: float) -> list[TargetView]:
        """See `Judge`."""
        verdicts, reports = _ask_libtpu(target, kernels_of(lowered), timeout)
        views = []
        for kernel, verdict, report in zip(lowered.kernels, verdicts, reports or [None] * len(verdicts), strict=True):
            listings, _ = stage_listings(kernel)
            if report is not None and report.schedule:
                listings.append(bundle_listing(report.schedule))
            views.append(TargetView(target, verdict, tuple(listings), _ledger(target, kernel, report)))
        return views


def _ask_libtpu(
    target: str, candidates: Sequence[Candidate], timeout: float
) -> tuple[Sequence[Verdict], Sequence[Any]]:
    """Returns libtpu's verdicts on kernels for a chip, and its reports.

    Args:
      target: as "tpu:v5e".
      candidates: the kernels.
      timeout: seconds after which a compilation is given up.
    """
    try:
        with Workers(topology_of(target.partition(":")[2]), jobs=1, timeout=timeout) as workers:
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
    # libtpu writes no schedule of a SparseCore.
    known = {name: number for name, number in figures.items() if number is not None}
    return Verdict(target, report.name, ACCEPTED, "libtpu", figures=known)


def _ledger(target: str, kernel: Kernel, report: Any) -> Ledger | None:
    try:
        entries = planned_entries(kernel)
    except Error:
        return None
    memory, capacity = "VMEM", facts_of(target)["vmem_bytes"]
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
