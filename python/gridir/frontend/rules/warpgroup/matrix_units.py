# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix units and tensor memory, in kernels whose threads are warpgroups."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from gridir.frontend.rules.ref_views import unflatten, view
from gridir.frontend.rules.state import Access
from gridir.frontend.rules.warpgroup.clusters import load
from gridir.frontend.rules.warpgroup.operands import (
    axis_attr,
    count,
    one_barrier,
    split_leaves,
    split_predicate,
    where,
)
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.types import is_ref
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup


@WARPGROUP.rule("wgmma_ref")
def _wgmma_ref(
    ctx: RuleContext,
    acc: ir.Value,
    lhs: Any,
    rhs: Any,
    *leaves: ir.Value,
    acc_transforms_tree: Any,
    a_transforms_tree: Any,
    b_transforms_tree: Any,
) -> list[ir.Value]:
    of_acc, of_lhs, of_rhs = split_leaves(leaves, acc_transforms_tree, a_transforms_tree, b_transforms_tree)
    if is_ref(ctx.avals_in[1]):
        lhs = view(ctx, lhs, of_lhs)
    warpgroup.MmaOp(view(ctx, acc, of_acc), lhs, view(ctx, rhs, of_rhs), **_signs(ctx))
    return []


def _signs(ctx: RuleContext) -> dict[str, bool | None]:
    """Which of the operands of a product, the second and the third of the equation, are integers without a sign."""
    lhs, rhs = (jnp.issubdtype(aval.dtype, jnp.unsignedinteger) for aval in ctx.avals_in[1:3])
    return {"unsigned_lhs": lhs or None, "unsigned_rhs": rhs or None}


@WARPGROUP.rule("wgmma_wait")
def _wgmma_wait(ctx: RuleContext, *, n: int | None) -> list[ir.Value]:
    warpgroup.MmaWaitOp(count(ctx, n))
    return []


@WARPGROUP.rule("mma")
def _mma(ctx: RuleContext, acc: ir.Value, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """A product in registers, which is there at once."""
    return warpgroup.MmaSyncOp(acc, lhs, rhs, **_signs(ctx)).result


@WARPGROUP.rule("wgmma_accumulator_deref")
def _wgmma_accumulator_deref(_: RuleContext, acc: ir.Value, *, wait_n: int | None) -> ir.Value:
    if wait_n is not None:
        warpgroup.MmaWaitOp(wait_n)
    return grid.load_all(acc)


@WARPGROUP.rule("wgmma_accumulator_store")
def _wgmma_accumulator_store(_: RuleContext, acc: ir.Value, value: ir.Value) -> ir.Value:
    grid.StoreOp(value, acc)
    return value


@WARPGROUP.rule("tcgen05_mma")
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
    a_scale_transforms_tree: Any,
    b_scale_transforms_tree: Any,
    a_sparse_metadata_transforms_tree: Any,
    collective_axis: Any,
    arrive: bool,
    scaled: bool,
    sparse: bool,
) -> list[ir.Value]:
    # The optional Refs of an MMA come first, followed by the transforms of all Refs.
    has = [arrive, scaled, scaled, sparse]
    others = iter(rest)
    refs = [next(others) if is_there else None for is_there in has]
    of_acc, of_lhs, of_rhs, *of_others = split_leaves(
        list(others),
        acc_transforms_tree,
        a_transforms_tree,
        b_transforms_tree,
        barrier_transforms_tree,
        a_scale_transforms_tree,
        b_scale_transforms_tree,
        a_sparse_metadata_transforms_tree,
    )
    lhs_scale, rhs_scale, metadata = (
        None if ref is None else view(ctx, ref, transforms)
        for ref, transforms in zip(refs[1:], of_others[1:], strict=True)
    )
    warpgroup.Tcgen05MmaOp(
        view(ctx, acc, of_acc),
        view(ctx, lhs, of_lhs),
        view(ctx, rhs, of_rhs),
        accumulate,
        barrier=one_barrier(ctx, refs[0], of_others[0]) if arrive else None,
        lhs_scale=lhs_scale,
        rhs_scale=rhs_scale,
        metadata=metadata,
        collective=_collective(ctx, collective_axis),
        **_signs(ctx),
    )
    return []


