# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pallas' own primitives that every backend has."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from jax import tree_util

from gridir import emit
from gridir.frontend.compat import jax_core, jax_pipeline
from gridir.frontend.rules.ref_views import transformed, unflatten, view
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import device_index, home_of, program_index, receiver_of
from gridir.frontend.walk.registry import ANY, rule
from gridir.frontend.walk.types import is_unsigned
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.runtime.callbacks import identity_of


def _axis(ctx: RuleContext, axis: int) -> ir.Attribute:
    """The number in the whole grid of a dimension that the author counts."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ctx.kernel.axes[axis])


@rule("program_id")
def _program_id(ctx: RuleContext, *, axis: int) -> ir.Value:
    if ctx.kernel.state.program_ids is not None and axis < len(ctx.kernel.state.program_ids):
        value = ctx.kernel.state.program_ids[axis]
        if value is not None:
            return value
    return grid.ProgramIdOp(_axis(ctx, axis)).result


@rule("num_programs")
def _num_programs(ctx: RuleContext, *, axis: int) -> ir.Value:
    if ctx.kernel.state.pipeline_grid is not None and axis < len(ctx.kernel.state.pipeline_grid):
        size = ctx.kernel.state.pipeline_grid[axis]
        return size if isinstance(size, ir.Value) else emit.constant(size, emit.i32())
    return grid.NumProgramsOp(_axis(ctx, axis)).result


@rule("axis_index")
def _axis_index(ctx: RuleContext, *, axis_name: Any) -> ir.Value:
    labels = axis_name if isinstance(axis_name, (tuple, list)) else [axis_name]
    names = [ctx.kernel.name_of(label) for label in labels]
    devices = ctx.kernel.devices.names if ctx.kernel.devices is not None else ()
    if len(names) == 1 and names[0] in ctx.kernel.axis_names:
        return program_index(ctx, names[0])
    if len(names) == 1 and names[0] in devices:
        return device_index(ctx, names[0])
    known = ", ".join(name for name in (*ctx.kernel.axis_names, *devices) if name) or "none"
    raise ctx.unsupported(f"expected the name of one dimension of the grid or the mesh ({known}), got {axis_name!r}")


@rule("multiple_of")
def _multiple_of(ctx: RuleContext, x: ir.Value, *, values: Any) -> ir.Value:
    if emit.shape_of(x) or x.type not in (emit.i32(), ir.IntegerType.get_signless(64)):
        return x
    multiple = int(np.lcm.reduce([int(v) for v in values]))
    return grid.AssumeMultipleOp(x, ir.IntegerAttr.get(ir.IntegerType.get_signless(64), multiple)).result


@rule("delay")
def _delay(_: RuleContext, nanos: ir.Value) -> list[ir.Value]:
    grid.DelayOp(nanos)
    return []


# Prints of a kernel appear after the call, in program order, with this process's NumPy options.
@rule("debug_print", ignores={"ordered": ANY, "partitioned": ANY, "np_printoptions": ANY, "logging_record": None})
def _debug_print(
    ctx: RuleContext, *values: ir.Value, fmt: str, has_placeholders: bool, in_tree: Any, static_args: Any
) -> list[ir.Value]:
    """Without placeholders in the format the values follow it, as JAX prints them; for a Ref it prints its contents."""
    values = tuple(grid.load_all(x) if isinstance(x.type, ir.MemRefType) else x for x in values)
    args, kwargs = _arguments(values, in_tree, static_args)
    used: list[Any] = []
    if has_placeholders:
        text, automatic = "", 0
        for literal, name, spec, conversion in string.Formatter().parse(fmt):
            text += _escaped(literal)
            if name is None:
                continue
            if not name:
                name, automatic = str(automatic), automatic + 1
            value = args[int(name)] if name.isdigit() else kwargs.get(name)
            if value is None or conversion:
                raise ctx.unsupported(f"expected placeholders of the format that name a value, got `{fmt}`")
            if isinstance(value, ir.Value):
                text += "{:" + spec + "}" if spec else "{}"
                used.append(value)
            else:
                text += _escaped(format(value, spec or ""))
    else:
        text = " ".join([_escaped(fmt), *("{}" if isinstance(a, ir.Value) else _escaped(str(a)) for a in args)])
        used = [a for a in args if isinstance(a, ir.Value)]
    unsigned = [is_unsigned(ctx.avals_in[values.index(value)]) for value in used]
    grid.PrintOp(ir.StringAttr.get(text), used, is_unsigned=ir.DenseBoolArrayAttr.get(unsigned))
    return []


def _escaped(text: str) -> str:
    """The text as part of a format: braces are no placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


@rule("debug_callback", ignores={"effect": ANY, "partitioned": ANY})
def _debug_callback(ctx: RuleContext, *values: ir.Value, callback: Any) -> list[ir.Value]:
    """The function is called with arrays after the kernel's call, in the order of the programs."""
    unsigned = ir.DenseBoolArrayAttr.get([is_unsigned(aval) for aval in ctx.avals_in])
    grid.CallbackOp(ir.StringAttr.get(identity_of(callback)), values, is_unsigned=unsigned)
    return []


