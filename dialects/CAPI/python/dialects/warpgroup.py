# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `warpgroup` dialect in Python: its generated ops, and the attribute of layouts."""

from __future__ import annotations

from typing import Protocol

from gridir.mlir import ir
from gridir.mlir.dialects._warpgroup_ops_gen import *  # noqa: F403

UNIONS = "warpgroup.unions"
"""The attribute of a `grid.scoped` that says which of its Refs are members of a union: three numbers for each."""


UPDATE = "warpgroup.update"
"""The attribute of a load from memory of another program and of a store to it: they are one update."""


class Spread(Protocol):
    """How an array is spread over registers: a tile, and row-major indices there that the bits of each kind lead to."""

    tile: tuple[int, ...]
    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]


def layout_attr(spread: Spread, rank: int) -> ir.Attribute:
    """Returns the `#warpgroup.layout` of an array of a rank, whose leading dimensions the tile may lack."""
    if not spread.tile:
        return ir.Attribute.parse("#warpgroup.layout<splat>")
    tile = [1] * (rank - len(spread.tile)) + list(spread.tile)

    def coordinates(index: int) -> list[int]:
        at = []
        for size in reversed(tile):
            at.insert(0, index % size)
            index //= size
        return at

    basis = ", ".join(
        f"{kind} = {[coordinates(index) for index in getattr(spread, kind)]}"
        for kind in ("registers", "lanes", "warps")
    )
    return ir.Attribute.parse(f"#warpgroup.layout<{tile}, {basis}>")
