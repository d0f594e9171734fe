# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For each element of a function's result, the element of a kernel's result that it equals.

The jaxpr of the function is evaluated on positions: ops that move elements move their positions, and elementwise ops
keep them. A result that is computed in any other way has no positions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from gridir.frontend.compat import jax_core

_KERNELS = ("pallas_call", "mpmd_map")
_MOVES = ("broadcast_in_dim", "expand_dims", "reshape", "rev", "slice", "squeeze", "transpose")
_KEEPS = (
    *("add", "convert_element_type", "copy", "copy_p", "div", "mul", "neg", "optimization_barrier", "reduce_precision"),
    *("reshard", "sharding_constraint", "stop_gradient", "sub"),
)


@dataclasses.dataclass(frozen=True)
class Origin:
    """The origins of the elements of an array.

    Attributes:
      kernel: the name of the kernel.
      occurrence: how many kernels of this name the program has before it.
      result: which of its results.
      shape: the shape of that.
      positions: for each element of the array its position in the kernel's result, in row-major order.
    """

    kernel: str
    occurrence: int
    result: int
    shape: tuple[int, ...]
    positions: Any = dataclasses.field(repr=False)

    def to_kernel(self, mask: np.ndarray) -> np.ndarray:
        """Returns which elements of the kernel's result those elements of the array are."""
        found = np.zeros(self.shape, bool)
        found.reshape(-1)[np.asarray(self.positions)[mask]] = True
        return found

    def values_in_kernel(self, array: np.ndarray) -> np.ndarray:
        """Returns the values of the array at the places of the kernel's result; zero where it has none of these."""
        values = np.zeros(self.shape, array.dtype)
        values.reshape(-1)[np.asarray(self.positions)] = array
        return values


def origins(function: Callable[..., Any], args: Sequence[Any]) -> list[Origin | None]:
    """Returns the origins of the elements of each result of a function; None if they are unknown."""
    closed = jax.make_jaxpr(function)(*args)
    return _Evaluation().run(closed, [None] * len(closed.jaxpr.invars))


class _Evaluation:
    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def run(self, function: Any, operands: Sequence[Origin | None]) -> list[Origin | None]:
        jaxpr = getattr(function, "jaxpr", function)
        known: dict[Any, Origin | None] = dict(zip(jaxpr.invars, operands, strict=True))

        def read(atom: Any) -> Origin | None:
            return None if isinstance(atom, core.Literal) else known.get(atom)

        for equation in jaxpr.eqns:
            results = self._equation(equation, [read(atom) for atom in equation.invars])
            known |= dict(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, equation: Any, operands: list[Origin | None]) -> Sequence[Origin | None]:
        name = equation.primitive.name
        shapes = [getattr(v.aval, "shape", None) for v in equation.outvars]
        if name in _KERNELS:
            return self._kernel(equation, shapes)
        if name in jax_core.CALLS:
            return self.run(equation.params[jax_core.CALLS[name]], operands)
        tagged = [x for x in operands if x is not None]
        if name in _MOVES and len(operands) == len(tagged) == 1:
            moved = equation.primitive.bind(tagged[0].positions, **equation.params)
            return [dataclasses.replace(tagged[0], positions=moved)]
        if name in _KEEPS and len(tagged) == len(shapes) == 1 and tagged[0].positions.shape == shapes[0]:
            return tagged
        return [None] * len(shapes)

    def _kernel(self, equation: Any, shapes: Sequence[Any]) -> Sequence[Origin | None]:
        kernel = jax_core.kernel_name_of(equation)
        occurrence = self._seen.get(kernel, 0)
        self._seen[kernel] = occurrence + 1
        return [
            Origin(kernel, occurrence, number, shape, jnp.arange(np.prod(shape, dtype=int)).reshape(shape))
            if all(isinstance(size, int) for size in shape)
            else None
            for number, shape in enumerate(shapes)
        ]
