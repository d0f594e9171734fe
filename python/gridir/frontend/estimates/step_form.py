# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of a kernel as a program over numbers.

A kernel with other block sizes often differs only in numbers: sizes of the grid, of blocks and of arrays, and constants
of index maps and conditions. Its `Form` has these apart from its structure, so that a structure is evaluated for many
kernels at once.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from gridir.frontend.estimates.step_amounts import Held, StepWork
from gridir.frontend.estimates.step_values import Scalar, compute, count_steps, element, spread
from gridir.frontend.estimates.step_work import MAX_PROGRAMS, MAX_STEPS

HELD_NUMBERS = len(dataclasses.fields(Held))
"""The numbers of a `Form` that are those of `Held`."""


@dataclasses.dataclass(frozen=True)
class Structure:
    """The parts of a kernel's work that are no numbers. Kernels of equal structures have numbers of equal meaning.

    Attributes:
      dims: the number of dimensions of the grid.
      ops: the scalars, each as operation, earlier scalars that are its operands, and detail.
      literals: how many of them are numbers.
      counts: the work: its kind, and the scalar that says how often it is done.
      transfers: name, dimensions, bytes of an element, whether it is an output, memory space, and scalars that index
        it.
      scratch: name, dimensions and bytes of an element.
      notes: how exact the work is.
      in_registers: see `StepWork`.
      program: see `StepWork`.
    """

    dims: int
    ops: tuple[tuple[str, tuple[int, ...], Hashable], ...]
    literals: int
    counts: tuple[tuple[str | int, int], ...]
    transfers: tuple[tuple[str, int, float, bool, str, tuple[int, ...] | None], ...]
    scratch: tuple[tuple[str, int, float], ...]
    notes: tuple[str, ...]
    in_registers: bool = False
    program: str = ""


@dataclasses.dataclass(frozen=True)
class Form:
    """The work of a kernel.

    Attributes:
      structure: its structure.
      numbers: its numbers: of the grid, of scalars, amounts of work, and sizes of blocks, arrays, buffers and scratch.
      arrays: the prefetched operands that scalars read, by number.
      opaque: the values of scalars that nothing but a walk over the kernel gives.
    """

    structure: Structure
    numbers: tuple[float, ...]
    arrays: dict[int, np.ndarray]
    opaque: tuple[np.ndarray, ...]


def form_of(work: StepWork) -> Form:
    """Returns the form of a kernel's work."""
    ops: list[tuple[str, tuple[int, ...], Hashable]] = []
    slots: dict[int, int] = {}
    literals: list[float] = []
    opaque: list[np.ndarray] = []

    def slot(root: Scalar) -> int:
        waiting = [root]
        while waiting:
            scalar = waiting[-1]
            missing = [x for x in scalar.operands if id(x) not in slots]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if id(scalar) in slots:
                continue
            detail = scalar.detail
            if scalar.op == "literal":
                detail = scalar.array.dtype
                literals.append(float(scalar.array.reshape(())) if scalar.array.ndim == 0 else float(scalar.array[0]))
            elif scalar.op == "opaque":
                opaque.append(scalar.array)
            slots[id(scalar)] = len(ops)
            ops.append((scalar.op, tuple(slots[id(x)] for x in scalar.operands), detail))
        return slots[id(root)]

    counts = tuple((count.kind, slot(count.times)) for count in work.counts)
    transfers = tuple(
        (
            each.name,
            len(each.block),
            each.itemsize,
            each.is_output,
            each.space,
            None if each.indices is None else tuple(map(slot, each.indices)),
        )
        for each in work.transfers
    )
    scratch = tuple((name, len(shape), itemsize) for name, shape, itemsize in work.scratch)
    held = work.held
    numbers = [float(size) for size in work.steps.sizes] + literals + [float(count.amount) for count in work.counts]
    for each in work.transfers:
        numbers += [*map(float, each.block), *map(float, each.array), float(each.buffers)]
    for _, shape, _ in work.scratch:
        numbers += map(float, shape)
    numbers += map(float, dataclasses.astuple(held))
    read = {int(detail) for op, _, detail in ops if op == "element" and isinstance(detail, int)}
    return Form(
        Structure(
            len(work.steps.sizes),
            tuple(ops),
            len(literals),
            counts,
            transfers,
            scratch,
            tuple(work.notes),
            work.in_registers,
            work.program,
        ),
        tuple(numbers),
        {number: np.asarray(work.operands[number]) for number in sorted(read)},
        tuple(opaque),
    )


