# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The measure tier: the times of configurations that take turns on a device of this machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import jax

from gridir import __version__
from gridir.errors import Error
from gridir.frontend.chips import KINDS
from gridir.runtime.chip_constants import Chip
from gridir.tuning.arguments import drawn, is_abstract
from gridir.tuning.backend import Finished, Outcome
from gridir.tuning.cache import Cache
from gridir.tuning.traced import Traced, function_key

_ROUNDS = 11
"""The number of measurements of configurations that are close to the best."""
_FIRST_ROUNDS = 5
"""After this many rounds, configurations that are slower than the best by more than a factor are left out."""
_SLOWER = 2.0
_SECONDS = 2e-3
"""A measurement repeats a function until it takes so long."""

Call = Callable[[], object]


def is_present(target: str) -> bool:
    """Returns whether the chip of a target is the device that JAX runs on."""
    kind, _, chip = target.partition(":")
    device = jax.devices()[0]
    if device.platform != kind or kind == "cpu":
        return device.platform == kind
    if kind == "tpu":
        return device.device_kind == KINDS.get(chip)
    capability = str(getattr(device, "compute_capability", "")).replace(".", "")
    return chip.rstrip("af") == f"sm_{capability}"


def available_tiers(chip: Chip, compiles: bool) -> tuple[str, ...]:
    """Returns the tiers for a TPU or a GPU.

    Args:
      chip: the chip.
      compiles: whether the compiler of its vendor is installed.
    """
    tiers = {"estimate": True, "compile": compiles, "measure": is_present(chip.name)}
    return tuple(tier for tier, has in tiers.items() if has)


def measure(
    traced: dict[int, Traced],
    prepare: Callable[[Traced], Callable[..., Any]],
    device: dict[str, Any],
    cache: Cache,
    tell: Callable[[str], None],
) -> Finished:
    """Measures configurations in turns, so that other load of the machine affects all of them equally.

    Args:
      traced: the configurations.
      prepare: compiles one; it may raise an error of gridir.
      device: the key of the device.
      cache: keeps the medians, which are taken where it has all of them: times of different runs do not compare.
      tell: is called with a line of text before each step.
    """
    facts = {"tier": "measure", "device": device, "gridir": __version__, "jax": metadata.version("jax")}
    keys = {number: function_key(each, facts) for number, each in traced.items()}
    known = {number: found for number, key in keys.items() if (found := cache.get(key, Outcome.from_json)) is not None}
    if len(known) == len(traced):
        yield from known.items()
        return
    ready: dict[int, Call] = {}
    for done, (number, each) in enumerate(traced.items(), 1):
        tell(f"compiling configuration {done} of {len(traced)}")
        try:
            ready[number] = _call_of(prepare(each), each)
        except Error as error:
            yield number, Outcome.illegal(error.message)
    for number, seconds in _take_turns(ready, tell).items():
        notes = ("arguments without values are drawn",) if is_abstract(traced[number].args) else ()
        outcome = Outcome(statistics.median(seconds), figures={"runs": float(len(seconds))}, notes=notes)
        cache.put(keys[number], outcome.to_json())
        yield number, outcome


def run_by_jax(traced: Traced) -> Callable[..., Any]:
    """Returns a configuration as JAX compiles it for its own device."""
    return jax.jit(traced.function)


def _call_of(function: Callable[..., Any], traced: Traced) -> Call:
    """Runs a configuration once, which compiles it, and returns a call of it."""
    args = drawn(traced.args)

    def call() -> object:
        return jax.block_until_ready(function(*args))

    call()
    return call


def _take_turns(calls: dict[int, Call], tell: Callable[[str], None]) -> dict[int, list[float]]:
    """Returns the times of functions that are called in turns; the slow ones are called less often."""
    times: dict[int, list[float]] = {number: [] for number in calls}
    repeats = {number: _repeats(call) for number, call in calls.items()}
    alive = list(calls)
    for turn in range(_ROUNDS):
        tell(f"measuring {len(alive)} configurations, round {turn + 1} of {_ROUNDS}")
        for number in alive:
            times[number].append(_seconds(calls[number], repeats[number]))
        if turn + 1 == _FIRST_ROUNDS and times:
            best = min(min(each) for each in times.values())
            alive = [number for number in alive if min(times[number]) <= _SLOWER * best]
    return times


def _repeats(call: Call) -> int:
    """Returns how often a function is called in one measurement."""
    fastest = min(_seconds(call, 1) for _ in range(3))
    return max(1, min(100, int(_SECONDS / max(fastest, 1e-6))))


def _seconds(call: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats
