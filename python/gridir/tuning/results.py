# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of tuning: configurations in order, with times and reasons; a store of the best values by problem."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gridir.errors import OptionError
from gridir.reading import check_fields, check_items, check_value, reading
from gridir.runtime.tpu.steps import duration
from gridir.tuning import supply
from gridir.tuning.backend import TIERS, Outcome
from gridir.tuning.ledger import mebibytes
from gridir.tuning.space import Config, Space, describe, keywords_from_json

TIE = 1.05
"""Configurations whose times differ by less than this factor are tied: the model's error is as large."""

_FORMAT = 1


@dataclasses.dataclass(frozen=True)
class Entry:
    """One configuration in a ranking.

    Attributes:
      config: the values of the parameters.
      outcomes: the result of each tier that evaluated it, by the tier's name.
      problems: the problems that `gridir check`, or the executor's check for races, found in it.
      checked: whether these checks ran, and found none.
    """

    config: Config
    outcomes: Mapping[str, Outcome]
    problems: tuple[str, ...] = ()
    checked: bool = False

    @property
    def tier(self) -> str:
        """Returns the most accurate tier that was asked."""
        return max(self.outcomes, key=TIERS.index)

    @property
    def outcome(self) -> Outcome:
        """Returns the result of the most accurate tier."""
        return self.outcomes[self.tier]

    @property
    def seconds(self) -> float | None:
        """Returns the time; None for a configuration that is not legal."""
        return None if self.problems else self.outcome.seconds

    @property
    def steps(self) -> float | None:
        """Returns the steps of the grid; None where no tier knows them."""
        known = (self.outcomes[tier].figures.get("steps") for tier in TIERS if tier in self.outcomes)
        return next((steps for steps in known if steps is not None), None)

    @property
    def memory_bytes(self) -> int:
        """Returns the memory that it takes, of the most accurate tier that knows it; 0 where none does."""
        known = (self.outcomes[tier].memory_bytes for tier in reversed(TIERS) if tier in self.outcomes)
        return next((size for size in known if size), 0)

    @property
    def reason(self) -> str:
        """Returns why it is not legal; "" for one that is."""
        return "; ".join(self.problems) or self.outcome.reason


