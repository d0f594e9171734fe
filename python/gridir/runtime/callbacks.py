# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python functions that kernels call. A call is a print whose format names the function by its number."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_PREFIX = "gridir.callback "

_lock = threading.Lock()
_functions: list[Callable[..., Any]] = []


def format_of(function: Callable[..., Any]) -> str:
    """Returns what a print's format begins with to mean a call of the function, which stays known in this process."""
    with _lock:
        known = next((i for i, other in enumerate(_functions) if other is function), None)
        if known is None:
            known = len(_functions)
            _functions.append(function)
    return f"{_PREFIX}{known}:"


def function_of(text: str) -> Callable[..., Any] | None:
    """Returns the function that a print's format means, or None for a print.

    Raises:
      LookupError: when the kernel was lowered by another process, whose functions this one does not have.
    """
    if not text.startswith(_PREFIX):
        return None
    number = int(text[len(_PREFIX) :].partition(":")[0])
    if number >= len(_functions):
        raise LookupError("expected a kernel that this process has lowered, got a callback of another process")
    return _functions[number]
