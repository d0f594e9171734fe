# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The call of an author's reference, which need not be a function that JAX can trace."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np


def prepare_reference(function: Callable[..., Any], args: Sequence[Any]) -> Callable[[], Any]:
    """Returns the call of a reference: of one compiled program, or of Python where JAX cannot trace the function.

    A reference may use NumPy, and may loop or branch on the numbers of its arguments.

    Args:
      function: the reference. Called as Python, it gets copies of the arrays of NumPy, which it may change.
      args: its arguments.
    """
    jitted = jax.jit(function)

    def call_as_python() -> Any:
        return function(*jax.tree.map(lambda x: x.copy() if isinstance(x, np.ndarray) else x, tuple(args)))

    try:
        jax.block_until_ready(jitted(*args))
    except Exception:  # Of any class: NumPy and Python raise what they like for a tracer.
        return call_as_python
    return functools.partial(jitted, *args)
