# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The barriers of a kernel whose threads are warpgroups: the arriving and the waiting warpgroups of each."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import shared_context
from gridir.errors import Frame
from gridir.locations import frames_of
from gridir.mlir import ir


@dataclasses.dataclass(frozen=True)
class Use:
    """An op that arrives at a barrier, or waits for it.

    Attributes:
      op: the op, as "tma_load".
      frames: where, innermost first.
    """

    op: str
    frames: tuple[Frame, ...]


@dataclasses.dataclass(frozen=True)
class Barrier:
    """A barrier Ref.

    Attributes:
      name: the Ref's name.
      count: how many barriers it holds.
      arrivals: how many arrivals complete a phase.
      arrive: the arrivals.
      wait: the waits and tests.
    """

    name: str
    count: int
    arrivals: int
    arrive: tuple[Use, ...]
    wait: tuple[Use, ...]

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return dataclasses.asdict(self)


def read_barriers(kernel: Kernel) -> tuple[Barrier, ...]:
    """Returns the barriers of a kernel, in the order in which they are allocated."""
    module = kernel.module(context=shared_context())
    barriers: list[Barrier] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "grid.scoped" and "origins" in op.attributes:
            names = [ir.StringAttr(origin).value for origin in ir.ArrayAttr(op.attributes["origins"])]
            for name, argument in zip(names, op.regions[0].blocks[0].arguments, strict=True):
                kind = re.search(r"!warpgroup\.barrier<(\d+)", str(argument.type))
                if kind:
                    arrive, wait = _uses(argument)
                    count = math.prod(ir.MemRefType(argument.type).shape)
                    barriers.append(Barrier(name, count, int(kind[1]), arrive, wait))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return tuple(barriers)


def _uses(barrier: ir.Value) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
    """Returns the arrivals and the waits of a barrier, or of a slice of it; each op counts once for its source line."""
    arrive: dict[Use, None] = {}
    wait: dict[Use, None] = {}
    for use in barrier.uses:
        op = use.owner.operation
        views = [result for result in op.results if isinstance(result.type, ir.MemRefType)]
        for view in views:
            more = _uses(view)
            arrive |= dict.fromkeys(more[0])
            wait |= dict.fromkeys(more[1])
        if not views:
            name = op.name.rpartition(".")[2]
            uses = wait if name.endswith(("_wait", "_test")) else arrive
            uses[Use(name, frames_of(op.location)[:1])] = None
    return tuple(arrive), tuple(wait)
