# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communication of CTAs in a cluster and across clusters, and clusters that have not begun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from gridir.frontend.compat import jax_gpu
from gridir.frontend.rules.atomics import atomic_kind
from gridir.frontend.rules.ref_views import index_value, unflatten, view
from gridir.frontend.rules.state import Access
from gridir.frontend.rules.warpgroup.devices import load_from, split_devices
from gridir.frontend.rules.warpgroup.operands import axis_attr, one_barrier, split_leaves
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import receiver_of
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.registry import ANY
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup
from gridir.runtime.gpu.emulator import MULTIPROCESSORS


def load(ctx: RuleContext, ref: Any, transforms: Sequence[Any]) -> ir.Value:
    """Loads a Ref of this CTA, or of the CTA or device that a transform names; a scalar for a warp."""
    if ctx.kernel.state.warp is not None and ctx.avals_out[0].shape:
        raise ctx.invalid(f"Can only load scalars in warp-level code, got {ctx.avals_out[0]}")
    transforms, receivers = split_devices(ctx, transforms)
    if receivers:
        if len(receivers) > 1:
            raise ctx.invalid("expected one device to load from, got several")
        return load_from(ctx, view(ctx, ref, transforms), receivers[0])
    peers = [found for found in map(jax_gpu.cluster_coordinates, transforms) if found is not None]
    if not peers:
        return Access(ctx, ref, transforms).load()
    if len(peers) > 1:
        raise ctx.invalid("expected one other block of the cluster, got several")
    # The choice of the block and of the part of the Ref are independent.
    seen = view(ctx, ref, [t for t in transforms if jax_gpu.cluster_coordinates(t) is None])
    axes, coordinates = _peer(ctx, peers[0].items())
    result = ir.RankedTensorType.get(seen.type.shape, seen.type.element_type)
    return warpgroup.ClusterLoadOp(result, seen, axes, coordinates).result


def _peer(ctx: RuleContext, coordinates: Any) -> tuple[ir.Attribute, list[ir.Value]]:
    names, indices = zip(*coordinates, strict=True)
    return ir.ArrayAttr.get([axis_attr(ctx, name) for name in names]), list(map(index_value, indices))


@WARPGROUP.rule("get", overrides=True)
def _get(ctx: RuleContext, ref: Any, *leaves: ir.Value, tree: Any) -> ir.Value:
    return load(ctx, ref, unflatten(ctx, tree, leaves))


@WARPGROUP.rule("load", ignores={"optimized": ANY})
def _load(ctx: RuleContext, ref: Any, *leaves: ir.Value, tree: Any) -> ir.Value:
    """Like `get`: the compiler chooses the method."""
    return load(ctx, ref, unflatten(ctx, tree, leaves))


@WARPGROUP.rule("async_store_smem", ignores={"optimized": ANY})
def _async_store_smem(
    ctx: RuleContext,
    value: ir.Value,
    ref: Any,
    barrier: ir.Value,
    index: ir.Value,
    *leaves: ir.Value,
    ref_transforms_treedef: Any,
    barrier_transforms_treedef: Any,
    cluster_dim: Any,
    atomic: str | None,
) -> list[ir.Value]:
    of_ref, of_barrier = split_leaves(leaves, ref_transforms_treedef, barrier_transforms_treedef)
    axes, coordinates = _peer(ctx, [(cluster_dim, index)])
    warpgroup.ClusterStoreOp(
        value,
        view(ctx, ref, of_ref),
        axes,
        coordinates,
        reduction=None if atomic is None else atomic_kind(ctx, atomic, ctx.avals_in[0]),
        barrier=one_barrier(ctx, barrier, of_barrier),
    )
    return []


@WARPGROUP.rule("griddepcontrol_wait", "griddepcontrol_launch_dependents")
def _griddepcontrol(_: RuleContext) -> list[ir.Value]:
    """A launch begins when the one before has ended: nothing depends on either earlier."""
    return []


@WARPGROUP.rule("semaphore_signal_parallel")
def _semaphore_signal_parallel(ctx: RuleContext, *leaves: ir.Value, args_tree: Any) -> list[ir.Value]:
    """Signals in any order are signals in this one."""
    for ref, transforms, amount, device in zip(*unflatten(ctx, args_tree, leaves), strict=True):
        to = receiver_of(ctx, device, "mesh")
        grid.SemaphoreSignalOp(view(ctx, ref, transforms), amount, to.device, device_id_type=to.kind)
    return []


@WARPGROUP.rule("try_cluster_cancel")
def _try_cluster_cancel(
    ctx: RuleContext,
    answer: ir.Value,
    barrier: ir.Value,
    *leaves: ir.Value,
    result_transforms_tree: Any,
    barrier_transforms_tree: Any,
    collective_axes: Any,
) -> list[ir.Value]:
    # The response is sent to all CTAs of the cluster, and each expects one: they request together, named or not. Since
    # JAX 0.11 each warpgroup requests separately if the axis of threads is not named; before, all requested together.
    threads = ctx.kernel.thread_axis
    is_alone = (
        threads is not None
        and collective_axes is not None
        and threads not in [ctx.kernel.name_of(axis) for axis in collective_axes]
    )
    of_answer, of_barrier = split_leaves(leaves, result_transforms_tree, barrier_transforms_tree)
    # Persistent kernels query this number; devices that are not GPUs have none.
    blocks = getattr(jax.devices()[0], "core_count", None) or MULTIPROCESSORS
    warpgroup.TryClusterCancelOp(
        view(ctx, answer, of_answer),
        one_barrier(ctx, barrier, of_barrier),
        blocks_at_once=blocks,
        alone=is_alone or None,
    )
    return []


@WARPGROUP.rule("query_cluster_cancel")
def _query_cluster_cancel(
    ctx: RuleContext, answer: ir.Value, *leaves: ir.Value, grid_names: Sequence[Any], transforms_tree: Any
) -> list[ir.Value]:
    (of_answer,) = split_leaves(leaves, transforms_tree)
    i32 = ir.IntegerType.get_signless(32)
    axes = ir.ArrayAttr.get([axis_attr(ctx, name) for name in grid_names])
    op = warpgroup.QueryClusterCancelOp(
        [i32] * len(grid_names), ir.IntegerType.get_signless(1), view(ctx, answer, of_answer), axes
    )
    return list(op.results)
