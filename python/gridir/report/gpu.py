# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports on kernels for GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.targets import get_target
from gridir.report.judges import Judge
from gridir.report.listing import Listing
from gridir.report.machine_code import machine_listings
from gridir.report.memory import Entry, Ledger, planned_entries
from gridir.report.verdicts import ACCEPTED, UNKNOWN, Verdict
from gridir.runtime.chips import find_facts, product_chips
from gridir.runtime.ptxas import PtxasError, find_ptxas


class GpuJudge(Judge):
    """ptxas, which assembles what gridir compiles."""

    chips = product_chips("gpu")
    asks = "assembling {}"

    def check(self, name: str) -> str:
        """See `Judge`."""
        target = get_target(name)
        return f"{target.name}:{target.check_options(None).chip}"

    def judge(self, target: str, name: str, prepared: Any) -> Verdict:
        """See `Judge`."""
        if find_ptxas() is None:
            notes = ("ptxas is not installed: pip install 'gridir[gpu]'",)
            return Verdict(target, name, UNKNOWN, "ptxas", notes=notes)
        try:
            record = prepared.assemble().to_json()
        except PtxasError as error:
            return Verdict.of_error(target, name, "ptxas", error)
        figures = {
            "registers": record["registers"],
            "spill bytes": record["spill_bytes"],
            "shared bytes": record["shared_bytes"],
        }
        return Verdict(target, name, ACCEPTED, "ptxas", figures=figures, notes=tuple(record["remarks"]))

    def code(self, kernel: Kernel) -> Sequence[Listing]:
        """See `Judge`."""
        return machine_listings(kernel)

    def ledger(self, target: str, kernel: Kernel, verdict: Verdict) -> Ledger | None:
        """See `Judge`."""
        prepared = kernel.prepare()
        entries = planned_entries(kernel)
        shared: int = verdict.figures.get("shared bytes") or prepared.shared_bytes
        if prepared.workspace_bytes:
            size = prepared.workspace_bytes
            entries.append(Entry("workspace", "gpu.gmem", size, size, 1, "temporaries of a CTA in global memory"))
        capacity = find_facts(target).get("cta_shared_bytes")
        return Ledger(tuple(entries), "shared memory of a CTA", shared, capacity, verdict.by)
