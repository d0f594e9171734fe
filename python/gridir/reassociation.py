# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes whose dimensions are products of consecutive dimensions of others."""

from __future__ import annotations

from collections.abc import Sequence


def reassociation(fine: Sequence[int], coarse: Sequence[int]) -> list[list[int]] | None:
    """The consecutive dimensions of `fine` that form each dimension of `coarse`, or None."""
    groups: list[list[int]] = []
    position = 0
    for coarse_dim, size in enumerate(coarse):
        group: list[int] = []
        product = 1
        while position < len(fine) and (not group or product < size):
            product *= fine[position]
            group.append(position)
            position += 1
        # Unit dimensions belong to the group before them, unless the next coarse dimension needs one.
        while position < len(fine) and fine[position] == 1 and len(fine) - position > len(coarse) - coarse_dim - 1:
            group.append(position)
            position += 1
        if product != size or not group:
            return None
        groups.append(group)
    return groups if position == len(fine) else None
