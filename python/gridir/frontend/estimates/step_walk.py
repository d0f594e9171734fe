# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walk that counts the operations of a kernel's jaxpr at each step of its grid.

A branch counts at the steps at which its condition holds, a loop as often as it is repeated. Where a condition or a
trip count depends on data, all branches count, the loop counts once, and a note says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import canonical, primitive_name
from gridir.frontend.estimates import step_registers, step_warpgroup
from gridir.frontend.estimates.step_amounts import Count, StepWork
from gridir.frontend.estimates.step_values import (
    ONCE,
    KnownRef,
    Scalar,
    Value,
    derive,
    evaluate,
    literal,
    read_element,
    repeated,
)
from gridir.frontend.rules.control import open_jaxpr
from gridir.frontend.walk.types import is_ref
from gridir.frontend.walk.walker import equations_of, nested_jaxprs

_FUNCTIONS = frozenset(
    (
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "cos",
        "cosh",
        "digamma",
        "erf",
        "erf_inv",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "lgamma",
        "log",
        "log1p",
        "logistic",
        "pow",
        "rsqrt",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    )
)
_MOVES = frozenset(
    (
        "broadcast_in_dim",
        "reshape",
        "squeeze",
        "expand_dims",
        "transpose",
        "slice",
        "concatenate",
        "iota",
        "copy",
        "stop_gradient",
        "multiple_of",
        "get",
        "swap",
        "bitcast_convert_type",
        "dynamic_slice",
        "program_id",
        "num_programs",
    )
)


def itemsize_of(dtype: Any) -> float:
    """Returns the bytes of an element, a part of one for narrow integers."""
    bits = getattr(dtype, "itemsize", 4) * 8
    name = getattr(dtype, "name", "")
    return next((b / 8 for b, names in ((4, ("int4", "uint4")), (2, ("int2", "uint2"))) if name in names), bits / 8)


def count_elements(aval: Any) -> int:
    """Returns the number of elements of a value of known shape, otherwise 1."""
    shape = getattr(aval, "shape", ())
    return math.prod(shape) if all(jax_core.is_constant_dim(size) for size in shape) else 1


def shared_bytes_of(var: Any) -> float:
    """The bytes of shared memory that a Ref of a GPU's kernel takes."""
    aval: Any = var.aval
    is_shared = is_ref(aval) and str(aval.memory_space) == "smem" and hasattr(aval.dtype, "itemsize")
    return count_elements(aval) * itemsize_of(aval.dtype) if is_shared else 0


