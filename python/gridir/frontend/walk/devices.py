# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cores and devices that a kernel names: their numbers and coordinates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax import tree_util

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.walk.context import RuleContext
from gridir.mlir import ir
from gridir.mlir.dialects import grid


@dataclasses.dataclass(frozen=True)
class Receiver:
    """The receiver of a signal or a copy.

    Attributes:
      device: the number of another device, or its coordinates in an unknown mesh; empty for this one.
      kind: the attribute that says how the device is named, or None.
      core: the number of a core of the kernel's mesh, in row-major order of its dimensions, or None for this one.
    """

    device: tuple[ir.Value, ...] = ()
    kind: ir.Attribute | None = None
    core: ir.Value | None = None

    @property
    def is_other(self) -> bool:
        """True if the receiver may be another device than the sender."""
        return bool(self.device) or self.core is not None


def home_of(aval: Any) -> Any:
    """The mesh whose cores each have private memory for an abstract Ref; None if its type names no mesh."""
    space: Any = getattr(getattr(aval, "ref", aval), "memory_space", None)
    return space.mesh if isinstance(space, jax_core.CoreMemorySpace) else None


def receiver_of(
    ctx: RuleContext, device: Any, device_id_type: Any, core: ir.Value | None = None, home: Any = None
) -> Receiver:
    """Reads the `device_id` and `core_index` of an equation.

    Args:
      device: None for this device, its number, its coordinates in the mesh, or a dictionary from names of axes to
        coordinates: axes of the mesh that the call is mapped over, and of the kernel's own mesh of cores.
      device_id_type: JAX's DeviceIdType.
      home: the mesh that the semaphore of the receiver belongs to, where its type names one.
    """
    meshes = ctx.kernel.meshes
    target = next((mesh for mesh in meshes if home is not None and dict(mesh[0]) == dict(home.shape)), None)
    if target is not None and target is not meshes[0] and core is None and (device is None or isinstance(device, dict)):
        # One that each core of another mesh has: the receiver has this core's coordinates along the axes of both.
        return _receiver_by_axes(ctx, device or {}, None, target)
    first = meshes[0][1] if meshes else 0
    if core is not None and first:
        core = emit.binary("arith.addi", core, _number(first))
    if device is None:
        return Receiver(core=core)
    if isinstance(device, dict):
        return _receiver_by_axes(ctx, device, core)
    kind = str(getattr(device_id_type, "value", device_id_type)).lower()
    coordinates = [_number(x) for x in tree_util.tree_leaves(device)]
    devices = ctx.kernel.devices
    if kind == "mesh" and devices is not None:
        if len(coordinates) != len(devices.sizes):
            raise ctx.unsupported(f"expected a coordinate for each of {devices.names}, got {len(coordinates)}")
        coordinates, kind = [_row_major(coordinates, devices.sizes)], "logical"
    return Receiver(tuple(coordinates), ir.Attribute.parse(f"#grid.device_id_type<{kind}>"), core)


def device_index(ctx: RuleContext, name: str) -> ir.Value:
    """The index of this device along an axis of the mesh that the call is mapped over."""
    devices: Any = ctx.kernel.devices
    number = grid.DeviceIdOp().result
    axis = devices.names.index(name)
    for size in reversed(devices.sizes[axis + 1 :]):
        number = emit.binary("arith.divsi", number, _number(size))
    return number if axis == 0 else emit.binary("arith.remsi", number, _number(devices.sizes[axis]))


def program_index(ctx: RuleContext, name: str) -> ir.Value:
    """The index of this program along the dimension of that name."""
    if ctx.kernel.mesh_ids is not None:
        return ctx.kernel.mesh_ids[ctx.kernel.axis_names.index(name)]
    return grid.ProgramIdOp(ir.StringAttr.get(name)).result


def subcores(ctx: RuleContext) -> tuple[ir.Value, ir.Value]:
    """The number of the first subcore of this core, see `Receiver`, and how many subcores the core has.

    Raises:
      UnsupportedError: in code that does not run on the subcores of a core.
    """
    if len(ctx.kernel.core_axes) != 2:
        raise ctx.unsupported("expected a kernel of vector subcores, got another one")
    core, subcore = ctx.kernel.core_axes
    first = _core_number(ctx, {core: program_index(ctx, core), subcore: _number(0)})
    return first or _number(0), _number(ctx.kernel.size_of(subcore) or 1)


