# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first value of a kernel that differs from interpret mode's.

The kernel is traced again with an output for each value that its equations compute, and both interpret mode and the
passes that are asked about run that. The values before the one that is named, in the order of programs, steps of loops
and equations, are those of interpret mode, so it is its own equation that goes wrong. This needs no pass that can be
left out.

Where the passes are right about a kernel that keeps its values, as a fusion has nothing to fuse there, fewer values are
looked at together, in the end each alone.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gridir.bisection.oracle import Expected, expected_calls, to_record
from gridir.bisection.route import Route
from gridir.bisection.search import Progress
from gridir.bisection.worker import Worker
from gridir.compiler.passes import parse_module
from gridir.errors import Error, Frame, KernelError, UnsupportedError
from gridir.frontend.compat.jax_interpret import block_starts
from gridir.frontend.compat.jax_probe import Path, Point, points_of, with_points
from gridir.locations import frames_of
from gridir.mlir import ir

# The bytes of values that one run returns, and how many runs there are.
_BYTES, _RUNS = 1 << 26, 32
# The search stops after this many runs without results.
_FAILURES = 6


@dataclasses.dataclass(frozen=True)
class Value:
    """A value that is wrong.

    Attributes:
      primitive: JAX's name of the operation that computes it, as "sub"; of a store, whose Ref then holds it, "swap".
      program: the ids of the first program that computes it wrong. steps: in which step it does so, counted from 0, of
      each loop around it. index: its first element that is wrong. expected: the value of interpret mode. got: the value
      of the compiled code. wrong: how many elements are wrong in that program. elements: the number of programs.
      frame: the author's line, or None.
      op: the op of the frontend's module that it is, as MLIR writes it; "" if it is unknown.
    """

    primitive: str
    program: tuple[int, ...]
    steps: tuple[int, ...]
    index: tuple[int, ...]
    expected: object
    got: object
    wrong: int
    elements: int
    frame: Frame | None
    op: str

    def __str__(self) -> str:
        places = {"program": self.program, "step": self.steps}
        point = "".join(f" in {kind} ({', '.join(map(str, ids))})" for kind, ids in places.items() if ids)
        return (
            f"{self.primitive}{point}: {self.wrong} of {self.elements} elements differ, "
            f"at {self.index} expected {self.expected}, got {self.got}"
        )


def first_wrong_value(worker: Worker, expected: Expected, route: Route, progress: Progress) -> Value:
    """Returns the first value of a kernel that is wrong.

    Args:
      worker: runs the code; it is given other operands.
      expected: the call of the kernel.
      route: the passes, which make wrong code of it.
      progress: is called with a description of the current work.

    Raises:
      UnsupportedError: when the values of such a kernel cannot be looked at.
      KernelError: when none is wrong where they are.
    """
    if expected.note:
        raise UnsupportedError("expected a kernel that interpret mode can run, got one without known values")
    return _Looking(worker, expected, route, progress).find()


@dataclasses.dataclass(frozen=True)
class _Wrong:
    """A point whose value is wrong.

    Attributes:
      point: the point.
      program: the number of the first program that has it wrong.
      index: its first wrong element.
      expected: the correct value.
      got: the computed value.
      count: how many elements are wrong.
      op: the op that computes it.
    """

    point: Point
    program: int
    index: tuple[int, ...]
    expected: object
    got: object
    count: int
    op: str


