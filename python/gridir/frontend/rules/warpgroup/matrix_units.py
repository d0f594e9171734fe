# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix units and tensor memory, in kernels whose threads are warpgroups."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import tree_util

from gridir.frontend.context import RuleContext
from gridir.frontend.levels import WARPGROUP
from gridir.frontend.rules.state import Access, view
from gridir.frontend.rules.warpgroup.operands import number, one_barrier, refuse, split_leaves
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup


@WARPGROUP.rule("wgmma_ref")
def _wgmma_ref(
    ctx: RuleContext,
    acc: ir.Value,
    lhs: ir.Value,
    rhs: ir.Value,
    *leaves: ir.Value,
    acc_transforms_tree: Any,
    a_transforms_tree: Any,
    b_transforms_tree: Any,
) -> list[ir.Value]:
    of_acc, of_lhs, of_rhs = split_leaves(leaves, acc_transforms_tree, a_transforms_tree, b_transforms_tree)
    if isinstance(lhs.type, ir.MemRefType):
        lhs = view(ctx, lhs, of_lhs)
    warpgroup.MmaOp(view(ctx, acc, of_acc), lhs, view(ctx, rhs, of_rhs), **_signs(ctx))
    return []


def _signs(ctx: RuleContext) -> dict[str, bool | None]:
    """Which of the operands of a product, the second and the third of the equation, are integers without a sign."""
    lhs, rhs = (jnp.issubdtype(aval.dtype, jnp.unsignedinteger) for aval in ctx.avals_in[1:3])
    return {"unsigned_lhs": lhs or None, "unsigned_rhs": rhs or None}


@WARPGROUP.rule("wgmma_wait")
def _wgmma_wait(ctx: RuleContext, _: ir.Value) -> list[ir.Value]:
    warpgroup.MmaWaitOp(number(ctx, 0))
    return []


@WARPGROUP.rule("wgmma_accumulator_deref_p")
def _wgmma_accumulator_deref(_: RuleContext, acc: ir.Value, *, wait_n: int | None) -> ir.Value:
    if wait_n is not None:
        warpgroup.MmaWaitOp(wait_n)
    return grid.load_all(acc)


@WARPGROUP.rule("wgmma_accumulator_store_p")
def _wgmma_accumulator_store(_: RuleContext, acc: ir.Value, value: ir.Value) -> ir.Value:
    grid.StoreOp(value, acc)
    return value


@WARPGROUP.rule("tcgen05_mma", ignores={"a_scale_transforms_tree": None, "b_scale_transforms_tree": None})
def _tcgen05_mma(
    ctx: RuleContext,
    acc: ir.Value,
    lhs: ir.Value,
    rhs: ir.Value,
    accumulate: ir.Value,
    *rest: ir.Value,
    acc_transforms_tree: Any,
    a_transforms_tree: Any,
    b_transforms_tree: Any,
    barrier_transforms_tree: Any,
    a_sparse_metadata_transforms_tree: Any,
    collective_axis: Any,
    arrive: bool,
    scaled: bool,
    sparse: bool,
) -> list[ir.Value]:
    refuse(ctx, scaled=scaled, sparse=sparse, collective_axis=collective_axis)
    leaves = rest[1:] if arrive else rest
    of_acc, of_lhs, of_rhs, of_barrier = split_leaves(
        leaves, acc_transforms_tree, a_transforms_tree, b_transforms_tree, barrier_transforms_tree
    )
    warpgroup.Tcgen05MmaOp(
        view(ctx, acc, of_acc),
        view(ctx, lhs, of_lhs),
        view(ctx, rhs, of_rhs),
        accumulate,
        barrier=one_barrier(ctx, rest[0], of_barrier) if arrive else None,
        **_signs(ctx),
    )
    return []


@WARPGROUP.rule("tcgen05_commit_arrive")
def _tcgen05_commit_arrive(
    ctx: RuleContext, barrier: ir.Value, *leaves: ir.Value, barrier_transforms_tree: Any, collective_axis: Any
) -> list[ir.Value]:
    refuse(ctx, collective_axis=collective_axis)
    warpgroup.Tcgen05CommitOp(one_barrier(ctx, barrier, *split_leaves(leaves, barrier_transforms_tree)))
    return []


@WARPGROUP.rule("async_copy_smem_to_tmem")
def _async_copy_smem_to_tmem(
    ctx: RuleContext,
    source: ir.Value,
    dest: ir.Value,
    *leaves: ir.Value,
    smem_tree: Any,
    tmem_tree: Any,
    collective_axis: Any,
) -> list[ir.Value]:
    refuse(ctx, collective_axis=collective_axis)
    of_source, of_dest = split_leaves(leaves, smem_tree, tmem_tree)
    warpgroup.TmemCopyOp(view(ctx, source, of_source), view(ctx, dest, of_dest))
    return []


@WARPGROUP.rule("async_store_tmem")
def _async_store_tmem(ctx: RuleContext, ref: ir.Value, value: ir.Value, *leaves: ir.Value, tree: Any) -> list[ir.Value]:
    Access(ctx, ref, tree_util.tree_unflatten(tree, leaves)).store(value)
    return []


@WARPGROUP.rule("commit_tmem")
def _commit_tmem(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitTmemOp()
    return []


@WARPGROUP.rule("wait_load_tmem")
def _wait_load_tmem(_: RuleContext) -> list[ir.Value]:
    warpgroup.WaitTmemLoadOp()
    return []