class StepWalk:
    """Walks the jaxpr of a kernel once, with the values of scalars and how often each equation runs at each step."""

    def __init__(self, work: StepWork, axes: Sequence[int], names: Sequence[Any] | None = None):
        self.work = work
        self.shared = 0.0
        self._axes = list(axes)
        self._names = list(names or ())

    def jaxpr(
        self,
        jaxpr: Any,
        consts: Sequence[Any],
        arguments: Sequence[Any],
        times: Scalar,
    ) -> list[Any]:
        """Counts the equations of a jaxpr and returns its results."""
        env: dict[Any, Any] = {}
        for var, value in zip(jaxpr.constvars, consts or [None] * len(jaxpr.constvars), strict=True):
            if value is None or isinstance(value, Scalar | KnownRef):
                env[var] = value
            else:
                env[var] = literal(value) if not np.shape(value) else None
        env.update(zip(jaxpr.invars, arguments, strict=True))

        def read(atom: Any) -> Any:
            if isinstance(atom, jax_core.Literal):
                return literal(atom.val) if not np.shape(atom.val) else None
            return env.get(atom)

        registers = step_registers.Registers(jaxpr) if self.work.in_registers else None
        for eqn in jaxpr.eqns:
            values = [read(atom) for atom in eqn.invars]
            results = self._equation(canonical(eqn), values, times, registers)
            env.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, eqn: Any, values: list[Any], times: Scalar, registers: Any) -> Sequence[Any]:
        name = primitive_name(eqn.primitive)
        for kind, amount in registers.work_of(name, eqn) if registers else ():
            self.work.counts.append(Count(kind, times, amount))
        unknown = [None] * len(eqn.outvars)
        if name in ("program_id", "num_programs"):
            return [self._of_grid(name, eqn.params["axis"])]
        if name == "axis_index":
            return [self._of_axis(eqn.params["axis_name"])]
        if (product := step_warpgroup.product_of(name, eqn)) is not None:
            self.work.counts.append(Count(product[0], times, product[1]))
            return unknown
        if (moved := step_warpgroup.moved_by(name, eqn)) is not None:
            # A copy for several CTAs is divided among them.
            moved /= math.prod(self._size_of(axis) for axis in eqn.params.get("collective_axes") or ())
            self.work.counts.append(Count("copied", times, moved))
            if name not in ("get", "swap"):
                return unknown
        if name in ("run_scoped", "mpmd_map"):
            return self._scope(name, eqn, values, times)
        if name == "get":
            element = read_element(values[0], eqn.params["tree"], values[1:])
            return [element if not eqn.outvars[0].aval.shape else None]
        if name == "masked_load" and not eqn.outvars[0].aval.shape:
            ref, transforms, *_ = jax.tree.unflatten(eqn.params["args_tree"], values)
            return [read_element(ref, *reversed(jax.tree.flatten(transforms, is_leaf=_is_value)))]
        if name == "cond":
            return self._cond(eqn, values, times)
        if name == "scan":
            return self._scan(eqn, values, times)
        if name == "while":
            return self._while(eqn, values, times)
        if name == "dma_start":
            self._copy(eqn, times)
            return unknown
        if (parameter := jax_core.CALLS.get(name)) and parameter in eqn.params:
            jaxpr, consts = open_jaxpr(eqn.params[parameter])
            return self.jaxpr(jaxpr, consts, values, times)
        nested = nested_jaxprs(eqn)
        for jaxpr in nested:
            if name not in ("reduce", "reduce_window", "sort"):
                self.jaxpr(jaxpr, (), [None] * len(jaxpr.invars), times)
        if nested:
            return unknown
        if len(eqn.outvars) == 1 and not getattr(eqn.outvars[0].aval, "shape", (1,)):
            return [evaluate(name, values, eqn.outvars[0].aval)]
        if registers is None or not registers.is_free(name, eqn):
            self._count(name, eqn, times)
        return unknown

    def _of_grid(self, name: str, axis: Any) -> Value:
        """The program id or the size of a dimension of the grid; None for an axis that is no dimension of it."""
        if not isinstance(axis, int) or axis >= len(self._axes):
            return None
        steps = self.work.steps
        dim = self._axes[axis]
        if name == "program_id":
            return Scalar(steps.ids[dim], "id", (), dim)
        return Scalar(np.asarray(steps.sizes[dim]), "size", (), dim)

    def _of_axis(self, name: Any) -> Value:
        """The index along a named dimension of the grid; None for another axis."""
        if name not in self._names:
            return None
        dim = self._names.index(name)
        return Scalar(self.work.steps.ids[dim], "id", (), dim)

    def _size_of(self, name: Any) -> int:
        """The size of a named dimension of the grid; 1 for another axis."""
        return self.work.steps.sizes[self._names.index(name)] if name in self._names else 1

    def _scope(self, name: str, eqn: Any, values: list[Any], times: Scalar) -> Sequence[Any]:
        """Counts the body of a scope that allocates buffers, or of the warps of a warpgroup."""
        jaxpr, before = nested_jaxprs(eqn)[0], self.shared
        self.shared += sum(map(shared_bytes_of, jaxpr.invars)) if name == "run_scoped" else 0
        self.work.held.shared = max(self.work.held.shared, self.shared)
        if name == "run_scoped":
            self.jaxpr(jaxpr, values, [None] * len(jaxpr.invars), times)
        else:
            self.jaxpr(jaxpr, (), values[: len(jaxpr.invars)], times)
        self.shared = before
        return [None] * len(eqn.outvars)

    def _count(self, name: str, eqn: Any, times: Scalar) -> None:
        if name == "dot_general":
            self._product(eqn, times)
        elif name in _FUNCTIONS:
            elements = count_elements(eqn.outvars[0].aval)
            self.work.counts.append(Count("functions", times, elements))
            if self.work.in_registers:
                self._instructions(name, eqn.outvars[0].aval, elements, times)
        elif name not in _MOVES and eqn.outvars:
            avals = [atom.aval for atom in (*eqn.invars, *eqn.outvars) if not is_ref(atom.aval)]
            # Of a reduction, its operand counts.
            elements = max(map(count_elements, avals), default=0)
            if self.work.in_registers:
                self._instructions(name, max(avals, key=count_elements), elements, times)
            else:
                self.work.counts.append(Count("elements", times, elements))

    def _instructions(self, name: str, aval: Any, elements: int, times: Scalar) -> None:
        kind = "rows" if step_registers.is_row(aval.shape) else "elements"
        self.work.counts.append(Count(kind, times, step_registers.instructions_of(name) * elements))
        if name.startswith("reduce_"):
            # Threads exchange the parts of a row in two steps.
            self.work.counts.append(Count("rows", times, 4 * elements / max(aval.shape[-1], 1)))

    def _product(self, eqn: Any, times: Scalar) -> None:
        (contracting, _), _ = eqn.params["dimension_numbers"]
        lhs = eqn.invars[0].aval
        depth = math.prod(lhs.shape[dim] for dim in contracting)
        flops = 2 * depth * count_elements(eqn.outvars[0].aval)
        bits = int(itemsize_of(lhs.dtype) * 8)
        self.work.counts.append(Count(bits, times, flops))

    def _copy(self, eqn: Any, times: Scalar) -> None:
        shapes = [count_elements(atom.aval) * itemsize_of(atom.aval.dtype) for atom in eqn.invars if is_ref(atom.aval)]
        sizes = [size for size in shapes if size > 4]
        # The smaller of both ends is the part that is copied.
        self.work.counts.append(Count("copied", times, min(sizes, default=0)))

    def _cond(self, eqn: Any, values: list[Any], times: Scalar) -> Sequence[Any]:
        which, *operands = values
        branches = [open_jaxpr(branch) for branch in eqn.params["branches"]]
        chosen = derive("chosen", (which,), len(branches)) if isinstance(which, Scalar) else None
        if chosen is None and sum(bool(jaxpr.eqns) for jaxpr, _ in branches):
            self.work.notes["branches whose conditions depend on data count as taken"] = None
        results = []
        for branch, (jaxpr, consts) in enumerate(branches):
            taken = times if chosen is None else repeated(times, derive("taken", (chosen,), branch))
            if jaxpr.eqns:
                self.work.parts.append((False, jaxpr, None if chosen is None else taken))
            results.append(self.jaxpr(jaxpr, consts, operands, taken))
        if chosen is None:
            return [None] * len(eqn.outvars)
        return [self._join(chosen, column) for column in zip(*results, strict=True)]

    def _join(self, chosen: Scalar, column: Sequence[Any]) -> Any:
        if any(not isinstance(value, Scalar) for value in column):
            return None
        return derive("select_n", (chosen, *column), column[0].array.dtype)

    def _scan(self, eqn: Any, values: list[Any], times: Scalar) -> Sequence[Any]:
        consts = len(eqn.params["ft_in"].unpack()[0])
        jaxpr, closed = open_jaxpr(eqn.params["jaxpr"])
        length = eqn.params["length"]
        carried = len(eqn.params["ft_in"].unpack()[1])
        self._loop(jaxpr, closed, values[:consts], values[consts : consts + carried], times, literal(float(length)))
        return [None] * len(eqn.outvars)

    def _loop(
        self, jaxpr: Any, consts: Any, arguments: list[Any], carried: Sequence[Any], times: Scalar, trips: Value
    ) -> None:
        """Counts the body of a loop, for the constants of its body and the first values of what it carries."""
        around = times if trips is None else repeated(times, trips)
        held = self.work.held
        if self.work.in_registers:
            made, summed, loaded, kept = step_registers.values_of(jaxpr)
            step_warpgroup.note_held(held, jaxpr)
            held.alone, held.summed = max(held.alone, made), max(held.summed, summed)
            held.staged, held.kept = max(held.staged, loaded), max(held.kept, kept)
            self.work.counts.append(Count("iterations", around, 1))
        else:
            step_warpgroup.note_held(held, jaxpr)
        first = len(arguments)
        unknown = [*arguments, *[None] * (len(jaxpr.invars) - first)]
        counters = [
            (first + i, begin)
            for i, begin in enumerate(carried)
            if isinstance(begin, Scalar) and i < len(jaxpr.outvars) and _counts_up(jaxpr, first + i, first)
        ]
        if trips is not None and counters and _has_loops(jaxpr):
            # Trip counts of inner loops may depend on the counter: some iterations stand for all.
            self.work.parts.append((True, jaxpr, around))
            share = derive("times", (around, literal(1 / _SAMPLES)), None)
            for sample in range(_SAMPLES):
                chosen = list(unknown)
                for number, begin in counters:
                    dtype = begin.array.dtype
                    scaled = derive("mul", (trips, literal(2 * sample + 1)), np.int64)
                    here = derive("div", (scaled, literal(2 * _SAMPLES)), np.int64)
                    chosen[number] = derive("add", (begin, here), dtype)
                self.jaxpr(jaxpr, consts, chosen, share)
            return
        self.work.parts.append((True, jaxpr, None if trips is None else around))
        self.jaxpr(jaxpr, consts, unknown, around)

    def _while(self, eqn: Any, values: list[Any], times: Scalar) -> Sequence[Any]:
        params = eqn.params
        condition, cond_consts = open_jaxpr(params["cond_jaxpr"])
        body, body_consts = open_jaxpr(params["body_jaxpr"])
        num_cond, num_body = params["cond_nconsts"], params["body_nconsts"]
        of_condition, of_body = values[:num_cond], values[num_cond : num_cond + num_body]
        carried = values[num_cond + num_body :]
        trips = self._trips(condition, cond_consts, of_condition, body, body_consts, of_body, carried)
        if trips is None:
            self.work.notes[
                "loops whose trip counts depend on data count once: times are too small, and the order may be wrong"
            ] = None
        self._loop(body, body_consts, of_body, carried, times, trips)
        return [None] * len(eqn.outvars)

    def _trips(
        self,
        condition: Any,
        cond_consts: Any,
        of_condition: list[Any],
        body: Any,
        body_consts: Any,
        of_body: list[Any],
        carried: list[Any],
    ) -> Value:
        """The trip count of a loop at each step, found by evaluating its scalars."""
        if (counted := _counted_trips(condition, [*of_condition, *carried], body, len(of_body))) is not None:
            return counted
        quiet = StepWalk(StepWork(self.work.steps, self.work.total), self._axes, self._names)
        trips = np.zeros(1)
        for _ in range(_MAX_TRIPS):
            (goes_on,) = quiet.jaxpr(condition, cond_consts, [*of_condition, *carried], ONCE)
            if goes_on is None:
                return None
            if not goes_on.array.any():
                return Scalar(trips, "opaque")
            trips = trips + goes_on.array
            results = quiet.jaxpr(body, body_consts, [*of_body, *carried], ONCE)
            # Steps that have left the loop keep their values.
            carried = [
                Scalar(np.where(goes_on.array, new.array, old.array), "opaque")
                if isinstance(new, Scalar) and isinstance(old, Scalar)
                else None
                for new, old in zip(results, carried, strict=True)
            ]
        return None


