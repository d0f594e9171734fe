# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `warpgroup` dialect in Python: its generated ops, and the attribute of layouts."""

from __future__ import annotations

from collections.abc import Sequence

from gridir.mlir import ir
from gridir.mlir.dialects._warpgroup_ops_gen import *  # noqa: F403

UNIONS = "warpgroup.unions"
"""The attribute of a `grid.scoped` that says which of its Refs are members of a union: three numbers for each."""


UPDATE = "warpgroup.update"
"""The attribute of a load from memory of another program and of a store to it: they are one update."""


def layout_attr(
    *, tile: Sequence[int], registers: Sequence[int], lanes: Sequence[int], warps: Sequence[int], rank: int
) -> ir.Attribute:
    """Returns the `#warpgroup.layout` of an array of a rank.

    Args:
      tile: the tile that repeats over the array, whose leading dimensions it may lack; none for one register with all
      of it. registers, lanes, warps: the row-major indices in the tile for the bits of each kind.
      rank: the array's.
    """
    if not tile:
        return ir.Attribute.parse("#warpgroup.layout<splat>")
    tile = [1] * (rank - len(tile)) + list(tile)

    def coordinates(index: int) -> list[int]:
        at = []
        for size in reversed(tile):
            at.insert(0, index % size)
            index //= size
        return at

    basis = ", ".join(
        f"{kind} = {[coordinates(index) for index in indices]}"
        for kind, indices in (("registers", registers), ("lanes", lanes), ("warps", warps))
    )
    return ir.Attribute.parse(f"#warpgroup.layout<{tile}, {basis}>")
