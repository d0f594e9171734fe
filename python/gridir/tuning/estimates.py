# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimate tier of a space: some configurations are traced, the numbers of the others follow from theirs.

Traced configurations are of a few kinds, and within a kind they differ in numbers. Questions to the parameters tell the
kinds apart, and formulas give the numbers. Both are tested on further configurations before they are used:

- Each answer to each question is that of a traced configuration, as far as there are few answers. So is each equality
  of block sizes and dimensions together with each value of another parameter.
- Each part of the space that the questions make has several configurations whose estimates were predicted rightly, and
  so has the whole space. After a wrong prediction, tests begin again.
- A configuration without a prediction is traced. So are the best ones, which are tests, too.
- The function itself says which configurations it refuses.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir.tuning.backend import Backend
from gridir.tuning.formulas import Formula, Table, divide, fit
from gridir.tuning.kinds import REFUSED, Estimate, Kind, Sample, estimate, sample_of, steps_of
from gridir.tuning.space import Config

_SMALL = 32
"""Spaces of at most this many configurations are traced completely."""
_FIRST = 16
_ROUND = 8
_TESTS = 2
"""Right predictions that a part of the space needs."""
_ALL_TESTS = 16
"""Right predictions in sequence that the whole space needs."""
_BEST = 8
"""The best configurations that are traced in any case."""
_STEPS = 1 << 20
"""Steps of grids that are evaluated at once."""

_FEW = 16
"""A parameter with at most this many values is tested with each of them."""

Trace = Callable[[int], Any]
Refuse = Callable[[Sequence[int]], list[str]]


@dataclasses.dataclass
class Estimates:
    """The estimate of each configuration.

    Attributes:
      found: the estimates.
      derived: the configurations whose numbers follow from those of others.
      traced: how many configurations were traced, or refused by the function.
      tests: how many of them were predicted before, rightly.
      notes: how exact the calls of kernels are.
    """

    found: list[Estimate]
    derived: set[int]
    traced: int
    tests: int
    notes: tuple[str, ...]


def estimate_space(
    backend: Backend,
    configs: Sequence[Config],
    sizes: Sequence[int],
    trace: Trace,
    refuse: Refuse,
    tell: Callable[[int, int], None],
) -> Estimates:
    """Estimates all configurations of a space.

    Args:
      backend: the chip.
      configs: the configurations.
      sizes: dimensions of the arguments of the function.
      trace: traces a configuration by its number, see `gridir.tuning.traced.trace`.
      refuse: returns the reasons why the function refuses configurations, up to the first one that it takes.
      tell: is called with the number of configurations that are traced and of all, before each.
    """
    search = _Search(backend, configs, sizes, trace, refuse, tell)
    search.run()
    found = search.estimates()
    notes = dict.fromkeys(note for sample in search.samples.values() for note in sample.kind.notes)
    return Estimates(found, search.derived, len(search.samples), search.tests, tuple(notes))


