# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels as a bundle, which launches without a compiler."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import gridir
from gridir.compiler.gpu import PtxKernel, loaded_operands
from gridir.compiler.kernel import Kernel
from gridir.errors import OptionError, UnsupportedError, within_kernel
from gridir.mlir.dialects import grid
from gridir.runtime.dtypes import DTYPES
from gridir.runtime.gpu.bundle import Bundle, BundledKernel, OperandInfo
from gridir.runtime.gpu.chips import capability_of, ptx_devices, runs_on
from gridir.runtime.ptxas import ptxas_version

_ALIGNMENT = 16
"""Bytes that the address of an operand is a multiple of: bulk copies and the widest accesses of threads need it."""


_SIZE_ALIGNMENT = 4
"""The same for a size of a dynamic grid."""


def bundle_of(kernels: Iterable[Kernel], chips: Sequence[str] = ()) -> Bundle:
    """Returns a bundle of kernels for a GPU.

    Args:
      kernels: kernels of the target `gpu`.
      chips: the chips to assemble machine code for; none for PTX alone.

    Raises:
      CompileError: when a pass refuses a kernel.
      OptionError: for a chip that is unknown, or does not run code for the kernels' chip.
      PtxasError: when `ptxas` is not found or refuses a kernel.
      UnsupportedError: for a profile, and for an operand whose elements share bytes where threads access it.
    """
    known = {"gridir": gridir.__version__, "jax": importlib.metadata.version("jax")}
    if chips:
        known["ptxas"] = ".".join(map(str, ptxas_version()))
    return Bundle(tuple(_bundle(kernel, chips) for kernel in kernels), known)


def _bundle(kernel: Kernel, chips: Sequence[str]) -> BundledKernel:
    with within_kernel(kernel.name, kernel.source):
        # Rejected first, as they are known before the kernel is compiled.
        for chip in chips:
            if not runs_on(ptx_devices(kernel.options.chip), capability_of(chip)[0]):
                raise OptionError(f"expected a chip that runs code for {kernel.options.chip}, got {chip!r}")
        operands = operands_of(kernel)
        prepared: PtxKernel = kernel.prepare()
        if prepared.profile is not None:
            raise UnsupportedError(
                "expected a kernel without profile_space in a bundle, whose launches write no profile"
            )
        launch = prepared.known_launch
        return BundledKernel(
            name=kernel.name,
            chip=prepared.chip,
            launch=launch,
            operands=_with_packing(kernel, operands, dict(launch.packed_operands)),
            ptx=prepared.ptx,
            cubins={chip: prepared.cubin(chip).code for chip in chips},
        )


def operands_of(kernel: Kernel) -> tuple[OperandInfo, ...]:
    """Returns the operands of a kernel in the order of a launch: sizes of the grid, index operands, inputs, outputs.

    Raises:
      UnsupportedError: for operands that are no arrays of known shape.
    """
    module = kernel.module(kernel.stages[0])
    (op,) = (x for x in module.body.operations if isinstance(x, grid.KernelOp))
    attributes = op.operation.attributes
    dims = [grid.DimAttr(dim) for dim in attributes["dims"]]
    sizes = [
        OperandInfo(f"grid[{position}]", "int32", (), _SIZE_ALIGNMENT, is_output=False)
        for position, dim in enumerate(dims)
        if dim.size is None
    ]
    aliases = {result: len(sizes) + operand for operand, result in op.alias_pairs.items()}
    inputs = [*_specs(attributes, "index_operands"), *_specs(attributes, "inputs")]
    outputs = _specs(attributes, "outputs")
    return (
        *sizes,
        *(_operand(kernel.name, spec, f"input {number}", is_output=False) for number, spec in enumerate(inputs)),
        *(
            _operand(kernel.name, spec, f"output {number}", is_output=True, alias=aliases.get(number))
            for number, spec in enumerate(outputs)
        ),
    )


def operand_names(kernel: Kernel) -> tuple[str, ...]:
    """Returns the names of a kernel's operands in the order of a launch."""
    module = kernel.module(kernel.stages[0])
    (op,) = (x for x in module.body.operations if isinstance(x, grid.KernelOp))
    attributes = op.operation.attributes
    dims = [grid.DimAttr(dim) for dim in attributes["dims"]]
    inputs = [*_specs(attributes, "index_operands"), *_specs(attributes, "inputs")]
    return (
        *(f"grid[{position}]" for position, dim in enumerate(dims) if dim.size is None),
        *(spec.origin or f"input {number}" for number, spec in enumerate(inputs)),
        *(spec.origin or f"output {number}" for number, spec in enumerate(_specs(attributes, "outputs"))),
    )


def _specs(attributes: Any, field: str) -> list[grid.OperandAttr]:
    return [grid.OperandAttr(spec) for spec in attributes[field]]


def _operand(
    kernel: str, spec: grid.OperandAttr, number: str, *, is_output: bool, alias: int | None = None
) -> OperandInfo:
    element, shape, name = str(spec.element_type), list(spec.shape), spec.origin or number
    dtype = _dtype_of(element)
    if dtype is None or not all(isinstance(size, int) and size >= 0 for size in shape):
        raise UnsupportedError(
            f"expected arrays of numbers, of known shape, in a bundle, got {name}: {spec}", kernel=kernel
        )
    return OperandInfo(name, dtype, tuple(shape), _ALIGNMENT, is_output, alias)


def _dtype_of(element: str) -> str | None:
    """Returns the name of an element type of MLIR, or None for one that arrays do not have."""
    if (narrow := re.fullmatch(r"(u)?s?i([24])", element)) is not None:
        return f"{narrow[1] or ''}int{narrow[2]}"
    return np.dtype(DTYPES[element]).name if element in DTYPES else None


def _with_packing(kernel: Kernel, operands: Sequence[OperandInfo], packed: dict[int, int]) -> tuple[OperandInfo, ...]:
    """Returns operands with the number of elements that bulk copies see in a byte.

    Raises:
      UnsupportedError: for one that threads access, too: they see one in a byte.
    """
    loaded = loaded_operands(kernel) if packed else frozenset()
    for number in packed:
        if number in loaded:
            raise UnsupportedError(
                f"expected bulk copies alone to access {operands[number].name}, as they see {packed[number]} "
                "elements in a byte, got accesses of threads",
                kernel=kernel.name,
            )
    return tuple(dataclasses.replace(x, per_byte=packed.get(number, 1)) for number, x in enumerate(operands))
