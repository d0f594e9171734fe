# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports on kernels for the CPU."""

from __future__ import annotations

from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.report.judges import Judge
from gridir.report.memory import Ledger, planned_entries
from gridir.report.verdicts import ACCEPTED, REFUSED, Verdict


class CpuJudge(Judge):
    """gridir's compiler, which says how much memory a thread needs."""

    def judge(self, target: str, name: str, prepared: Any) -> Verdict:
        """See `Judge`."""
        return Verdict(target, name, ACCEPTED, "gridir", figures={"arena bytes": prepared.arena_bytes})

    def ledger(self, target: str, kernel: Kernel, verdict: Verdict) -> Ledger | None:
        """See `Judge`."""
        if verdict.verdict == REFUSED:
            return None
        arena = verdict.figures["arena bytes"]
        return Ledger(tuple(planned_entries(kernel)), "arena of a thread", arena, None, "gridir")
