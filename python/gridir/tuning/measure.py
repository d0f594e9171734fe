# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The measure tier: the times of configurations that take turns on a device of this machine."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import statistics
import time
from collections.abc import Callable, Collection, Iterator
from importlib import metadata
from typing import Any

import jax

from gridir import __version__
from gridir.frontend.capture.chips import KINDS
from gridir.reading import check_fields, check_items, check_value
from gridir.runtime.chip_constants import Chip
from gridir.tuning.arguments import drawn, is_abstract
from gridir.tuning.backend import Finished, Outcome
from gridir.tuning.cache import Cache
from gridir.tuning.traced import Traced, function_key, reason_of

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


@dataclasses.dataclass
class _Turns:
    """Times of configurations that took turns. Times of other turns do not compare.

    Attributes:
      rounds: how often each of them has had its turn.
      times: the times of each; those of slow ones end earlier.
      refused: why the others cannot run.
    """

    rounds: int = 0
    times: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    refused: dict[str, str] = dataclasses.field(default_factory=dict)

    @staticmethod
    def from_json(record: Any, keys: Collection[str]) -> _Turns:
        """Returns the turns in their JSON form; raises ValueError for another form, or for other configurations."""
        check_fields(record, {"rounds": int, "times": dict, "refused": dict})
        for name, times in record["times"].items():
            check_value(f"times of {name}", times, list)
            check_items(f"times of {name}", times, (int, float))
            if not min(record["rounds"], _FIRST_ROUNDS) <= len(times) <= record["rounds"] or not times:
                raise ValueError(f"expected a time of {name} of each round, got {len(times)}")
        for name, reason in record["refused"].items():
            check_value(f"refusal of {name}", reason, str)
        if not set(keys) <= {*record["times"], *record["refused"]}:
            raise ValueError("expected the times of all configurations")
        return _Turns(**record)

    def goes_on(self, key: str) -> bool:
        """Returns whether a configuration has its turn in the next round."""
        return key not in self.refused and len(self.times.get(key, ())) == self.rounds and not self._is_slow(key)

    def _is_slow(self, key: str) -> bool:
        if self.rounds < _FIRST_ROUNDS:
            return False
        best = min(min(times[:_FIRST_ROUNDS]) for times in self.times.values())
        return min(self.times[key][:_FIRST_ROUNDS]) > _SLOWER * best


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
      prepare: compiles one; it may raise an exception.
      device: the key of the device.
      cache: keeps the times after each round. An interrupted measurement continues with the next round. Of several
        processes that measure the same configurations, the first to finish decides for all.
      tell: is called with a line of text before each step.
    """
    facts = {"tier": "measure", "device": device, "gridir": __version__, "jax": metadata.version("jax")}
    keys = {number: function_key(each, facts) for number, each in traced.items()}
    together = hashlib.sha256("".join(sorted(keys.values())).encode()).hexdigest()
    read = functools.partial(_Turns.from_json, keys=keys.values())
    turns = cache.get(together, read)
    if turns is None:
        unfinished = hashlib.sha256(f"{together} unfinished".encode()).hexdigest()
        turns = cache.get(unfinished, read) or _Turns()
        calls = dict(_prepare({keys[number]: each for number, each in traced.items()}, prepare, turns, tell))
        for done in _take_turns(calls, turns, tell):
            cache.put(unfinished, dataclasses.asdict(done))
        turns = cache.agree(together, dataclasses.asdict(turns), read)
    for number, key in keys.items():
        if key in turns.refused:
            yield number, Outcome.illegal(turns.refused[key])
            continue
        notes = ("arguments without values are drawn",) if is_abstract(traced[number].args) else ()
        seconds = turns.times[key]
        yield number, Outcome(statistics.median(seconds), figures={"runs": float(len(seconds))}, notes=notes)


def _prepare(
    traced: dict[str, Traced],
    prepare: Callable[[Traced], Callable[..., Any]],
    turns: _Turns,
    tell: Callable[[str], None],
) -> Iterator[tuple[str, Call]]:
    """Compiles the configurations that have a turn; those that cannot run are refused."""
    waiting = {key: each for key, each in traced.items() if turns.goes_on(key)}
    for done, (key, each) in enumerate(waiting.items(), 1):
        tell(f"compiling configuration {done} of {len(waiting)}")
        try:
            yield key, _call_of(prepare(each), each)
        except Exception as error:
            # JAX and its compilers raise errors of any class for what a device cannot run.
            turns.refused[key] = reason_of(error)


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


def _take_turns(calls: dict[str, Call], turns: _Turns, tell: Callable[[str], None]) -> Iterator[_Turns]:
    """Calls functions in turns, the slow ones less often, and adds their times; yields after each round."""
    repeats = {key: _repeats(call) for key, call in calls.items()}
    while calls and turns.rounds < _ROUNDS:
        alive = [key for key in calls if turns.goes_on(key)]
        tell(f"measuring {len(alive)} configurations, round {turns.rounds + 1} of {_ROUNDS}")
        found = {key: _seconds(calls[key], repeats[key]) for key in alive}
        for key, seconds in found.items():
            turns.times.setdefault(key, []).append(seconds)
        turns.rounds += 1
        yield turns


def _repeats(call: Call) -> int:
    """Returns how often a function is called in one measurement."""
    fastest = min(_seconds(call, 1) for _ in range(3))
    return max(1, min(100, int(_SECONDS / max(fastest, 1e-6))))


def _seconds(call: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats
