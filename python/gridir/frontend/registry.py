# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one table of lowering rules, with at most one rule for each primitive.

There are three kinds of rule, and which one it is can be seen where it is registered:

- a row of `table(...)`, for what one upstream op says;
- `@decomposition(...)`, for what JAX says in simpler primitives: a function of arrays, traced once per signature and
  walked like any other jaxpr;
- `@rule(...)`, for the rest: a function from MLIR values to MLIR values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import jax

from gridir.frontend import jax_compat

if TYPE_CHECKING:
    from gridir.frontend.context import RuleContext

Rule = Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])

_RULES: dict[str, Rule] = {}


def register(primitive: str, lowering: Rule) -> None:
    """Makes `lowering` the rule of the primitive with that name.

    Raises:
      ValueError: the primitive has a rule.
    """
    if primitive in _RULES:
        raise ValueError(f"expected one rule for primitive `{primitive}`, got a second one")
    _RULES[primitive] = lowering


def rule(*primitives: str) -> Callable[[F], F]:
    """Registers a function `(ctx, *values, **params) -> value or values` for each of the primitives."""

    def decorator(function: F) -> F:
        for primitive in primitives:
            register(primitive, function)
        return function

    return decorator


def table(rows: Mapping[str, Any], make_rule: Callable[[Any], Rule]) -> None:
    """Registers `make_rule(row)` for the primitive that each row names."""
    for primitive, row in rows.items():
        register(primitive, make_rule(row))


def decomposition(*primitives: str) -> Callable[[F], F]:
    """Registers a function of arrays, `(*arrays, **params) -> array or arrays`, for each of the primitives."""

    def decorator(function: F) -> F:
        @functools.lru_cache(maxsize=512)
        def trace(avals: tuple[Any, ...], params: tuple[tuple[str, Any], ...], state: Hashable) -> Any:
            del state  # What JAX traces depends on it.
            return jax.make_jaxpr(functools.partial(function, **dict(params)))(*avals)

        @functools.wraps(function)
        def lowering(ctx: RuleContext, *values: Any, **params: Any) -> Any:
            avals = tuple(map(_as_argument, ctx.avals_in))
            closed = trace(avals, tuple(sorted(params.items())), ctx.kernel.state)
            return ctx.decompose(closed.jaxpr, closed.consts, values)

        for primitive in primitives:
            register(primitive, lowering)
        return function

    return decorator


def _as_argument(aval: Any) -> jax.ShapeDtypeStruct:
    """What a function is traced with for a value; for random keys that is the array of their words."""
    physical = jax_compat.physical_aval(aval)
    return jax.ShapeDtypeStruct(physical.shape, physical.dtype)


def traced(ctx: RuleContext, function: Callable[..., Any], values: Sequence[Any], keys: bool = False) -> list[Any]:
    """Traces a function of arrays for the equation's operands and emits its equations: for one that cannot be kept.

    With `keys` it is given random keys as they are, else the arrays of their words.
    """
    closed = jax.make_jaxpr(function)(*(ctx.avals_in if keys else map(_as_argument, ctx.avals_in)))
    return ctx.decompose(closed.jaxpr, closed.consts, values)


def find(primitive: str) -> Rule | None:
    """The rule of a primitive, or None when it has none."""
    return _RULES.get(primitive)


def supported() -> tuple[str, ...]:
    """The names of all primitives that have a rule, sorted."""
    return tuple(sorted(_RULES))


def by_family() -> dict[str, tuple[str, ...]]:
    """The names of all primitives that have a rule, by the file of `rules` that holds it."""
    families: dict[str, list[str]] = {}
    for primitive in supported():
        families.setdefault(_RULES[primitive].__module__.rpartition(".")[2], []).append(primitive)
    return {family: tuple(families[family]) for family in sorted(families)}
