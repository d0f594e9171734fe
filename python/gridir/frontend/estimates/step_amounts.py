# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of a kernel at each step of its grid, as records: operations, blocks that are copied, and bytes held."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from gridir.frontend.compat import jax_core
from gridir.frontend.estimates.step_values import Scalar, Steps, Value
from gridir.frontend.walk.walker import equations_of
from gridir.runtime.tpu.regions import KernelPart


@dataclasses.dataclass(frozen=True)
class Transfer:
    """The blocks of an operand.

    Attributes:
      name: the Ref's name in the kernel function.
      block: the shape of a block.
      array: the shape of the array.
      itemsize: bytes of an element.
      is_output: whether the blocks are written back.
      indices: the indices of the block, none of a block that is the whole array; None where they depend on data.
      space: the memory space, as JAX names it.
      buffers: how many blocks are held at once where they are copied.
    """

    name: str
    block: tuple[int, ...]
    array: tuple[int, ...]
    itemsize: float
    is_output: bool
    indices: tuple[Scalar, ...] | None
    space: str
    buffers: int


@dataclasses.dataclass(frozen=True)
class Count:
    """Work of one kind.

    Attributes:
      kind: "elements" that operations compute, "functions" such as `exp`, "copied" bytes, or the bits of an operand's
        element for floating-point operations of products of matrices. Kernels whose values are in registers have those
        of `step_registers` as well, and "iterations" of loops that load.
      times: how often it is done at each step.
      amount: how much it is.
    """

    kind: str | int
    times: Scalar
    amount: float


@dataclasses.dataclass
class Held:
    """Bytes that a program of a GPU holds at once.

    Attributes:
      shared: scratch buffers in shared memory.
      carried: the values that a loop carries, of the loop that carries most.
      made: the largest value that an iteration of a loop computes and does not carry.
      loaded: the blocks that one iteration of a loop loads, of the loop that loads most.
      alone: the same as `made` without products that are added to accumulators, of a kernel with values in registers.
      summed: these accumulators.
      staged: the operands of products that one iteration loads.
      kept: those that it takes from outside of the loop.
    """

    shared: float = 0
    carried: float = 0
    made: float = 0
    loaded: float = 0
    alone: float = 0
    summed: float = 0
    staged: float = 0
    kept: float = 0


@dataclasses.dataclass
class StepWork:
    """The work of a kernel at each step.

    Attributes:
      steps: the steps of the grid.
      total: how many steps the grid has.
      counts: the work of the equations.
      transfers: the operands whose blocks the pipeline copies.
      scratch: name, shape and bytes of an element of each scratch buffer in VMEM.
      held: bytes that a program of a GPU holds at once, see `Held`.
      operands: the values of the prefetched operands; None for one that is not known.
      parts: the jaxprs of branches and loops in the order of the kernel: whether it is a loop, the jaxpr, and how often
        it runs at each step, None if that depends on data.
      notes: how exact that is.
      in_registers: whether values of the kernel are in registers of a GPU.
      program: the steps that are one program, where programs have no order: "step", each one; "last", those along the
        last dimension. "" for steps in order.
    """

    steps: Steps
    total: int
    counts: list[Count] = dataclasses.field(default_factory=list)
    transfers: tuple[Transfer, ...] = ()
    scratch: tuple[tuple[str, tuple[int, ...], float], ...] = ()
    held: Held = dataclasses.field(default_factory=Held)
    operands: tuple[Any, ...] = ()
    parts: list[tuple[bool, Any, Value]] = dataclasses.field(default_factory=list)
    notes: dict[str, None] = dataclasses.field(default_factory=dict)
    in_registers: bool = False
    program: str = ""

    def kernel_parts(self) -> list[KernelPart]:
        """Returns the branches and loops with the lines of the author's file that they come from."""
        return [
            KernelPart(is_loop, frozenset(_lines(jaxpr)), None if times is None else times.array)
            for is_loop, jaxpr, times in self.parts
        ]


def _lines(jaxpr: Any) -> Iterator[tuple[str, int]]:
    """The files and lines that the equations of a jaxpr come from."""
    for eqn in equations_of(jaxpr):
        frame = jax_core.user_frame(eqn.source_info)
        if frame is not None:
            yield frame.file, frame.line
