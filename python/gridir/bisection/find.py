# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.bisect`: the pass that makes a kernel of a function compute wrong results."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

from gridir.bisection.changes import Change, first_change, is_changed_at
from gridir.bisection.faults import OwnFaults
from gridir.bisection.oracle import Expected, expected_calls, expected_of, to_record
from gridir.bisection.route import Route, routes_of
from gridir.bisection.search import RIGHT, UNKNOWN, Outcome, Progress, Search, Verdict, clear, narrow
from gridir.bisection.triage import NOTHING, Triage, triage
from gridir.bisection.values import Value, first_wrong_value
from gridir.bisection.worker import Worker
from gridir.compiler.pass_list import passes_of
from gridir.compiler.targets import CPU, all_targets, get_target
from gridir.errors import Error, OptionError
from gridir.frontend.recording.module_records import ModuleFile, records_of


@dataclasses.dataclass(frozen=True)
class Found:
    """The result of the search for one kernel.

    Attributes:
      expected: the call of it that was run, and the results that it should have.
      verdicts: one for each route that the kernel has to something that runs, the earliest stage first. Only the first
        wrong one was searched.
      change: the first change of the pass, in the frame of `value` if possible; None if no pass is named. value: the
      first wrong value of the kernel; None if there is none, or if it is unknown.
      no_value: why it is not known; "" where it is.
      touching: those of the suspects that have changed ops which come from the frame of `value`.
      triage: the comparison of the PTX with machine code on a GPU; None without one.
    """

    expected: Expected
    verdicts: tuple[Verdict, ...]
    change: Change | None = None
    value: Value | None = None
    no_value: str = ""
    touching: tuple[int, ...] = ()
    triage: Triage | None = None

    @property
    def wrong(self) -> Verdict | None:
        """The result for the earliest wrong stage; None if no stage is wrong."""
        return next((verdict for verdict in self.verdicts if verdict.outcome.is_wrong), None)

    @property
    def is_wrong(self) -> bool:
        """True if a stage or machine code is wrong."""
        return self.wrong is not None or (self.triage is not None and self.triage.fault != NOTHING)


def bisect(
    function: Callable[..., Any],
    *args: Any,
    reference: Callable[..., Any] | None = None,
    target: str = "cpu",
    options: Any = None,
    pipeline: str | None = None,
    trusted: str | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    halve: bool = False,
    timeout: float = 60,
    device: int | None = None,
    worker: Worker | None = None,
    progress: Progress = lambda text: None,
) -> list[Found]:
    """Names the pass after which a kernel of a function computes something else than in interpret mode.

    Args:
      function: a function of JAX arrays.
      *args: its arguments.
      reference: a function of the same arguments, whose results are right. It is asked where interpret mode cannot run
        the kernel.
      target: the target of its kernels, as "cpu" or "gpu:sm_90a".
      options: the target's options.
      pipeline: passes from the frontend's module to the target's last stage that are searched instead of its own.
      trusted: passes that are known to be correct, which complete a `pipeline`; by default the target's own.
      checks: the checks of a running kernel, as "races" on cpu and gpu: a finding also counts as wrong.
      schedule_seed: the seed of the order of concurrent work; None for the default order.
      halve: searches by halving: faster, and of several passes that are wrong it names some.
      timeout: seconds after which code that runs is taken for wrong.
      device: a GPU of this machine, which runs the machine code of kernels for it; None for no comparison with one.
      worker: the process in which modules run, where it is kept for several searches.
      progress: is called with a description of the current work.

    Returns:
      One record for each kernel.

    Raises:
      OptionError: for an unknown target, and for checks that it does not have.
      UnsupportedError: when a kernel cannot be lowered for the target.
      CompileError: if the pipeline names an unknown pass.
      KernelError: when the function calls no kernel.

    Example:
      >>> for found in gridir.bisect(function, *args, target="gpu"):
      ...     print(found.wrong and found.wrong.culprit)
    """
    chosen = get_target(target)
    checked = chosen.check_options(options).with_checks(checks, schedule_seed)
    progress("interpret mode")
    calls = expected_calls(function, args, chosen, checked, reference)
    return _bisect_calls(calls, pipeline, trusted, halve, timeout, device, worker, progress)


def bisect_module(
    file: ModuleFile,
    *,
    target: str = "cpu",
    options: Any = None,
    pipeline: str | None = None,
    trusted: str | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    halve: bool = False,
    timeout: float = 60,
    device: int | None = None,
    worker: Worker | None = None,
    progress: Progress = lambda text: None,
) -> list[Found]:
    """Names the pass after which a kernel of a module computes something else than by the CPU's own pipeline.

    Args:
      file: a module of the stage grid.
      target: see `bisect`, like the other arguments.
      options: the target's options.
      pipeline: the passes that are searched.
      trusted: passes that are known to be right.
      checks: the checks of a running kernel.
      schedule_seed: the seed of the order of concurrent work.
      halve: searches by halving.
      timeout: seconds after which code that runs is taken for wrong.
      device: a GPU of this machine that runs machine code; None for no comparison with one.
      worker: the process in which modules run.
      progress: is called with a description of the current work.

    Returns:
      One record for each kernel.

    Raises:
      Error: see `bisect`, and for a module without a kernel whose operands have known shapes.
    """
    checked = get_target(target).check_options(options).with_checks(checks, schedule_seed)
    progress("the CPU's own pipeline")
    calls = [expected_of(record, checked) for record in records_of(file, target)]
    return _bisect_calls(calls, pipeline, trusted, halve, timeout, device, worker, progress)


