# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates. A program's update of one element is one step; what it gives is what the element held."""

from __future__ import annotations

from typing import Any

from jax import tree_util

from gridir.frontend import emit
from gridir.frontend.context import RuleContext
from gridir.frontend.registry import rule
from gridir.frontend.rules.elementwise import Ops
from gridir.frontend.rules.state import Access, access_mask
from gridir.mlir import ir
from gridir.mlir.dialects import grid

_KINDS = {
    "xchg": Ops("xchg", "xchg", "xchg", "xchg"),
    "add": Ops("add", "add", "add"),
    "max": Ops("maxf", "maxs", "maxu"),
    "min": Ops("minf", "mins", "minu"),
    "and": Ops.integer("and"),
    "or": Ops.integer("or"),
    "xor": Ops.integer("xor"),
}


@rule("atomic_rmw")
def _atomic_rmw(ctx: RuleContext, *leaves: ir.Value, args_tree: Any, atomic_type: Any) -> ir.Value:
    ref, transforms, value, mask = tree_util.tree_unflatten(args_tree, leaves)
    aval = ctx.avals_out[0]
    kind = _KINDS[atomic_type.value].choose(aval)
    if kind is None:
        raise ctx.unsupported(f"expected a dtype that `{atomic_type.value}` combines, got {aval.dtype}")
    access = Access(ctx, ref, transforms)
    if access.indices:
        raise ctx.unsupported(
            "expected numbers and slices, got an array of indices",
            "update the elements one by one, in a `jax.lax.fori_loop`",
        )
    if emit.shape_of(value) != tuple(aval.shape):
        value = emit.broadcast_trailing(value, aval.shape)
    attribute = ir.Attribute.parse(f"#grid<atomic {kind}>")
    return grid.AtomicRmwOp(attribute, value, access.ref, mask=access_mask(ctx, access, mask, aval.shape)).result


@rule("atomic_cas")
def _atomic_cas(_: RuleContext, ref: ir.Value, compare: ir.Value, value: ir.Value) -> ir.Value:
    return grid.AtomicCasOp(compare, value, ref).result
