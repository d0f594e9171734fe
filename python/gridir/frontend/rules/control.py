# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, branches and loops. Nested functions are inlined; loops and branches capture Refs directly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridir import emit
from gridir.frontend.compat import jax_core
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.registry import ANY, BASE, Ignored, rule
from gridir.frontend.walk.types import is_integer, is_unsigned
from gridir.mlir import ir


def open_jaxpr(jaxpr: Any) -> tuple[Any, Sequence[Any]]:
    """A jaxpr and its constants, whether it is closed or not."""
    return getattr(jaxpr, "jaxpr", jaxpr), getattr(jaxpr, "consts", ())


def call(ctx: RuleContext, *values: ir.Value, jaxpr: Any) -> list[ir.Value]:
    """Lowers a nested function."""
    opened, consts = open_jaxpr(jaxpr)
    return ctx.inline(opened, consts, values)


def _call_of_function(ctx: RuleContext, *values: ir.Value, call_jaxpr: Any) -> list[ir.Value]:
    return call(ctx, *values, jaxpr=call_jaxpr)


# Parameters for separate compilation or differentiation have no meaning for an inlined function.
_JIT = (
    "donated_invars keep_unused inline ctx_mesh compiler_options_kvs in_shardings out_shardings in_layouts out_layouts"
)
JIT_OPTIONS: Ignored = dict.fromkeys(_JIT.split(), ANY)
"""The parameters of `jit` beside its function and the name of that."""
BASE.register("jit", call, {"name": ANY, **JIT_OPTIONS})
BASE.register("remat2", call, {"policy": ANY, "prevent_cse": ANY, "differentiated": ANY})
BASE.register("composite", _call_of_function, {"name": ANY, "attributes": ANY, "version": ANY})
BASE.register("closed_call", _call_of_function)
BASE.register("eval_jaxpr", _call_of_function)
_CUSTOM_JVP = {"jvp_jaxpr_fun": ANY, "num_consts": ANY, "symbolic_zeros": ANY}
BASE.register("custom_jvp_call", _call_of_function, _CUSTOM_JVP)
_CUSTOM_VJP = {"fwd_jaxpr_thunk": ANY, "bwd": ANY, "out_trees": ANY, "num_consts": ANY, "symbolic_zeros": ANY}
BASE.register("custom_vjp_call", _call_of_function, _CUSTOM_VJP)


_FUSION = "eval_rule pull_block_spec_rule push_block_spec_rule in_tree out_tree kernel_out_tree"


@rule("custom_fusion", ignores=dict.fromkeys(_FUSION.split(), ANY))
def _custom_fusion(
    ctx: RuleContext,
    *values: ir.Value,
    jaxpr: Any,
    pallas_jaxpr: Any,
    num_consts: int,
    pallas_num_consts: int,
) -> list[ir.Value]:
    """A function of the author's, which may have another body for kernels, and another way to be cut into blocks."""
    consts, kernel_consts = values[:num_consts], values[num_consts : num_consts + pallas_num_consts]
    arguments = values[num_consts + pallas_num_consts :]
    if pallas_jaxpr is not None:
        return ctx.inline(pallas_jaxpr, kernel_consts, arguments)
    return ctx.inline(jaxpr, consts, arguments)


@rule("platform_index")
def _platform_index(ctx: RuleContext, *, platforms: Sequence[Any]) -> ir.Value:
    """The branch of `jax.lax.platform_dependent` for the target platform."""
    for branch, names in enumerate(platforms):
        if names is None or ctx.kernel.platform in names:
            return emit.constant(branch, emit.i32())
    raise ctx.unsupported(f"expected a branch for platform `{ctx.kernel.platform}` or a default, got {platforms}")


def _does_nothing(jaxpr: Any) -> bool:
    return not jaxpr.eqns and not jaxpr.outvars


@rule("cond", ignores={"branches_platforms": ANY})
def _cond(ctx: RuleContext, which: ir.Value, *values: ir.Value, branches: Sequence[Any]) -> list[ir.Value]:
    """The index is clamped to the branches."""
    opened = [open_jaxpr(branch) for branch in branches]
    static = emit.constant_attr(which)
    if static is not None:
        number = int(ir.IntegerAttr(static).value) if not isinstance(static, ir.BoolAttr) else int(static.value)
        jaxpr, consts = opened[min(max(number, 0), len(opened) - 1)]
        return ctx.inline(jaxpr, consts, values)
    types = [ctx.types.value(aval) for aval in ctx.avals_out]

    def build(branch: int) -> list[ir.Value]:
        jaxpr, consts = opened[branch]
        return ctx.inline(jaxpr, consts, values)

    if len(opened) == 1:
        return build(0)
    if len(opened) == 2:
        condition = as_condition(which)
        if _does_nothing(opened[1][0]):
            return emit.if_else(emit.logical_not(condition), types, lambda: build(0), None)
        otherwise = None if _does_nothing(opened[0][0]) else lambda: build(0)
        return emit.if_else(condition, types, lambda: build(1), otherwise)
    return _switch(which, types, build, len(opened))


