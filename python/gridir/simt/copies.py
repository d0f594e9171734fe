# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous copies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gridir.simt.addresses import window_of
from gridir.simt.code import Op
from gridir.simt.handlers import handles
from gridir.simt.values import (
    Refusal,
)

if TYPE_CHECKING:
    from gridir.simt.execution import Execution


@handles("gridir.store_tile")
def _store_tile(run: Execution, op: Op) -> None:
    if not run.active.all():
        raise Refusal("expected all threads, got some of them")
    source, dest = (window_of(run, number) for number in op.operands)
    tile = tuple(map(int, re.findall(r"\d+", op.attributes["tile"].partition(":")[2])))
    swizzle = int(op.attributes["swizzle"].split()[0])
    if (tile, swizzle) != (source.operand.tile, source.operand.swizzle):
        raise Refusal(f"expected a copy of tiles of {source.operand.tile}, swizzled by {source.operand.swizzle}")
    run.accesses.finish()
    run.kernel.store_tile(source, dest)


@handles("gridir.wait_for_copies")
def _wait_for_copies(run: Execution, op: Op) -> None:
    run.accesses.finish()
    run.kernel.wait_for_copies(int(op.attributes["groups"].split()[0]), op.attributes["reads"] == "true")
