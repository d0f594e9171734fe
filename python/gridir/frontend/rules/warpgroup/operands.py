# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of the primitives of Pallas' Mosaic GPU backend: barriers, transforms, numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import tree_util

from gridir import emit
from gridir.frontend.rules.ref_views import slice_ref, view
from gridir.frontend.walk.context import RuleContext
from gridir.mlir import ir


def one_barrier(ctx: RuleContext, ref: ir.Value, transforms: Sequence[Any]) -> ir.Value:
    """One barrier, of an array of them."""
    barrier = view(ctx, ref, transforms)
    shape = list(barrier.type.shape)
    if any(size != 1 for size in shape):
        raise ctx.invalid(
            f"Attempting to operate on barrier without indexing, but `num_barriers = {int(np.prod(shape))}`"
        )
    rank = len(shape)
    return slice_ref(barrier, [0] * rank, [1] * rank, [1] * rank, range(rank)) if rank else barrier


def axis_attr(ctx: RuleContext, label: Any) -> ir.StringAttr:
    """The name of the dimension of the grid that the author gives a label."""
    return ir.StringAttr.get(ctx.kernel.name_of(label))


def split_leaves(leaves: Sequence[Any], *trees: Any) -> list[Any]:
    """The transforms of each Ref of an equation, whose leaves are consecutive."""
    parts, rest = [], list(leaves)
    for tree in trees:
        count = tree.num_leaves if tree is not None else 0
        parts.append(list(tree_util.tree_unflatten(tree, rest[:count]) or ()) if tree is not None else [])
        rest = rest[count:]
    return parts


def count(ctx: RuleContext, n: int | None) -> int:
    """How many an equation is for: a number, or None where it is a value that the kernel computes."""
    if n is None:
        raise ctx.unsupported("expected a number, got a value that the kernel computes")
    return n


def split_predicate(leaves: Sequence[Any], has_user_predicate: bool) -> tuple[Sequence[Any], ir.Value | None]:
    """The operands before the predicate of an equation, which is the last one, and the predicate."""
    return (leaves[:-1], leaves[-1]) if has_user_predicate else (leaves, None)


def where(
    predicate: ir.Value | None, act: Callable[[], Any], otherwise: Callable[[], Any] | None = None
) -> list[ir.Value]:
    """Emits an equation without results for a true predicate of a warpgroup, and for a false one."""

    def branch(emits: Callable[[], Any]) -> Callable[[], list[ir.Value]]:
        return lambda: (emits(), [])[1]

    if predicate is None:
        act()
        return []
    return emit.if_else(predicate, [], branch(act), branch(otherwise) if otherwise else None)


def refuse(ctx: RuleContext, **params: Any) -> None:
    """Refuses an equation that has one of these parameters."""
    for name, value in params.items():
        if value:
            raise ctx.unsupported(f"expected no `{name}`, got {value}")
