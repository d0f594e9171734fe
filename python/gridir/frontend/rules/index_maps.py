# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules of index maps: integer arithmetic as in a body, and loads of single elements.

An index map is a block without control flow, so that a compiler can evaluate it for any program. All branches of a
`cond` are computed, and one is selected.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.rules import casts, control, elementwise, integer, pallas, shape  # noqa: F401  (registers rules)
from gridir.frontend.rules.ref_views import index_value, static_index, unflatten, window
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import INDEX_MAP
from gridir.frontend.walk.registry import ANY, BASE
from gridir.frontend.walk.types import is_integer, is_unsigned
from gridir.mlir import ir
from gridir.mlir.dialects import grid

_AS_IN_A_BODY = (
    "abs add and check clamp closed_call convert_element_type copy custom_jvp_call custom_vjp_call div eq ge gt "
    "integer_pow le lt max min mul ne neg not num_programs optimization_barrier or program_id rem remat2 select_n "
    "shift_left shift_right_arithmetic shift_right_logical sign square stop_gradient sub xor"
)
for _name in _AS_IN_A_BODY.split():
    _rule = BASE.find(_name)
    assert _rule is not None, f"`{_name}` has a rule in a body"
    INDEX_MAP.register(_name, _rule.function, _rule.ignores)


def _same_number(_: RuleContext, x: ir.Value) -> ir.Value:
    """An array of one element is that element."""
    return x


INDEX_MAP.register("squeeze", _same_number, {"dimensions": ANY})
INDEX_MAP.register("reshape", _same_number, {"new_sizes": ANY, "dimensions": ANY, "sharding": ANY})
INDEX_MAP.register("broadcast_in_dim", _same_number, {"shape": ANY, "broadcast_dimensions": ANY, "sharding": ANY})


@INDEX_MAP.rule("jit", ignores=control.JIT_OPTIONS)
def _jit(ctx: RuleContext, *values: ir.Value, jaxpr: Any, name: str) -> list[ir.Value]:
    """JAX names its integer division, which as one op is affine where the divisor is a positive constant."""
    if name in ("floor_divide", "remainder") and _divides_by_positive(ctx, values, jaxpr):
        # With 64-bit types JAX divides an i32 by a constant of i64.
        x = casts.convert(values[0], ctx.avals_in[0], ctx.avals_out[0])
        divisor = emit.constant(static_index(values[1]), x.type)
        quotient = emit.binary("arith.floordivsi", x, divisor)
        if name == "floor_divide":
            return [quotient]
        return [emit.binary("arith.subi", x, emit.binary("arith.muli", quotient, divisor))]
    return control.call(ctx, *values, jaxpr=jaxpr)


def _divides_by_positive(ctx: RuleContext, values: Sequence[ir.Value], jaxpr: Any) -> bool:
    """True if a function with the name of JAX's division is that of signed integers by a positive constant."""
    if len(values) != 2 or not is_integer(ctx.avals_in[0]) or is_unsigned(ctx.avals_in[0]):
        return False
    divisor = static_index(values[1])
    return divisor is not None and divisor > 0 and not jax_core.is_user_function(control.open_jaxpr(jaxpr)[0])


@INDEX_MAP.rule("cond", ignores={"branches_platforms": ANY})
def _cond(ctx: RuleContext, which: ir.Value, *values: ir.Value, branches: Sequence[Any]) -> list[ir.Value]:
    """The index is clamped to the branches."""
    last, outer = len(branches) - 1, ctx.kernel.state.guard

    @functools.cache
    def is_taken(branch: int) -> ir.Value:
        if last == 1:
            condition = control.as_condition(which)
            return condition if branch else emit.logical_not(condition)
        predicate = "sle" if branch == 0 else "sge" if branch == last else "eq"
        return emit.compare(predicate, which, emit.constant(branch, which.type))

    @functools.cache
    def guard(branch: int) -> ir.Value:
        return is_taken(branch) if outer is None else emit.binary("arith.andi", outer(), is_taken(branch))

    def compute(branch: int) -> list[ir.Value]:
        jaxpr, consts = control.open_jaxpr(branches[branch])
        if last:
            ctx.kernel.state.guard = functools.partial(guard, branch)
        try:
            return ctx.inline(jaxpr, consts, values)
        finally:
            ctx.kernel.state.guard = outer

    results = compute(last)
    if last == 1:
        return list(map(functools.partial(emit.select, is_taken(1)), results, compute(0)))
    for branch in reversed(range(last)):
        results = list(map(functools.partial(emit.select, is_taken(branch)), compute(branch), results))
    return results


@INDEX_MAP.rule("get")
def _get(ctx: RuleContext, ref: ir.Value, *leaves: ir.Value, tree: Any) -> ir.Value:
    """One element is loaded: of a slice the first one, and without an index the only one."""
    transforms = unflatten(ctx, tree, leaves)
    indices = [_guarded(ctx, index) for transform in transforms for index in transform.indices]
    return grid.LoadOp(ref.type.element_type, window(ctx, ref, indices or [0] * len(ref.type.shape))).result


def _guarded(ctx: RuleContext, index: Any) -> Any:
    """The index of an element that there is: element 0 in a branch that is not taken."""
    index, guard = index.start if isinstance(index, jax_core.Slice) else index, ctx.kernel.state.guard
    if guard is None or static_index(index) is not None:
        return index
    index = index_value(index)
    return emit.select(guard(), index, emit.constant(0, index.type))
