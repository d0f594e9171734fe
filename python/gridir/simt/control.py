# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gridir import emit
from gridir.mlir import ir
from gridir.simt.code import Block, Op
from gridir.simt.handlers import Anything, Struct, handles
from gridir.simt.memory import Pointer, Window
from gridir.simt.values import (
    Known,
    Refusal,
    Uniform,
    lanes_and_element,
)

if TYPE_CHECKING:
    from gridir.simt.execution import Execution

MAX_STEPS = 1024
"""The steps of a loop that is written out."""


@handles("scf.if")
def _if(run: Execution, op: Op) -> list[Anything]:
    condition = run.value(op.operands[0])
    then, otherwise = op.regions
    if isinstance(condition, Known):
        outer = run.active
        results = []
        for block, is_taken in ((then, condition.numbers != 0), (otherwise, condition.numbers == 0)):
            run.active = outer & is_taken
            if block is None or not run.active.any():
                results.append(None)
                continue
            results.append(run.block(block))
        run.active = outer
        return _joined(run, op, condition, results) if op.results else []
    if not isinstance(condition, Uniform) or op.results:
        raise Refusal("expected a branch without results, by a number that is the same in all threads")
    if not run.active.all():
        raise Refusal("expected all threads, got some of them")
    run.accesses.finish()

    def branch(block: Block) -> Sequence[ir.Value]:
        known = dict(run.uniform)
        run.block(block)
        run.accesses.finish()
        run.uniform = known
        return []

    bodies = [functools.partial(branch, block) if block is not None else None for block in (then, otherwise)]
    emit.if_else(condition.value, [], bodies[0] or (list), bodies[1])
    return []


def _joined(run: Execution, op: Op, condition: Known, results: Sequence[Any]) -> list[Anything]:
    """Returns the results of a branch with a constant condition."""
    taken = [result for result in results if result is not None]
    if len(taken) == 1:
        return taken[0]
    joined: list[Anything] = []
    for yes, no, type_ in zip(*taken, op.result_types, strict=True):
        if isinstance(yes, (Window, Pointer, Struct)) or isinstance(no, (Window, Pointer, Struct)):
            raise Refusal("expected a number, got an address")
        joined.append(run.chosen(condition, yes, no, lanes_and_element(type_)[0]))
    return joined


@handles("scf.for")
def _for(run: Execution, op: Op) -> list[Anything]:
    low, high, step = (run.known_int(number) for number in op.operands[:3])
    (block,) = op.regions
    steps = range(low, high, step) if step > 0 else range(0)
    if block is None or len(steps) > MAX_STEPS:
        raise Refusal(f"expected a loop of at most {MAX_STEPS} steps")
    carried = [run.values[number] for number in op.operands[3:]]
    for i in steps:
        index = Known(np.full((1, 1, 1), i, np.int64), op.operand_types[0])
        for number, value in zip(block.arguments, [index, *carried], strict=True):
            run.values[number] = value
        carried = run.block(block)
    return carried
