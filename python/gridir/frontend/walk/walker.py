# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One walk over a jaxpr, for kernel bodies, index maps, nested functions and decompositions alike."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from gridir import emit
from gridir.errors import Frame, UnsupportedError
from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import canonical, primitive_name
from gridir.frontend.rules import scopes
from gridir.frontend.walk import registry
from gridir.frontend.walk.context import KernelContext, RuleContext
from gridir.frontend.walk.levels import Vocabulary
from gridir.frontend.walk.types import RefUnion, is_ref
from gridir.mlir import ir


def walk(kernel: KernelContext, jaxpr: Any, consts: Sequence[Any], args: Sequence[ir.Value]) -> list[ir.Value]:
    """Emits the equations of a jaxpr at the current insertion point.

    Args:
      kernel: the kernel that the jaxpr is a part of.
      jaxpr: the jaxpr; all its primitives have rules (`check_supported`).
      consts: a value or a NumPy array for each constvar.
      args: a value for each invar; a memref for a Ref.

    Returns:
      One value for each outvar.
    """
    made = scopes.allocations(jaxpr)
    if not made:
        return _walk(kernel, jaxpr, consts, args)

    def within(refs: list[ir.Value]) -> list[ir.Value]:
        kernel.state.allocated.update(zip(made, refs, strict=True))
        return _walk(kernel, jaxpr, consts, args)

    types = kernel.state.vocabulary.types
    return scopes.scoped(types, [var.aval for var in made], [var.aval for var in jaxpr.outvars], within)


def _walk(kernel: KernelContext, jaxpr: Any, consts: Sequence[Any], args: Sequence[ir.Value]) -> list[ir.Value]:
    env: dict[Any, ir.Value] = {}
    literals: dict[Any, ir.Value] = {}
    vocabulary = kernel.state.vocabulary
    skips_floats = vocabulary.skips_floats

    def read(atom: Any) -> ir.Value:
        if skips_floats and _is_float(atom.aval):
            return emit.constant(np.inf, vocabulary.types.value(atom.aval))
        if not isinstance(atom, jax_core.Literal):
            return env[atom]
        array, dtype = np.asarray(atom.val), atom.aval.dtype
        key = (dtype, array.shape, array.tobytes())
        if key not in literals:
            literals[key] = emit.array_constant(array, vocabulary.types.value(atom.aval))
            kernel.state.literals.append(literals[key])
        return literals[key]

    # Since JAX 0.12 the constants of a jaxpr that does not have their values are the first of its arguments.
    for var, given in zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True):
        is_value = isinstance(given, (ir.Value, RefUnion))
        env[var] = given if is_value else emit.array_constant(np.asarray(given), vocabulary.types.value(var.aval))
    if not jaxpr.eqns:
        # The fast path of most index maps.
        return [read(v) for v in jaxpr.outvars]
    used = frozenset(
        atom
        for atoms in (*(eqn.invars for eqn in jaxpr.eqns), jaxpr.outvars)
        for atom in atoms
        if not isinstance(atom, jax_core.Literal)
    )
    has_keys = any(jax_core.is_key(var.aval) for var in used)
    scopes_around: list[str] = []
    for eqn in jaxpr.eqns:
        if used.isdisjoint(eqn.outvars) and not _may_act(eqn):
            continue
        eqn = canonical(eqn)
        lowering = vocabulary.rule_of(eqn.primitive)
        source_info = kernel.source_info_of(eqn)
        ctx = RuleContext(kernel, eqn, used, source_info, vocabulary, _inside(vocabulary, lowering))
        with kernel.location(source_info):
            if kernel.profile is not None:
                entered = jax_core.scope_names(eqn.source_info)
                kernel.profile.move(kernel, scopes_around, entered)
                scopes_around = entered
            if lowering is None:
                raise ctx.unsupported("expected a primitive that has a lowering rule")
            if has_keys and _moves_keys(eqn):
                lowering = _on_words
            results = lowering(ctx, *map(read, eqn.invars), **eqn.params)
        if isinstance(results, ir.Value):
            env[eqn.outvars[0]] = results
        elif results is not None:
            env.update(zip(eqn.outvars, results, strict=True))
    if kernel.profile is not None:
        kernel.profile.move(kernel, scopes_around, [])
    return [read(v) for v in jaxpr.outvars]


def _may_act(eqn: Any) -> bool:
    """True if an equation may have effects besides its results.

    JAX does not list the effects of some equations without results, such as the steps of a pipeline, nor those of a
    loop around them.
    """
    if eqn.effects or not eqn.outvars:
        return True
    return any(not inner.outvars for jaxpr in nested_jaxprs(eqn) for inner in equations_of(jaxpr))


def _is_float(aval: Any) -> bool:
    return not is_ref(aval) and jnp.issubdtype(aval.dtype, jnp.floating)


