# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scopes, barriers and registers of kernels whose threads are warpgroups."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from gridir import emit
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.frontend.rules.ref_views import reshape_ref, slice_ref
from gridir.frontend.rules.scopes import ref_names, scoped
from gridir.frontend.rules.warpgroup.operands import count, one_barrier, split_predicate, where
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.types import RefUnion, bit_width, layout_of
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup


@WARPGROUP.rule("run_scoped", overrides=True)
def _run_scoped(
    ctx: RuleContext, *values: ir.Value, jaxpr: Any, collective_axes: Any, ref_transforms: Any
) -> list[ir.Value]:
    # JAX's own loops name no axis where there are no threads.
    axes = collective_axes if isinstance(collective_axes, tuple) else (collective_axes,)
    collective_axes = tuple(axis for axis in axes if axis is not None)
    # The tiling and swizzle of a Ref do not affect its meaning: it has the shape that the author indexes.
    transforms = ref_transforms or [()] * len(jaxpr.invars)
    allocated = [_Allocated.of(var.aval, undone) for var, undone in zip(jaxpr.invars, transforms, strict=True)]
    avals = list(itertools.chain.from_iterable(each.avals for each in allocated))
    kinds = map(jax_gpu.is_collective, avals)
    ctx.kernel.state.collective_memory.update(kind for kind in kinds if kind is not None)
    if len(ctx.kernel.state.collective_memory) > 1:
        raise ctx.invalid("Can't mix collective and non-collective TMEM allocations within the same kernel.")
    if not all(map(jax_gpu.is_accumulator, avals)):
        _check_collective(ctx, collective_axes)

    def body(refs: list[ir.Value]) -> Sequence[ir.Value]:
        for ref, aval in zip(refs, avals, strict=True):
            if jax_gpu.is_accumulator(aval):
                grid.StoreOp(emit.constant(0, emit.typed(ref.type.shape, ref.type.element_type)), ref)
        rest = iter(refs)
        arguments = [each.value(rest) for each in allocated]
        for argument, each, undone in zip(arguments, allocated, transforms, strict=True):
            if each.parts is None and not undone:
                ctx.kernel.state.as_allocated[argument] = each.avals[0]
        return ctx.inline(jaxpr, values, arguments)

    layouts = [layout for each in allocated for layout in each.layouts]
    names = [
        name + suffix
        for name, each in zip(ref_names(jaxpr), allocated, strict=False)
        for suffix in ([f"[{host.key[0]}]" for host in each.hosts] or [""])
    ]
    return scoped(ctx.types, avals, ctx.avals_out, body, collective_axes, names, layouts, _unions(allocated))


def _unions(allocated: Sequence[_Allocated]) -> dict[str, ir.Attribute]:
    """The attribute of a scope that says which of its Refs share memory, and where each begins in it."""
    numbers: list[int] = []
    for union, each in enumerate(allocated):
        for host in each.hosts:
            numbers += [union, host.key[1], host.size]
        numbers += [-1, 0, 0] * (len(each.avals) - len(each.hosts))
    has_members = any(each.hosts for each in allocated)
    return {warpgroup.UNIONS: ir.DenseI64ArrayAttr.get(numbers)} if has_members else {}


