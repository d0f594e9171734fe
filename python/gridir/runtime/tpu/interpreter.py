# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reference interpreter of Mosaic modules: executes libtpu's input on the CPU, one grid point after the other.

It reads MLIR through the Python bindings of either gridir or jaxlib, in the readable or in the serialised form, and is
strict where a TPU is silent: memory that nothing has written is poison, an access out of bounds is an error, and so is
a semaphore that is not zero at the end. Copies are finished when they are started. Cores run in turns.
"""

from __future__ import annotations

import enum
import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir.locations import frames_of, parse_location
from gridir.mlir import ir
from gridir.runtime.tpu import cores
from gridir.runtime.tpu.discarded import may_be_discarded
from gridir.runtime.tpu.interpreter_ops import HANDLERS, LOADS
from gridir.runtime.tpu.machine import Body, Machine, Step, check_zero, located
from gridir.runtime.tpu.memory import poison
from gridir.runtime.tpu.numpy_ops import ExecutionError, Type, held, integer, numbers, type_of

_PREFIX = "stable_mosaic."
_DYNAMIC = np.iinfo(np.int64).min

# The memory that the subcores of a core share.
_SHARED = "vmem_shared"


class Outside(enum.Enum):
    """The accesses that may lie outside of their memref: none, loads whose value may be discarded, or all.

    Elements loaded from outside are poison; stores outside are omitted. Copies lie inside in any case.
    """

    ERROR = enum.auto()
    DISCARDED = enum.auto()
    ALLOWED = enum.auto()


class Program:
    """A Mosaic module, ready to run.

    Example:
      >>> Program(module).run([x, y], [((512, 512), np.dtype("float32"))])
    """

    def __init__(self, module: Any, outside: Outside = Outside.ERROR, scratch_names: Sequence[str] = ()):
        """Reads a module of gridir's or of jaxlib's MLIR.

        Args:
          module: the module.
          outside: the accesses that are no error outside of their memref.
          scratch_names: the author's names of the scratch operands, which the module does not have.

        Raises:
          ExecutionError: when the module has an op that the interpreter does not know, or no kernel.
        """
        self._outside = outside
        self._scratch_names = scratch_names
        self._slots: dict[Any, int] = {}
        self._types: dict[int, Type] = {}
        self._functions: dict[str, Body] = {}
        self._kernel: dict[str, Any] = {}
        for op in module.body.operations:
            name = str(op.attributes["sym_name"]).strip('"')
            self._functions[name] = self._body(op.operation.regions[0].blocks[0])
            if "tpu.core_type" in op.attributes:
                arguments = op.operation.regions[0].blocks[0].arguments
                self._kernel = {
                    "body": self._functions[name],
                    "types": [self._types[self._slot(argument)] for argument in arguments],
                    "semantics": re.findall(r"dimension_semantics<(\w+)>", str(op.attributes["dimension_semantics"]))
                    if "dimension_semantics" in op.attributes
                    else [],
                    "semaphores": ["semaphore" in str(argument.type) for argument in arguments],
                    "bounds": self._numbers(op, "iteration_bounds"),
                    "prefetch": self._integer(op, "scalar_prefetch"),
                    "scratch": self._integer(op, "scratch_operands"),
                    "windows": self._windows(op),
                }
        if not self._kernel:
            raise ExecutionError("expected a function with tpu.core_type, got none")

    @staticmethod
    def _numbers(op: Any, name: str) -> list[int]:
        return numbers(str(op.attributes[name])) if name in op.attributes else []

    @staticmethod
    def _integer(op: Any, name: str) -> int:
        return integer(str(op.attributes[name])) if name in op.attributes else 0

    @staticmethod
    def _windows(op: Any) -> list[dict[str, str]]:
        if "window_params" not in op.attributes:
            return []
        return [{item.name: str(item.attr) for item in params} for params in op.attributes["window_params"]]

    def _slot(self, value: Any) -> int:
        return self._slots.setdefault(value, len(self._slots))

    def _define(self, value: Any) -> int:
        """The slot of a value at its definition, where its type is read."""
        slot = self._slot(value)
        self._types[slot] = type_of(str(value.type))
        return slot

    def _body(self, block: Any) -> Body:
        arguments = tuple(map(self._define, block.arguments))
        return Body(arguments, tuple(self._step(op.operation) for op in block.operations))

    def _step(self, op: Any) -> Step:
        name = op.name.removeprefix(_PREFIX)
        if name not in HANDLERS:
            frames = frames_of(parse_location(str(op.location), ir.Context()))
            raise ExecutionError(f"the interpreter has no {name}", frames=frames, notes=[f"at {op.location}"])
        try:
            results = tuple(map(self._define, op.results))
            regions = tuple(self._body(region.blocks[0]) for region in op.regions if len(region.blocks))
        except ExecutionError as error:
            raise (error if error.notes else located(error.message, name, str(op.location))) from None
        operands = tuple(map(self._slot, op.operands))
        return Step(
            name,
            HANDLERS[name],
            operands,
            results,
            tuple(self._types[slot] for slot in operands),
            tuple(self._types[slot] for slot in results),
            {attribute: str(op.attributes[attribute]) for attribute in op.attributes},
            regions,
            str(op.location),
            may_leave=self._may_leave(op, name),
        )

    def _may_leave(self, op: Any, name: str) -> bool:
        if self._outside is Outside.DISCARDED:
            return name in LOADS and may_be_discarded(op)
        return self._outside is Outside.ALLOWED

    def run(
        self,
        operands: Sequence[np.ndarray],
        results: Sequence[tuple[Sequence[int], np.dtype]],
        aliases: dict[int, int] | None = None,
    ) -> list[np.ndarray]:
        """Runs the kernel at every point of its grid, in order.

        Args:
          operands: those of the custom call: sizes of dynamic grid dimensions, prefetched scalars, inputs.
          results: shapes and dtypes of the results.
          aliases: operand to the result that shares its memory.

        Raises:
          ExecutionError: for an access out of bounds, or a semaphore that is not zero at the end.
        """
        kernel = self._kernel
        # In order of rows, so that a reshape is a view.
        arrays = [held(np.array(x, order="C")) for x in operands]
        outputs = [poison(shape, held(np.empty(0, dtype)).dtype) for shape, dtype in results]
        for operand, result in (aliases or {}).items():
            outputs[result] = arrays[operand]
        sizes = iter(arrays)
        bounds = tuple(int(next(sizes)) if n == _DYNAMIC else n for n in kernel["bounds"])
        rest = list(sizes)
        scalars, memories = rest[: kernel["prefetch"]], [*rest[kernel["prefetch"] :], *outputs]
        counts = [self._extent(bounds, kind) for kind in ("core_parallel", "subcore_parallel")]
        pools = self._scratch(counts)
        arrivals: dict[int, int] = {}

        def core(number: int, subcore: int) -> Callable[[cores.Task], None]:
            def run(task: cores.Task) -> None:
                machine = Machine(
                    [None] * len(self._slots),
                    bounds,
                    task.wait,
                    core=(number, subcore),
                    subcores=counts[1],
                    pools={pool.__array_interface__["data"][0]: pool for pool, sharers in pools if sharers == 1},
                    arrivals=arrivals,
                )
                with np.errstate(all="ignore"):
                    self._run_core(machine, scalars, memories, len(outputs), pools)

            return run

        cores.run([core(number, subcore) for number in range(counts[0]) for subcore in range(counts[1])])
        self._check_semaphores(pools)
        return [_as(output, np.dtype(dtype)) for output, (_, dtype) in zip(outputs, results, strict=True)]

    def _extent(self, bounds: Sequence[int], kind: str) -> int:
        """The number of programs along the dimensions of a kind."""
        return math.prod(n for n, other in zip(bounds, self._kernel["semantics"], strict=False) if other == kind)

    def _run_core(
        self,
        machine: Machine,
        scalars: Sequence[np.ndarray],
        memories: Sequence[np.ndarray],
        num_outputs: int,
        pools: Sequence[tuple[np.ndarray, int]],
    ) -> None:
        """Runs the programs of one core, in the order of the grid."""
        kernel, first = self._kernel, len(memories) - num_outputs
        windows = [
            _Window(memory, params, self._functions, is_output=number >= first)
            for number, (memory, params) in enumerate(
                zip(memories, kernel["windows"] or [{}] * len(memories), strict=True)
            )
        ]
        own = machine.core[0] * machine.subcores + machine.core[1]
        scratch = [pool[own // sharers, ...] for pool, sharers in pools]
        for point in itertools.product(*self._programs(machine)):
            indices = [np.int32(i) for i in point]
            arguments = [*indices, *scalars]
            # An input may share its memory with an output: blocks are written back before others are fetched.
            for w in windows[first:]:
                w.move_to(machine, arguments)
            blocks = [w.move_to(machine, arguments) for w in windows]
            kernel["body"].run(machine, [*indices, *scalars, *blocks, *scratch])
        for w in windows:
            w.write_back()

    def _programs(self, machine: Machine) -> list[Sequence[int]]:
        """The grid indices of one core, for each dimension: of a dimension of cores its own number."""
        kinds = self._kernel["semantics"]
        numbers_of_core = {"core_parallel": machine.core[0], "subcore_parallel": machine.core[1]}
        programs: list[Sequence[int]] = [range(n) for n in machine.bounds]
        for kind, number in numbers_of_core.items():
            # Of several dimensions of a kind the last counts fastest.
            for dim in reversed(range(len(programs))):
                if dim < len(kinds) and kinds[dim] == kind:
                    number, index = divmod(number, machine.bounds[dim])
                    programs[dim] = [index]
        return programs

    def _scratch(self, counts: Sequence[int]) -> list[tuple[np.ndarray, int]]:
        """For each scratch operand the memory of all cores, one after another, and how many subcores share one."""
        count = self._kernel["scratch"]
        if not count:
            return []
        types, semaphores = self._kernel["types"][-count:], self._kernel["semaphores"][-count:]
        pools = []
        for (shape, dtype, _, space), semaphore in zip(types, semaphores, strict=True):
            sharers = counts[1] if space == _SHARED else 1
            shape = (counts[0] * counts[1] // sharers, *shape)
            pools.append((np.zeros(shape, dtype) if semaphore else poison(shape, dtype), sharers))
        return pools

    def _check_semaphores(self, pools: Sequence[tuple[np.ndarray, int]]) -> None:
        count = len(pools)
        flags = self._kernel["semaphores"][-count:] if count else []
        for number, ((pool, _), semaphore) in enumerate(zip(pools, flags, strict=True)):
            for memory in pool if semaphore else ():
                names = self._scratch_names
                check_zero(memory, "the kernel", names[number] if number < len(names) else f"scratch {number}")


def _as(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A result of the kernel in the dtype of the call."""
    if x.dtype == dtype:
        return x
    if dtype.kind == "u":
        return x.view(dtype)
    return (x & 2 ** int(dtype.name[-1]) - 1 if dtype.name.startswith("uint") else x).astype(dtype)


