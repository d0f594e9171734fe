# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of a target's part of reports: acceptance checkers, and views of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.target import load_part
from gridir.compiler.targets import all_targets, get_target
from gridir.errors import Error
from gridir.frontend.lower import Lowered
from gridir.report.listing import Listing, stage_listings
from gridir.report.memory import Ledger
from gridir.report.model import TargetView
from gridir.report.verdicts import ACCEPTED, Verdict


class Judge:
    """A target's part of reports, which `Target.report` names. This base asks only gridir's compiler.

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

    def verdicts(self, target: str, prepared: Sequence[Any], timeout: float) -> Sequence[Verdict]:
        """Returns a result for each kernel; the timeout is in seconds."""
        return [self.verdict(target, kernel) for kernel in prepared]

    def verdict(self, target: str, kernel: Kernel) -> Verdict:
        """Returns the verdict on a kernel: first that of gridir's own compiler."""
        try:
            prepared = kernel.prepare()
        except Error as error:
            return Verdict.of_error(target, kernel.name, "gridir", error)
        return self.judge(target, kernel.name, prepared)

    def judge(self, target: str, name: str, prepared: Any) -> Verdict:
        """Returns the verdict on a kernel that gridir has compiled."""
        return Verdict(target, name, ACCEPTED, "gridir")

    def views(self, target: str, lowered: Lowered, timeout: float) -> list[TargetView]:
        """Returns a view of each kernel of a function; the timeout is in seconds."""
        return [self._view(target, kernel) for kernel in lowered.kernels]

    def _view(self, target: str, kernel: Kernel) -> TargetView:
        """Returns the stages that a kernel reaches, and the result of the last one."""
        listings, error = stage_listings(kernel)
        if error is not None:
            return TargetView(target, Verdict.of_error(target, kernel.name, "gridir", error), tuple(listings))
        verdict = self.verdict(target, kernel)
        listings += self.code(kernel)
        return TargetView(target, verdict, tuple(listings), self.ledger(target, kernel, verdict))

    def code(self, kernel: Kernel) -> Sequence[Listing]:
        """Returns listings of what follows the last stage."""
        return ()

    def ledger(self, target: str, kernel: Kernel, verdict: Verdict) -> Ledger | None:
        """Returns the memory of a kernel that reaches the last stage; None where it is not known."""
        return None


def judge_of(name: str) -> Judge:
    """Returns the checker of a target; raises OptionError for an unknown name."""
    target = all_targets().get(name.partition(":")[0]) or get_target(name)
    judge: Judge = load_part(target.report)
    return judge


def check_target(name: str) -> str:
    """Returns a target with its chip; raises OptionError for an unknown name."""
    return judge_of(name).check(name)


def default_targets() -> list[str]:
    """Returns all targets and chips that are asked by default."""
    return [f"{name}:{chip}" if chip else name for name in all_targets() for chip in judge_of(name).chips or ("",)]
