# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one table of lowering rules, with at most one rule for each primitive.

There are three kinds of rule, and which one it is can be seen where it is registered:

- a row of `table(...)`, for what one upstream op says;
- `@decomposition(...)`, for what JAX says in simpler primitives: a function of arrays, traced once per signature and
  walked like any other jaxpr;
- `@rule(...)`, for the rest: a function from MLIR values to MLIR values.

A rule knows each parameter of its primitive: it reads those that its function names, and ignores those that it is
registered to ignore. Every other one, as another JAX may have, is an error.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import jax

from gridir.frontend import jax_compat

if TYPE_CHECKING:
    from gridir.frontend.context import RuleContext

Function = Callable[..., Any]
"""What lowers one equation: `(ctx, *values, **params) -> value or values`."""

F = TypeVar("F", bound=Function)

ANY: Any = object()
"""Stands for every value of a parameter that has no meaning in a kernel."""

Ignored = Mapping[str, Any]
"""Parameters that a rule does not read: for each the value that it must have, or ANY."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """How a primitive is lowered, and which of its parameters that knows of.

    Attributes:
      function: lowers an equation. Its keyword parameters are those of the primitive that it reads.
      ignores: the other parameters that the primitive may have.
    """

    function: Function
    ignores: Ignored

    @functools.cached_property
    def _reads(self) -> dict[str, bool]:
        """The parameters that the function is given, and whether it needs them."""
        return {
            name: parameter.default is parameter.empty
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    def __call__(self, ctx: RuleContext, *values: Any, **params: Any) -> Any:
        """Lowers an equation with these parameters.

        Raises:
          UnsupportedError: for a parameter that the rule knows nothing of, or whose value it cannot ignore, and for one
            that it reads and is not there.
        """
        reads = self._reads
        given = {}
        for name, value in params.items():
            if name in reads:
                given[name] = value
            elif name not in self.ignores:
                known = ", ".join(f"`{known}`" for known in (*reads, *self.ignores)) or "none"
                raise ctx.unsupported(f"expected parameters that gridir knows ({known}), got `{name}={value}`")
            elif self.ignores[name] is not ANY and value != self.ignores[name]:
                raise ctx.unsupported(f"expected `{name}={self.ignores[name]}`, got `{name}={value}`")
        for name, is_needed in reads.items():
            if is_needed and name not in given:
                raise ctx.unsupported(f"expected a parameter `{name}`, got {', '.join(params) or 'none'}")
        return self.function(ctx, *values, **given)


_RULES: dict[str, Rule] = {}


def register(primitive: str, function: Function, ignores: Ignored = MappingProxyType({})) -> None:
    """Makes a function the rule of the primitive with that name.

    Raises:
      ValueError: the primitive has a rule, or the function takes parameters without naming them.
    """
    if primitive in _RULES:
        raise ValueError(f"expected one rule for primitive `{primitive}`, got a second one")
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in inspect.signature(function).parameters.values()):
        raise ValueError(f"expected a rule for primitive `{primitive}` that names the parameters which it reads")
    _RULES[primitive] = Rule(function, ignores)


def rule(*primitives: str, ignores: Ignored = MappingProxyType({})) -> Callable[[F], F]:
    """Registers a function `(ctx, *values, **params) -> value or values` for each of the primitives."""

    def decorator(function: F) -> F:
        for primitive in primitives:
            register(primitive, function, ignores)
        return function

    return decorator


def table(
    rows: Mapping[str, Any], make_rule: Callable[[Any], Function], ignores: Ignored = MappingProxyType({})
) -> None:
    """Registers `make_rule(row)` for the primitive that each row names."""
    for primitive, row in rows.items():
        register(primitive, make_rule(row), ignores)


def decomposition(*primitives: str, ignores: Ignored = MappingProxyType({})) -> Callable[[F], F]:
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
            register(primitive, lowering, ignores)
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
        families.setdefault(_RULES[primitive].function.__module__.rpartition(".")[2], []).append(primitive)
    return {family: tuple(families[family]) for family in sorted(families)}