class _Window:
    """The block of one operand: moved when its offsets change, and an output's written back before that."""

    def __init__(self, memory: np.ndarray, params: dict[str, str], functions: dict[str, Body], is_output: bool):
        self._memory, self._is_output = memory, is_output
        self._offsets: tuple[int, ...] | None = None
        # Without bounds the operand stays in place, and its index map is ignored.
        is_moved = "window_bounds" in params
        self._transform = functions[params["transform_indices"].strip('@"')] if is_moved else None
        self._shape = tuple(numbers(params["window_bounds"])) if is_moved else ()
        self._by_element = "window_kind" in params
        self._block = memory

    def move_to(self, machine: Machine, arguments: Sequence[Any]) -> np.ndarray:
        if self._transform is None:
            return self._memory
        _, indices = self._transform.run(machine, arguments)
        units = (1,) * len(self._shape) if self._by_element else self._shape
        offsets = tuple(int(i) * unit for i, unit in zip(indices, units, strict=True))
        if offsets != self._offsets:
            self.write_back()
            self._offsets = offsets
            self._block = poison(self._shape, self._memory.dtype)
            if not self._is_output:
                inner, outer = self._overlap()
                self._block[inner] = self._memory[outer]
        return self._block

    def write_back(self) -> None:
        if self._is_output and self._offsets is not None:
            inner, outer = self._overlap()
            self._memory[outer] = self._block[inner]

    def _overlap(self) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The part of the block, and of the array, where both are."""
        assert self._offsets is not None
        inner, outer = [], []
        for start, size, limit in zip(self._offsets, self._shape, self._memory.shape, strict=True):
            first, last = max(start, 0), min(start + size, limit)
            if first >= last:
                raise ExecutionError(f"a block at {self._offsets} lies outside of its array of {self._memory.shape}")
            inner.append(slice(first - start, last - start))
            outer.append(slice(first, last))
        return tuple(inner), tuple(outer)
