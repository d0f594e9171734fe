# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much of its inputs a kernel reads, by the blocks that the steps of its grid have."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gridir.frontend.estimates.step_amounts import StepWork, Transfer


def covered_shares(work: StepWork) -> dict[str, float]:
    """Returns which share of each input is in a block of some step, by the names of inputs.

    An input is left out if its blocks depend on data, or the grid has more steps than are evaluated.
    """
    steps = len(work.steps.ids[0]) if work.steps.ids else 1
    return dict(_shares(work, steps)) if steps == work.total else {}


def _shares(work: StepWork, steps: int) -> Iterator[tuple[str, float]]:
    for transfer in work.transfers:
        if not transfer.is_output and transfer.indices is not None and math.prod(transfer.array):
            yield transfer.name, _share(transfer, steps)


def _share(transfer: Transfer, steps: int) -> float:
    if not transfer.indices:
        return 1.0
    columns = [np.broadcast_to(index.array.reshape(-1), steps) for index in transfer.indices]
    blocks = np.unique(np.stack(columns, axis=1), axis=0)
    begins, sizes = blocks * np.array(transfer.block), np.array(transfer.array)
    # Indices of elements, and those of blocks outside of the array: the share is at most that of whole blocks.
    inside = np.where((begins < sizes).all(), np.minimum(transfer.block, sizes - begins), np.array(transfer.block))
    return min(float(inside.prod(axis=1, dtype=float).sum()) / math.prod(transfer.array), 1.0)
