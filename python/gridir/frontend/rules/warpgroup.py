# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Pallas' Mosaic GPU backend, in kernels whose threads are warpgroups."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import tree_util

from gridir.frontend import emit, jax_compat, jax_compat_gpu
from gridir.frontend.context import RuleContext
from gridir.frontend.levels import WARPGROUP
from gridir.frontend.registry import ANY
from gridir.frontend.rules.scopes import run_scope
from gridir.frontend.rules.state import Access, index_value, slice_ref, static_index, view
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup

# What is allocated


@WARPGROUP.rule("run_scoped", overrides=True)
def _run_scoped(
    ctx: RuleContext, *values: ir.Value, jaxpr: Any, collective_axes: Any, ref_transforms: Any
) -> list[ir.Value]:
    # How a Ref is tiled and swizzled is no part of its meaning: it has the shape that the author indexes.
    transforms = ref_transforms or [()] * len(jaxpr.invars)
    avals = [
        jax_compat.transformed_aval(var.aval, undone) if undone else var.aval
        for var, undone in zip(jaxpr.invars, transforms, strict=True)
    ]

    if not all(map(jax_compat_gpu.is_accumulator, avals)):
        _check_collective(ctx, collective_axes)

    def body(refs: list[ir.Value]) -> Sequence[ir.Value]:
        for ref, aval in zip(refs, avals, strict=True):
            if jax_compat_gpu.is_accumulator(aval):
                grid.StoreOp(emit.constant(0, emit.typed(ref.type.shape, ref.type.element_type)), ref)
        return ctx.inline(jaxpr, values, refs)

    return run_scope(ctx, jaxpr, avals, body, collective_axes)


def _check_collective(ctx: RuleContext, collective_axes: Any) -> None:
    """Checks that the warpgroups of a block share what a scope allocates in shared memory, and nobody else does."""
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


# Barriers


def _barrier(ctx: RuleContext, ref: ir.Value, transforms: Sequence[Any]) -> ir.Value:
    """One barrier, of an array of them."""
    barrier = view(ctx, ref, transforms)
    shape = list(barrier.type.shape)
    if any(size != 1 for size in shape):
        raise ctx.invalid(
            f"Attempting to operate on barrier without indexing, but `num_barriers = {int(np.prod(shape))}`"
        )
    rank = len(shape)
    return slice_ref(barrier, [0] * rank, [1] * rank, [1] * rank, range(rank)) if rank else barrier


