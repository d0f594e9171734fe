# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas by which numbers and kinds of configurations follow from the values of parameters.

A formula fits all samples exactly, or it is not taken. It says nothing about a configuration that the samples
do not determine.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gridir.tuning.space import Config

Formula = Callable[[np.ndarray], np.ndarray]
"""Gives the values of rows of a table; NaN for those that it says nothing of."""

_EXACT = 1e-9
_MOST_DIMS = 16


class Table:
    """Configurations as rows, with a column for each parameter that has several values.

    Attributes:
      codes: for each row the number of each value.
      numbers: for each row the values of the parameters that are numbers.
    """

    def __init__(self, configs: Sequence[Config], sizes: Sequence[int]):
        """Makes the table of all configurations of a space.

        Args:
          configs: the configurations.
          sizes: dimensions of the arguments, which block sizes divide.
        """
        self.sizes = sorted(set(sizes))[-_MOST_DIMS:]
        names = list(configs[0])
        codes, numbers = [], []
        for name in names:
            places: dict[Any, int] = {}
            column = [places.setdefault((type(config[name]), config[name]), len(places)) for config in configs]
            if len(places) < 2:
                continue
            codes.append(column)
            if all(kind is int for kind, _ in places):
                numbers.append([config[name] for config in configs])
        count = len(configs)
        self.codes = np.array(codes, np.int64).reshape(-1, count).T
        self.numbers = np.array(numbers, float).reshape(-1, count).T

    def __len__(self) -> int:
        return len(self.codes)

    def questions(self, few: int) -> np.ndarray:
        """Returns for each row the answers to questions that functions ask of block sizes.

        Args:
          few: parameters with at most this many values are compared with each of them.
        """
        rows, columns = self.numbers, range(self.numbers.shape[1])
        answers = []
        for i in columns:
            x = rows[:, i]
            for size in self.sizes:
                answers += [x == size, x < size, np.mod(size, np.maximum(x, 1)) == 0]
        for i, j in itertools.permutations(columns, 2):
            x, y = rows[:, i], rows[:, j]
            answers += [x == y, x < y, np.mod(x, np.maximum(y, 1)) == 0]
        for i in range(self.codes.shape[1]):
            values = self.codes[:, i].max() + 1
            answers += [self.codes[:, i] == code for code in range(values if values <= few else 0)]
        for i in columns:
            values = np.unique(rows[:, i])
            # Of many values, the quantiles.
            answers += [rows[:, i] < value for value in values[1 :: -(-len(values) // few)]]
        return np.array(answers, bool).reshape(-1, len(self)).T

    def special(self) -> np.ndarray:
        """Returns for each row whether a parameter is equal to a dimension of an argument, or to another parameter."""
        columns = self.numbers.T
        answers = [x == size for x in columns for size in self.sizes]
        answers += [x == y for x, y in itertools.combinations(columns, 2)]
        return np.array(answers, bool).reshape(-1, len(self)).T

    def values(self, few: int) -> np.ndarray:
        """Returns for each row which value each parameter of few values has."""
        columns = [column for column in self.codes.T if column.max() < few]
        answers = [column == code for column in columns for code in range(column.max() + 1)]
        return np.array(answers, bool).reshape(-1, len(self)).T


def fit(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """Returns a formula for a number; None where none of the known forms fits.

    Args:
      table: the configurations.
      rows: the samples.
      values: their numbers.
    """
    if (values == values[0]).all():
        return lambda wanted: np.full(len(wanted), values[0])
    for form in (_monomial, _quotient, _multilinear, _by_one, _by_factors, _by_terms):
        formula = form(table, rows, values)
        if formula is not None:
            return _whole(formula) if (values == np.round(values)).all() else formula
    return None


def _whole(formula: Formula) -> Formula:
    """Returns a formula that says nothing where its value is no whole number; samples are whole numbers."""

    def found(wanted: np.ndarray) -> np.ndarray:
        values = formula(wanted)
        near = np.round(values)
        return np.where(np.abs(values - near) <= _EXACT * np.maximum(1, np.abs(near)), near, np.nan)

    return found


def _fits(found: np.ndarray, values: np.ndarray) -> bool:
    return bool((np.abs(found - values) <= _EXACT * np.maximum(np.abs(values), 1)).all())


def _subsets(count: int, most: int) -> Iterator[tuple[int, ...]]:
    """The sets of parameters that a number may depend on, the small ones first."""
    for size in range(1, min(count, most) + 1):
        yield from itertools.combinations(range(count), size)


def _monomial(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """A constant times whole powers of parameters."""
    if (values <= 0).any() or (table.numbers <= 0).any():
        return None
    logs, goal = np.log(table.numbers), np.log(values)
    for chosen in _subsets(table.numbers.shape[1], 4):
        features = np.column_stack([np.ones(len(rows)), logs[rows][:, chosen]])
        if len(rows) < features.shape[1] + 1 or np.linalg.matrix_rank(features) < features.shape[1]:
            continue
        found = np.linalg.lstsq(features, goal, rcond=None)[0]
        powers = np.round(found[1:])
        if np.abs(found[1:] - powers).max() > 1e-6 or np.abs(powers).max() > 4:
            continue

        def shape(wanted: np.ndarray, x: np.ndarray = table.numbers[:, chosen], powers: np.ndarray = powers) -> Any:
            return np.prod(x[wanted] ** powers, axis=1)

        factor = values[0] / shape(rows[:1])[0]
        if _fits(factor * shape(rows), values):
            return lambda wanted: factor * shape(wanted)
    return None


def _quotient(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """The number of blocks in a dimension of an argument; the last block may overhang."""
    for column in table.numbers.T:
        if (column <= 0).any() or len(np.unique(column[rows])) < 3:
            continue
        for size in table.sizes:
            blocks = np.ceil(size / column)
            factor = values[0] / blocks[rows[0]] if size else 0
            if _fits(factor * blocks[rows], values):
                return lambda wanted, found=factor * blocks: found[wanted]
    return None


def _by_one(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """Any function of one parameter."""
    for column in table.codes.T:
        known = np.full(column.max() + 1, np.nan)
        known[column[rows]] = values
        seen = np.count_nonzero(~np.isnan(known))
        if len(rows) > seen and _fits(known[column[rows]], values):
            return lambda wanted, known=known, column=column: known[column[wanted]]
    return None


def _multilinear(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """A sum of products of different parameters."""
    scaled = table.numbers / np.maximum(np.abs(table.numbers).max(axis=0, initial=1), 1)
    for names in _subsets(scaled.shape[1], 3):
        products = [(), *_subsets(len(names), len(names))]
        if len(rows) < len(products) + 1:
            return None
        x = scaled[:, names]
        features = np.column_stack([np.prod(x[:, list(product)], axis=1) for product in products])
        found, _, rank, _ = np.linalg.lstsq(features[rows], values, rcond=None)
        if rank == len(products) and _fits(features[rows] @ found, values):
            return lambda wanted: features[wanted] @ found
    return None


def _by_factors(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """A product of functions of one parameter each."""
    if (values <= 0).any():
        return None
    logs = _by_terms(table, rows, np.log(values))
    return None if logs is None else lambda wanted: np.exp(logs(wanted))


def _by_terms(table: Table, rows: np.ndarray, values: np.ndarray) -> Formula | None:
    """A sum of functions of one parameter each."""
    columns = [column[:, None] == np.arange(1, column.max() + 1) for column in table.codes.T]
    features = np.column_stack([np.ones(len(table)), *columns]).astype(float)
    samples = features[rows]
    found, _, rank, _ = np.linalg.lstsq(samples, values, rcond=None)
    if len(rows) < rank + 2 or not _fits(samples @ found, values):
        return None
    inverse = np.linalg.pinv(samples)

    def formula(wanted: np.ndarray) -> np.ndarray:
        asked = features[wanted]
        # Samples determine only linear combinations of themselves.
        determined = np.abs((asked @ inverse) @ samples - asked).max(axis=1) <= 1e-6
        return np.where(determined, asked @ found, np.nan)

    return formula


def divide(questions: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Divides all configurations by questions so that samples of different labels are apart.

    Args:
      questions: see `Table.questions`.
      rows: the samples.
      labels: the number of the kind of each.

    Returns:
      For each configuration the number of its part. Samples of different labels that no question tells apart share one.
    """
    parts = np.zeros(len(questions), np.int64)
    waiting = [(np.arange(len(questions)), np.arange(len(rows)))]
    count = 0
    while waiting:
        members, samples = waiting.pop()
        chosen = _question(questions[rows[samples]], labels[samples])
        if chosen is None:
            parts[members] = count
            count += 1
            continue
        of_members, of_samples = questions[members, chosen], questions[rows[samples], chosen]
        waiting += [(members[~of_members], samples[~of_samples]), (members[of_members], samples[of_samples])]
    return parts


def _question(answers: np.ndarray, labels: np.ndarray) -> int | None:
    """The question after whose answer the least remains to be told apart; None where nothing does, or none helps."""
    kinds = np.unique(labels)
    if len(kinds) < 2:
        return None
    member = labels[:, None] == kinds
    yes = answers.T.astype(float) @ member
    no = member.sum(axis=0) - yes

    def disorder(counts: np.ndarray) -> np.ndarray:
        total = counts.sum(axis=1, keepdims=True)
        share = counts / np.maximum(total, 1)
        return total[:, 0] - (counts * share).sum(axis=1)

    remaining = disorder(yes) + disorder(no)
    useful = (yes.sum(axis=1) > 0) & (no.sum(axis=1) > 0)
    if not useful.any():
        return None
    remaining[~useful] = np.inf
    return int(remaining.argmin())
