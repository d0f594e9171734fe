# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding the first pass after which a kernel computes something else.

The module after each pass is completed by a fixed list of passes, as far as they come later, and executed. With all
later passes, every module would become the same code. The list is therefore that of the trusted pipeline, for a custom
pipeline; or the passes that cannot be left out.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Sequence

import numpy as np

from gridir.bisection.route import Route, align
from gridir.bisection.worker import Worker
from gridir.compiler.pass_list import name_of

RIGHT, WRONG, FAILS, UNKNOWN = "right", "wrong", "fails", "unknown"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a module that a list of remaining passes has compiled.

    Attributes:
      verdict: right, wrong, fails where the rest makes no code of it, or unknown where the oracle is the same code.
      reason: the fault, the reason of a failure, or the reason why it is unknown.
      is_report: whether the kernel itself reports the fault when it runs: an error, or the finding of a check.
    """

    verdict: str
    reason: str = ""
    is_report: bool = False

    @property
    def is_wrong(self) -> bool:
        """True if the module runs and computes other results."""
        return self.verdict == WRONG


@dataclasses.dataclass(frozen=True)
class Step:
    """One pass of a route.

    Attributes:
      number: which of the passes it is, from 1; 0 for the frontend's module.
      text: the pass with its options; "" for the frontend's module.
      changes: whether it has changed the module.
      outcome: of the module after it.
    """

    number: int
    text: str
    changes: bool
    outcome: Outcome


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The result for a route.

    Attributes:
      route: the route.
      outcome: of the whole.
      steps: the modules that were run, in order.
      suspects: the numbers of the passes among which one is wrong; none if nothing is wrong.
      doubt: why it is not known which; "" where it is.
      needed: the numbers of the passes of the rest that have changed the module.
      cleared: the stage that is right and begins with the same passes, which are no suspects; "" for none.
      compared: the stages of other targets by which suspects were left out, each with its verdict.
      modules: the frontend's module, and that after each pass.
      rest: for each of `modules` the passes that finish it.
    """

    route: Route
    outcome: Outcome
    steps: tuple[Step, ...] = ()
    suspects: tuple[int, ...] = ()
    doubt: str = ""
    needed: tuple[int, ...] = ()
    cleared: str = ""
    compared: tuple[str, ...] = ()
    modules: tuple[bytes, ...] = dataclasses.field(default=(), repr=False)
    rest: Callable[[int], tuple[str, ...]] = dataclasses.field(default=lambda number: (), repr=False)

    @property
    def culprit(self) -> str | None:
        """The pass that is wrong, where it is known."""
        return self.route.passes[self.suspects[0] - 1] if not self.doubt and self.suspects else None


def clear(verdict: Verdict, right: Sequence[Route]) -> Verdict:
    """Returns a verdict without those suspects that a route which is right begins with, too."""
    passes = verdict.route.passes
    shared = {_count_common(passes, route.passes): route.stage for route in right}
    number = max(shared, default=0)
    if verdict.suspects and not verdict.doubt and verdict.suspects[0] <= number:
        # A pass may only expose the fault of a later one that cannot be left out.
        later = tuple(suspect for suspect in verdict.needed if suspect > number)
        doubt = f"the first pass after which it is wrong is part of stage {shared[number]}, too, which is right"
        return dataclasses.replace(verdict, suspects=(*verdict.suspects, *later), doubt=doubt) if later else verdict
    suspects = tuple(suspect for suspect in verdict.suspects if suspect > number)
    if not verdict.doubt or not suspects or suspects == verdict.suspects:
        return verdict
    return dataclasses.replace(verdict, suspects=suspects, cleared=shared[number])


def narrow(verdict: Verdict, right: Sequence[Route], wrong: Sequence[Route]) -> Verdict:
    """Returns a verdict without those suspects that do the same for another target, whose results are right.

    If other targets are wrong, too, only common passes remain: one mistake is the likeliest.

    Args:
      verdict: a verdict that names no pass.
      right: the routes of other targets whose results are right.
      wrong: those whose results are wrong.
    """
    if not verdict.doubt or not (right or wrong):
        return verdict
    passes = verdict.route.passes
    cleared = {text for route in right for text in route.passes}
    suspects = [number for number in verdict.suspects if passes[number - 1] not in cleared]
    names = [{name_of(text) for text in route.passes} for route in wrong]
    shared = [number for number in suspects if all(name_of(passes[number - 1]) in others for others in names)]
    compared = [f"{route.target.name} at stage {route.stage} is right" for route in right]
    compared += [f"{route.target.name} at stage {route.stage} is wrong" for route in wrong]
    suspects = shared or suspects or list(verdict.suspects)
    return dataclasses.replace(verdict, suspects=tuple(suspects), compared=tuple(compared))