class _Model:
    """Predicts the kind and the numbers of all configurations from samples."""

    def __init__(self, table: Table, questions: np.ndarray, samples: dict[int, Sample]):
        self._table, self._samples = table, samples
        rows = np.array(sorted(samples), np.int64)
        kinds: dict[Kind, int] = {}
        labels = np.array([kinds.setdefault(samples[row].kind, len(kinds)) for row in rows])
        self.parts = divide(questions, rows, labels)
        self._kinds = list(kinds)
        self._members = [rows[labels == label] for label in range(len(kinds))]
        # The kind of each part; -1 where samples are of several.
        self.labels = np.full(self.parts.max() + 1, -1)
        for part in range(len(self.labels)):
            here = np.unique(labels[self.parts[rows] == part])
            if (
                len(here) == 1
                and self._kinds[here[0]] != REFUSED
                and all(samples[row].is_closed for row in self._members[here[0]])
            ):
                self.labels[part] = here[0]
        taken = np.array([samples[row].kind != REFUSED for row in rows])
        # The function is taken to refuse the parts in which it has taken nothing.
        self.refused = np.bincount(self.parts[rows], taken, len(self.labels)) == 0
        self._formulas: dict[int, tuple[list[Formula | None], list[int]]] = {}
        self._keys: dict[int, np.ndarray | None] = {}

    def predict(self, rows: np.ndarray) -> dict[int, Sample]:
        """Returns predicted samples of configurations; unknown ones are absent."""
        found: dict[int, Sample] = {}
        for label, members, numbers, arrays in self.batches(rows):
            first = self._samples[self._members[label][0]]
            for row, values in zip(members.tolist(), numbers, strict=True):
                found[row] = Sample(first.kind, tuple(values.tolist()), arrays)
        return found

    def batches(self, rows: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray, tuple[Any, ...]]]:
        """Returns the configurations that are predicted, those of one kind and equal prefetched operands together.

        Returns:
          The number of the kind, the configurations, their numbers, and the operands.
        """
        found = []
        labels = self.labels[self.parts[rows]]
        for label in np.unique(labels[labels >= 0]).tolist():
            members = rows[labels == label]
            numbers = self._numbers(label, members)
            known = ~np.isnan(numbers).any(axis=1)
            for chosen, arrays in self._arrays(label, members):
                here = known & chosen
                if here.any():
                    found.append((label, members[here], numbers[here], arrays))
        return found

    def label(self, row: int) -> int:
        """Returns the number of the kind of a configuration; -1 if it is unknown."""
        return int(self.labels[self.parts[row]])

    def sample(self, label: int) -> Sample:
        """Returns a sample of a kind."""
        return self._samples[self._members[label][0]]

    def _numbers(self, label: int, rows: np.ndarray) -> np.ndarray:
        if label not in self._formulas:
            self._formulas[label] = self._fit(label)
        formulas, places = self._formulas[label]
        columns = [np.full(len(rows), np.nan) if formula is None else formula(rows) for formula in formulas]
        return np.array([columns[place] for place in places]).T.reshape(len(rows), len(places))

    def _fit(self, label: int) -> tuple[list[Formula | None], list[int]]:
        """Fits each distinct column of numbers; returns the formulas, and the formula of each number."""
        rows = self._members[label]
        values = np.array([self._samples[row].numbers for row in rows]).reshape(len(rows), -1)
        known: dict[bytes, int] = {}
        formulas: list[Formula | None] = []
        places = []
        for column in values.T:
            key = column.tobytes()
            if key not in known:
                known[key] = len(formulas)
                formulas.append(fit(self._table, rows, column))
            places.append(known[key])
        return formulas, places

    def _arrays(self, label: int, rows: np.ndarray) -> list[tuple[np.ndarray, tuple[Any, ...]]]:
        """Returns which configurations have which prefetched operands, if one parameter decides on them."""
        members = self._members[label]
        digests = [_digest(self._samples[row].arrays) for row in members]
        if len(set(digests)) == 1:
            return [(np.ones(len(rows), bool), self._samples[members[0]].arrays)]
        for column in self._table.codes.T:
            by_value: dict[int, set[bytes]] = {}
            for row, digest in zip(members, digests, strict=True):
                by_value.setdefault(int(column[row]), set()).add(digest)
            if all(len(each) == 1 for each in by_value.values()) and len(by_value) < len(members):
                first = {int(column[row]): row for row in reversed(members)}
                return [(column[rows] == code, self._samples[row].arrays) for code, row in first.items()]
        return []


