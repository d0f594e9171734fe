# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.tune`: the best values of a function's arguments for a chip."""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax

from gridir.errors import OptionError
from gridir.frontend.capture import chips as told_chips
from gridir.runtime.chip_constants import load_chip
from gridir.tuning.backend import TIERS, Backend, Outcome
from gridir.tuning.backends import make_backend
from gridir.tuning.cache import Cache, default_directory
from gridir.tuning.estimates import estimate_space
from gridir.tuning.kinds import Estimate
from gridir.tuning.proposals import check_proposal, compare_inputs
from gridir.tuning.results import Entry, Problem, TuningResult, rank
from gridir.tuning.space import Space, as_space
from gridir.tuning.supply import name_of, signature_of
from gridir.tuning.traced import refusals, trace

_RETRIES = 3
"""A tier is asked of at most this many times as many configurations as it shall find legal ones."""

_COMPARED = 8
"""About as many other configurations are compared with the proposals, if these do not read all of their inputs."""

Progress = Callable[[str], None]


def tune(
    function: Callable[..., Any],
    *args: Any,
    space: Any,
    target: str = "tpu:v5e",
    tier: str | None = None,
    top: int = 16,
    jobs: int = 2,
    timeout: float = 120,
    lowering: str = "gridir",
    check: bool = True,
    proposals: int = 3,
    check_seconds: float = 60,
    races: bool = False,
    cache: str | bool = True,
    constants: str | None = None,
    progress: Progress = lambda _: None,
    **kwargs: Any,
) -> TuningResult:
    """Finds the best values of a function's arguments for a chip, which need not be there.

    All configurations are ranked by a closed form, the estimate tier. The best of them go to the next tier: "compile"
    predicts times from the code that libtpu or ptxas makes, "measure" runs them. The result is the same for any number
    of processes.

    Args:
      function: a function that JAX can trace. It takes the parameters of the space as keyword arguments.
      *args: its other arguments: arrays or `jax.ShapeDtypeStruct`s. For exact times, integers on which the grid or the
        blocks depend have to be arrays.
      space: the values of each keyword argument, as `{"block_q": [128, 256]}`. A `gridir.tuning.Record` stands for an
        argument that is one record of parameters, a `gridir.tuning.Space` adds a condition.
      target: "cpu", or a chip as "tpu:v5e" or "gpu:sm_90a".
      tier: the last tier to ask: "estimate", "compile" or "measure". Without it the most accurate one that needs no
        device: "compile" for a TPU or GPU, "measure" for the CPU.
      top: how many configurations go to the next tier; half of them to the one after it.
      jobs: how many processes compile at once.
      timeout: seconds after which a compilation is given up.
      lowering: who lowers the kernels that are compiled: "gridir", or "jax". With "jax", libtpu compiles JAX's own
        modules, and on a GPU JAX's own compiler those for Triton; the latter needs `pip install 'gridir[peer]'`.
      check: makes the checks of `gridir check` on the proposals, the first configurations of the ranking. One that is
        refuted is not legal, and the next one takes its place.
      proposals: how many there are.
      check_seconds: seconds after which no further proposal is checked. The best one is checked in any case.
      races: also runs the proposals on the CPU with the executor's check for races.
      cache: whether outcomes are kept in files, or the directory for them.
      constants: a file in the form of `gridir/runtime/chip_constants.toml`, whose values replace gridir's.
      progress: is called with a line of text before each step.
      **kwargs: further keyword arguments of the function, the same for all configurations.

    Raises:
      OptionError: for an unknown target, tier or space.
      NoKernelError: when the function calls no kernel.

    Example:
      >>> result = gridir.tune(attention, q, k, v, space={"block_q": [128, 256, 512]}, target="tpu:v5e")
      >>> print(result)
      >>> attention(q, k, v, **result.best)
    """
    checked = as_space(space)
    for name, number in (("top", top), ("jobs", jobs), ("proposals", proposals)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise OptionError(f"expected {name} to be a number from 1 on, got {number!r}")
    chip = load_chip(target, constants)
    directory = cache if isinstance(cache, str) else default_directory() if cache else None
    backend = make_backend(chip, Cache(directory), jobs=jobs, timeout=timeout, lowering=lowering)
    last = _last_tier(tier, backend)
    overlap = [name for name in checked.arguments if name in kwargs]
    if overlap:
        raise OptionError(f"expected {overlap[0]} in the space or as an argument, got both")
    _check_arguments(function, args, kwargs, checked)
    with _told(chip.name):
        run = _Run(function, args, kwargs, checked, backend, progress)
        run.estimate()
        previous = "estimate"
        for each in backend.tiers[1 : backend.tiers.index(last) + 1]:
            run.refine(each, previous, top)
            previous, top = each, max(top // 2, 1)
        if check:
            run.check(proposals, check_seconds, races)
    return TuningResult([run.problem(tier)])


def _check_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], space: Space) -> None:
    """Checks that a function takes the arguments and those of a space.

    Raises:
      OptionError: when it does not, or an argument has a dimension that is not known.
    """
    if not callable(function):
        raise OptionError(f"expected a function, got {function!r}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # A function that is not written in Python may have none.
    try:
        signature.bind(*args, **kwargs, **dict.fromkeys(space.arguments))
    except TypeError as error:
        raise OptionError(
            f"expected arguments that {name_of(function)}{signature} takes, with {', '.join(space.arguments)} of the "
            f"space, got others: {error}"
        ) from error
    for leaf in jax.tree.leaves((args, kwargs)):
        unknown = [size for size in getattr(leaf, "shape", ()) if not isinstance(size, int)]
        if unknown:
            raise OptionError(f"expected arguments of known shapes, got a dimension {unknown[0]}")


def _last_tier(tier: str | None, backend: Backend) -> str:
    if tier is None:
        return backend.tiers[-1] if backend.chip.kind == "cpu" else backend.tiers[:2][-1]
    if tier not in TIERS:
        raise OptionError(f"expected a tier among {', '.join(TIERS)}, got {tier!r}")
    if tier not in backend.tiers:
        reasons = {
            "compile": "libtpu, from gridir[tpu], compiles for TPUs, and ptxas, from gridir[gpu], for GPUs",
            "measure": "only a chip of this machine can be measured",
        }
        raise OptionError(
            f"expected a tier that this machine has for {backend.chip.name} ({', '.join(backend.tiers)}), got {tier!r}",
            notes=[reasons[tier]] if tier in reasons else [],
        )
    return tier


@contextlib.contextmanager
def _told(target: str) -> Any:
    """While it is entered, a program that queries its TPU sees the one that it is tuned for."""
    kind, _, chip = target.partition(":")
    if kind != "tpu":
        yield
        return
    from gridir import tpu

    with tpu.chip(told_chips.check_chip(chip)):
        yield


def _with_arrays_last(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """Makes arrays that are keyword arguments operands: the last argument has them by name."""
    arrays = {
        name: value
        for name, value in kwargs.items()
        if (leaves := jax.tree.leaves(value)) and all(hasattr(x, "shape") and hasattr(x, "dtype") for x in leaves)
    }
    if not arrays:
        return function, args, kwargs

    @functools.wraps(function)
    def taking(*operands: Any, **rest: Any) -> Any:
        *others, named = operands
        return function(*others, **named, **rest)

    return taking, (*args, arrays), {name: value for name, value in kwargs.items() if name not in arrays}


class _Run:
    """One call of `tune`."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        space: Space,
        backend: Backend,
        tell: Progress,
    ):
        self._name, self._signature = name_of(function), signature_of(function, args, kwargs)
        self._function, self._args, self._kwargs = _with_arrays_last(function, args, kwargs)
        self._space, self._backend, self._tell = space, backend, tell
        self._configs = space.configs()
        self._outcomes: list[dict[str, Outcome]] = [{} for _ in self._configs]
        self._problems: dict[int, tuple[str, ...]] = {}
        self._passed: set[int] = set()
        self._estimates: list[Estimate] = []
        self._notes: dict[str, None] = {}

    def estimate(self) -> None:
        def tell(done: int, count: int) -> None:
            if done % 16 == 0:
                self._tell(f"estimating {count} configurations, {done} of them are traced")

        sizes = [size for leaf in jax.tree.leaves(self._args) for size in getattr(leaf, "shape", ())]
        found = estimate_space(self._backend, self._configs, sizes, self._trace, self._refusals, tell)
        self._estimates = found.found
        for outcomes, each in zip(self._outcomes, found.found, strict=True):
            outcomes["estimate"] = each.outcome
        self._notes |= dict.fromkeys(found.notes)
        if found.derived:
            self._notes[
                f"{len(found.derived)} of {len(self._configs)} configurations are estimated by formulas, "
                f"which predicted {found.tests} traced ones rightly"
            ] = None

    def _trace(self, number: int) -> Any:
        return trace(self._function, self._args, self._kwargs, self._space, self._configs[number])

    def _refusals(self, numbers: Sequence[int]) -> list[str]:
        configs = [self._configs[number] for number in numbers]
        return refusals(self._function, self._args, self._kwargs, self._space, configs)

    def _legal(self, tier: str) -> list[int]:
        """The configurations that are legal as far as a tier knows, the best first."""
        found = [
            (outcomes[tier].seconds, number)
            for number, outcomes in enumerate(self._outcomes)
            if tier in outcomes and outcomes[tier].seconds is not None
        ]
        return [number for _, number in sorted(found)]

    def refine(self, tier: str, previous: str, top: int) -> None:
        """Evaluates the best configurations of the previous tier, until enough of them are legal."""
        waiting, legal, asked = self._legal(previous), 0, 0
        if tier == "measure":
            order = self._backend.measured_order([self._outcomes[number][previous] for number in waiting])
            waiting = [waiting[place] for place in order]
        # Times that were not measured in the same turns do not compare.
        most = min(top if tier == "measure" else _RETRIES * top, len(waiting))
        while waiting and legal < top and asked < most:
            chosen = waiting[: min(top - legal, most - asked)]
            waiting, asked = waiting[len(chosen) :], asked + len(chosen)
            legal += self._ask(tier, chosen)

    def _ask(self, tier: str, chosen: list[int]) -> int:
        """Evaluates configurations with a tier; returns the number of legal ones."""
        traced = {number: self._trace(number) for number in chosen}
        backend = self._backend
        finished = backend.compile(traced) if tier == "compile" else backend.measure(traced, self._tell)
        self._tell(f"{tier}: {len(chosen)} configurations")
        for done, (number, outcome) in enumerate(finished, 1):
            self._outcomes[number][tier] = outcome
            self._tell(f"{tier}: {done} of {len(chosen)} configurations")
        return sum(self._outcomes[number][tier].seconds is not None for number in chosen)

    def check(self, count: int, limit: float, races: bool) -> None:
        """Checks the proposals, from the best on, until enough of them have no problem, or the time is over."""
        start, asked = time.monotonic(), set[int]()
        while True:
            entries = self._entries()
            numbers = {id(entry): number for number, entry in enumerate(entries)}
            first = [numbers[id(entry)] for entry in rank(entries) if entry.seconds is not None][:count]
            waiting = [number for number in first if number not in asked]
            if not waiting:
                self._compare(first)
                return
            # The best configuration is checked in any case.
            if waiting[0] != first[0] and time.monotonic() - start > limit:
                left = f"{len(waiting)} of the first {len(first)} configurations are not checked"
                self._notes[f"the checks took more than {limit:g} s: {left}"] = None
                self._compare([number for number in first if number in asked])
                return
            number = waiting[0]
            asked.add(number)
            self._tell(f"checking configuration {first.index(number) + 1} of {len(first)}")
            found = check_proposal(self._trace(number), races=races)
            self._notes |= dict.fromkeys(found.notes)
            if found.problems:
                self._problems[number] = found.problems
            elif found.passed:
                self._passed.add(number)

    def _compare(self, first: Sequence[int]) -> None:
        """Compares how much the proposals read with some other configurations, from the best to the worst."""
        legal = [number for number in self._legal("estimate") if number not in first]
        others = legal[:: max(len(legal) // _COMPARED, 1)]
        proposals = [self._trace(number) for number in first]
        self._notes |= dict.fromkeys(compare_inputs(proposals, map(self._trace, others)))

    def _entries(self) -> list[Entry]:
        return [
            Entry(config, outcomes, self._problems.get(number, ()), number in self._passed)
            for number, (config, outcomes) in enumerate(zip(self._configs, self._outcomes, strict=True))
        ]

    def problem(self, tier: str | None) -> Problem:
        chip = self._backend.chip
        entries = rank(self._entries())
        notes = dict(self._notes)
        for entry in entries[:1]:
            notes |= dict.fromkeys(entry.outcome.notes)
        if tier is None and chip.kind != "cpu" and "compile" not in self._backend.tiers:
            missing = "libtpu: pip install 'gridir[tpu]'" if chip.kind == "tpu" else "ptxas: pip install 'gridir[gpu]'"
            notes[f"times are estimates; exact ones need {missing}"] = None
        legal = [number for number, outcomes in enumerate(self._outcomes) if outcomes["estimate"].seconds is not None]
        outside = {self._estimates[number].outside for number in legal}
        if len(outside) > 1:
            notes[
                "configurations differ in XLA's ops outside of the kernels, which are not in the times: they move "
                f"{min(outside) / 1e6:,.1f} to {max(outside) / 1e6:,.1f} MB"
            ] = None
        if len({self._estimates[number].buffers for number in legal}) > 1 and entries[0].tier != "measure":
            notes[
                "configurations differ in numbers of buffers, which the model does not see: it does not rank them"
            ] = None
        return Problem(
            self._name,
            self._signature,
            chip.name,
            chip.verified,
            self._space.to_json(),
            entries,
            tuple(notes),
            self._space,
        )