@dataclasses.dataclass(frozen=True)
class _Member:
    """A Ref of a union.

    Attributes:
      key: the number of its group, and its offset there, in bytes or columns.
      aval: the abstract Ref, as the author indexes it.
      transforms: the transforms from its memory layout to it.
      size: its bytes, or columns.
      in_shared: whether it is in shared memory.
    """

    key: tuple[int, int]
    aval: Any
    transforms: Sequence[Any]
    size: int
    in_shared: bool

    def meets(self, other: _Member) -> bool:
        """True if they share bytes."""
        return self.in_shared and self.key[1] < other.key[1] + other.size and other.key[1] < self.key[1] + self.size

    @property
    def is_row(self) -> bool:
        """True if its elements are contiguous in memory, in row-major order."""
        kinds = [jax_gpu.transform_kind(transform) for transform in self.transforms]
        return all(kind and kind[0] == "untiling" and len(kind[1]) == len(self.aval.shape) == 1 for kind in kinds)

    def offset_in(self, other: _Member) -> int | None:
        """The first of the elements of another one, in row-major order, that it is; None where it is no such part.

        A matrix consists of tiles, in row-major order of tiles, so that rows of tiles form a matrix of their own. A
        row-major matrix is a part of any other row-major one.
        """
        mine, others = self.aval, other.aval
        first, rest = divmod((self.key[1] - other.key[1]) * 8, bit_width(others.dtype))
        if rest or first < 0 or self.key[1] + self.size > other.key[1] + other.size:
            return None
        if mine.dtype != others.dtype:
            return None
        if self.is_row and other.is_row:
            return first
        kinds = [list(map(jax_gpu.transform_kind, each.transforms)) for each in (self, other)]
        if None in kinds[0] or kinds[0] != kinds[1] or not mine.shape or mine.shape[1:] != others.shape[1:]:
            return None
        row, rest = divmod(first, math.prod(mine.shape[1:]))
        tiles = [kind[1][0] for kind in kinds[0] if kind and kind[0] == "untiling" and len(kind[1]) == len(mine.shape)]
        return None if rest or any(n % tile for tile in tiles for n in (row, mine.shape[0])) else first

    def of(self, host: _Member, ref: ir.Value, first: int) -> ir.Value:
        """The Ref that it is, of one that holds it."""
        shape, rank = list(self.aval.shape), len(self.aval.shape)
        if self.aval.shape == host.aval.shape:
            return ref
        if shape and self.aval.shape[1:] == host.aval.shape[1:] and first % math.prod(shape[1:]) == 0:
            return slice_ref(ref, [first // math.prod(shape[1:])] + [0] * (rank - 1), shape, [1] * rank)
        row = slice_ref(reshape_ref(ref, [math.prod(host.aval.shape)]), [first], [math.prod(shape)], [1])
        return reshape_ref(row, shape)


@dataclasses.dataclass(frozen=True)
class _Allocated:
    """The allocation of one variable of a scope: a Ref, or a union of several.

    Attributes:
      avals: the abstract Refs, as the author indexes them.
      layouts: how the author wants each of them tiled and swizzled.
      parts: of each member of a union the number of the one among them that holds it, and its first element there;
        None for a Ref.
      hosts: the members that hold others.
    """

    avals: list[Any]
    layouts: list[list[ir.Attribute]]
    parts: dict[_Member, tuple[int, int]] | None = None
    hosts: Sequence[_Member] = ()

    @classmethod
    def of(cls, aval: Any, undone: Sequence[Any]) -> _Allocated:
        of_union = jax_gpu.union_members(aval)
        if of_union is None:
            return cls([jax_core.transformed_aval(aval, undone) if undone else aval], [layout_of(undone)])
        members = []
        for first, *rest in of_union:
            ref = jax_core.make_ref_aval(first.shape, first.dtype, aval.memory_space)
            bits = bit_width(first.dtype)
            columns = jax_gpu.tensor_columns(first, bits)
            size = math.prod(first.shape) * bits // 8 if columns is None else columns
            seen = jax_core.transformed_aval(ref, rest) if rest else ref
            members.append(_Member(jax_gpu.member_key(first), seen, tuple(rest), size, columns is None))
        # One member may be read after another was written, if one is a part of the other.
        hosts: list[_Member] = []
        parts: dict[_Member, tuple[int, int]] = {}
        for member in sorted(members, key=lambda member: -member.size):
            met = [(i, member.offset_in(host)) for i, host in enumerate(hosts) if member.meets(host)]
            if len(met) == 1 and met[0][1] is not None:
                parts[member] = met[0][0], met[0][1]
                continue
            parts[member] = len(hosts), 0
            hosts.append(member)
        return cls([each.aval for each in hosts], [layout_of(each.transforms) for each in hosts], parts, hosts)

    def value(self, refs: Iterator[ir.Value]) -> ir.Value | RefUnion:
        """Returns the value for equations, from the next Refs."""
        if self.parts is None:
            return next(refs)
        own = list(itertools.islice(refs, len(self.hosts)))
        held = {member: (self.hosts[i], own[i], first) for member, (i, first) in self.parts.items()}
        return RefUnion({member.key: member.of(*held[member]) for member in held})


def _check_collective(ctx: RuleContext, collective_axes: Sequence[Any]) -> None:
    """Checks that exactly the warpgroups of a CTA share the allocations of a scope in shared memory."""
    cluster, thread = ctx.kernel.cluster_axes, ctx.kernel.thread_axis
    known = [*cluster, *([thread] if thread is not None else [])]
    for axis in collective_axes:
        if str(axis) not in known:
            raise ctx.invalid(f"Collective axis `{axis}` not found among axes `{known}`")
    if thread is None and collective_axes:
        raise ctx.invalid("Requesting collective allocations, but no explicit thread axis specified.")
    if set(map(str, collective_axes)) & set(cluster):
        raise ctx.invalid("Collective allocations along cluster axes are not supported.")
    if thread is not None and thread not in map(str, collective_axes):
        raise ctx.invalid("Scoped allocation must have the thread axis in its collective axes.")


@WARPGROUP.rule("barrier_arrive")
def _barrier_arrive(
    ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any, has_user_predicate: bool
) -> list[ir.Value]:
    rest, predicate = split_predicate(leaves, has_user_predicate)
    barrier = one_barrier(ctx, ref, transforms_treedef.unflatten(rest))
    return where(predicate, lambda: warpgroup.BarrierArriveOp(barrier))


@WARPGROUP.rule("barrier_wait")
def _barrier_wait(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> list[ir.Value]:
    warpgroup.BarrierWaitOp(one_barrier(ctx, ref, transforms_treedef.unflatten(leaves)))
    return []


@WARPGROUP.rule("barrier_arrive_and_wait")
def _barrier_arrive_and_wait(
    ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any
) -> list[ir.Value]:
    barrier = one_barrier(ctx, ref, transforms_treedef.unflatten(leaves))
    warpgroup.BarrierArriveOp(barrier)
    warpgroup.BarrierWaitOp(barrier)
    return []


@WARPGROUP.rule("barrier_test")
def _barrier_test(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> ir.Value:
    return warpgroup.BarrierTestOp(one_barrier(ctx, ref, transforms_treedef.unflatten(leaves))).result


@WARPGROUP.rule("commit_smem")
def _commit_smem(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitSmemOp()
    return []


@WARPGROUP.rule("set_max_registers")
def _set_max_registers(ctx: RuleContext, *, action: str, n: int | None) -> list[ir.Value]:
    warpgroup.SetMaxRegistersOp(count(ctx, n), increase=action == "increase" or None)
    return []


@WARPGROUP.rule("layout_cast")
def _layout_cast(_: RuleContext, x: ir.Value, *, new_layout: Any) -> ir.Value:
    spread = jax_gpu.register_spread(new_layout)
    rank = len(getattr(x.type, "shape", ()))
    layout = spread and warpgroup.layout_attr(**dataclasses.asdict(spread), rank=rank)
    return warpgroup.LayoutCastOp(x, str(new_layout).removeprefix("Layout."), spread=layout).result