def _receiver_by_axes(
    ctx: RuleContext, coordinates: dict[Any, Any], core: ir.Value | None, target: tuple[Any, int] | None = None
) -> Receiver:
    devices = ctx.kernel.devices
    device_axes = devices.names if devices is not None else ()
    device_coordinates: dict[str, ir.Value] = {}
    core_coordinates: dict[str, ir.Value] = {}
    for axis, coordinate in coordinates.items():
        names = (axis,) if isinstance(axis, str) else tuple(axis)
        if devices is not None and set(names) <= set(device_axes):
            sizes = [devices.sizes[device_axes.index(name)] for name in names]
            device_coordinates.update(zip(names, _delinearize(_number(coordinate), sizes), strict=True))
        elif len(names) == 1:
            core_coordinates[names[0]] = _number(coordinate)
        else:
            raise ctx.unsupported(f"expected axes of the call's mesh ({', '.join(device_axes) or 'none'}), got {axis}")
    if core_coordinates or target is not None:
        core = _core_number(ctx, core_coordinates, target)
    if devices is None or not device_coordinates:
        return Receiver(core=core)
    all_coordinates = [
        device_coordinates[name] if name in device_coordinates else device_index(ctx, name) for name in device_axes
    ]
    logical = ir.Attribute.parse("#grid.device_id_type<logical>")
    return Receiver((_row_major(all_coordinates, devices.sizes),), logical, core)


def _core_number(
    ctx: RuleContext, coordinates: dict[str, ir.Value], target: tuple[Any, int] | None = None
) -> ir.Value | None:
    """The number of the core at these coordinates of a mesh, and at this core's own along the axes that are not named.

    None is this core: that of a mesh of one. `target` is the mesh, where it is known.
    """
    own: dict[str, int | None] = {name: ctx.kernel.size_of(name) for name in ctx.kernel.core_axes}
    meshes = ctx.kernel.meshes or ((own, 0),)
    # The mesh of this core, if it has these axes, else another one.
    candidates = meshes if target is None else (target,)
    mesh = next((mesh for mesh in candidates if set(coordinates) <= set(mesh[0])), None)
    if mesh is None:
        known = ", ".join(name for axes, _ in meshes for name in axes) or "none"
        raise ctx.unsupported(f"expected axes of the kernel's cores ({known}), got {', '.join(coordinates)}")
    axes, first = mesh
    if mesh is meshes[0] and all(axes[name] == 1 for name in coordinates):
        return None
    missing = [name for name, size in axes.items() if name not in {**own, **coordinates} and size != 1]
    if missing:
        raise ctx.unsupported(
            f"expected a coordinate along each axis of the mesh of the receiver, got none for {missing}"
        )
    own_coordinates = {
        name: program_index(ctx, name) for name in axes if name in ctx.kernel.core_axes and name not in coordinates
    }
    number = _number(0)
    for name, size in axes.items():
        coordinate = {**own_coordinates, **coordinates}.get(name) or _number(0)
        number = emit.binary("arith.addi", emit.binary("arith.muli", number, _number(size)), coordinate)
    return emit.binary("arith.addi", number, _number(first)) if first else number


def _row_major(coordinates: Sequence[ir.Value], sizes: Sequence[int]) -> ir.Value:
    number = coordinates[0] if coordinates else _number(0)
    for coordinate, size in zip(coordinates[1:], sizes[1:], strict=True):
        number = emit.binary("arith.addi", emit.binary("arith.muli", number, _number(size)), coordinate)
    return number


def _delinearize(number: ir.Value, sizes: Sequence[int]) -> list[ir.Value]:
    """The coordinates whose row-major number this is."""
    coordinates = []
    for size in reversed(sizes[1:]):
        coordinates.append(emit.binary("arith.remsi", number, _number(size)))
        number = emit.binary("arith.divsi", number, _number(size))
    return [number, *reversed(coordinates)]


def _number(x: Any) -> ir.Value:
    return x if isinstance(x, ir.Value) else emit.constant(x, emit.i32())