class _Looking:
    def __init__(self, worker: Worker, expected: Expected, route: Route, progress: Progress):
        self._worker, self._expected, self._route, self._progress = worker, expected, route, progress
        self._request = expected.call.request
        self._num_scratch = len(self._request.grid_mapping.scratch_avals)
        self._grid: tuple[int, ...] = tuple(self._request.grid_mapping.grid)
        self._runs = self._failures = self._lost = 0
        self._failure = ""

    def find(self) -> Value:
        points = points_of(self._request)
        self._whole = self._whole_programs()
        count = len(points)
        while count:
            for group in self._groups(points, count):
                if self._runs >= _RUNS or self._failures >= _FAILURES:
                    raise KernelError(self._excuse(), kernel=self._expected.kernel.name)
                found = self._look(group, {})
                if found:
                    return self._describe(*self._first_in_loops(group, found))
            count //= 2
        raise KernelError(self._excuse(), kernel=self._expected.kernel.name)

    def _excuse(self) -> str:
        if self._failures:
            return f"a kernel that returns its values does not run: {self._failure}"
        if self._lost:
            return "the kernel's stores are lost, and the values with them"
        return "every value is right in a kernel that returns it"

    def _groups(self, points: Sequence[Point], count: int) -> Iterator[list[Point]]:
        """Groups points by a maximal number and size in bytes; omits points that exceed the size alone."""
        programs, group, size = math.prod(self._grid), [], 0
        for point in points:
            own = point.size * programs
            if own > _BYTES:
                continue
            if len(group) == count or size + own > _BYTES:
                yield group
                group, size = [], 0
            group.append(point)
            size += own
        if group:
            yield group

    def _first_in_loops(self, group: list[Point], found: list[_Wrong]) -> tuple[_Wrong, dict[Path, int]]:
        """The first wrong value in the order of time: the loops around it end with the first step that is wrong."""
        lengths: dict[Path, int] = {}
        while True:
            first = found[0]
            loop = next(((path, steps) for path, steps in first.point.loops if path not in lengths), None)
            if loop is None:
                return first, lengths
            path, wrong = loop
            inside = [point for point in group if point.path[: len(path)] == path]
            right = 0
            while wrong - right > 1 and self._runs < _RUNS:
                middle = (right + wrong) // 2
                if self._look(inside, {**lengths, path: middle}):
                    wrong = middle
                else:
                    right = middle
            lengths[path] = wrong
            # The loop is shorter, so a copy without a wait may leave nothing to compare.
            again = self._look(inside, lengths)
            found = [one for one in again if one.program == again[0].program] if again else found

    def _look(self, points: Sequence[Point], lengths: Mapping[Path, int]) -> list[_Wrong]:
        """Those of some points that are wrong, by program and then in the order of the kernel; none if it fails."""
        self._runs += 1
        self._progress(f"{self._route.stage}: values of the kernel, run {self._runs}")
        function = with_points(self._request, points, lengths)
        kernel = self._expected.kernel
        try:
            [call] = expected_calls(function, self._expected.call.operands, kernel.target, kernel.options)
        except Error as error:
            # The target refuses such an output.
            self._failures, self._failure = self._failures + 1, error.message
            return []
        self._worker.load(to_record(call))
        reply = self._worker.run(call.kernel.bytecode, self._route.passes, self._route.target, self._route.options)
        if "results" not in reply:
            self._failures, self._failure = self._failures + 1, reply["error"]
            return []
        skipped = len(self._request.out_avals)
        want, got = call.call.results, [np.array(x) for x in reply["results"]]
        for number in range(skipped + 1, len(want)):
            self._forgive(got[number], want[number])
        comparisons = call.compare([*want[:skipped], *got[skipped:]])[skipped:]
        if comparisons[0].wrong:
            self._lost += 1
            return []
        found = []
        for number, point, one in zip(range(skipped + 1, len(want)), points, comparisons[1:], strict=True):
            if one.wrong:
                op = _op_of(call.kernel.bytecode, number - len(want), point, self._num_scratch)
                found.append(self._wrong(point, np.asarray(one.wrong_elements), want[number], got[number], op))
        return sorted(found, key=lambda one: one.program)

    def _forgive(self, got: np.ndarray, want: np.ndarray) -> None:
        """Accepts values that are not defined: those that follow from padding, or from uninitialized memory."""
        if np.issubdtype(want.dtype, np.inexact) or want.dtype.kind == "V":
            unknown = np.isnan(want.astype(np.float64) if want.dtype.kind != "c" else want)
            got[unknown] = want[unknown]
        rows = got.reshape(len(self._whole), -1), want.reshape(len(self._whole), -1)
        rows[0][~self._whole] = rows[1][~self._whole]

    def _whole_programs(self) -> np.ndarray:
        """For each program whether its blocks lie within their arrays."""
        mapping, operands = self._request.grid_mapping, self._expected.call.operands
        programs = np.array(list(np.ndindex(*self._grid)), np.int64).reshape(math.prod(self._grid), len(self._grid))
        whole = np.ones(len(programs), bool)
        for block in mapping.block_mappings:
            sizes = [getattr(dim, "block_size", 1) for dim in block.block_shape]
            starts = block_starts(block, programs, operands[: mapping.num_index_operands])
            ends = starts + np.array(sizes, np.int64)
            whole &= ((starts >= 0) & (ends <= np.array(block.array_aval.shape, np.int64))).all(axis=1)
        return whole

    def _wrong(self, point: Point, wrong: np.ndarray, want: np.ndarray, got: np.ndarray, op: str) -> _Wrong:
        by_program = wrong.reshape(len(self._whole), -1)
        program = int(np.argmax(by_program.any(axis=1)))
        element = int(np.argmax(by_program[program]))
        index = tuple(map(int, np.unravel_index(element, point.aval.shape)))
        wanted, gotten = (x.reshape(len(self._whole), -1)[program, element] for x in (want, got))
        return _Wrong(point, program, index, wanted, gotten, int(by_program[program].sum()), op)

    def _describe(self, found: _Wrong, lengths: Mapping[Path, int]) -> Value:
        point = found.point
        return Value(
            primitive=point.primitive,
            program=tuple(map(int, np.unravel_index(found.program, self._grid))) if self._grid else (),
            steps=tuple(lengths[path] - 1 for path, _ in point.loops),
            index=found.index,
            expected=found.expected.item() if isinstance(found.expected, np.generic) else found.expected,
            got=found.got.item() if isinstance(found.got, np.generic) else found.got,
            wrong=found.count,
            elements=math.prod(point.aval.shape),
            frame=point.frame,
            op=found.op,
        )


def _op_of(module: bytes, argument: int, point: Point, num_scratch: int) -> str:
    """The op whose result a kernel stores to the output of a point.

    Args:
      module: the kernel with more outputs.
      argument: its number, counted from the end.
      point: the point.
      num_scratch: the number of Refs of scratch after the kernel's outputs.
    """
    found: list[Any] = []

    def at_point(op: Any) -> bool:
        return point.frame is not None and point.frame in frames_of(op.location)[:1]

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name != "grid.kernel":
            return ir.WalkResult.ADVANCE
        ref = op.regions[0].blocks[0].arguments[argument - num_scratch]
        for use in ref.uses:
            stored = [value for value in use.owner.operands if value != ref]
            while stored and not isinstance(stored[0].owner, ir.Block):
                op = stored[0].owner
                if at_point(op):
                    found.append(op)
                    break
                # It converts the value to the shape and the type in which it is stored.
                stored = list(op.operands)[:1]
        return ir.WalkResult.SKIP

    # The ops are the module's: it must live as long as they.
    parsed = parse_module(module)
    parsed.operation.walk(visit)
    return found[-1].operation.get_asm(skip_regions=True, large_elements_limit=16).strip() if found else ""
