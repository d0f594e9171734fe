# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine of the interpreter of Mosaic modules: blocks of ops, and their shared state."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir.locations import frames_of, parse_location
from gridir.mlir import ir
from gridir.runtime.tpu.memory import MemRef, Seen, elsewhere
from gridir.runtime.tpu.numpy_ops import ExecutionError, Type, numbers


@dataclasses.dataclass
class Machine:
    """The state that the ops of one core share.

    Attributes:
      values: the values so far, by the slots that `Program` gave them.
      bounds: the sizes of the grid.
      wait: waits until a condition holds; raises ExecutionError with the message if nothing can make it hold.
      core: the number of the core, and of the subcore in it.
      subcores: how many subcores a core has.
      pools: the memory that each core has of its own, one after another; by the memory's address.
      arrivals: how often the subcores of each core have come to a barrier.
      key: the key of the random generator, or None before it has a seed; and how often it was asked.
      barrier: the semaphore that the kernels of one collective share, once the kernel has asked for it.
      scoped: the semaphores of the regions that run, with the ops that allocate them.
    """

    values: list[Any]
    bounds: tuple[int, ...]
    wait: Callable[[Callable[[], bool], Callable[[], str]], None]
    core: tuple[int, int] = (0, 0)
    subcores: int = 1
    pools: dict[int, np.ndarray] = dataclasses.field(default_factory=dict)
    arrivals: dict[int, int] = dataclasses.field(default_factory=dict)
    key: tuple[int, int] | None = None
    drawn: int = 0
    barrier: np.ndarray | None = None
    scoped: list[tuple[np.ndarray, Step]] = dataclasses.field(default_factory=list)

    def at(self, memory: MemRef, device: Sequence[Any], core: Sequence[Any], subcore: Sequence[Any]) -> MemRef:
        """The memref that is there on another core.

        Args:
          memory: the memref here.
          device: the number of the device, if the op names one.
          core: the number of the core, if the op names one.
          subcore: the number of the subcore, if the op names one.

        Raises:
          ExecutionError: for another device, and a core that does not run this kernel.
        """
        if any(int(number) for number in device):
            raise ExecutionError(f"the interpreter has one chip, which is device 0, got device {int(device[0])}")
        there = int(core[0]) if core else self.core[0], int(subcore[0]) if subcore else self.core[1]
        if there == self.core:
            return memory
        root = memory
        while isinstance(root, Seen):
            root = root.source
        while isinstance(root.base, np.ndarray):
            root = root.base
        pool = self.pools.get(root.__array_interface__["data"][0])
        if pool is None:
            raise ExecutionError("expected memory that is private to a core")
        mine, other = (number * self.subcores + sub for number, sub in (self.core, there))
        if not (0 <= there[1] < self.subcores and 0 <= other < len(pool)):
            raise ExecutionError(f"expected a core that runs this kernel, got core {there[0]}, subcore {there[1]}")
        return elsewhere(memory, pool, mine, other)


@dataclasses.dataclass(frozen=True)
class Step:
    """One op: its handler, the slots of its operands and results, its attributes as text, its regions.

    `may_leave` is true if the elements that it accesses may lie outside of its memref.
    """

    name: str
    run: Callable[[Machine, Step, list[Any]], Sequence[Any]]
    operands: tuple[int, ...]
    results: tuple[int, ...]
    operand_types: tuple[Type, ...]
    types: tuple[Type, ...]
    attributes: dict[str, str]
    regions: tuple[Body, ...]
    location: str
    may_leave: bool = False


@dataclasses.dataclass(frozen=True)
class Body:
    """A block: the slots of its arguments, and its ops."""

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]

    def run(self, machine: Machine, arguments: Sequence[Any]) -> tuple[str, list[Any]]:
        """Runs the ops; returns the name of the terminator and its operands."""
        for slot, value in zip(self.arguments, arguments, strict=True):
            machine.values[slot] = value
        for step in self.steps:
            operands = [machine.values[slot] for slot in step.operands]
            if step.run is terminate:
                return step.name, operands
            try:
                results = step.run(machine, step, operands)
                for slot, value in zip(step.results, results, strict=True):
                    machine.values[slot] = value
            except ExecutionError as error:
                # An error from within a region has its location.
                raise (error if error.notes else located(error.message, step.name, step.location)) from None
            except Exception as error:
                message = f"the interpreter cannot run {step.name}: {type(error).__name__}: {error}"
                raise located(message, step.name, step.location) from error
        return "", []


def groups(step: Step, operands: Sequence[Any]) -> list[list[Any]]:
    """The operands of an op by the groups that its attribute names."""
    rest = iter(operands)
    return [list(itertools.islice(rest, n)) for n in numbers(step.attributes["operandSegmentSizes"])]


def located(message: str, name: str, location: str) -> ExecutionError:
    """The error of an op, with the author's lines, and with the text of MLIR's location where it has none."""
    frames = frames_of(parse_location(location, ir.Context()))
    note = f"in {name}" if frames else f"in {name} at {location}"
    return ExecutionError(message, frames=frames, notes=[note])


def check_zero(semaphores: np.ndarray, end_of: str, name: str) -> None:
    """Raises ExecutionError for semaphores that are not zero at the end of the kernel or of a scope."""
    if np.any(semaphores):
        index = tuple(int(i[0]) for i in np.nonzero(semaphores)) if semaphores.ndim else ()
        place = f"element ({', '.join(map(str, index))}) of {name}" if index else name
        raise ExecutionError(f"{place} holds {int(semaphores[index])} at the end of {end_of}, expected 0")


def run_region(machine: Machine, step: Step, _: Any) -> list[Any]:
    """Runs the region of an op, at whose end the semaphores that it allocates must be zero."""
    first = len(machine.scoped)
    _, results = step.regions[0].run(machine, [])
    for memory, allocation in machine.scoped[first:]:
        try:
            check_zero(memory, "its scope", "a semaphore")
        except ExecutionError as error:
            raise located(error.message, allocation.name, allocation.location) from None
    del machine.scoped[first:]
    return results


def allocate_semaphores(machine: Machine, step: Step, _: Any) -> list[Any]:
    """Semaphores of the region that runs."""
    memory = np.zeros(*step.types[0][:2])
    machine.scoped.append((memory, step))
    return [memory]


def terminate(*_: Any) -> Any:
    """A terminator does nothing, as it ends its block."""
    raise AssertionError("a terminator ends its block")