@WARPGROUP.rule("tcgen05_commit_arrive")
def _tcgen05_commit_arrive(
    ctx: RuleContext,
    barrier: ir.Value,
    *leaves: ir.Value,
    barrier_transforms_tree: Any,
    collective_axis: Any,
    has_user_predicate: bool,
) -> list[ir.Value]:
    rest, predicate = split_predicate(leaves, has_user_predicate)
    one = one_barrier(ctx, barrier, *split_leaves(rest, barrier_transforms_tree))
    collective = _collective(ctx, collective_axis)
    return where(predicate, lambda: warpgroup.Tcgen05CommitOp(one, collective=collective))


def _collective(ctx: RuleContext, axis: Any) -> ir.Attribute | None:
    """The axis of the two blocks that do something together."""
    if axis is None:
        return None
    if not ctx.kernel.cluster_axes or ctx.kernel.name_of(axis) != ctx.kernel.cluster_axes[-1]:
        minormost = ", ".join(ctx.kernel.cluster_axes[-1:]) or "none"
        expected = f"Got {axis}, expected {minormost}."
        raise ctx.invalid(f"Can only perform collective MMA along minormost cluster axis. {expected}")
    return axis_attr(ctx, axis)


def _copy_to_tensor_memory(**marks: bool) -> Any:
    """The rule of a copy from shared to tensor memory of a tile that is laid out for a purpose."""

    def rule(
        ctx: RuleContext,
        source: ir.Value,
        dest: ir.Value,
        *leaves: ir.Value,
        smem_tree: Any,
        tmem_tree: Any,
        collective_axis: Any,
    ) -> list[ir.Value]:
        of_source, of_dest = split_leaves(leaves, smem_tree, tmem_tree)
        collective = _collective(ctx, collective_axis)
        warpgroup.TmemCopyOp(view(ctx, source, of_source), view(ctx, dest, of_dest), collective=collective, **marks)
        return []

    return rule


WARPGROUP.table(
    {
        "async_copy_smem_to_tmem": {},
        "async_copy_scales_to_tmem": {"scales": True},
        "async_copy_sparse_metadata_to_tmem": {"metadata": True},
    },
    lambda marks: _copy_to_tensor_memory(**marks),
)


_ROW_REDUCTIONS = {
    "max": lambda x: jnp.max(x, axis=-1),
    "min": lambda x: jnp.min(x, axis=-1),
    "absmax": lambda x: jnp.max(jnp.abs(x), axis=-1),
    "absmin": lambda x: jnp.min(jnp.abs(x), axis=-1),
}


@WARPGROUP.rule("async_load")
def _async_load(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, tree: Any, reduce: str | None) -> list[ir.Value]:
    """The loaded values may be used at once. A reduction of their rows is a second result."""
    value = load(ctx, ref, unflatten(ctx, tree, leaves))
    if reduce is None:
        return [value]
    aval = ctx.avals_out[0]
    known = [name for name in _ROW_REDUCTIONS if "abs" not in name or jnp.issubdtype(aval.dtype, jnp.floating)]
    if reduce not in known:
        raise ctx.unsupported(f"expected a reduction of {aval.dtype} among {', '.join(known)}, got `{reduce}`")
    closed = jax.make_jaxpr(_ROW_REDUCTIONS[reduce])(jax.ShapeDtypeStruct(aval.shape, aval.dtype))
    return [value, *ctx.decompose(closed.jaxpr, closed.consts, [value])]


@WARPGROUP.rule("async_store_tmem")
def _async_store_tmem(ctx: RuleContext, ref: ir.Value, value: ir.Value, *leaves: ir.Value, tree: Any) -> list[ir.Value]:
    Access(ctx, ref, unflatten(ctx, tree, leaves)).store(value)
    return []


@WARPGROUP.rule("commit_tmem")
def _commit_tmem(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitTmemOp()
    return []


@WARPGROUP.rule("wait_load_tmem")
def _wait_load_tmem(_: RuleContext) -> list[ir.Value]:
    warpgroup.WaitTmemLoadOp()
    return []
