# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global memory of the other devices that a call is mapped over."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import jax
from jax import lax

from gridir import emit
from gridir.frontend.compat import jax_gpu
from gridir.frontend.rules.ref_views import unflatten, view
from gridir.frontend.rules.state import Access, swap
from gridir.frontend.rules.warpgroup.operands import split_leaves
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import Receiver, device_index, receiver_of
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.registry import ANY
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup


def split_devices(ctx: RuleContext, transforms: Sequence[Any]) -> tuple[list[Any], list[Receiver]]:
    """The transforms of a Ref that say which part of it is meant, and the devices that the others lead to.

    The choice of the device and of the part of the Ref are independent.
    """
    rest: list[Any] = []
    receivers: list[Receiver] = []
    for transform in transforms or ():
        peer, axes = jax_gpu.peer_device(transform), jax_gpu.multicast_axes(transform)
        if peer is not None:
            receivers.append(receiver_of(ctx, *peer))
        elif axes is not None:
            receivers += devices_along(ctx, axes)
        else:
            rest.append(transform)
    return rest, receivers


def devices_along(ctx: RuleContext, axes: Any) -> list[Receiver]:
    """The devices that are where this one is along all other axes of the mesh that the call is mapped over.

    Raises:
      UnsupportedError: there is no such mesh, or it has no axis of one of the names.
    """
    names = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
    devices = ctx.kernel.devices
    if devices is None or not set(names) <= set(devices.names):
        raise ctx.unsupported(f"expected axes over which the call is mapped, as in shard_map, got {names}")
    coordinates = [
        range(size) if name in names else [device_index(ctx, name)]
        for name, size in zip(devices.names, devices.sizes, strict=True)
    ]
    return [receiver_of(ctx, each, "mesh") for each in itertools.product(*coordinates)]


def load_from(ctx: RuleContext, ref: ir.Value, receiver: Receiver) -> ir.Value:
    """Loads a Ref on another device."""
    type_ = ir.RankedTensorType.get(ref.type.shape, ref.type.element_type)
    value = warpgroup.DeviceLoadOp(type_, ref, receiver.device, receiver.kind).result
    return value if type_.rank else emit.extract(value, [])


def combine_with(
    ctx: RuleContext, value: ir.Value, dtype: Any, ref: ir.Value, receivers: Sequence[Receiver], reduction_op: str
) -> None:
    """Atomically combines the contents of a Ref on other devices with a value of a dtype.

    Raises:
      UnsupportedError: for another reduction than the rules know.
    """
    for receiver in receivers:
        old = load_from(ctx, ref, receiver)
        old.owner.attributes[warpgroup.UPDATE] = ir.UnitAttr.get()
        result = jax.ShapeDtypeStruct(emit.shape_of(value), dtype)
        (combined,) = _reduced(ctx, reduction_op, result, [old, value])
        store = warpgroup.DeviceStoreOp(combined, ref, receiver.device, receiver.kind)
        store.attributes[warpgroup.UPDATE] = ir.UnitAttr.get()


def _reduced(ctx: RuleContext, reduction_op: str, aval: Any, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Values of an abstract value, combined from the first to the last."""
    if reduction_op not in _REDUCTIONS:
        raise ctx.unsupported(f"expected a reduction among {', '.join(_REDUCTIONS)}, got `{reduction_op}`")
    each = jax.ShapeDtypeStruct(aval.shape, aval.dtype)
    closed = jax.make_jaxpr(lambda *all_: functools.reduce(_REDUCTIONS[reduction_op], all_))(*[each] * len(values))
    return ctx.decompose(closed.jaxpr, closed.consts, values)


def store_to(value: ir.Value, ref: ir.Value, receivers: Sequence[Receiver]) -> None:
    """Replaces the contents of a Ref on other devices."""
    if not emit.shape_of(value):
        value = emit.value("tensor.from_elements", [value], ir.RankedTensorType.get([], value.type))
    for receiver in receivers:
        warpgroup.DeviceStoreOp(value, ref, receiver.device, receiver.kind)


@WARPGROUP.rule("swap", overrides=True)
def _swap(ctx: RuleContext, ref: Any, value: ir.Value, *leaves: ir.Value, tree: Any) -> list[ir.Value]:
    rest, receivers = split_devices(ctx, unflatten(ctx, tree, leaves))
    if not receivers:
        return swap(ctx, ref, value, rest)
    seen = view(ctx, ref, rest)
    old = load_from(ctx, seen, receivers[0]) if ctx.is_used() else value
    store_to(value, seen, receivers)
    return [old]


@WARPGROUP.rule("store", ignores={"optimized": ANY})
def _store(ctx: RuleContext, ref: Any, value: ir.Value, *leaves: ir.Value, tree: Any) -> list[ir.Value]:
    rest, receivers = split_devices(ctx, unflatten(ctx, tree, leaves))
    if receivers:
        store_to(value, view(ctx, ref, rest), receivers)
    else:
        Access(ctx, ref, rest).store(value)
    return []


@WARPGROUP.rule("multimem_store")
def _multimem_store(
    ctx: RuleContext, value: ir.Value, ref: Any, *leaves: ir.Value, collective_axes: Any, transforms_tree: Any
) -> list[ir.Value]:
    (transforms,) = split_leaves(leaves, transforms_tree)
    store_to(value, view(ctx, ref, transforms), devices_along(ctx, collective_axes))
    return []


_REDUCTIONS = {
    "add": lax.add,
    "min": lax.min,
    "max": lax.max,
    "and": lax.bitwise_and,
    "or": lax.bitwise_or,
    "xor": lax.bitwise_xor,
}


@WARPGROUP.rule("multimem_load_reduce")
def _multimem_load_reduce(
    ctx: RuleContext, ref: Any, *leaves: ir.Value, tree: Any, collective_axes: Any, reduction_op: Any
) -> list[ir.Value]:
    (transforms,) = split_leaves(leaves, tree)
    seen = view(ctx, ref, transforms)
    values = [load_from(ctx, seen, receiver) for receiver in devices_along(ctx, collective_axes)]
    return _reduced(ctx, reduction_op, ctx.avals_out[0], values)


@WARPGROUP.rule("semaphore_signal_multicast")
def _semaphore_signal_multicast(
    ctx: RuleContext, *leaves: ir.Value, args_tree: Any, collective_axes: Any
) -> list[ir.Value]:
    ref, transforms, amount = unflatten(ctx, args_tree, leaves)
    for to in devices_along(ctx, collective_axes):
        grid.SemaphoreSignalOp(view(ctx, ref, transforms), amount, to.device, device_id_type=to.kind)
    return []