def as_condition(which: ir.Value) -> ir.Value:
    """Converts the index of one of two branches to a condition. JAX makes the index from a bool, which is then used
    directly.
    """
    owner = which.owner
    if not isinstance(owner, ir.Block) and owner.name == "arith.extui" and owner.operands[0].type == emit.i1():
        return owner.operands[0]
    if which.type == emit.i1():
        return which
    return emit.compare("sgt", which, emit.constant(0, which.type))


def _switch(which: ir.Value, types: Sequence[ir.Type], build: Any, count: int) -> list[ir.Value]:
    """`scf.index_switch` whose default is the last branch; a negative index takes the first."""
    index = emit.binary("arith.maxsi", emit.to_index(which), emit.index(0))
    cases = ir.DenseI64ArrayAttr.get(list(range(count - 1)))
    switch = emit.op("scf.index_switch", [index], types, {"cases": cases}, regions=count)
    # The first region is the default.
    for region, branch in zip(switch.regions, [count - 1, *range(count - 1)], strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            emit.op("scf.yield", build(branch), [])
    return list(switch.results)


# Loops -----------------------------------------------------------------------------------------------------------


def _counter_step(jaxpr: Any, carried: Any, result: Any) -> int | None:
    """By how much a carried scalar integer grows in each iteration, when that is a number in the jaxpr."""
    if carried.aval.shape or not is_integer(carried.aval):
        return None
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "add" and eqn.outvars[0] is result:
            for this, other in (eqn.invars, eqn.invars[::-1]):
                if this is carried and isinstance(other, jax_core.Literal):
                    return int(other.val)
    return None


def _without_steps(body: Any, invars: Sequence[Any], counters: Sequence[int]) -> Any:
    """Drops the sums that only step the carried counters, as the index of the loop counts.

    JAX puts them first in the body. What the author computes, such as the same sum, would move there with them.
    """
    read = {var for eqn in body.eqns for var in eqn.invars if not isinstance(var, jax_core.Literal)}
    outvars = list(body.outvars)
    for i in counters:
        if outvars[i] not in read and outvars.count(outvars[i]) == 1:
            outvars[i] = invars[i]
    kept = {var for var in outvars if not isinstance(var, jax_core.Literal)}
    dropped = {body.outvars[i] for i in counters} - kept - read
    eqns = [eqn for eqn in body.eqns if dropped.isdisjoint(eqn.outvars)]
    return body.replace(eqns=eqns, outvars=outvars)


def _trip_count(cond: Any, body: Any, num_cond: int, num_body: int) -> tuple[int, Any] | None:
    """Reads `while i < n: ...; i += 1` out of a while loop: the number of i in the carry, and the atom n.

    The atom is a literal, or an invar of the condition: a constant, or a carried value that the body leaves alone.
    """
    if len(cond.eqns) != 1 or cond.eqns[0].primitive.name != "lt" or cond.eqns[0].outvars[0] is not cond.outvars[0]:
        return None
    counter, bound = cond.eqns[0].invars
    numbers = {var: i for i, var in enumerate(cond.invars)}
    if isinstance(counter, jax_core.Literal) or numbers.get(counter, -1) < num_cond or is_unsigned(counter.aval):
        return None
    number = numbers[counter] - num_cond
    if _counter_step(body, body.invars[num_body + number], body.outvars[number]) != 1:
        return None
    if not isinstance(bound, jax_core.Literal) and numbers[bound] >= num_cond:
        carried = numbers[bound] - num_cond
        if body.outvars[carried] is not body.invars[num_body + carried]:
            return None
    return number, bound


@rule("while")
def _while(
    ctx: RuleContext,
    *values: ir.Value,
    cond_jaxpr: Any,
    cond_nconsts: int,
    body_jaxpr: Any,
    body_nconsts: int,
) -> list[ir.Value]:
    cond_values = list(values[:cond_nconsts])
    body_values = list(values[cond_nconsts : cond_nconsts + body_nconsts])
    carry = list(values[cond_nconsts + body_nconsts :])
    cond, cond_consts = open_jaxpr(cond_jaxpr)
    body, body_consts = open_jaxpr(body_jaxpr)

    counted = _trip_count(cond, body, cond_nconsts, body_nconsts)
    if counted is not None:
        number, bound = counted
        if isinstance(bound, jax_core.Literal):
            high = emit.constant(bound.val, carry[number].type)
        else:
            high = [*cond_values, *carry][list(cond.invars).index(bound)]
        return _counted_loop(ctx, body, body_consts, body_values, carry, number, high)

    types = [x.type for x in carry]
    loop = emit.op("scf.while", carry, types, regions=2)
    locations = [ir.Location.current] * len(types)
    before = loop.regions[0].blocks.append(*types, arg_locs=locations)
    with ir.InsertionPoint(before):
        (condition,) = ctx.inline(cond, cond_consts, [*cond_values, *before.arguments])
        emit.op("scf.condition", [condition, *before.arguments], [])
    after = loop.regions[1].blocks.append(*types, arg_locs=locations)
    with ir.InsertionPoint(after):
        emit.op("scf.yield", ctx.inline(body, body_consts, [*body_values, *after.arguments]), [])
    return list(loop.results)


def _counted_loop(
    ctx: RuleContext,
    body: Any,
    consts: Sequence[Any],
    values: Sequence[ir.Value],
    carry: Sequence[ir.Value],
    number: int,
    high: ir.Value,
) -> list[ir.Value]:
    """`scf.for` over a carried counter; values that the body does not change are not carried."""
    low = carry[number]
    invars = body.invars[len(values) :]
    kept = [i for i, var in enumerate(invars) if i != number and body.outvars[i] is not var]
    body = _without_steps(body, invars, [number])

    def iteration(counter: ir.Value, *carried: ir.Value) -> list[ir.Value]:
        current = list(carry)
        current[number] = counter
        for i, value in zip(kept, carried, strict=True):
            current[i] = value
        following = ctx.inline(body, consts, [*values, *current])
        return [following[i] for i in kept]

    results = emit.for_loop(low, high, emit.constant(1, low.type), [carry[i] for i in kept], iteration)
    final = list(carry)
    final[number] = emit.binary("arith.maxsi", low, high) if ctx.is_used(number) else low
    for i, value in zip(kept, results, strict=True):
        final[i] = value
    return final


# A loop with a request for complete unrolling is unrolled up to this length.
_LONGEST_UNROLL = 64


@rule("scan", ignores={"ft_out": ANY})
def _scan(
    ctx: RuleContext,
    *values: ir.Value,
    jaxpr: Any,
    length: int,
    reverse: bool,
    ft_in: Any,
    unroll: Any,
) -> list[ir.Value]:
    """Carries that count are computed from the loop's index; each `ys` is a tensor that the loop fills."""
    num_consts, num_carry, _ = map(len, ft_in.unpack())
    body, body_consts = open_jaxpr(jaxpr)
    consts, carry, xs = (
        list(values[:num_consts]),
        list(values[num_consts : num_consts + num_carry]),
        list(values[num_consts + num_carry :]),
    )
    invars = body.invars[num_consts : num_consts + num_carry]
    steps = [_counter_step(body, var, out) for var, out in zip(invars, body.outvars, strict=False)]
    kept = [i for i in range(num_carry) if steps[i] is None and body.outvars[i] is not invars[i]]
    body = _without_steps(body, invars, [i for i, step in enumerate(steps) if step is not None])
    ys_avals = ctx.avals_out[num_carry:]
    ys = [emit.empty(ctx.types.tensor(aval)) for aval in ys_avals]

    def iteration(count: ir.Value, *state: ir.Value) -> list[ir.Value]:
        current = list(carry)
        for i, step in enumerate(steps):
            if step is not None:
                current[i] = _count(carry[i], count, step)
        for i, value in zip(kept, state[: len(kept)], strict=True):
            current[i] = value
        index = emit.binary("arith.subi", emit.index(length - 1), count) if reverse else count
        slices = [_take(x, index) for x in xs]
        results = ctx.inline(body, body_consts, [*consts, *current, *slices])
        filled = [_put(y, into, index) for y, into in zip(results[num_carry:], state[len(kept) :], strict=True)]
        return [*(results[i] for i in kept), *filled]

    state = [*(carry[i] for i in kept), *ys]
    # To JAX 0 means the whole loop, as True does.
    if unroll is True or unroll == 0 or (unroll >= length and length <= _LONGEST_UNROLL):
        for count in range(length):
            state = iteration(emit.index(count), *state)
    else:
        state = emit.for_loop(emit.index(0), emit.index(length), emit.index(1), state, iteration)
    final = list(carry)
    for i, step in enumerate(steps):
        if step is not None:
            final[i] = _add(carry[i], emit.constant(step * length, carry[i].type))
    for i, value in zip(kept, state[: len(kept)], strict=True):
        final[i] = value
    return [*final, *state[len(kept) :]]


def _is_zero(x: ir.Value) -> bool:
    attribute = emit.constant_attr(x)
    return attribute is not None and ir.IntegerAttr(attribute).value == 0


def _add(x: ir.Value, y: ir.Value) -> ir.Value:
    return y if _is_zero(x) else emit.binary("arith.addi", x, y)


def _count(start: ir.Value, count: ir.Value, step: int) -> ir.Value:
    """start + count * step."""
    number = emit.value("arith.index_cast", [count], start.type)
    if step != 1:
        number = emit.binary("arith.muli", number, emit.constant(step, start.type))
    return _add(start, number)


def _take(x: ir.Value, index: ir.Value) -> ir.Value:
    """The slice of `x` at `index` of its first dimension."""
    shape = emit.shape_of(x)
    if len(shape) == 1:
        return emit.extract(x, [index])
    return emit.extract_slice(x, [index, *[0] * (len(shape) - 1)], [1, *shape[1:]], shape=shape[1:])


def _put(y: ir.Value, into: ir.Value, index: ir.Value) -> ir.Value:
    shape = emit.shape_of(into)
    if len(shape) == 1:
        return emit.insert(y, into, [index])
    return emit.insert_slice(y, into, [index, *[0] * (len(shape) - 1)], sizes=[1, *shape[1:]])