def _bisect_calls(
    calls: Sequence[Expected],
    pipeline: str | None,
    trusted: str | None,
    halve: bool,
    timeout: float,
    device: int | None,
    worker: Worker | None,
    progress: Progress,
) -> list[Found]:
    with contextlib.ExitStack() as stack:
        if worker is None:
            worker = stack.enter_context(Worker(timeout))
        found: dict[str, Found] = {}
        for expected in calls:
            # Shows the first wrong call of a kernel.
            earlier = found.get(expected.kernel.key)
            if earlier is None or not earlier.is_wrong:
                found[expected.kernel.key] = _bisect_call(worker, expected, pipeline, trusted, halve, device, progress)
    return list(found.values())


def _bisect_call(
    worker: Worker,
    expected: Expected,
    pipeline: str | None,
    trusted: str | None,
    halve: bool,
    device: int | None,
    progress: Progress,
) -> Found:
    kernel = expected.kernel
    worker.load(to_record(expected))
    verdicts: list[Verdict] = []
    own = passes_of(kernel.target.pipeline(kernel.options, kernel.stages[-1]))
    plain = passes_of(kernel.target.pipeline(kernel.options.without_checks(), kernel.stages[-1]))
    inserting = frozenset(own) - frozenset(plain)
    if pipeline is not None and (missing := sorted(inserting - frozenset(passes_of(pipeline)))):
        raise OptionError(f"expected a pipeline with the passes that insert the checks, got one without {missing[0]!r}")
    # Of other passes than the target's own, those are searched that change the results, whatever these are.
    faults = OwnFaults(to_record(expected), worker)
    judge = expected.judge if pipeline is not None else functools.partial(expected.judge, explains=faults.explain)
    for route in routes_of(kernel, pipeline):
        rest: Sequence[str] | None = None
        if trusted is not None:
            rest = passes_of(trusted)
        elif pipeline is not None:
            rest = own
        search = Search(
            worker,
            kernel.bytecode,
            route,
            judge,
            trusted=rest,
            kept=inserting,
            halve=halve,
            progress=progress,
        )
        is_first = not any(verdict.outcome.is_wrong for verdict in verdicts)
        verdict = search.find() if is_first else search.look()
        is_oracle = expected.is_native and kernel.target is CPU and route.passes == own
        if is_oracle and verdict.outcome.verdict == RIGHT:
            other = "name passes with --pipeline" if expected.record is not None else "write a reference()"
            reason = f"the oracle is this code itself: {other}, or choose another target"
            verdict = dataclasses.replace(verdict, outcome=Outcome(UNKNOWN, reason))
        if faults.reason and verdict.outcome.verdict == RIGHT:
            verdict = dataclasses.replace(verdict, outcome=Outcome(UNKNOWN, faults.reason))
        verdicts.append(verdict)
        faults.reason = ""
    right = [verdict.route for verdict in verdicts if verdict.outcome.verdict == RIGHT]
    # A stage or target that checks less does not show that a report is a fault of other passes.
    verdicts = [verdict if verdict.outcome.is_report else clear(verdict, right) for verdict in verdicts]
    wrong = next((verdict for verdict in verdicts if verdict.outcome.is_wrong), None)
    change = None
    if wrong is not None and wrong.culprit is None and pipeline is None and not wrong.outcome.is_report:
        verdicts[verdicts.index(wrong)] = narrow(wrong, *_ask_other_targets(worker, expected, progress))
    value, no_value, touching = None, "", ()
    wrong = next((verdict for verdict in verdicts if verdict.outcome.is_wrong), None)
    if wrong is not None:
        try:
            value = first_wrong_value(worker, expected, wrong.route, progress)
        except Error as error:
            no_value = error.message
        worker.load(to_record(expected))
        frame = value.frame if value is not None else None
        pairs = {number: (wrong.modules[number - 1], wrong.modules[number]) for number in wrong.suspects}
        if wrong.culprit is not None:
            change = first_change(*pairs[wrong.suspects[0]], frame)
        if frame is not None:
            touching = tuple(number for number, pair in pairs.items() if is_changed_at(*pair, frame))
    compared = None
    if device is not None:
        compared = triage(worker, expected, verdicts[-1], device, progress)
    return Found(expected, tuple(verdicts), change, value, no_value, touching, compared)


def _ask_other_targets(worker: Worker, expected: Expected, progress: Progress) -> tuple[list[Route], list[Route]]:
    """The routes of other targets whose results are right, and those whose results are wrong."""
    record, found = to_record(expected), {True: [], False: []}
    for name in all_targets():
        if name == expected.kernel.target.name:
            continue
        try:
            kernel = record.kernel(name)
            routes = routes_of(kernel)
        except Error:
            # A target that cannot have such a kernel says nothing.
            continue
        for route in routes:
            outcome = Search(worker, kernel.bytecode, route, expected.judge, progress=progress).look().outcome
            if outcome.verdict == RIGHT or outcome.is_wrong:
                found[outcome.verdict == RIGHT].append(route)
    return found[True], found[False]