def _arguments(values: Any, tree: Any, static_args: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the author's call, with the values of the equation for the arrays."""
    static = dict(static_args)
    dynamic = iter(values)
    leaves = [static[i] if i in static else next(dynamic) for i in range(tree.num_leaves)]
    args, kwargs = tree_util.tree_unflatten(tree, leaves)
    return list(args), kwargs


@rule("check")
def _check(ctx: RuleContext, *leaves: ir.Value, err_tree: Any, debug: bool) -> list[ir.Value]:
    """`pl.debug_check`, where the author has turned such checks on."""
    if not debug:
        raise ctx.unsupported(
            "expected a debug check, got a check that `jax.experimental.checkify` is to functionalize"
        )
    if jax_core.debug_checks_enabled():
        failed, message = jax_core.read_check(err_tree, leaves)
        grid.AssertOp(emit.logical_not(failed), ir.StringAttr.get(message), [])
    return []


# Semaphores ------------------------------------------------------------------------------------------------------


@rule("semaphore_read")
def _semaphore_read(ctx: RuleContext, *leaves: ir.Value, args_tree: Any) -> ir.Value:
    ref, transforms = unflatten(ctx, args_tree, leaves)
    return grid.SemaphoreReadOp(view(ctx, ref, transforms)).result


# The programs of a kernel run on one device, where all scopes of memory are one.
@rule("semaphore_signal", ignores={"memory_scope": ANY})
def _semaphore_signal(ctx: RuleContext, *leaves: ir.Value, args_tree: Any, device_id_type: Any) -> list[ir.Value]:
    ref, transforms, amount, device, core = unflatten(ctx, args_tree, leaves)
    home = home_of(tree_util.tree_unflatten(args_tree, ctx.avals_in)[0])
    to = receiver_of(ctx, device, device_id_type, core, home)
    grid.SemaphoreSignalOp(view(ctx, ref, transforms), amount, to.device, core=to.core, device_id_type=to.kind)
    return []


@rule("semaphore_wait", ignores={"memory_scope": ANY})
def _semaphore_wait(ctx: RuleContext, *leaves: ir.Value, args_tree: Any) -> list[ir.Value]:
    ref, transforms, amount, decrement = unflatten(ctx, args_tree, leaves)
    keep = False
    if isinstance(decrement, ir.Value):
        attribute = emit.constant_attr(decrement)
        if attribute is None:
            raise ctx.unsupported("expected `decrement` to be known when the kernel is traced")
        keep = not bool(getattr(attribute, "value", True))
    elif decrement is not None:
        keep = not decrement
    grid.SemaphoreWaitOp(view(ctx, ref, transforms), amount, keep=keep or None)
    return []


@rule("jaxpr_call")
def _jaxpr_call(
    ctx: RuleContext, *leaves: ir.Value, jaxpr: Any, ref_treedefs: Any, program_ids_treedef: Any
) -> list[ir.Value]:
    """The body of a pipeline inside a kernel, whose program ids are those of the pipeline's own grid."""
    refs, position = [], 0
    for tree in ref_treedefs:
        ref = tree_util.tree_unflatten(tree, leaves[position : position + tree.num_leaves])
        position += tree.num_leaves
        refs.append(view(ctx, *ref) if isinstance(ref, tuple) else ref)
    ids = tree_util.tree_unflatten(program_ids_treedef, leaves[position:])
    with ctx.kernel.state.inside_pipeline(ids):
        return ctx.inline(jaxpr, (), refs)


@rule("emit_pipeline")
def _emit_pipeline(ctx: RuleContext, *values: ir.Value, pipeline: Any) -> list[ir.Value]:
    """The loops and copies that JAX itself derives; a copy completes when it starts."""
    axes = [
        (name, size)
        for name, size in zip(ctx.kernel.axis_names, ctx.kernel.static_grid, strict=True)
        if name is not None and size is not None
    ]
    jaxpr, consts = jax_pipeline.pipeline_jaxpr(ctx.avals_in, pipeline, axes)
    with ctx.kernel.state.inside_pipeline(grid=jax_pipeline.grid_of(values, pipeline)):
        return ctx.inline(jaxpr, consts, values)


@rule("pipeline_body", ignores={"num_inputs": ANY})
def _pipeline_body(
    ctx: RuleContext, *leaves: ir.Value, jaxpr: Any, in_tree: Any, _explicit_indices: bool
) -> list[ir.Value]:
    step, consts, refs = tree_util.tree_unflatten(in_tree, leaves)
    numbers = tree_util.tree_leaves(step) if _explicit_indices else []
    with ctx.kernel.state.inside_pipeline(jax_pipeline.indices_of(step)):
        return ctx.inline(jaxpr, consts, [*numbers, *(transformed(ctx, ref) for ref in refs)])


@rule("with_memory_space_constraint", ignores={"memory_space": ANY})
def _with_memory_space_constraint(_: RuleContext, x: ir.Value) -> ir.Value:
    """The target chooses the location of a value."""
    return x
