# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results in force, and how their problems are found."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax

if TYPE_CHECKING:
    from gridir.tuning.results import TuningResult


class _State(threading.local):
    def __init__(self) -> None:
        self.results: list[TuningResult] = []


_state = _State()


def push(result: TuningResult) -> None:
    """Activates a result on this thread, with precedence over active ones."""
    _state.results.append(result)


def pop(result: TuningResult) -> None:
    """Deactivates the last active result."""
    assert _state.results.pop() is result


def name_of(function: Callable[..., Any]) -> str:
    """Returns the module and the name of a function."""
    inner = inspect.unwrap(function)
    while isinstance(inner, functools.partial):
        inner = inner.func
    return f"{inner.__module__}.{getattr(inner, '__qualname__', type(inner).__name__)}"


def signature_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Returns the types of a function's arguments as text; other arguments are shown by value.

    The text is the same for an argument that is given by position or by name, and for a default that is given or not.
    """
    args, kwargs = _canonical(function, args, kwargs)

    def show(value: Any) -> str:
        aval = value if hasattr(value, "shape") and hasattr(value, "dtype") else None
        if aval is None:
            return repr(value)
        return f"{aval.dtype}[{','.join(map(str, aval.shape))}]"

    shown = [jax.tree.map(show, value, is_leaf=lambda x: x is None) for value in args]
    named = [f"{key}={jax.tree.map(show, value, is_leaf=lambda x: x is None)}" for key, value in kwargs.items()]
    return ", ".join([*map(str, shown), *named])


def _canonical(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments without those that are the defaults, by position as far as possible."""
    try:
        signature = inspect.signature(function)
        bound = signature.bind_partial(*args, **kwargs)
    except (TypeError, ValueError):
        return args, kwargs  # A function that is not written in Python may have no signature.
    for name, value in list(bound.arguments.items()):
        default = signature.parameters[name].default
        if isinstance(value, bool | int | float | str | None) and type(value) is type(default) and value == default:
            del bound.arguments[name]
    return bound.args, bound.kwargs


def supplied(function: Callable[..., Any], signature: str, target: str | None) -> dict[str, Any] | None:
    """Returns the best keyword arguments of the results in force; None where none has the problem."""
    for result in reversed(_state.results):
        problem = result.find(name_of(function), signature, target)
        if problem is not None:
            return problem.keywords()
    return None
