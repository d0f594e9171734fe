# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index maps: from their jaxprs to the regions of a `grid.kernel`; `rebuild_index_maps` goes the other way.

The rules of `rules/index_maps.py` write the map as its author did. The pass `grid-canonicalize-index-maps` converts it
to an affine map if there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jax import tree_util

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import primitive_name
from gridir.frontend.walk.context import KernelContext, WalkState
from gridir.frontend.walk.levels import INDEX_MAP, vocabulary_of
from gridir.frontend.walk.types import is_bool, is_integer, is_ref
from gridir.frontend.walk.walker import nested_jaxprs, walk
from gridir.mlir import ir


def context(kernel_name: str, rank: int, vmapped: Sequence[int] = ()) -> KernelContext:
    """Returns the context that the equations of a kernel's index maps share.

    Args:
      kernel_name: for errors.
      rank: the rank of the whole grid.
      vmapped: the dimensions of it that come from vmap, which the author does not count.
    """
    axes = tuple(i for i in range(rank) if i not in vmapped)
    return KernelContext(kernel_name, walk, WalkState(vocabulary_of(INDEX_MAP)), axes)


def write(kernel: KernelContext, closed_jaxpr: Any, arguments: Sequence[ir.Value], operand: str) -> list[ir.Value]:
    """Emits an index map at the insertion point.

    Args:
      kernel: the result of `context`.
      closed_jaxpr: the map.
      arguments: the program ids, i32 values, and the index operands, Refs.
      operand: the operand that the map is for, for errors.

    Returns:
      The values of the jaxpr's results.

    Raises:
      UnsupportedError: naming everything that an index map cannot say, and the operand.
    """
    _check(closed_jaxpr.jaxpr, operand)
    return walk(kernel, closed_jaxpr.jaxpr, closed_jaxpr.consts, arguments)


def _check(jaxpr: Any, operand: str) -> None:
    # For each reason the primitives that it holds for, with their first equation.
    found: dict[str, dict[str, Any]] = {}
    for why, name, eqn in _missing(jaxpr):
        found.setdefault(why, {}).setdefault(name, eqn)
    if not found:
        return
    equations = [eqn for names in found.values() for eqn in names.values() if eqn is not None]
    frames = [jax_core.user_frame(eqn.source_info) for eqn in equations]
    reasons = (f"{', '.join(names)} ({why})" for why, names in found.items())
    raise UnsupportedError(
        f"expected the index map of {operand} to compute with scalar integers, got " + "; ".join(reasons),
        frames=[frame for frame in frames if frame][:1],
        notes=["compute it before the call and pass the result as an index operand (scalar prefetch)"],
    )


def _missing(jaxpr: Any) -> Iterator[tuple[str, str, Any]]:
    """Yields features that an index map does not support: the reason, the name of a primitive, and its equation, or
    None for a captured value.
    """
    for var in jaxpr.constvars:
        if not _is_number(var.aval):
            yield f"captures {_text(var.aval)}", "a constant", None
    for eqn in jaxpr.eqns:
        name = primitive_name(eqn.primitive)
        nested = nested_jaxprs(eqn)
        if INDEX_MAP.find(name) is not None and nested:
            for inner in nested:
                yield from _missing(inner)
        elif (why := _reason(eqn, name)) is not None:
            yield why, name, eqn


def _reason(eqn: Any, name: str) -> str | None:
    """The reason why an equation without nested equations is not allowed in an index map; None if it is allowed."""
    avals = [var.aval for var in eqn.invars]
    if name == "check" and eqn.params["debug"] and not jax_core.debug_checks_enabled():
        return None
    if not eqn.outvars:
        return "gives nothing"
    for var in eqn.outvars:
        if not _is_number(var.aval):
            return f"gives {_text(var.aval)}"
    if name == "get":
        return None if _reads_elements(eqn) else "reads a view of an index operand"
    if any(map(is_ref, avals)):
        return "takes a Ref"
    if INDEX_MAP.find(name) is None:
        return "has no meaning here"
    return next((f"takes {_text(aval)}" for aval in avals if not _is_number(aval)), None)


def _is_number(aval: Any) -> bool:
    """True if an abstract value is one integer or bool."""
    return not is_ref(aval) and hasattr(aval, "dtype") and (is_integer(aval) or is_bool(aval)) and aval.size == 1


def _text(aval: Any) -> str:
    return str(aval.str_short()) if hasattr(aval, "str_short") else str(aval)


def _reads_elements(eqn: Any) -> bool:
    """True if a load indexes elements with at most one array of indices."""
    transforms = tree_util.tree_unflatten(eqn.params["tree"], eqn.invars[1:])
    return len(transforms) <= 1 and all(isinstance(transform, jax_core.NDIndexer) for transform in transforms)
