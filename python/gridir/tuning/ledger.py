# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that kernels take on a TPU, by argument, and the rules for blocks, before anything is compiled."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from gridir.frontend.estimates.kernel_calls import KernelCall
from gridir.frontend.estimates.step_form import BatchTransfer, WorkBatch
from gridir.frontend.estimates.step_time import held_bytes

_LANES, _ROWS = 128, 8


@dataclasses.dataclass(frozen=True)
class Held:
    """The memory of one argument in several kernels.

    Attributes:
      name: the argument.
      bytes: for each kernel all of its buffers together.
      buffers: for each kernel how many there are.
    """

    name: str
    bytes: np.ndarray
    buffers: np.ndarray

    def describe(self, number: int) -> str:
        """Returns the memory in one kernel for people."""
        buffers = f" in {self.buffers[number]} buffers" if self.buffers[number] > 1 else ""
        return f"{self.name} {mebibytes(self.bytes[number])}{buffers}"


def vmem_ledger(work: WorkBatch) -> list[Held]:
    """Returns the contents of VMEM for kernels: the blocks, doubled where the pipeline copies them, and the scratch."""
    held = []
    for transfer in work.transfers:
        if "smem" in transfer.space.lower() or "semaphore" in transfer.space.lower():
            continue
        stays = (transfer.block == transfer.array).all(axis=1) | (work.totals == 1)
        count = np.where(stays, 1, transfer.buffers)
        held.append(Held(transfer.name, count * held_bytes(transfer.block, transfer.itemsize), count))
    for name, shapes, itemsize in work.scratch:
        held.append(Held(name, held_bytes(shapes, itemsize), np.ones(len(shapes), np.int64)))
    return held


def vmem_limit(call: KernelCall, default: float) -> int:
    """Returns the bytes of VMEM that a kernel may take: the limit in the source, or the default of the chip."""
    return int(getattr(call.request.compiler_params, "vmem_limit_bytes", None) or default)


def refusals(work: WorkBatch, ledger: Sequence[Held], limit: int) -> dict[int, str]:
    """Returns why a TPU cannot run kernels, by number, as far as it is known before they are compiled."""
    found = no_steps(work)
    for transfer in work.transfers:
        for number, reason in _block_problems(transfer).items():
            found.setdefault(number, reason)
    total = sum((entry.bytes for entry in ledger), np.zeros(len(work.counts)))
    for number in np.flatnonzero(total > limit).tolist():
        if number not in found:
            order = sorted(ledger, key=lambda entry: -entry.bytes[number])
            parts = ", ".join(entry.describe(number) for entry in order)
            found[number] = f"needs {mebibytes(total[number])} of VMEM, the limit is {mebibytes(limit)}: {parts}"
    return found


def no_steps(work: WorkBatch) -> dict[int, str]:
    """Returns the kernels whose grids have no steps, or whose blocks have no elements, with the reason."""
    found = {
        number: f"has a grid without steps: {tuple(work.sizes[number].tolist())}"
        for number in np.flatnonzero((work.sizes < 1).any(axis=1)).tolist()
    }
    for transfer in work.transfers:
        for number in np.flatnonzero(((transfer.block < 1) & (transfer.array > 0)).any(axis=1)).tolist():
            shape = tuple(transfer.block[number].tolist())
            found.setdefault(number, f"has blocks of {transfer.name} without elements: {shape}")
    return found


def _block_problems(transfer: BatchTransfer) -> dict[int, str]:
    rank = transfer.block.shape[1]
    found: dict[int, str] = {}
    if rank < 2 or "smem" in transfer.space.lower():
        return found
    for dim, tile in ((rank - 1, _LANES), (rank - 2, _ROWS)):
        sizes, wholes = transfer.block[:, dim], transfer.array[:, dim]
        # A dimension of one element may be squeezed, which has no such rule.
        bad = (sizes != wholes) & (sizes % tile != 0) & (sizes != 1)
        for number in np.flatnonzero(bad).tolist():
            found.setdefault(
                number,
                f"dimension {dim} of {transfer.name} is cut into {sizes[number]}, expected a multiple "
                f"of {tile} or all of {wholes[number]}",
            )
    return found


def mebibytes(size: float) -> str:
    """Returns a size for people."""
    return f"{size / (1 << 20):.2f} MiB" if size >= 1 << 18 else f"{size / 1024:.1f} KiB"
