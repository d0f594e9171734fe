# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calls of kernels in a traced function, and the values of their operands as far as the arguments give them."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import primitive_name
from gridir.frontend.compat.jax_lowering import request_of_mpmd_map, request_of_pallas_call
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.rules.control import open_jaxpr
from gridir.frontend.walk.walker import nested_jaxprs

_SMALL = 1 << 10
"""Bytes of an array that XLA's ops outside of kernels move at no cost."""


_KERNELS = ("pallas_call", "mpmd_map")

_INDEX_ELEMENTS = 1 << 16
"""The longest array of integers whose values may decide what a kernel does, as those of groups and tiles."""

_UNKNOWN = {
    "while": "a loop around a kernel whose trip count depends on data counts once",
    "cond": "kernels in all branches of a condition around them count as called",
}
"""The unknown facts about calls of kernels within equations, by primitive."""


@dataclasses.dataclass(frozen=True)
class KernelCall:
    """A call of a kernel.

    Attributes:
      request: the kernel. sizes: the values of the dynamic dimensions of its grid; None where they are not known.
      scalars: the values of its prefetched operands; None likewise. times: the number of executions of the call.
      inputs: the values of its other inputs, of those that are short arrays of integers; None likewise.
    """

    request: KernelRequest
    sizes: tuple[Any, ...]
    scalars: tuple[Any, ...]
    times: int
    inputs: tuple[Any, ...] = ()

    @property
    def is_parallel(self) -> bool:
        """Returns whether a dimension of the grid may be split over the cores of a chip."""
        semantics = getattr(self.request.compiler_params, "dimension_semantics", None) or ()
        return any("parallel" in str(getattr(each, "name", each)).lower() for each in semantics)


@dataclasses.dataclass(frozen=True)
class Calls:
    """The parts of a traced function.

    Attributes:
      kernels: the calls of kernels, in order.
      outside: bytes that XLA's ops outside of kernels read and write, by primitive.
      notes: how exact that is.
    """

    kernels: tuple[KernelCall, ...]
    outside: dict[str, int]
    notes: tuple[str, ...]


def find_calls(jaxpr: Any, arguments: Sequence[Any]) -> Calls:
    """Returns the calls of kernels in a function.

    Args:
      jaxpr: the closed jaxpr of the function.
      arguments: a value for each input of it; a `jax.ShapeDtypeStruct` if it is unknown.
    """
    opened, consts = open_jaxpr(jaxpr)
    finder = _Finder()
    if len(arguments) != len(opened.invars):
        # Static arguments are not inputs of the jaxpr, and the jaxpr does not identify them.
        arguments = [jax.ShapeDtypeStruct((), bool)] * len(opened.invars)
    known = [None if isinstance(value, jax.ShapeDtypeStruct) else (None, value) for value in arguments]
    finder.visit(_Scope(opened, consts, known), 1)
    return Calls(tuple(finder.kernels), dict(finder.outside), tuple(finder.notes))


