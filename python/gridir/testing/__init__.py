# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools for tests of kernels: JAX's interpret mode as the reference, and the comparison with it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from gridir.frontend.capture.install import interpreting_mosaic
from gridir.frontend.compat import jax_lowering
from gridir.testing.comparison import Comparison, Errors, compare, difference, differences
from gridir.testing.reference import prepare_reference
from gridir.testing.wide import WideRun, run_wide

__all__ = [
    "Comparison",
    "Errors",
    "WideRun",
    "compare",
    "difference",
    "differences",
    "interpreted",
    "mosaic_interpreted",
    "prepare_reference",
    "run_wide",
]


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Makes every `pl.pallas_call` that this thread traces inside run in JAX's interpret mode, also in code of others.

    The mode is part of JAX's key for functions, so a function that was compiled before is traced again.

    Example:
      >>> with interpreted():
      ...     want = add(x, y)
    """
    with jax_lowering.interpreting():
        yield


@contextlib.contextmanager
def mosaic_interpreted() -> Iterator[None]:
    """Makes every kernel that this thread traces inside run as it would be handed to libtpu, by an interpreter.

    The kernel is lowered for a TPU; the module that runs on the CPU is the one for libtpu. The interpreter is
    strict: memory that nothing has written is NaN, accesses out of bounds and semaphores left unpaired are errors.

    Example:
      >>> with mosaic_interpreted():
      ...     got = add(x, y)
    """
    with interpreting_mosaic():
        yield
