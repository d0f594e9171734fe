# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reference interpreter of Mosaic modules: runs on the CPU what is handed to libtpu, one grid point after the other.

It reads MLIR through the Python bindings of either gridir or jaxlib, in the readable or in the serialised form, and is
strict where a TPU is silent: memory that nothing has written is poison, an access out of bounds is an error, and so is
a semaphore that is not zero at the end. Copies are finished when they are started.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gridir.locations import frames_of, parse_location
from gridir.mlir import ir
from gridir.runtime.tpu.interpreter_ops import HANDLERS, Body, Machine, Step, poison
from gridir.runtime.tpu.numpy_ops import ExecutionError, integer, numbers, type_of

_PREFIX = "stable_mosaic."
_DYNAMIC = np.iinfo(np.int64).min


class Program:
    """A Mosaic module, ready to run.

    Example:
      >>> Program(module).run([x, y], [((512, 512), np.dtype("float32"))])
    """

    def __init__(self, module: Any):
        """Reads a module of gridir's or of jaxlib's MLIR.

        Raises:
          ExecutionError: when the module has an op that the interpreter does not know, or no kernel.
        """
        self._slots: dict[Any, int] = {}
        self._functions: dict[str, Body] = {}
        self._kernel: dict[str, Any] = {}
        for op in module.body.operations:
            name = str(op.attributes["sym_name"]).strip('"')
            self._functions[name] = self._body(op.operation.regions[0].blocks[0])
            if "tpu.core_type" in op.attributes:
                arguments = op.operation.regions[0].blocks[0].arguments
                self._kernel = {
                    "body": self._functions[name],
                    "types": [type_of(str(argument.type)) for argument in arguments],
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

    def _body(self, block: Any) -> Body:
        arguments = tuple(map(self._slot, block.arguments))
        return Body(arguments, tuple(self._step(op.operation) for op in block.operations))

    def _step(self, op: Any) -> Step:
        name = op.name.removeprefix(_PREFIX)
        if name not in HANDLERS:
            frames = frames_of(parse_location(str(op.location), ir.Context()))
            raise ExecutionError(f"the interpreter has no {name}", frames=frames, notes=[f"at {op.location}"])
        return Step(
            name,
            HANDLERS[name],
            tuple(map(self._slot, op.operands)),
            tuple(map(self._slot, op.results)),
            tuple(type_of(str(result.type)) for result in op.results),
            {attribute: str(op.attributes[attribute]) for attribute in op.attributes},
            tuple(self._body(region.blocks[0]) for region in op.regions if len(region.blocks)),
            str(op.location),
        )

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
        kernel, machine = self._kernel, Machine([None] * len(self._slots), ())
        arrays = [_signless(np.array(x)) for x in operands]
        outputs = [_signless(poison(shape, np.dtype(dtype))) for shape, dtype in results]
        for operand, result in (aliases or {}).items():
            outputs[result] = arrays[operand]
        sizes = iter(arrays)
        machine.bounds = tuple(int(next(sizes)) if n == _DYNAMIC else n for n in kernel["bounds"])
        rest = list(sizes)
        scalars, memories = rest[: kernel["prefetch"]], [*rest[kernel["prefetch"] :], *outputs]
        scratch = self._scratch()
        windows = [
            _Window(memory, params, self._functions, is_output=number >= len(memories) - len(outputs))
            for number, (memory, params) in enumerate(
                zip(memories, kernel["windows"] or [{}] * len(memories), strict=True)
            )
        ]
        with np.errstate(all="ignore"):
            for point in itertools.product(*map(range, machine.bounds)):
                indices = [np.int32(i) for i in point]
                blocks = [w.move_to(machine, [*indices, *scalars]) for w in windows]
                kernel["body"].run(machine, [*indices, *scalars, *blocks, *scratch])
            for w in windows:
                w.write_back()
        self._check_semaphores(scratch)
        return [output.view(np.dtype(dtype)) for output, (_, dtype) in zip(outputs, results, strict=True)]

    def _scratch(self) -> list[np.ndarray]:
        count = self._kernel["scratch"]
        if not count:
            return []
        types, semaphores = self._kernel["types"][-count:], self._kernel["semaphores"][-count:]
        return [
            np.zeros(shape, dtype) if semaphore else poison(shape, dtype)
            for (shape, dtype), semaphore in zip(types, semaphores, strict=True)
        ]

    def _check_semaphores(self, scratch: Sequence[np.ndarray]) -> None:
        count = len(scratch)
        flags = self._kernel["semaphores"][-count:] if count else []
        for number, (memory, semaphore) in enumerate(zip(scratch, flags, strict=True)):
            if semaphore and np.any(memory):
                raise ExecutionError(f"expected semaphores of zero at the end, got {memory} in scratch {number}")


def _signless(x: np.ndarray) -> np.ndarray:
    """The same memory as a module sees it, where integers have no signs of their own."""
    return x.view(f"i{x.dtype.itemsize}") if x.dtype.kind == "u" else x


class _Window:
    """The block of one operand: moved when its offsets change, and an output's written back before that."""

    def __init__(self, memory: np.ndarray, params: dict[str, str], functions: dict[str, Body], is_output: bool):
        self._memory, self._is_output = memory, is_output
        self._offsets: tuple[int, ...] | None = None
        self._transform = functions[params["transform_indices"].strip('@"')] if params else None
        self._shape = tuple(numbers(params["window_bounds"])) if params else ()
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