@dataclasses.dataclass(frozen=True)
class BatchTransfer:
    """The blocks of an operand in several kernels.

    Attributes:
      name: the Ref's name in the kernel function.
      itemsize: bytes of an element.
      is_output: whether the blocks are written back.
      space: the memory space, as JAX names it.
      block: for each kernel the shape of a block.
      array: for each kernel the shape of the array.
      buffers: for each kernel how many blocks are held at once where they are copied.
      changes: for each step whether the block is another one than at the step before; false at the first step. None
        if that depends on data.
    """

    name: str
    itemsize: float
    is_output: bool
    space: str
    block: np.ndarray
    array: np.ndarray
    buffers: np.ndarray
    changes: np.ndarray | None


@dataclasses.dataclass(frozen=True)
class Amount:
    """An amount of work at each step of several kernels.

    Attributes:
      always: for each kernel, the work at every step.
      varying: for each step, the additional work; None where there is none.
    """

    always: np.ndarray
    varying: np.ndarray | None = None


@dataclasses.dataclass(frozen=True)
class WorkBatch:
    """The work of kernels of one structure. The steps of all kernels are in one sequence.

    Attributes:
      sizes: for each kernel the sizes of its grid.
      totals: for each kernel how many steps its grid has.
      counts: for each kernel how many of them are evaluated, which stand for all.
      starts: for each kernel the number of its first step.
      work: amounts by kind, as `step_amounts.Count` has them.
      transfers: the operands whose blocks the pipeline copies.
      scratch: the scratch buffers in VMEM: name, for each kernel the shape, and bytes of an element.
      held: for each kernel the numbers of `step_amounts.Held`.
      notes: how exact that is.
      in_registers: see `StepWork`.
      program: see `StepWork`.
    """

    sizes: np.ndarray
    totals: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    work: dict[str | int, Amount]
    transfers: tuple[BatchTransfer, ...]
    scratch: tuple[tuple[str, np.ndarray, float], ...]
    held: np.ndarray
    notes: tuple[str, ...]
    in_registers: bool = False
    program: str = ""

    @functools.cached_property
    def owner(self) -> np.ndarray:
        """For each step its kernel."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def scale(self) -> np.ndarray:
        """For each kernel how many steps one that is evaluated stands for."""
        return self.totals / self.counts

    @property
    def products(self) -> dict[int, Amount]:
        """The floating-point operations of products of matrices, by the bits of an operand's element."""
        return {kind: amount for kind, amount in self.work.items() if isinstance(kind, int)}

    def amount(self, kind: str) -> Amount:
        """Returns the amount of a kind of work."""
        return self.work.get(kind, Amount(np.zeros(len(self.counts))))

    def at_steps(self, amount: Amount) -> np.ndarray:
        """Returns an amount for each step."""
        spread = np.repeat(amount.always, self.counts)
        return spread if amount.varying is None else spread + amount.varying

    def total(self, amount: Amount) -> np.ndarray:
        """Returns an amount for each kernel, of all evaluated steps."""
        found = amount.always * self.counts
        return found if amount.varying is None else found + self.sum(amount.varying)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Returns the sums of values of steps for each kernel."""
        return np.add.reduceat(values, self.starts)

    def notes_of(self, number: int) -> tuple[str, ...]:
        """Returns how exact the work of a kernel is."""
        if self.totals[number] <= self.counts[number] or not self.totals[number]:
            return self.notes
        which = f"{int(self.counts[number]):,} of {int(self.totals[number]):,} steps stand for all"
        return *self.notes, which if self.program else f"the first {which}"


def alone(work: StepWork) -> WorkBatch:
    """Returns the work of one kernel as a batch."""
    form = form_of(work)
    return batch_of(form.structure, np.array([form.numbers]), form.arrays, form.opaque)


def batch_of(
    structure: Structure, numbers: np.ndarray, arrays: dict[int, np.ndarray], opaque: Sequence[np.ndarray] = ()
) -> WorkBatch:
    """Evaluates a structure for several kernels.

    Args:
      structure: the structure.
      numbers: a row for each kernel, see `Form`.
      arrays: the prefetched operands, which are the same for all of them.
      opaque: see `Form`; for a single kernel only.
    """
    columns = iter(numbers.T)

    def take(count: int) -> np.ndarray:
        found = [next(columns) for _ in range(count)]
        return np.array(found).T.astype(np.int64) if found else np.zeros((len(numbers), 0), np.int64)

    sizes = take(structure.dims)
    totals = np.prod(sizes, axis=1)
    # A grid without steps is not legal; it is evaluated as one with a step.
    most = MAX_PROGRAMS if structure.program and not structure.in_registers else MAX_STEPS
    counts = count_steps(totals, sizes, most, structure.program)
    run = _Run(sizes, counts, arrays, opaque, [next(columns) for _ in range(structure.literals)], structure.program)
    values = run.ops(structure.ops)
    work: dict[str | int, Amount] = {}
    # Equations in one branch have one number of times.
    grouped: dict[tuple[str | int, int], np.ndarray] = {}
    for key in structure.counts:
        grouped[key] = grouped.get(key, 0) + next(columns)
    for (kind, slot), amount in grouped.items():
        known = work.get(kind, Amount(np.zeros(len(numbers))))
        times, level = values[slot]
        if level < 2:
            work[kind] = Amount(known.always + times * amount, known.varying)
        else:
            varying = times * np.repeat(amount, counts)
            work[kind] = Amount(known.always, varying if known.varying is None else known.varying + varying)
    transfers = []
    for name, dims, itemsize, is_output, space, indices in structure.transfers:
        block, array, buffers = take(dims), take(dims), take(1)[:, 0]
        changes = None if indices is None else run.changes([values[slot] for slot in indices])
        transfers.append(BatchTransfer(name, itemsize, is_output, space, block, array, buffers, changes))
    scratch = tuple((name, take(dims), itemsize) for name, dims, itemsize in structure.scratch)
    held = take(HELD_NUMBERS)
    return WorkBatch(
        sizes,
        totals,
        counts,
        run.starts,
        work,
        tuple(transfers),
        scratch,
        held,
        structure.notes,
        structure.in_registers,
        structure.program,
    )


_Known = tuple[np.ndarray, int]
"""A value and its level: 0 if all kernels have the same, 1 with a value for each kernel, 2 with one for each step."""


class _Run:
    """Evaluates the scalars of a structure."""

    def __init__(
        self,
        sizes: np.ndarray,
        counts: np.ndarray,
        arrays: dict[int, np.ndarray],
        opaque: Sequence[np.ndarray],
        literals: list[np.ndarray],
        program: str,
    ):
        self._sizes, self._counts, self._arrays, self._program = sizes, counts, arrays, program
        self._opaque, self._literals = iter(opaque), iter(literals)
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self._strides = np.ones_like(sizes)
        for dim in range(sizes.shape[1] - 2, -1, -1):
            self._strides[:, dim] = self._strides[:, dim + 1] * sizes[:, dim + 1]
        self._ids: dict[int, np.ndarray] = {}

    @functools.cached_property
    def _place(self) -> np.ndarray:
        """For each step its number within its kernel."""
        place = np.arange(int(self._counts.sum())) - np.repeat(self.starts, self._counts)
        totals = np.prod(self._sizes, axis=1)
        if self._program and (totals > self._counts).any():
            groups = np.maximum(self._sizes[:, -1], 1) if self._program == "last" else np.ones_like(totals)
            rows = [np.repeat(each, self._counts) for each in (np.maximum(totals, 1), self._counts, groups)]
            place = np.where(rows[0] > rows[1], spread(place, *rows), place)
        return place

    def ops(self, ops: Sequence[tuple[str, tuple[int, ...], Any]]) -> list[_Known]:
        values: list[_Known] = []
        for op, operands, detail in ops:
            values.append(self._op(op, [values[slot] for slot in operands], detail))
        return values

    def _op(self, op: str, operands: list[_Known], detail: Any) -> _Known:
        if op == "literal":
            column = next(self._literals)
            same = (column == column[0]).all()
            return (column[:1] if same else column).astype(detail), 0 if same else 1
        if op == "id":
            return self._id(detail), 2
        if op == "size":
            return self._sizes[:, detail], 1
        if op == "opaque":
            array = next(self._opaque)
            return array, 2 if array.size == self._counts.sum() and array.ndim else 0
        level = max((level for _, level in operands), default=0)
        spread = [self._spread(operand, level) for operand in operands]
        if op == "element":
            return element(self._arrays[detail], spread), level
        return compute(op, spread, detail), level

    def _spread(self, known: _Known, level: int) -> np.ndarray:
        array, own = known
        return np.repeat(array, self._counts) if own == 1 and level == 2 else array

    def _id(self, dim: int) -> np.ndarray:
        if dim not in self._ids:
            found = self._place // np.repeat(self._strides[:, dim], self._counts) if dim < self._last else self._place
            self._ids[dim] = found % np.repeat(self._sizes[:, dim], self._counts) if dim else found
        return self._ids[dim]

    @property
    def _last(self) -> int:
        return self._sizes.shape[1] - 1

    def changes(self, indices: Sequence[_Known]) -> np.ndarray:
        """For each step whether an index is another one than at the step before."""
        found = np.zeros(int(self._counts.sum()), bool)
        for array, level in indices:
            if level == 2:
                found[1:] |= array[1:] != array[:-1]
        found[self.starts] = False
        return found
