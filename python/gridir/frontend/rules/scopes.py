# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refs that are allocated in the middle of a kernel, and how long they live."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, rule
from gridir.frontend.walk.types import Types, mark_unsigned
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def scoped(
    ref_types: Types,
    avals: Sequence[Any],
    results: Sequence[Any],
    body: Callable[[list[ir.Value]], Sequence[ir.Value]],
    collective_axes: Any = (),
    names: Sequence[str] = (),
    layouts: Sequence[Sequence[ir.Attribute]] = (),
    attributes: Mapping[str, ir.Attribute] = types.MappingProxyType({}),
) -> list[ir.Value]:
    """`grid.scoped`: a region with a Ref for each of the abstract Refs.

    Args:
      results: the abstract values that it gives.
      names: the author's names of the Refs; none if they are not known.
      layouts: the transforms that lead from the memory of each Ref to the Ref; none where each lies as it is indexed.
      attributes: other attributes of the scope.
    """
    axes = collective_axes if isinstance(collective_axes, tuple) else (collective_axes,)
    attributes = dict(attributes)
    # A scope without Refs has nothing to share.
    if avals and axes:
        attributes["collective"] = ir.ArrayAttr.get([ir.StringAttr.get(str(axis)) for axis in axes])
    if names:
        attributes["origins"] = ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names])
    if any(layouts):
        attributes["transforms"] = ir.ArrayAttr.get([ir.ArrayAttr.get(list(steps)) for steps in layouts])
    region = emit.op("grid.scoped", [], [ref_types.value(aval) for aval in results], attributes, regions=1)
    mark_unsigned(region, avals)
    refs = [ref_types.ref(aval) for aval in avals]
    block = region.regions[0].blocks.append(*refs, arg_locs=[ir.Location.current] * len(refs))
    with ir.InsertionPoint(block):
        emit.op("grid.yield", list(body(list(block.arguments))), [])
    return list(region.results)


def ref_names(jaxpr: Any) -> Sequence[str]:
    """Returns the author's names for the Refs of a scope; none if they are not known."""
    names = list(map(str, jaxpr.debug_info.arg_names or ()))
    return names if len(names) == len(jaxpr.invars) and all(names) else ()


@rule("run_scoped")
def _run_scoped(
    ctx: RuleContext, *values: ir.Value, jaxpr: Any, collective_axes: Any, ref_transforms: Any
) -> list[ir.Value]:
    if any(ref_transforms):
        raise ctx.unsupported(f"expected Refs without layout transforms, got {ref_transforms}")
    avals = [var.aval for var in jaxpr.invars]
    names = ref_names(jaxpr)
    return scoped(ctx.types, avals, ctx.avals_out, lambda refs: ctx.inline(jaxpr, values, refs), collective_axes, names)


# JAX rejects a Ref without an initial value.
@rule("run_state", ignores={"which_linear": ANY, "is_initialized": ANY})
def _run_state(ctx: RuleContext, *args: ir.Value, jaxpr: Any) -> list[ir.Value]:
    """A scope whose Refs begin with the values that are given, and whose last contents it gives; Refs of the caller's
    are used as they are.
    """
    made = [not isinstance(aval, jax_core.AbstractRef) for aval in ctx.avals_in]
    jaxpr, read = jax_core.discharge_scalars(jaxpr, made)
    own = [is_made and not is_read for is_made, is_read in zip(made, read, strict=True)]

    def body(refs: list[ir.Value]) -> list[ir.Value]:
        unused = iter(refs)
        inner = [next(unused) if is_own else arg for arg, is_own in zip(args, own, strict=True)]
        for value, ref in zip(itertools.compress(args, own), refs, strict=True):
            grid.StoreOp(value, ref)
        # The function's own results come first, as in JAX's lowering for a GPU.
        returned = ctx.inline(jaxpr, (), inner)
        return [*returned, *map(grid.load_all, refs)][: len(refs)]

    avals = [var.aval for var in itertools.compress(jaxpr.invars, own)]
    last = iter(scoped(ctx.types, avals, list(itertools.compress(ctx.avals_out, own)), body))
    return [next(last) if is_own else arg for arg, is_own in zip(args, own, strict=True)]


# Refs that are made in the middle of a function live until its end: the walker opens the scope that holds them.


def allocations(jaxpr: Any) -> list[Any]:
    """The variables of a jaxpr that stand for Refs which its own equations make."""
    return [eqn.outvars[0] for eqn in jaxpr.eqns if eqn.primitive.name in ("new_ref", "empty_ref")]


@rule("new_ref", ignores={"memory_space": ANY, "kind": ANY, "pin": ANY})
def _new_ref(ctx: RuleContext, value: ir.Value) -> ir.Value:
    ref = ctx.kernel.state.allocated[ctx.eqn.outvars[0]]
    grid.StoreOp(value, ref)
    return ref


@rule("empty_ref", "get_global", ignores={"ty": ANY, "memory_space": ANY, "what": ANY, "pin": ANY})
def _empty_ref(ctx: RuleContext) -> ir.Value:
    return ctx.kernel.state.allocated[ctx.eqn.outvars[0]]


@rule("freeze")
def _freeze(_: RuleContext, ref: ir.Value) -> ir.Value:
    """Returns the final contents of a Ref."""
    return grid.load_all(ref)


@rule("free_ref")
def _free_ref(_: RuleContext, __: ir.Value) -> list[ir.Value]:
    return []
