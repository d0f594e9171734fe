# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python functions that kernels call, each known by an identity that no other process has."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

from gridir.mlir._mlir_libs import _gridirCPU as native

_lock = threading.Lock()
_identities: dict[int, str] = {}
_functions: dict[str, Callable[..., Any]] = {}
_gathering: set[str] = set()


def identity_of(function: Callable[..., Any], *, gathers: bool = False) -> str:
    """Returns the identity by which kernels call the function, which stays known in this process.

    Args:
      function: is called with the values of one call, as arrays.
      gathers: the function is called once for each call of a kernel that has called it, with a list: for each time the
        nanoseconds of a clock, and the values.
    """
    with _lock:
        # The functions are kept alive, so that their addresses are unique.
        identity = _identities.get(id(function))
        if identity is None:
            identity = _identities[id(function)] = uuid.uuid4().hex
            _functions[identity] = function
            if gathers:
                _gathering.add(identity)
            native.add_callback(identity)
    return identity


def gathers(identity: str) -> bool:
    """True if the function of an identity processes all of its calls together."""
    return identity in _gathering


def function_of(identity: str) -> Callable[..., Any]:
    """Returns the function of an identity. A kernel with one that this process does not know is not loaded."""
    return _functions[identity]
