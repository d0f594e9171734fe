# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates. A program's update of one element is one step; its result is the old element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax import tree_util

from gridir import emit
from gridir.frontend.rules.elementwise import Ops
from gridir.frontend.rules.ref_views import slice_ref, unflatten
from gridir.frontend.rules.state import Access, masked
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import TRITON, WARPGROUP
from gridir.frontend.walk.registry import ANY
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
    # JAX's names for copies of integers. A tensor map has the sign of its array: of others they are refused.
    "smax": Ops(signed="maxs"),
    "smin": Ops(signed="mins"),
    "umax": Ops(unsigned="maxu"),
    "umin": Ops(unsigned="minu"),
}


def atomic_kind(ctx: RuleContext, name: str, aval: Any) -> ir.Attribute:
    """Returns the kind of an atomic update by name, for the elements of an abstract value.

    Raises:
      UnsupportedError: for an unknown update, and for a dtype that it does not combine.
    """
    if name not in _KINDS:
        raise ctx.unsupported(f"expected an update among {', '.join(_KINDS)}, got `{name}`")
    kind = _KINDS[name].choose(aval)
    if kind is None:
        raise ctx.unsupported(f"expected a dtype that `{name}` combines, got {aval.dtype}")
    return ir.Attribute.parse(f"#grid<atomic {kind}>")


@WARPGROUP.rule("mgpu_atomic_store", ignores={"optimized": ANY})
def _atomic_store(ctx: RuleContext, *leaves: ir.Value, args_tree: Any, atomic_type: Any) -> list[ir.Value]:
    ref, transforms, value = unflatten(ctx, args_tree, leaves)
    kind = atomic_kind(ctx, atomic_type.value, tree_util.tree_unflatten(args_tree, ctx.avals_in)[2])
    access = Access(ctx, ref, transforms)
    access.check_written()
    if access.indices:
        _update_each(ctx, kind, access, value, None)
    else:
        grid.AtomicRmwOp(kind, value, access.ref)
    return []


@TRITON.rule("atomic_rmw")
def _atomic_rmw(ctx: RuleContext, *leaves: ir.Value, args_tree: Any, atomic_type: Any) -> ir.Value:
    ref, transforms, value, mask = unflatten(ctx, args_tree, leaves)
    aval = ctx.avals_out[0]
    attribute = atomic_kind(ctx, atomic_type.value, aval)
    if emit.shape_of(value) != tuple(aval.shape):
        value = emit.broadcast_trailing(value, aval.shape)

    def update(access: Access, mask: ir.Value | None) -> list[ir.Value]:
        access.check_written()
        if access.indices:
            return [_update_each(ctx, attribute, access, value, mask)]
        return [grid.AtomicRmwOp(attribute, value, access.ref, mask=mask).result]

    return masked(ctx, ref, transforms, mask, update)[0]


def _update_each(
    ctx: RuleContext, kind: ir.Attribute, access: Access, value: ir.Value, mask: ir.Value | None
) -> ir.Value:
    """Updates the element at each index in turn, so that one whose index occurs twice is updated twice."""
    in_order = access.from_jax(value)
    assert in_order is not None
    counts, shape = emit.shape_of(access.indices[0]), access.ref.type.shape
    kept = [size for dim, size in enumerate(shape) if dim not in access.dims]

    def update(position: Sequence[ir.Value]) -> ir.Value:
        indices = iter([emit.extract(index, position) for index in access.indices])
        offsets = [next(indices) if dim in access.dims else 0 for dim in range(len(shape))]
        sizes = [1 if dim in access.dims else size for dim, size in enumerate(shape)]
        ref = slice_ref(access.ref, offsets, sizes, [1] * len(shape), access.dims)
        if kept:
            window = [*[1] * len(counts), *kept]
            part = emit.extract_slice(in_order, [*position, *[0] * len(kept)], window, shape=kept)
        else:
            part = emit.extract(in_order, position)
        return grid.AtomicRmwOp(kind, part, ref).result

    def write(position: Sequence[ir.Value], held: Sequence[ir.Value]) -> list[ir.Value]:
        old = update(position)
        if not held:
            return []
        if not kept:
            return [emit.insert(old, held[0], position)]
        return [emit.insert_slice(old, held[0], [*position, *[0] * len(kept)], sizes=[*[1] * len(counts), *kept])]

    def step(position: Sequence[ir.Value], held: Sequence[ir.Value]) -> list[ir.Value]:
        if len(position) < len(counts):
            ends = emit.index(0), emit.index(counts[len(position)]), emit.index(1)
            return emit.for_loop(*ends, held, lambda i, *carried: step([*position, i], carried))
        if mask is None:
            return write(position, held)
        types = [x.type for x in held]
        otherwise = (lambda: held) if held else None
        return emit.if_else(emit.extract(mask, position), types, lambda: write(position, held), otherwise)

    is_used = ctx.avals_out and ctx.is_used()
    results = step([], [emit.empty(access.gathered)] if is_used else [])
    return emit.transpose(results[0], access.to_jax) if results else value


@TRITON.rule("atomic_cas")
def _atomic_cas(_: RuleContext, ref: ir.Value, compare: ir.Value, value: ir.Value) -> ir.Value:
    return grid.AtomicCasOp(compare, value, ref).result
