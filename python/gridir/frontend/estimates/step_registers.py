# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of kernels of a GPU whose values are arrays in registers, as Triton compiles them.

A Ref of such a kernel is global memory. The operands of products of matrices are copied to shared memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import primitive_name
from gridir.frontend.walk.types import is_ref

WGMMA_ROWS = 64
"""The rows of a product of one warpgroup. A product of fewer rows is one of single warps."""

_LOADS = ("get", "masked_load", "load")
_STORES = ("swap", "masked_swap", "addupdate", "atomic_rmw")
_PASSED = ("convert_element_type", "transpose", "reshape", "broadcast_in_dim", "squeeze", "copy")
"""Ops that leave a value in the memory where it is."""

_INSTRUCTIONS = {
    "exp": 8.0, "logistic": 18.0, "div": 8.0, "tanh": 8.0, "erf": 20.0, "pow": 16.0, "rem": 16.0,
}  # fmt: skip
"""Instructions of ops that are more than one for each element, beside those of the units for functions.

Those of `exp` and `logistic` were counted in the code of Triton 3.9 for sm_90a, which calls libdevice.
"""


class Registers:
    """The equations of one jaxpr, as far as their place says what they cost."""

    def __init__(self, jaxpr: Any) -> None:
        self._operands_of_products = _operands(jaxpr)
        self._free: set[Any] = set()
        self._made: set[Any] = set()

    def work_of(self, name: str, eqn: Any) -> Iterator[tuple[str, float]]:
        """Returns the kinds and amounts of the work of an equation beside its products."""
        if name in _LOADS or name in _STORES:
            value = eqn.outvars[0] if name in _LOADS else next((x for x in eqn.invars[1:] if _bytes(x)), None)
            if value is not None and _is_access(eqn) and (size := _bytes(value)):
                yield ("read" if name in _LOADS else "written"), size
                if name in _LOADS and self._operands_of_products and value not in self._operands_of_products:
                    # It comes to the threads that have the results of products by shared memory.
                    yield "elements", value.aval.size
        elif name == "dot_general":
            self._free.add(eqn.outvars[0])
            yield from self._product(eqn)
        elif name in _PASSED or _is_identity(name, eqn):
            if any(atom in self._made for atom in _variables(eqn)):
                self._made.add(eqn.outvars[0])
        elif eqn.outvars:
            self._made.update(eqn.outvars)

    def is_free(self, name: str, eqn: Any) -> bool:
        """Returns whether an equation costs nothing: the sum of a product and its accumulator, or a factor of one."""
        if name == "convert_element_type":
            return bool(eqn.invars[0].aval.dtype == eqn.outvars[0].aval.dtype)
        is_of_product = any(atom in self._free for atom in _variables(eqn))
        if _is_identity(name, eqn):
            if is_of_product:
                self._free.add(eqn.outvars[0])
            return True
        return name == "add" and is_of_product

    def _product(self, eqn: Any) -> Iterator[tuple[str, float]]:
        lhs, rhs = eqn.invars[:2]
        shape = eqn.outvars[0].aval.shape
        rows = shape[-2] if len(shape) > 1 else 1
        flops = 2.0 * lhs.aval.size * math.prod(shape) / max(rows, 1)
        bits = _bytes(lhs) / max(lhs.aval.size, 1) * 8
        from_memory = 0.0 if any(atom in self._made for atom in _variables(eqn)[:1]) else _bytes(lhs)
        yield "rows read", from_memory + math.ceil(rows / WGMMA_ROWS) * _bytes(rhs)
        yield "left", _bytes(lhs)
        yield "right", _bytes(rhs)
        yield "narrow", flops * bits / 16 if rows < WGMMA_ROWS else 0.0
        yield "short", flops * bits / 16 if rows < 2 * WGMMA_ROWS else 0.0
        # The warps of a CTA divide the rows of such a product, and of the one that its left operand is made of.
        is_chained = any(atom in self._made for atom in _variables(eqn)[:1])
        yield "chained", flops * bits / 16 if is_chained else 0.0
        yield "chained by rows", flops * bits / 16 / rows if is_chained else 0.0
        yield "waits", 1.0


def values_of(body: Any) -> tuple[float, float, float, float]:
    """Returns the bytes of values of the body of a loop.

    A product that is added to its accumulator is no other value, and the operands of products are in shared memory.

    Returns:
      Those of the largest value that it computes and does not carry, of accumulators that it carries, of operands of
      products that it loads, and of those that it takes from outside.
    """
    registers, largest, summed, operands = Registers(body), 0.0, 0.0, _operands(body)
    loads = [var for eqn in body.eqns if primitive_name(eqn.primitive) in _LOADS for var in eqn.outvars]
    loaded = sum(_bytes(var) for var in loads if not operands or var in operands)
    kept = sum(_bytes(var) for var in body.invars if var in operands)
    accumulators: set[Any] = set()
    for eqn in body.eqns:
        name = primitive_name(eqn.primitive)
        for _ in registers.work_of(name, eqn):
            pass
        if name == "add" and registers.is_free(name, eqn):
            # A value to which a product is added is the accumulator before that.
            accumulators.update(_variables(eqn))
    registers = Registers(body)
    for eqn in body.eqns:
        name = primitive_name(eqn.primitive)
        for _ in registers.work_of(name, eqn):
            pass
        free = registers.is_free(name, eqn)
        carried = any(var in body.outvars for var in eqn.outvars)
        if any(var in accumulators for var in eqn.outvars):
            continue
        if not carried and name not in (*_LOADS, *_PASSED, "dot_general", "iota") and not (free and name == "mul"):
            largest = max(largest, sum(map(_bytes, eqn.outvars)))
        summed += sum(map(_bytes, eqn.outvars)) if carried and free else 0.0
    return largest, summed, loaded, kept


def _operands(jaxpr: Any) -> set[Any]:
    """Returns the values that are operands of products as they are."""
    found: set[Any] = set()
    for eqn in reversed(jaxpr.eqns):
        name = primitive_name(eqn.primitive)
        is_passed = name in _PASSED or _is_identity(name, eqn)
        if name == "dot_general" or (is_passed and any(var in found for var in eqn.outvars)):
            found.update(_variables(eqn))
    return found


def is_row(shape: Sequence[int]) -> bool:
    """Returns whether a value has one element for each row, or each column, of others."""
    return 0 < sum(size != 1 for size in shape) < 2


def instructions_of(name: str) -> float:
    """Returns the instructions of an op for each element and lane, beside those of the units for functions."""
    return _INSTRUCTIONS.get(name, 1.0)


def _is_identity(name: str, eqn: Any) -> bool:
    """Returns whether an equation is a multiplication by one, which compilers remove."""
    factors = [atom.val for atom in eqn.invars if isinstance(atom, jax_core.Literal)]
    return name == "mul" and any(np.shape(x) == () and x == 1 for x in factors)


def _is_access(eqn: Any) -> bool:
    return is_ref(eqn.invars[0].aval) or primitive_name(eqn.primitive) not in ("get", "swap")


def _variables(eqn: Any) -> list[Any]:
    return [atom for atom in eqn.invars if not isinstance(atom, jax_core.Literal)]


def _bytes(atom: Any) -> float:
    aval: Any = getattr(atom, "aval", None)
    if is_ref(aval) or not hasattr(getattr(aval, "dtype", None), "itemsize"):
        return 0.0
    return float(math.prod(getattr(aval, "shape", ())) * aval.dtype.itemsize) if getattr(aval, "shape", ()) else 0.0
