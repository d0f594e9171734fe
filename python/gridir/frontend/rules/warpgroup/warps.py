# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that each warp of a warpgroup runs for itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from gridir.frontend.compat import jax_gpu
from gridir.frontend.rules.ref_views import unflatten
from gridir.frontend.rules.warpgroup.clusters import load
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import WARP, WARPGROUP
from gridir.frontend.walk.registry import ANY, BASE
from gridir.frontend.walk.types import is_ref
from gridir.mlir import ir
from gridir.mlir.dialects import warpgroup


def _run_by_warps(ctx: RuleContext, mesh: Any, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> None:
    if any(not is_ref(aval) and aval.shape for aval in ctx.avals_in):
        shapes = ", ".join(str(aval) for aval in ctx.avals_in if not is_ref(aval) and aval.shape)
        raise ctx.invalid(f"Can only close over scalars and Refs when using core_map with WarpMesh, got {shapes}")
    if ctx.kernel.state.warp is not None:
        name = ctx.eqn.primitive.name
        raise ctx.invalid(f"Cannot {name} over WarpMesh while already {name}ped")
    op = warpgroup.WarpsOp()
    block = op.body.blocks.append(ir.IntegerType.get_signless(32), arg_locs=[ir.Location.current])
    state = dataclasses.replace(ctx.kernel.state, warp=(mesh.axis_name, block.arguments[0]))
    kernel = dataclasses.replace(ctx.kernel, state=state)
    with ir.InsertionPoint(block):
        dataclasses.replace(ctx, kernel=kernel).inline(jaxpr, consts, values)


_HINTS = {
    "compiler_params": ANY,
    "cost_estimate": ANY,
    "debug": ANY,
    "debug_info": ANY,
    "interpret": ANY,
    "metadata": ANY,
    "name": ANY,
}
"""Parameters that do not concern the code of warps inside a kernel."""


@WARPGROUP.rule("core_map", ignores=_HINTS, kind_inside=WARP)
def _core_map(ctx: RuleContext, *refs: Any, jaxpr: Any, mesh: Any) -> list[ir.Value]:
    _check_mesh(ctx, mesh)
    _run_by_warps(ctx, mesh, jaxpr, refs, ())
    return []


@WARPGROUP.rule(
    "mpmd_map",
    ignores={**_HINTS, "external_meshes": ANY, "out_avals": (), "input_output_aliases": ANY},
    kind_inside=WARP,
)
def _mpmd_map(ctx: RuleContext, *refs: Any, jaxprs: Sequence[Any], meshes: Sequence[Any]) -> list[ir.Value]:
    for mesh, jaxpr in zip(meshes, jaxprs, strict=True):
        _check_mesh(ctx, mesh)
        _run_by_warps(ctx, mesh, jaxpr, (), refs)
    return []


def _check_mesh(ctx: RuleContext, mesh: Any) -> None:
    if not jax_gpu.is_warp_mesh(mesh):
        raise ctx.unsupported(f"expected a mesh of the warps of a warpgroup, got {mesh}")


@WARP.rule("get", overrides=True)
def _get(ctx: RuleContext, ref: Any, *leaves: ir.Value, tree: Any) -> ir.Value:
    return load(ctx, ref, unflatten(ctx, tree, leaves))


@WARP.rule("axis_index", overrides=True)
def _axis_index(ctx: RuleContext, *, axis_name: Any) -> ir.Value:
    if ctx.kernel.state.warp is not None and axis_name == ctx.kernel.state.warp[0]:
        return ctx.kernel.state.warp[1]
    outside = BASE.find("axis_index")
    assert outside is not None
    return outside(ctx, axis_name=axis_name)