def _inside(vocabulary: Vocabulary, rule: registry.Rule | None) -> Vocabulary:
    """Returns the rule set for the jaxprs of an equation with that rule."""
    return vocabulary if rule is None or rule.kind_inside is None else vocabulary.of_kind(rule.kind_inside)


def _moves_keys(eqn: Any) -> bool:
    """True if an equation moves random keys as it would move numbers."""
    avals = [v.aval for v in eqn.invars]
    if not any(map(jax_core.is_key, avals)) or eqn.primitive.name.startswith(("random_", "prng_")):
        return False
    if any(map(is_ref, avals)):
        # A Ref of keys holds words already.
        return False
    return not nested_jaxprs(eqn)


def _on_words(ctx: RuleContext, *values: ir.Value, **params: Any) -> list[ir.Value]:
    """Applies the equation's operation on keys to each word of a key; the words are the last dimension."""
    axes = [-1 if jax_core.is_key(aval) else None for aval in ctx.avals_in]
    each_word = jax.vmap(functools.partial(ctx.eqn.primitive.bind, **params), in_axes=axes, out_axes=-1)
    return registry.traced(ctx, each_word, values)


def erase_unused(kernel: KernelContext) -> None:
    """Erases the constants that no op has come to use."""
    for constant in kernel.state.literals:
        if next(iter(constant.uses), None) is None:
            constant.owner.erase()
    kernel.state.literals.clear()


# Most parameters are none of these, and an equation is asked several times.
_MAY_HOLD_JAXPRS = (core.Jaxpr, core.ClosedJaxpr, tuple, list)


def nested_jaxprs(eqn: Any) -> list[Any]:
    """The jaxprs in the parameters of an equation."""
    found: list[Any] = []

    def visit(params: Iterable[Any]) -> None:
        for param in params:
            if not isinstance(param, _MAY_HOLD_JAXPRS):
                continue
            if isinstance(param, (tuple, list)):
                visit(param)
            else:
                found.append(param.jaxpr if isinstance(param, core.ClosedJaxpr) else param)

    visit(eqn.params.values())
    return found


def _frame(path: Sequence[Any]) -> Frame | None:
    """The location of an equation in the author's file; where JAX has dropped that, the location of its caller."""
    return next(filter(None, (jax_core.user_frame(eqn.source_info) for eqn in reversed(path))), None)


def _survey(
    jaxpr: Any, vocabulary: Vocabulary, callers: tuple[Any, ...], missing: list[tuple[Any, ...]], shared: list[Any]
) -> None:
    """Finds every equation without a rule, as the last of those in which it is nested, and the findings of
    `check_supported`.

    One walk collects both, since it visits the whole kernel.
    """
    for eqn in jaxpr.eqns:
        rule = vocabulary.rule_of(eqn.primitive)
        if rule is None:
            missing.append((*callers, eqn))
        if eqn.primitive.name == "get_global":
            shared.append(eqn.outvars[0])
        for nested in nested_jaxprs(eqn):
            _survey(nested, _inside(vocabulary, rule), (*callers, eqn), missing, shared)


def equations_of(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr, each before those inside of it."""
    for eqn in jaxpr.eqns:
        yield eqn
        for nested in nested_jaxprs(eqn):
            yield from equations_of(nested)


def check_supported(name: str, bodies: Sequence[tuple[Any, Vocabulary]]) -> list[Any]:
    """Checks that every equation of a kernel has a rule.

    Args:
      name: the kernel's name.
      bodies: the jaxpr of each body, and its rule set.

    Returns:
      The variables that stand for Refs which outlive a program: the results of `pl.get_global`.

    Raises:
      UnsupportedError: names all primitives without a rule at once, with their parameters and lines.
    """
    paths: list[tuple[Any, ...]] = []
    shared: list[Any] = []
    for jaxpr, vocabulary in bodies:
        _survey(jaxpr, vocabulary, (), paths, shared)
    if not paths:
        return list(dict.fromkeys(shared))
    missing: dict[str, Any] = {}
    primitives: set[str] = set()
    for path in paths:
        eqn = path[-1]
        primitive = primitive_name(eqn.primitive)
        missing.setdefault(f"{primitive}[{_describe(eqn.params)}]", _frame(path))
        primitives.add(primitive)
    frames = list(missing.values())
    lines = [f"{text} at {frame}" if frame else text for text, frame in missing.items()]
    raise UnsupportedError(
        f"expected primitives that gridir can lower, got {', '.join(f'`{p}`' for p in sorted(primitives))}",
        kernel=name,
        frames=[frame for frame in frames if frame][:1],
        notes=[*lines, "docs/primitives.md lists the primitives that have a lowering rule"],
    )


def _describe(params: dict[str, Any]) -> str:
    """The parameters on one line; long ones are truncated."""
    texts = (f"{name}={value}".replace("\n", " ") for name, value in params.items() if value is not None)
    return " ".join(text if len(text) <= 60 else text[:57] + "..." for text in texts)
