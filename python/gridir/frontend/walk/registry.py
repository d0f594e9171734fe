# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering rules in tables by level, with at most one rule for each primitive of a level.

The base level has the rules of every kernel; `levels` has the overlays. There are three kinds of rule, visible in their
registration:

- a row of `table(...)`, for a primitive that is one upstream op;
- `@decomposition(...)`, for a primitive that JAX expresses by simpler ones: a function of arrays, traced once per
  signature and walked like any other jaxpr;
- `@rule(...)`, for the rest: a function from MLIR values to MLIR values.

A rule knows each parameter of its primitive: it reads those that its function names, and ignores those that its
registration lists. Every other one, as another JAX may have, is an error.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import jax

from gridir.frontend.compat import jax_core
from gridir.frontend.walk.types import Types

if TYPE_CHECKING:
    from gridir.frontend.walk.context import RuleContext

Function = Callable[..., Any]
"""The function that lowers one equation: `(ctx, *values, **params) -> value or values`."""

F = TypeVar("F", bound=Function)

_revision = 0


def revision() -> int:
    """Returns a number that changes with every registered rule, for caches of rules."""
    return _revision


ANY: Any = object()
"""Matches every value of a parameter without a meaning in kernels."""

Ignored = Mapping[str, Any]
"""Parameters that a rule does not read: for each the value that it must have, or ANY."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """How a primitive is lowered, and which of its parameters that knows of.

    Attributes:
      function: lowers an equation. Its keyword parameters are those of the primitive that it reads.
      ignores: the other parameters that the primitive may have.
      kind_inside: where a kernel of another kind is nested in the equation, as the code of single warps in that of a
        warpgroup: the level that the jaxprs among the parameters are walked with.
    """

    function: Function
    ignores: Ignored
    kind_inside: Level | None = None

    @functools.cached_property
    def _reads(self) -> dict[str, bool]:
        """The parameters that the function is given, and whether it needs them."""
        return {
            name: parameter.default is parameter.empty
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    @property
    def known(self) -> frozenset[str]:
        """The parameters of the primitive that the rule knows of."""
        return frozenset((*self._reads, *self.ignores))

    def __call__(self, ctx: RuleContext, *values: Any, **params: Any) -> Any:
        """Lowers an equation with these parameters.

        Raises:
          UnsupportedError: for a parameter that the rule knows nothing of, or whose value it cannot ignore, and for one
            that it reads and is not there.
        """
        reads = self._reads
        if params.keys() == reads.keys():
            return self.function(ctx, *values, **params)
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


class Level:
    """One table of rules, and the types that values and Refs have for them.

    A level lies over `below`, if over any: a rule for a primitive that `below` has as well overrides that one, and says
    that it is meant to.

    Attributes:
      name: the name of its kernels in documentation and errors.
      below: the level that is searched next for a rule, or None.
      types: how abstract values become MLIR types.
    """

    def __init__(self, name: str, below: Level | None = None, types: Types | None = None):
        self.name = name
        self.below = below
        self.types = types or (below.types if below else Types())
        self._rules: dict[str, Rule] = {}

    def find(self, primitive: str) -> Rule | None:
        """The rule of a primitive at this level, or None when it has none."""
        return self._rules.get(primitive)

    def supported(self) -> tuple[str, ...]:
        """The names of all primitives that have a rule at this level, sorted."""
        return tuple(sorted(self._rules))

    def by_family(self) -> dict[str, tuple[str, ...]]:
        """The names of all primitives that have a rule at this level, by the file of `rules` that holds it."""
        families: dict[str, list[str]] = {}
        for primitive in self.supported():
            families.setdefault(self._rules[primitive].function.__module__.rpartition(".")[2], []).append(primitive)
        return {family: tuple(families[family]) for family in sorted(families)}

    def register(
        self,
        primitive: str,
        function: Function,
        ignores: Ignored = MappingProxyType({}),
        *,
        overrides: bool = False,
        kind_inside: Level | None = None,
    ) -> None:
        """Makes a function the rule of the primitive with that name.

        Raises:
          ValueError: this level has a rule for the primitive, the level below has one and the rule does not say that it
            overrides it, or says so if there is none; or the function takes parameters without naming them.
        """
        if primitive in self._rules:
            raise ValueError(f"expected one rule for primitive `{primitive}` at level {self.name}, got a second one")
        if overrides != (self.below is not None and self.below.find(primitive) is not None):
            expected = "one to override" if overrides else "none, or `overrides=True`"
            raise ValueError(f"expected {expected} below the rule for primitive `{primitive}` at level {self.name}")
        parameters = inspect.signature(function).parameters.values()
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            raise ValueError(f"expected a rule for primitive `{primitive}` that names the parameters which it reads")
        self._rules[primitive] = Rule(function, ignores, kind_inside)
        global _revision
        _revision += 1

    def rule(self, *primitives: str, **options: Any) -> Callable[[F], F]:
        """Registers a function `(ctx, *values, **params) -> value or values` for each of the primitives.

        Args:
          primitives: their names.
          options: as `register` takes them.
        """

        def decorator(function: F) -> F:
            for primitive in primitives:
                self.register(primitive, function, **options)
            return function

        return decorator

    def table(self, rows: Mapping[str, Any], make_rule: Callable[[Any], Function], **options: Any) -> None:
        """Registers `make_rule(row)` for the primitive that each row names."""
        for primitive, row in rows.items():
            self.register(primitive, make_rule(row), **options)

    def decomposition(self, *primitives: str, **options: Any) -> Callable[[F], F]:
        """Registers a function of arrays, `(*arrays, **params) -> array or arrays`, for each of the primitives."""

        def decorator(function: F) -> F:
            @functools.lru_cache(maxsize=512)
            def trace(avals: tuple[Any, ...], params: tuple[tuple[str, Any], ...], state: Hashable) -> Any:
                del state  # JAX's tracing depends on it.
                return jax.make_jaxpr(functools.partial(function, **dict(params)))(*avals)

            @functools.wraps(function)
            def lowering(ctx: RuleContext, *values: Any, **params: Any) -> Any:
                avals = tuple(map(_as_argument, ctx.avals_in))
                closed = trace(avals, tuple(sorted(params.items())), ctx.kernel.tracing_state)
                return ctx.decompose(closed.jaxpr, closed.consts, values)

            self.rule(*primitives, **options)(lowering)
            return function

        return decorator


BASE = Level("base")
"""The rule set of JAX's own primitives, those of Refs and those of every backend of Pallas."""

rule, table, decomposition = BASE.rule, BASE.table, BASE.decomposition


def _as_argument(aval: Any) -> jax.ShapeDtypeStruct:
    """Returns the argument with which a function is traced for a value; for random keys the array of their words."""
    physical = jax_core.physical_aval(aval)
    return jax.ShapeDtypeStruct(physical.shape, physical.dtype)


def traced(ctx: RuleContext, function: Callable[..., Any], values: Sequence[Any], keys: bool = False) -> list[Any]:
    """Traces a function of arrays for the equation's operands and emits its equations: for one that cannot be kept.

    With `keys` it is given random keys as they are, else the arrays of their words.
    """
    closed = jax.make_jaxpr(function)(*(ctx.avals_in if keys else map(_as_argument, ctx.avals_in)))
    return ctx.decompose(closed.jaxpr, closed.consts, values)
