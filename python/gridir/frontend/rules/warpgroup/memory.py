# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scopes, barriers and registers of kernels whose threads are warpgroups."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from gridir.frontend import emit, jax_compat, jax_compat_gpu
from gridir.frontend.context import RuleContext
from gridir.frontend.levels import WARPGROUP
from gridir.frontend.rules.scopes import run_scope
from gridir.frontend.rules.warpgroup.operands import number, one_barrier
from gridir.frontend.types import RefUnion
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup


@WARPGROUP.rule("run_scoped", overrides=True)
def _run_scoped(
    ctx: RuleContext, *values: ir.Value, jaxpr: Any, collective_axes: Any, ref_transforms: Any
) -> list[ir.Value]:
    # How a Ref is tiled and swizzled is no part of its meaning: it has the shape that the author indexes.
    transforms = ref_transforms or [()] * len(jaxpr.invars)
    allocated = [_Allocated.of(var.aval, undone) for var, undone in zip(jaxpr.invars, transforms, strict=True)]
    avals = list(itertools.chain.from_iterable(each.avals for each in allocated))
    _check_groups(ctx, avals)
    if not all(map(jax_compat_gpu.is_accumulator, avals)):
        _check_collective(ctx, collective_axes)

    def body(refs: list[ir.Value]) -> Sequence[ir.Value]:
        for ref, aval in zip(refs, avals, strict=True):
            if jax_compat_gpu.is_accumulator(aval):
                grid.StoreOp(emit.constant(0, emit.typed(ref.type.shape, ref.type.element_type)), ref)
        rest = iter(refs)
        return ctx.inline(jaxpr, values, [each.value(rest) for each in allocated])

    return run_scope(ctx, jaxpr, avals, body, collective_axes, list(map(_layout, transforms)))


def _layout(transforms: Sequence[Any]) -> list[ir.Attribute]:
    """How the author wants a Ref tiled and swizzled. What has no attribute is the compiler's choice."""
    kinds = [jax_compat_gpu.transform_kind(transform) for transform in transforms]
    known = [kind for kind in kinds if kind is not None]
    if len(known) != len(kinds):
        return []
    return [grid.TransformAttr.get(kind, [x] if isinstance(x, int) else list(x)) for kind, x in known]


@dataclasses.dataclass(frozen=True)
class _Allocated:
    """What one variable of a scope stands for: a Ref, or a union of several.

    Attributes:
      avals: the abstract Refs, as the author indexes them.
      members: of each member of a union its group and its offset there; None for a Ref.
    """

    avals: list[Any]
    members: list[tuple[int, int]] | None = None

    @classmethod
    def of(cls, aval: Any, undone: Sequence[Any]) -> _Allocated:
        members = jax_compat_gpu.union_members(aval)
        if members is None:
            return cls([jax_compat.transformed_aval(aval, undone) if undone else aval])
        avals = []
        for first, *rest in members:
            ref = jax_compat.make_ref_aval(first.shape, first.dtype, aval.memory_space)
            avals.append(jax_compat.transformed_aval(ref, rest) if rest else ref)
        return cls(avals, [jax_compat_gpu.member_key(first) for first, *_ in members])

    def value(self, refs: Iterator[ir.Value]) -> ir.Value | RefUnion:
        """What equations are given, made of the next Refs."""
        if self.members is None:
            return next(refs)
        return RefUnion({member: next(refs) for member in self.members})


def _check_groups(ctx: RuleContext, avals: Sequence[Any]) -> None:
    """Checks that of axes of the cluster which a barrier takes as one, one has several blocks: it is as that one."""
    for aval in avals:
        parameters = jax_compat_gpu.barrier_parameters(aval.dtype)
        groups = parameters[2] if parameters and len(parameters) > 2 else ()
        for group in groups:
            names = [str(axis) for axis in group] if isinstance(group, tuple) else []
            if sum(name in ctx.kernel.axis_names and ctx.kernel.size_of(name) != 1 for name in names) > 1:
                raise ctx.unsupported(f"expected one axis of several blocks among those of a barrier, got {group}")


def _check_collective(ctx: RuleContext, collective_axes: Any) -> None:
    """Checks that the warpgroups of a block share what a scope allocates in shared memory, and only they do."""
    axes = collective_axes if isinstance(collective_axes, tuple) else (collective_axes,)
    cluster, thread = ctx.kernel.cluster_axes, ctx.kernel.thread_axis
    known = [*cluster, *([thread] if thread is not None else [])]
    for axis in axes:
        if str(axis) not in known:
            raise ctx.invalid(f"Collective axis `{axis}` not found among axes `{known}`")
    if thread is None and axes:
        raise ctx.invalid("Requesting collective allocations, but no explicit thread axis specified.")
    if set(map(str, axes)) & set(cluster):
        raise ctx.invalid("Collective allocations along cluster axes are not supported.")
    if thread is not None and thread not in map(str, axes):
        raise ctx.invalid("Scoped allocation must have the thread axis in its collective axes.")


@WARPGROUP.rule("barrier_arrive")
def _barrier_arrive(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> list[ir.Value]:
    warpgroup.BarrierArriveOp(one_barrier(ctx, ref, transforms_treedef.unflatten(leaves)))
    return []


@WARPGROUP.rule("barrier_wait")
def _barrier_wait(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> list[ir.Value]:
    warpgroup.BarrierWaitOp(one_barrier(ctx, ref, transforms_treedef.unflatten(leaves)))
    return []


@WARPGROUP.rule("barrier_test")
def _barrier_test(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> ir.Value:
    return warpgroup.BarrierTestOp(one_barrier(ctx, ref, transforms_treedef.unflatten(leaves))).result


@WARPGROUP.rule("commit_smem")
def _commit_smem(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitSmemOp()
    return []


@WARPGROUP.rule("set_max_registers_p")
def _set_max_registers(ctx: RuleContext, _: ir.Value, *, action: str) -> list[ir.Value]:
    warpgroup.SetMaxRegistersOp(number(ctx, 0), increase=action == "increase" or None)
    return []


@WARPGROUP.rule("layout_cast")
def _layout_cast(_: RuleContext, x: ir.Value, *, new_layout: Any) -> ir.Value:
    spread = jax_compat_gpu.register_spread(new_layout)
    layout = spread and warpgroup.layout_attr(spread, len(getattr(x.type, "shape", ())))
    return warpgroup.LayoutCastOp(x, str(new_layout).removeprefix("Layout."), spread=layout).result