@dataclasses.dataclass(frozen=True)
class Problem:
    """A function with the shapes of its arguments on one chip, and its configurations.

    Attributes:
      function: the module and the name of the function.
      signature: the types of its arguments.
      target: the chip, as "tpu:v5e".
      verified: the measurements that predictions for the chip were compared with; "" if there are none.
      arguments: how keyword arguments are made of parameters, see `Space.to_json`.
      entries: the configurations, the best first; those that are not legal are the last.
      notes: how exact that is.
      space: the space that the configurations are of; None for a problem that was read from text.
    """

    function: str
    signature: str
    target: str
    verified: str
    arguments: Mapping[str, Any]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()
    space: Space | None = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """Returns the key of the problem."""
        return self.function, self.signature, self.target

    @functools.cached_property
    def legal(self) -> tuple[Entry, ...]:
        """Returns the configurations that the chip can run, the best first."""
        return tuple(entry for entry in self.entries if entry.seconds is not None)

    def keywords(self) -> dict[str, Any]:
        """Returns the best keyword arguments.

        Raises:
          OptionError: when no configuration is legal.
        """
        if not self.legal:
            reason = f": {self.entries[0].reason}" if self.entries else ""
            raise OptionError(f"expected a legal configuration of {self.function}, got none{reason}")
        best = self.legal[0].config
        return self.space.keywords(best) if self.space is not None else keywords_from_json(self.arguments, best)

    def is_tied(self, entry: Entry) -> bool:
        """True if a configuration is as good as the best one, within the accuracy of its tier."""
        best = self.legal[0] if self.legal else entry
        return (
            entry.seconds is not None
            and best.seconds is not None
            and entry.tier == best.tier
            and entry.seconds <= TIE * best.seconds
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the problem in its JSON form."""
        return {
            "function": self.function,
            "signature": self.signature,
            "target": self.target,
            "verified": self.verified,
            "arguments": dict(self.arguments),
            "notes": list(self.notes),
            "entries": [
                {
                    "config": entry.config,
                    "tied": self.is_tied(entry),
                    "problems": list(entry.problems),
                    "checked": entry.checked,
                    "outcomes": {tier: outcome.to_json() for tier, outcome in entry.outcomes.items()},
                }
                for entry in self.entries
            ],
        }

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> Problem:
        """Returns the problem that `to_json` gave.

        Raises:
          ValueError: for a field that is missing, unknown or of another type.
        """
        check_fields(record, {**_TEXTS, "arguments": dict, "entries": list, "notes": list})
        check_items("notes", record["notes"], str)
        values: dict[str, Any] = {name: record[name] for name in (*_TEXTS, "arguments")}
        entries = tuple(map(_read_entry, record["entries"]))
        for source in record["arguments"].values():
            if source is not None:
                check_fields(source, {"make": str, "fields": list})
                check_items("fields", source["fields"], str)
        return Problem(**values, entries=entries, notes=tuple(record["notes"]))


_TEXTS = {"function": str, "signature": str, "target": str, "verified": str}


def _read_entry(record: Any) -> Entry:
    check_fields(record, {"config": dict, "tied": bool, "problems": list, "checked": bool, "outcomes": dict})
    check_items("problems", record["problems"], str)
    if not record["outcomes"] or not set(record["outcomes"]) <= set(TIERS):
        raise ValueError(f"expected outcomes of {', '.join(TIERS)}, got {', '.join(record['outcomes']) or 'none'}")
    return Entry(
        {name: _value(name, value) for name, value in record["config"].items()},
        {tier: Outcome.from_json(outcome) for tier, outcome in record["outcomes"].items()},
        tuple(record["problems"]),
        record["checked"],
    )


def _value(name: str, value: Any) -> Any:
    """A value of a parameter as it was before JSON: JSON has lists only."""
    for each in value if isinstance(value, list) else [value]:
        check_value(name, each, (bool, int, float, str, type(None)))
    return tuple(value) if isinstance(value, list) else value


class TuningResult:
    """The configurations of one or several problems, in order; as a context it supplies the best values.

    Within the context, functions that `gridir.tuned` decorates take the best values of the problem that they are called
    with. Results are merged by `|` and stored as text by `dumps`.

    Example:
      >>> result = gridir.tune(attention, q, k, v, space={"block_q": [256, 512]}, target="tpu:v5e")
      >>> result.best
      {'block_q': 512}
      >>> with result | gridir.TuningResult.loads(text):
      ...     attention(q, k, v)
    """

    def __init__(self, problems: Sequence[Problem] = ()):
        """Makes a result of problems."""
        self._problems = {problem.key: problem for problem in problems}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Returns the problems."""
        return tuple(self._problems.values())

    @property
    def problem(self) -> Problem:
        """Returns the only problem.

        Raises:
          OptionError: when there are several, or none.
        """
        if len(self._problems) != 1:
            raise OptionError(f"expected a result of one problem, got {len(self._problems)}")
        return self.problems[0]

    @property
    def best(self) -> dict[str, Any]:
        """Returns the best keyword arguments of the only problem.

        Raises:
          OptionError: when there are several problems, or no configuration is legal.
        """
        return self.problem.keywords()

    @property
    def ranking(self) -> tuple[Entry, ...]:
        """Returns the configurations of the only problem, the best first; those that are not legal are the last."""
        return self.problem.entries

    def find(self, function: str, signature: str, target: str | None = None) -> Problem | None:
        """Returns the problem of a function and the types of its arguments; None if there is none."""
        found = (
            problem
            for problem in self.problems
            if (problem.function, problem.signature) == (function, signature) and target in (None, problem.target)
        )
        return next(found, None)

    def __or__(self, other: TuningResult) -> TuningResult:
        """Returns the problems of both; where both have an outcome, the other's is taken."""
        merged = dict(self._problems)
        for key, theirs in other._problems.items():
            merged[key] = _merge(merged[key], theirs) if key in merged else theirs
        return TuningResult(tuple(merged.values()))

    def dumps(self) -> str:
        """Returns the result as text."""
        return json.dumps(self.to_json(), indent=1)

    @staticmethod
    def loads(text: str) -> TuningResult:
        """Returns the result that `dumps` gave as text.

        Raises:
          OptionError: for any other text.
        """
        with reading(OptionError, "expected the text of a tuning result"):
            record = json.loads(text)
            if record["format"] != _FORMAT:
                raise OptionError(f"expected a result of format {_FORMAT}, got {record['format']!r}")
            check_fields(record, {"format": int, "problems": list})
            return TuningResult(tuple(map(Problem.from_json, record["problems"])))

    def to_json(self) -> dict[str, Any]:
        """Returns the result in its JSON form."""
        return {"format": _FORMAT, "problems": [problem.to_json() for problem in self.problems]}

    def __enter__(self) -> TuningResult:
        supply.push(self)
        return self

    def __exit__(self, *_: object) -> None:
        supply.pop(self)

    def __str__(self) -> str:
        return "\n\n".join(map(table, self.problems))

    def __repr__(self) -> str:
        names = ", ".join(f"{problem.function} for {problem.target}" for problem in self.problems)
        return f"TuningResult({names})"


def rank(entries: Iterator[Entry] | Sequence[Entry]) -> tuple[Entry, ...]:
    """Returns configurations in order: by the accuracy of their best result, then by time, then as they were."""

    def order(item: tuple[int, Entry]) -> tuple[bool, int, float, int]:
        number, entry = item
        seconds = entry.seconds
        return seconds is None, -TIERS.index(entry.tier), seconds or 0.0, number

    return tuple(entry for _, entry in sorted(enumerate(entries), key=order))


def _merge(ours: Problem, theirs: Problem) -> Problem:
    entries = {describe(entry.config): entry for entry in ours.entries}
    for entry in theirs.entries:
        known = entries.get(describe(entry.config))
        outcomes = {**(known.outcomes if known else {}), **entry.outcomes}
        checked = entry.checked or (known is not None and known.checked)
        entries[describe(entry.config)] = dataclasses.replace(entry, outcomes=outcomes, checked=checked)
    notes = tuple(dict.fromkeys((*ours.notes, *theirs.notes)))
    return dataclasses.replace(
        theirs, entries=rank(tuple(entries.values())), notes=notes, space=theirs.space or ours.space
    )


def table(problem: Problem, most: int = 20) -> str:
    """Returns a problem as a table for people, with a limited number of legal configurations."""
    verified = problem.verified or "unverified: no measurements to compare with"
    lines = [f"{problem.function} for {problem.target} ({verified})"]
    legal, refused = problem.legal, [entry for entry in problem.entries if entry.seconds is None]
    if legal:
        # Results that were merged may have other parameters.
        names = tuple(dict.fromkeys(name for entry in legal[:most] for name in entry.config))
        rows = [("", "time", "tier", "bound", "memory", "steps", *names)]
        for number, entry in enumerate(legal[:most], 1):
            outcome = entry.outcome
            rows.append(
                (
                    f"{number}{'=' if problem.is_tied(entry) else ''}",
                    duration(entry.seconds or 0.0),
                    entry.tier,
                    outcome.bound or "-",
                    mebibytes(entry.memory_bytes) if entry.memory_bytes else "-",
                    "-" if entry.steps is None else f"{entry.steps:,.0f}",
                    *(str(entry.config[name]) if name in entry.config else "-" for name in names),
                )
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += ["  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        if len(legal) > most:
            lines.append(f"{len(legal) - most} more")
        others = sum(entry.tier != legal[0].tier for entry in legal)
        if others:
            lines.append(f"{others} have no result of tier {legal[0].tier}; times of different tiers do not compare")
        tied = sum(problem.is_tied(entry) for entry in legal)
        if tied > 1:
            lines.append(f"{tied} configurations are within 5 % of the best: tied (=)")
        checked = next((i for i, entry in enumerate(legal) if not entry.checked), len(legal))
        if checked:
            lines.append(f"the first {checked} pass the checks" if checked > 1 else "the first passes the checks")
    for reason, same in _by_reason(refused).items():
        lines.append(f"not legal: {describe(same[0].config)}: {reason}")
        if len(same) > 1:
            lines.append(f"  and {len(same) - 1} more with such a reason")
    lines += [f"note: {note}" for note in problem.notes]
    return "\n".join(lines)


def _by_reason(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Configurations by the first words of the reason why they are not legal."""
    found: dict[str, tuple[str, list[Entry]]] = {}
    for entry in entries:
        kind = "".join(c for c in entry.reason.partition(":")[0] if not c.isdigit() and c not in ".,")
        found.setdefault(kind, (entry.reason, []))[1].append(entry)
    return dict(found.values())