class _Search:
    """Traces configurations until the others are predicted."""

    def __init__(
        self,
        backend: Backend,
        configs: Sequence[Config],
        sizes: Sequence[int],
        trace: Trace,
        refuse: Refuse,
        tell: Callable[[int, int], None],
    ):
        self._backend, self._trace, self._refuse, self._tell = backend, trace, refuse, tell
        self._count = len(configs)
        self._table = Table(configs, sizes)
        self._questions = self._table.questions(_FEW)
        self._special, self._values = self._table.special(), self._table.values(_FEW)
        # The order of samples is the same in every run.
        self._order = np.random.default_rng(0).permutation(self._count)
        self._is_open = np.ones(self._count, bool)
        self.samples: dict[int, Sample] = {}
        self.derived: set[int] = set()
        self.tests = 0
        self._traces = 0
        self._streak = 0
        self._right: set[int] = set()
        self._calls: dict[Kind, Any] = {}
        self._model: _Model | None = None
        self._found: dict[int, Estimate] = {}

    def run(self) -> None:
        if self._count <= _SMALL:
            self._sample(range(self._count))
            return
        self._sample(self._order[:_FIRST].tolist())
        while len(self.samples) < self._count:
            self._model = _Model(self._table, self._questions, self.samples)
            if not self._probe():
                continue
            chosen = self._next()
            if not chosen:
                if self._derive():
                    return
                continue
            if self._traces + len(chosen) > self._count // 2:
                chosen = self._open().tolist()
            self._test(chosen)

    def estimates(self) -> list[Estimate]:
        """Returns the estimate of each configuration."""
        return [self._found[row] for row in range(self._count)]

    def _sample(self, rows: Sequence[int]) -> None:
        for row in rows:
            self._tell(self._traces, self._count)
            self._traces += 1
            self._add(row, sample_of(self._trace(row), self._backend.chip.kind == "gpu"))

    def _add(self, row: int, sample: Sample) -> None:
        (self._found[row],) = estimate(self._backend, sample, np.array([sample.numbers]), sample.arrays)
        # Kernels of one kind are the same but for numbers, and large: one of them is kept.
        calls = self._calls.setdefault(sample.kind, sample.calls)
        self.samples[row] = dataclasses.replace(sample, calls=calls)
        self._is_open[row] = False

    def _open(self) -> np.ndarray:
        return self._order[self._is_open[self._order]]

    def _probe(self) -> bool:
        """Asks the function whether it refuses the configurations that are taken to be refused; false if not all."""
        assert self._model is not None
        waiting = self._open()
        rows = waiting[self._model.refused[self._model.parts[waiting]]].tolist()
        reasons = self._refuse(rows)
        for row, reason in zip(rows, reasons, strict=False):
            self._add(row, Sample(REFUSED, (), reason=reason))
        if len(reasons) == len(rows):
            return True
        self._sample([rows[len(reasons)]])
        return False

    def _next(self) -> list[int]:
        """Configurations to trace before the model is used."""
        assert self._model is not None
        model, waiting = self._model, self._open()
        taken = [row for row, sample in self.samples.items() if sample.kind != REFUSED]
        # Answers that no configuration has given that the function takes.
        new: np.ndarray = np.any(self._questions[waiting], axis=0) & ~np.any(self._questions[taken], axis=0)
        pairs = self._pairs(waiting) & ~self._pairs(taken)
        tests = np.bincount(model.parts[np.array(sorted(self._right), np.int64)], minlength=len(model.labels))
        chosen: list[int] = []
        useful = waiting
        while len(chosen) < _ROUND:
            # A configuration that tells nothing new does not after others are chosen.
            useful = useful[self._is_new(useful, new, pairs) | (tests[model.parts[useful]] < _TESTS)]
            if not useful.size:
                break
            row, useful = int(useful[0]), useful[1:]
            chosen.append(row)
            new &= ~self._questions[row]
            pairs[np.ix_(self._special[row], self._values[row])] = False
            tests[model.parts[row]] += 1
        if len(chosen) == _ROUND:
            return chosen
        if self._streak >= _ALL_TESTS:
            known = np.zeros(self._count, bool)
            for _, rows, _, _ in model.batches(waiting):
                known[rows] = True
            waiting = waiting[~known[waiting]]
        others = waiting[~np.isin(waiting, chosen)]
        return chosen + others[: _ROUND - len(chosen)].tolist()

    def _is_new(self, rows: np.ndarray, answers: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Returns which configurations give one of some answers, or have one of some pairs (see `_pairs`)."""
        special, values = np.flatnonzero(pairs.any(axis=1)), np.flatnonzero(pairs.any(axis=0))
        found = self._questions[np.ix_(rows, np.flatnonzero(answers))].any(axis=1)
        joined = self._special[np.ix_(rows, special)] @ pairs[np.ix_(special, values)]
        return np.asarray(found | (joined & self._values[np.ix_(rows, values)]).any(axis=1))

    def _pairs(self, rows: Any) -> np.ndarray:
        """Which special equalities configurations have together with which values of parameters."""
        return (self._special[rows].T.astype(np.float32) @ self._values[rows].astype(np.float32)) > 0

    def _test(self, rows: Sequence[int]) -> bool:
        """Traces configurations and returns whether no prediction of them is wrong."""
        assert self._model is not None
        model, right = self._model, True
        predicted = model.predict(np.array(rows, np.int64))
        before = {row: self._estimate(row, sample) for row, sample in predicted.items()}
        self._sample(rows)
        for row in before:
            if _agree(before[row], self._found[row]):
                self._right.add(row)
                self.tests += 1
                self._streak += 1
                continue
            # Earlier tests of this kind say nothing about the new samples.
            right, self._streak = False, 0
            kinds = {predicted[row].kind, self.samples[row].kind}
            self._right = {other for other in self._right if self.samples[other].kind not in kinds}
        return right

    def _estimate(self, row: int, sample: Sample) -> Estimate:
        assert self._model is not None
        first = self._model.sample(self._model.label(row))
        (found,) = estimate(self._backend, first, np.array([sample.numbers]), sample.arrays)
        return found

    def _derive(self) -> bool:
        """Predicts all other configurations, and traces the best; returns whether the predictions hold."""
        assert self._model is not None
        derived: dict[int, Estimate] = {}
        for label, members, numbers, arrays in self._model.batches(self._open()):
            sample = self._model.sample(label)
            steps = steps_of(sample.kind, numbers)
            order = np.argsort(steps, kind="stable")
            for chunk in _chunks(steps[order]):
                here = order[chunk]
                found = estimate(self._backend, sample, numbers[here], arrays)
                derived.update(zip(members[here].tolist(), found, strict=True))
        everything = {**derived, **self._found}
        legal = [row for row, found in everything.items() if found.outcome.seconds is not None]
        best = sorted(legal, key=lambda row: (everything[row].outcome.seconds, row))[:_BEST]
        if not self._test([row for row in best if row not in self.samples]):
            return False
        self._found = {**derived, **self._found}
        self.derived = derived.keys() - self.samples.keys()
        return True


def _chunks(steps: np.ndarray) -> list[slice]:
    """Divides configurations so that the steps of each part are few."""
    ends = np.cumsum(steps) // _STEPS
    borders = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), len(steps)]
    return [slice(first, last) for first, last in itertools.pairwise(borders) if last > first]


def _agree(first: Estimate, second: Estimate) -> bool:
    """Returns whether two estimates are the same up to rounding."""
    one, other = first.outcome, second.outcome
    if one.seconds is None or other.seconds is None:
        return one == other
    return (
        math.isclose(one.seconds, other.seconds, rel_tol=1e-9)
        and one.bound == other.bound
        and one.memory_bytes == other.memory_bytes
        and one.notes == other.notes
        and first.outside == second.outside
        and first.buffers == second.buffers
    )


def _digest(arrays: Sequence[dict[int, np.ndarray]]) -> bytes:
    return b"".join(
        bytes([number % 256]) + str(array.shape).encode() + array.tobytes()
        for each in arrays
        for number, array in each.items()
    )
