# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that a kernel takes on a TPU, by argument, and the rules for blocks, before anything is compiled."""

from __future__ import annotations

import dataclasses
from typing import Any

from gridir.frontend.kernel_calls import KernelCall
from gridir.frontend.step_time import held_bytes
from gridir.frontend.step_work import StepWork
from gridir.frontend.types import is_ref

_LANES, _ROWS = 128, 8


@dataclasses.dataclass(frozen=True)
class Held:
    """The memory of one argument.

    Attributes:
      name: the argument.
      bytes: all of its buffers together.
      buffers: how many there are.
    """

    name: str
    bytes: int
    buffers: int

    def __str__(self) -> str:
        buffers = f" in {self.buffers} buffers" if self.buffers > 1 else ""
        return f"{self.name} {mebibytes(self.bytes)}{buffers}"


def vmem_ledger(call: KernelCall, work: StepWork) -> list[Held]:
    """Returns what VMEM holds for a kernel: the blocks, doubled where the pipeline copies them, and the scratch."""
    request = call.request
    mapping: Any = request.grid_mapping
    names = list(request.jaxpr.debug_info.arg_names or ())
    first = mapping.num_index_operands
    held = []
    for transfer in work.transfers:
        if "smem" in transfer.space.lower() or "semaphore" in transfer.space.lower():
            continue
        count = transfer.buffers
        if transfer.block == transfer.array or work.total == 1:
            count = 1
        held.append(Held(transfer.name, int(count * held_bytes(transfer.block, transfer.itemsize)), count))
    scratch = request.jaxpr.invars[first + len(mapping.block_mappings) :]
    for number, var in enumerate(scratch, first + len(mapping.block_mappings)):
        aval: Any = var.aval
        space = str(getattr(aval, "memory_space", "")).lower()
        if not is_ref(aval) or "vmem" not in space or not hasattr(aval.dtype, "itemsize"):
            continue
        name = names[number] if number < len(names) else "scratch"
        held.append(Held(name, int(held_bytes(aval.shape, aval.dtype.itemsize)), 1))
    return held


def vmem_limit(call: KernelCall, default: float) -> int:
    """Returns the bytes of VMEM that a kernel may take: what its author says, or the default of the chip."""
    return int(getattr(call.request.compiler_params, "vmem_limit_bytes", None) or default)


def refusal(call: KernelCall, work: StepWork, ledger: list[Held], default: float) -> str:
    """Returns why a TPU cannot run a kernel; "" where nothing speaks against it before it is compiled."""
    if not work.total:
        return f"has a grid without steps: {work.steps.sizes}"
    for transfer in work.transfers:
        problem = _block_problem(transfer)
        if problem:
            return problem
    total, limit = sum(entry.bytes for entry in ledger), vmem_limit(call, default)
    if total <= limit:
        return ""
    parts = ", ".join(map(str, sorted(ledger, key=lambda entry: -entry.bytes)))
    return f"needs {mebibytes(total)} of VMEM, the limit is {mebibytes(limit)}: {parts}"


def _block_problem(transfer: Any) -> str:
    if len(transfer.block) < 2 or "smem" in transfer.space.lower():
        return ""
    for dim, tile in ((-1, _LANES), (-2, _ROWS)):
        size, whole = transfer.block[dim], transfer.array[dim]
        # A dimension of one element may be squeezed, which has no such rule.
        if size != whole and size % tile and size != 1:
            return (
                f"dimension {len(transfer.block) + dim} of {transfer.name} is cut into {size}, expected a multiple "
                f"of {tile} or all of {whole}"
            )
    return ""


def mebibytes(size: float) -> str:
    """Returns a size for people."""
    return f"{size / (1 << 20):.2f} MiB" if size >= 1 << 18 else f"{size / 1024:.1f} KiB"