def _count_common(passes: Sequence[str], others: Sequence[str]) -> int:
    """With how many passes two routes begin alike."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(passes, others, strict=False)))


Judge = Callable[[Sequence[np.ndarray]], str]
"""Describes the fault of a kernel's results; "" if there is none."""

Progress = Callable[[str], None]
"""Receives a description of the current work."""


class Search:
    """The search on one route of one call.

    Example:
      >>> Search(worker, module, route, judge).find()
    """

    def __init__(
        self,
        worker: Worker,
        module: bytes,
        route: Route,
        judge: Judge,
        *,
        trusted: Sequence[str] | None = None,
        kept: Collection[str] = (),
        halve: bool = False,
        progress: Progress = lambda text: None,
    ):
        """Starts nothing yet.

        Args:
          worker: has the operands.
          module: the frontend's module.
          route: the passes that are searched, and the executor of the result.
          judge: judges results.
          trusted: passes that are known to be correct, from which the list is taken; None for those of the route
            itself.
          kept: trusted passes that always complete a module. They insert checks, so a module that they complete has
            the faults that the checks find, and without them it has none.
          halve: bisects the passes instead of running the module after each.
          progress: is called with a description of the current work.
        """
        self._kept = frozenset(kept)
        self._worker, self._module, self._route, self._judge = worker, module, route, judge
        self._trusted = tuple(trusted) if trusted is not None else None
        self._halve, self._progress = halve, progress
        self._known: dict[tuple[bytes, tuple[str, ...]], Outcome] = {}

    def look(self) -> Verdict:
        """Returns whether the route is right, and does not search it."""
        self._progress(f"{self._route.stage}: all {len(self._route.passes)} passes")
        return Verdict(self._route, self._run(self._module, self._route.passes))

    def find(self) -> Verdict:
        """Returns the result for the route."""
        passes, outcome = self._route.passes, self.look().outcome
        if outcome.verdict != WRONG:
            return Verdict(self._route, outcome)
        reply = self._worker.trace(self._module, passes)
        self._modules: list[bytes] = reply.get("modules", [self._module])
        rest = self._rest()
        verdict = Verdict(
            self._route,
            outcome,
            needed=self._changing(self._needed),
            modules=tuple(self._modules),
            rest=rest,
        )
        first = self._step(0, rest)
        if first.outcome.verdict != RIGHT:
            return dataclasses.replace(
                verdict,
                steps=(first,),
                suspects=self._changing(self._needed),
                doubt="the frontend's module is wrong already when it is finished by the passes that are needed",
            )
        steps = self._halved(first, rest) if self._halve else self._one_by_one(first, rest)
        wrong = steps[-1]
        right = max(step.number for step in steps if step.outcome.verdict == RIGHT)
        suspects = [n for n in range(right + 1, wrong.number + 1) if self._modules[n] != self._modules[n - 1]]
        doubt = "" if len(suspects) == 1 else "the modules in between cannot be finished by the passes of the rest"
        return dataclasses.replace(verdict, steps=tuple(steps), suspects=tuple(suspects), doubt=doubt)

    def _run(self, module: bytes, passes: Sequence[str]) -> Outcome:
        key = module, tuple(passes)
        if key not in self._known:
            self._known[key] = self._run_anew(*key)
        return self._known[key]

    def _run_anew(self, module: bytes, passes: tuple[str, ...]) -> Outcome:
        reply = self._worker.run(module, passes, self._route.target, self._route.options)
        if "results" in reply:
            reason = self._judge(reply["results"])
            return Outcome(WRONG if reason else RIGHT, reason)
        # Code that takes the process down, or reports an error, is wrong; passes that refuse a module are no code.
        runs = reply.get("died") or not self._worker.compile(module, passes, self._route.target, self._route.options)
        return Outcome(WRONG if runs else FAILS, reply["error"], is_report=bool(runs) and not reply.get("died"))

    def _step(self, number: int, rest: Callable[[int], tuple[str, ...]]) -> Step:
        text = self._route.passes[number - 1] if number else ""
        self._progress(f"{self._route.stage}: after {number} of {len(self._route.passes)} passes {text:.60}")
        changes = number > 0 and self._modules[number] != self._modules[number - 1]
        return Step(number, text, changes, self._run(self._modules[number], rest(number)))

    def _one_by_one(self, first: Step, rest: Callable[[int], tuple[str, ...]]) -> list[Step]:
        steps = [first]
        while not steps[-1].outcome.is_wrong:
            steps.append(self._step(steps[-1].number + 1, rest))
        return steps

    def _halved(self, first: Step, rest: Callable[[int], tuple[str, ...]]) -> list[Step]:
        last = self._step(len(self._route.passes), rest)
        found = {0: first, last.number: last}
        right, wrong = 0, last.number
        while wrong - right > 1:
            middle = (right + wrong) // 2
            # One that cannot be finished says nothing: the next one that can is asked.
            for number in [*range(middle, wrong), *range(middle - 1, right, -1)]:
                found[number] = step = self._step(number, rest)
                if step.outcome.verdict != FAILS:
                    break
            else:
                break
            right, wrong = (right, number) if step.outcome.is_wrong else (number, wrong)
        return [found[number] for number in sorted(found) if number <= wrong]

    def _rest(self) -> Callable[[int], tuple[str, ...]]:
        """For a number of passes that have run, the passes that finish the module."""
        trusted = self._trusted if self._trusted is not None else self._route.passes
        positions = align(self._route.passes, trusted)
        if self._trusted is not None and self._run(self._module, trusted).verdict == RIGHT:
            self._needed = list(range(len(trusted)))
        else:
            self._needed = self._find_needed(trusted)
        kept = set(self._needed)
        return lambda number: tuple(text for i, text in enumerate(trusted) if i >= positions[number] and i in kept)

    def _find_needed(self, trusted: Sequence[str]) -> list[int]:
        """The passes that a kernel cannot be compiled without, or computes something else without."""
        target, options = self._route.target, self._route.options
        needed = []
        for number, text in enumerate(trusted):
            if text in self._kept:
                needed.append(number)
                continue
            self._progress(f"{self._route.stage}: can pass {number + 1} of {len(trusted)} be left out? {text:.50}")
            unchanged = len(trusted) == len(self._modules) - 1 and self._modules[number] == self._modules[number + 1]
            others = [*trusted[:number], *trusted[number + 1 :]]
            if not unchanged and self._worker.compile(self._module, others, target, options) is not None:
                needed.append(number)
        if self._is_right(trusted, needed):
            return needed
        # Among equivalent passes, such as cleanups, one may be required, although each can be omitted alone.
        kept = list(range(len(trusted)))
        for number in (n for n, text in enumerate(trusted) if n not in needed and text not in self._kept):
            self._progress(f"{self._route.stage}: can pass {number + 1} of {len(trusted)} be left out with others?")
            fewer = [n for n in kept if n != number]
            if self._worker.compile(self._module, [trusted[n] for n in fewer], target, options) is None:
                kept = fewer
        if self._is_right(trusted, kept):
            return kept
        needed = kept
        # A pass that can be omitted may still be required for correct results.
        optional = [n for n in range(len(trusted)) if n not in needed]
        for number in optional:
            if self._is_right(trusted, more := sorted([*needed, number])):
                return more
        # Otherwise one of them is wrong; if there are several, the culprit is unknown.
        wrong = [number for number in optional if self._is_right(trusted, self._without(trusted, number))]
        return self._without(trusted, wrong[0]) if len(wrong) == 1 else needed

    @staticmethod
    def _without(trusted: Sequence[str], number: int) -> list[int]:
        return [n for n in range(len(trusted)) if n != number]

    def _is_right(self, trusted: Sequence[str], numbers: Sequence[int]) -> bool:
        return self._run(self._module, [trusted[n] for n in numbers]).verdict == RIGHT

    def _changing(self, numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(n + 1 for n in numbers if n + 1 < len(self._modules) and self._modules[n + 1] != self._modules[n])