@WARPGROUP.rule("barrier_arrive")
def _barrier_arrive(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> list[ir.Value]:
    warpgroup.BarrierArriveOp(_barrier(ctx, ref, transforms_treedef.unflatten(leaves)))
    return []


@WARPGROUP.rule("barrier_wait")
def _barrier_wait(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> list[ir.Value]:
    warpgroup.BarrierWaitOp(_barrier(ctx, ref, transforms_treedef.unflatten(leaves)))
    return []


@WARPGROUP.rule("barrier_test")
def _barrier_test(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, transforms_treedef: Any) -> ir.Value:
    return warpgroup.BarrierTestOp(_barrier(ctx, ref, transforms_treedef.unflatten(leaves))).result


@WARPGROUP.rule("commit_smem")
def _commit_smem(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitSmemOp()
    return []


# Copies


@dataclasses.dataclass
class _Window:
    """A window of an array in global memory, which may reach outside of it.

    Attributes:
      array: the array.
      offsets: the first index along each dimension: a number or a value.
      sizes: the number of elements along each.
      dropped: the dimensions that the tile in shared memory does not have.
    """

    array: ir.Value
    offsets: list[Any]
    sizes: list[int]
    dropped: list[int]

    def operands(self) -> tuple[list[ir.Value], ir.Attribute, ir.Attribute, ir.Attribute | None]:
        """The dynamic offsets, the static ones, the sizes and the dropped dimensions, as the ops take them."""
        numbers = [static_index(offset) for offset in self.offsets]
        dynamic = [index_value(o) for o, number in zip(self.offsets, numbers, strict=True) if number is None]
        static = [emit.DYNAMIC if number is None else number for number in numbers]
        arrays = map(ir.DenseI64ArrayAttr.get, (static, self.sizes, sorted(self.dropped)))
        offsets, sizes, dropped = arrays
        return dynamic, offsets, sizes, dropped if self.dropped else None


def _sum(ctx: RuleContext, a: Any, b: Any) -> Any:
    """The sum of two indices."""
    x, y = static_index(a), static_index(b)
    if x is not None and y is not None:
        return x + y
    if y == 0 or x == 0:
        return a if y == 0 else b
    values = [index_value(i) if isinstance(i, ir.Value) else emit.constant(int(i), emit.i32()) for i in (a, b)]
    return emit.binary("arith.addi", *values)


def _window(ctx: RuleContext, ref: ir.Value, transforms: Sequence[Any]) -> _Window:
    """The window that the indexers of an array name; what comes before the first of them is a view of the array."""
    transforms = list(transforms)
    first = next((i for i, t in enumerate(transforms) if isinstance(t, jax_compat.NDIndexer)), len(transforms))
    if not all(isinstance(transform, jax_compat.NDIndexer) for transform in transforms[first:]):
        first = len(transforms)
    array = view(ctx, ref, transforms[:first])
    shape = list(array.type.shape)
    window = _Window(array, [0] * len(shape), shape, [])
    for indexer in transforms[first:]:
        dims = [dim for dim in range(len(shape)) if dim not in window.dropped]
        for dim, index in zip(dims, indexer.indices, strict=True):
            if isinstance(index, jax_compat.Slice):
                if index.stride != 1 or not isinstance(index.size, int):
                    raise ctx.unsupported("expected a slice of known size and stride 1 in a copy")
                window.offsets[dim] = _sum(ctx, window.offsets[dim], index.start)
                window.sizes[dim] = index.size
                continue
            if np.ndim(index) if not isinstance(index, ir.Value) else emit.shape_of(index):
                raise ctx.unsupported("expected numbers and slices in a copy, got an array of indices")
            window.offsets[dim] = _sum(ctx, window.offsets[dim], index)
            window.sizes[dim] = 1
            window.dropped.append(dim)
    return window


@WARPGROUP.rule("copy_gmem_to_smem", ignores={"oob_mode": ANY})
def _copy_gmem_to_smem(
    ctx: RuleContext,
    source: ir.Value,
    dest: ir.Value,
    barrier: ir.Value,
    *leaves: ir.Value,
    src_transforms_treedef: Any,
    dst_transforms_treedef: Any,
    barrier_transforms_treedef: Any,
    collective_axes: Any,
    leader_tracked: Any,
) -> list[ir.Value]:
    # Elements outside of the array may be anything where the author says so: zero is such a thing.
    if leader_tracked is not None:
        raise ctx.unsupported(f"expected `leader_tracked=None`, got {leader_tracked}")
    of_source, of_dest, of_barrier = _split(
        leaves, src_transforms_treedef, dst_transforms_treedef, barrier_transforms_treedef
    )
    window = _window(ctx, source, of_source)
    dynamic, offsets, sizes, dropped = window.operands()
    axes = [ir.StringAttr.get(str(axis)) for axis in collective_axes or ()]
    warpgroup.TmaLoadOp(
        window.array,
        dynamic,
        offsets,
        sizes,
        view(ctx, dest, of_dest),
        _barrier(ctx, barrier, of_barrier),
        dropped=dropped,
        collective=ir.ArrayAttr.get(axes) if axes else None,
    )
    return []


def _split(leaves: Sequence[Any], *trees: Any) -> list[Any]:
    """The transforms of each Ref of an equation, whose leaves follow one another."""
    parts, rest = [], list(leaves)
    for tree in trees:
        count = tree.num_leaves if tree is not None else 0
        parts.append(list(tree_util.tree_unflatten(tree, rest[:count]) or ()) if tree is not None else [])
        rest = rest[count:]
    return parts


@WARPGROUP.rule("copy_smem_to_gmem")
def _copy_smem_to_gmem(
    ctx: RuleContext,
    source: ir.Value,
    dest: ir.Value,
    *leaves: ir.Value,
    src_transforms_treedef: Any,
    dst_transforms_treedef: Any,
    has_user_predicate: bool,
    commit_group: bool,
    reduction_op: Any,
) -> list[ir.Value]:
    if reduction_op is not None:
        raise ctx.unsupported(f"expected `reduction_op=None`, got {reduction_op!r}")
    predicate = leaves[-1] if has_user_predicate else None
    of_source, of_dest = _split(leaves, src_transforms_treedef, dst_transforms_treedef)
    window = _window(ctx, dest, of_dest)
    dynamic, offsets, sizes, dropped = window.operands()
    warpgroup.TmaStoreOp(
        view(ctx, source, of_source), window.array, dynamic, offsets, sizes, dropped=dropped, predicate=predicate
    )
    if commit_group:
        warpgroup.CommitGroupOp()
    return []


@WARPGROUP.rule("commit_group")
def _commit_group(_: RuleContext) -> list[ir.Value]:
    warpgroup.CommitGroupOp()
    return []


@WARPGROUP.rule("wait_smem_to_gmem")
def _wait_smem_to_gmem(ctx: RuleContext, _: ir.Value, *, wait_read_only: bool) -> list[ir.Value]:
    warpgroup.WaitGroupOp(_number(ctx, 0), read=wait_read_only or None)
    return []


def _number(ctx: RuleContext, operand: int) -> int:
    """An operand that must be written in the kernel as a number."""
    value = ctx.static_value(operand)
    if value is None:
        raise ctx.unsupported("expected a number, got a value that the kernel computes")
    return int(value)


@WARPGROUP.rule(
    "async_prefetch", ignores={"ref_transforms_treedef": ANY, "collective_axes": ANY, "leader_tracked": ANY}
)
def _async_prefetch(_: RuleContext, *__: ir.Value) -> list[ir.Value]:
    """A hint."""
    return []


# Matrix units and registers


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
    of_acc, of_lhs, of_rhs = _split(leaves, acc_transforms_tree, a_transforms_tree, b_transforms_tree)
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
    warpgroup.MmaWaitOp(_number(ctx, 0))
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


@WARPGROUP.rule("set_max_registers_p")
def _set_max_registers(ctx: RuleContext, _: ir.Value, *, action: str) -> list[ir.Value]:
    warpgroup.SetMaxRegistersOp(_number(ctx, 0), increase=action == "increase" or None)
    return []


@WARPGROUP.rule("layout_cast")
def _layout_cast(_: RuleContext, x: ir.Value, *, new_layout: Any) -> ir.Value:
    return warpgroup.LayoutCastOp(x, str(new_layout).removeprefix("Layout.")).result


@WARPGROUP.rule("load", "async_load", ignores={"optimized": ANY})
def _load(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, tree: Any) -> ir.Value:
    """As `get`: how it is done is the compiler's, and what is loaded from tensor memory may be used at once."""
    return Access(ctx, ref, tree_util.tree_unflatten(tree, leaves)).load()


# Tensor memory


def _without(ctx: RuleContext, **params: Any) -> None:
    """Refuses an equation that has one of these parameters."""
    for name, value in params.items():
        if value:
            raise ctx.unsupported(f"expected no `{name}`, got {value}")


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
    _without(ctx, scaled=scaled, sparse=sparse, collective_axis=collective_axis)
    leaves = rest[1:] if arrive else rest
    of_acc, of_lhs, of_rhs, of_barrier = _split(
        leaves, acc_transforms_tree, a_transforms_tree, b_transforms_tree, barrier_transforms_tree
    )
    warpgroup.Tcgen05MmaOp(
        view(ctx, acc, of_acc),
        view(ctx, lhs, of_lhs),
        view(ctx, rhs, of_rhs),
        accumulate,
        barrier=_barrier(ctx, rest[0], of_barrier) if arrive else None,
        **_signs(ctx),
    )
    return []


@WARPGROUP.rule("tcgen05_commit_arrive")
def _tcgen05_commit_arrive(
    ctx: RuleContext, barrier: ir.Value, *leaves: ir.Value, barrier_transforms_tree: Any, collective_axis: Any
) -> list[ir.Value]:
    _without(ctx, collective_axis=collective_axis)
    warpgroup.Tcgen05CommitOp(_barrier(ctx, barrier, *_split(leaves, barrier_transforms_tree)))
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
    _without(ctx, collective_axis=collective_axis)
    of_source, of_dest = _split(leaves, smem_tree, tmem_tree)
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
