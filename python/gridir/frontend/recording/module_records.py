# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of an MLIR file, as records that can be run without the program that they come from."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import parse_module, to_bytecode
from gridir.compiler.targets import get_target
from gridir.errors import KernelError
from gridir.frontend.rebuild.grid_mapping import dtype_of
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.recording.record import Record, draw, versions

SEED = 0
"""The number that the floats of operands are drawn by."""


@dataclasses.dataclass(frozen=True)
class ModuleFile:
    """A file with a module of the stage `grid`.

    Attributes:
      text: the module as MLIR text or bytecode.
      path: the file, which locations in the text name.
      kernel: the only kernel that is meant; None for all.
    """

    text: bytes
    path: str = "<module>"
    kernel: str | None = None


def kernel_modules(file: ModuleFile) -> list[tuple[grid.KernelOp, bytes]]:
    """The kernels of a module, each with a separate module.

    Raises:
      CompileError: when the text is no module.
      KernelError: when it has no `grid.kernel`, or none of the name.
    """
    module = parse_module(file.text, file=file.path)
    kernels = [op for op in module.body.operations if isinstance(op, grid.KernelOp)]
    if not kernels:
        raise KernelError("expected a module with a grid.kernel, as the stage grid has it, got none")
    names = [_name(kernel) for kernel in kernels]
    if file.kernel is not None and file.kernel not in names:
        raise KernelError(f"expected a kernel of {file.path} ({', '.join(names)}), got {file.kernel!r}")
    found = []
    for number, kernel in enumerate(kernels):
        if file.kernel not in (None, names[number]):
            continue
        alone = parse_module(file.text, file=file.path)
        others = [op for op in alone.body.operations if isinstance(op, grid.KernelOp)]
        for other in others[:number] + others[number + 1 :]:
            other.operation.erase()
        found.append((kernel, to_bytecode(alone)))
    return found


def kernels_of(file: ModuleFile, target: str = "cpu", options: Any = None) -> list[Kernel]:
    """The kernels of a module for a target.

    Raises:
      OptionError: for an unknown target, or options of another one.
      CompileError, KernelError: as `kernel_modules`.
    """
    chosen = get_target(target)
    return [
        Kernel(
            name=_name(kernel),
            target=chosen,
            options=chosen.check_options(options),
            bytecode=bytecode,
            source=_source(kernel),
        )
        for kernel, bytecode in kernel_modules(file)
    ]


def records_of(file: ModuleFile, target: str = "cpu") -> list[Record]:
    """The kernels of a module, each called with operands that are drawn by `SEED`; integers and bools are zero.

    Raises:
      KernelError: when a kernel has a grid of unknown size, or operands that are no arrays.
      CompileError: as `kernel_modules`.
    """
    return [_record(kernel, bytecode, target) for kernel, bytecode in kernel_modules(file)]


def _record(kernel: grid.KernelOp, bytecode: bytes, target: str) -> Record:
    name, attributes = _name(kernel), kernel.operation.attributes
    if any(grid.DimAttr(dim).size is None for dim in attributes["dims"]):
        raise KernelError(f"expected a grid of known size, got one that the call gives, of kernel {name}")

    def arrays(field: str) -> list[np.ndarray]:
        return [_zeros(name, grid.OperandAttr(spec)) for spec in attributes[field]]

    operands = arrays("index_operands") + arrays("inputs")
    return Record(
        name=name,
        module=bytecode,
        target=target,
        options={},
        operands=draw(operands, SEED),
        results=tuple(arrays("outputs")),
        aliases=kernel.alias_pairs,
        seed=SEED,
        source=_source(kernel),
        versions=versions(),
    )


def _zeros(kernel: str, operand: grid.OperandAttr) -> np.ndarray:
    shape = list(operand.shape)
    if not all(isinstance(extent, int) and extent >= 0 for extent in shape):
        raise KernelError(f"expected arrays of known shapes, got {operand} of kernel {kernel}")
    dtype = dtype_of(operand.element_type)
    if not isinstance(dtype, np.dtype):
        raise KernelError(f"expected arrays of numbers, got {operand} of kernel {kernel}")
    return np.zeros(shape, dtype)


def _name(kernel: grid.KernelOp) -> str:
    return ir.StringAttr(kernel.operation.attributes["sym_name"]).value


def _source(kernel: grid.KernelOp) -> str | None:
    attributes = kernel.operation.attributes
    return ir.StringAttr(attributes["source"]).value if "source" in attributes else None