def _counted_trips(condition: Any, arguments: Sequence[Any], body: Any, num_consts: int) -> Value:
    """The trip count of a loop that counts one value up by one to another one; None for another loop.

    Args:
      condition: the jaxpr of the condition, without the constants of the body.
      arguments: the values of its constants and of what the loop carries.
      body: the jaxpr of the body.
      num_consts: how many constants the body has.
    """
    if len(condition.eqns) != 1 or primitive_name(condition.eqns[0].primitive) != "lt":
        return None
    carried = len(body.invars) - num_consts
    places = [condition.invars.index(x) if x in condition.invars else None for x in condition.eqns[0].invars]
    first, last = (
        None if place is None else place - (len(condition.invars) - carried) + num_consts for place in places
    )
    values = [
        literal(atom.val) if isinstance(atom, jax_core.Literal) else None if place is None else arguments[place]
        for atom, place in zip(condition.eqns[0].invars, places, strict=True)
    ]
    begin, end = values
    if first is None or first < num_consts or not isinstance(begin, Scalar) or not isinstance(end, Scalar):
        return None
    if last is not None and last >= num_consts and body.outvars[last - num_consts] is not body.invars[last]:
        return None
    if not _counts_up(body, first, num_consts):
        return None
    span = derive("sub", (end, begin), end.array.dtype)
    return derive("max", (span, literal(np.zeros((), end.array.dtype))), np.dtype(float))


def _counts_up(body: Any, number: int, num_consts: int) -> bool:
    """True if the body of a loop adds one to an input that it carries."""
    var, out = body.invars[number], body.outvars[number - num_consts]
    for eqn in body.eqns:
        if out in eqn.outvars:
            steps = [atom.val for atom in eqn.invars if isinstance(atom, jax_core.Literal)]
            return primitive_name(eqn.primitive) == "add" and var in eqn.invars and steps == [1]
    return False


def _is_value(value: Any) -> bool:
    return value is None or isinstance(value, Scalar)


def _has_loops(jaxpr: Any) -> bool:
    """True if the body of a loop has loops whose trip count is no constant."""
    return any(primitive_name(eqn.primitive) == "while" for eqn in equations_of(jaxpr))


_SAMPLES = 8
"""Iterations of a loop that stand for all, if work in it depends on the counter."""


# Loops that are repeated more often have trip counts that depend on data, or are too slow to follow.
_MAX_TRIPS = 4096