class _Scope:
    """A jaxpr whose values are computed on demand."""

    def __init__(self, jaxpr: Any, consts: Sequence[Any], arguments: Sequence[tuple[Any, Any] | None]):
        self.jaxpr = jaxpr
        self._values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=False))
        self._arguments = dict(zip(jaxpr.invars, arguments, strict=True))
        self._producers = {var: (eqn, i) for eqn in jaxpr.eqns for i, var in enumerate(eqn.outvars)}
        self._inner: dict[int, _Scope] = {}

    def value(self, atom: Any) -> Any:
        """Returns the value of an atom of the jaxpr; None if it is unknown."""
        if isinstance(atom, jax_core.Literal):
            return atom.val
        if atom not in self._values:
            self._values[atom] = self._compute(atom)
        return self._values[atom]

    def _compute(self, var: Any) -> Any:
        if var in self._arguments:
            argument = self._arguments[var]
            if argument is None:
                return None
            scope, value = argument
            return value if scope is None else scope.value(value)
        if var not in self._producers:
            return None
        eqn, number = self._producers[var]
        if primitive_name(eqn.primitive) in jax_core.CALLS:
            inner = self.inner(eqn)
            return inner.value(inner.jaxpr.outvars[number])
        values = [self.value(atom) for atom in eqn.invars]
        # The result of a kernel, or of an op with effects, is not known before the function runs.
        if any(value is None for value in values) or primitive_name(eqn.primitive) in _KERNELS or eqn.effects:
            return None
        results = eqn.primitive.bind(*values, **eqn.params)
        return results[number] if eqn.primitive.multiple_results else results

    def inner(self, eqn: Any) -> _Scope:
        """Returns the scope of a function that an equation calls."""
        if id(eqn) not in self._inner:
            parameter = jax_core.CALLS[primitive_name(eqn.primitive)]
            found = eqn.params.get(parameter, eqn.params.get("call_jaxpr", eqn.params.get("jaxpr")))
            jaxpr, consts = open_jaxpr(found)
            self._inner[id(eqn)] = _Scope(jaxpr, consts, [(self, atom) for atom in eqn.invars])
        return self._inner[id(eqn)]


class _Finder:
    def __init__(self) -> None:
        self.kernels: list[KernelCall] = []
        self.outside: collections.Counter[str] = collections.Counter()
        self.notes: dict[str, None] = {}

    def visit(self, scope: _Scope, times: int) -> None:
        for eqn in scope.jaxpr.eqns:
            name = primitive_name(eqn.primitive)
            if name in _KERNELS:
                self._kernel(scope, eqn, name, times)
            elif name in jax_core.CALLS:
                self.visit(scope.inner(eqn), times)
            elif nested := nested_jaxprs(eqn):
                repeats = eqn.params.get("length", 1) if name == "scan" else 1
                before = len(self.kernels)
                for jaxpr in nested:
                    self.visit(_Scope(jaxpr, (), [None] * len(jaxpr.invars)), times * repeats)
                if len(self.kernels) > before and name in _UNKNOWN:
                    self.notes[_UNKNOWN[name]] = None
            else:
                self._count(name, eqn, times)

    def _count(self, name: str, eqn: Any, times: int) -> None:
        sizes = [
            aval.size * aval.dtype.itemsize
            for aval in (atom.aval for atom in (*eqn.invars, *eqn.outvars))
            if hasattr(aval, "dtype") and hasattr(aval.dtype, "itemsize")
        ]
        moved = sum(size for size in sizes if size > _SMALL)
        # XLA makes neither of them an op that copies.
        if moved and name not in ("reshape", "broadcast_in_dim", "squeeze", "expand_dims"):
            self.outside[name] += moved * times

    def _kernel(self, scope: _Scope, eqn: Any, name: str, times: int) -> None:
        avals = [atom.aval for atom in eqn.invars]
        make = request_of_pallas_call if name == "pallas_call" else request_of_mpmd_map
        request = make(avals, eqn.params)
        mapping: Any = request.grid_mapping
        dynamic = mapping.num_dynamic_grid_bounds
        values = [scope.value(atom) for atom in eqn.invars[: dynamic + mapping.num_index_operands]]
        arrays = [None if value is None else np.asarray(value) for value in values]
        inputs = [
            scope.value(x) if _may_index(x.aval) else None for x in eqn.invars[dynamic + mapping.num_index_operands :]
        ]
        known = tuple(None if value is None else np.asarray(value) for value in inputs)
        self.kernels.append(KernelCall(request, tuple(arrays[:dynamic]), tuple(arrays[dynamic:]), times, known))


def _may_index(aval: Any) -> bool:
    """Returns whether an input may say what a kernel does with others."""
    dtype = getattr(aval, "dtype", None)
    return isinstance(dtype, np.dtype) and np.issubdtype(dtype, np.integer) and aval.size <= _INDEX_ELEMENTS
