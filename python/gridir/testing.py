# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of kernels need: JAX's interpret mode as the reference, and tolerances by dtype."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from gridir.frontend import jax_compat
from gridir.frontend.install import interpreting_mosaic

# How far two computations of one value may be apart, relative to the value or to the median magnitude in the array.
_TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "bfloat16": 2e-2, "float16": 2e-3}


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Makes every `pl.pallas_call` that this thread traces inside run in JAX's interpret mode, also in code of others.

    The mode is part of what JAX remembers functions by, so a function that was compiled before is traced again.

    Example:
      >>> with interpreted():
      ...     want = add(x, y)
    """
    with jax_compat.interpreting():
        yield


@contextlib.contextmanager
def mosaic_interpreted() -> Iterator[None]:
    """Makes every kernel that this thread traces inside run as it would be handed to libtpu, by an interpreter.

    The kernel is lowered for a TPU; what runs on the CPU is the very module that libtpu is given. The interpreter is
    strict: memory that nothing has written is NaN, accesses out of bounds and semaphores left unpaired are errors.

    Example:
      >>> with mosaic_interpreted():
      ...     got = add(x, y)
    """
    with interpreting_mosaic():
        yield


def difference(got: Any, want: Any, tolerance: float | None = None) -> str | None:
    """Compares two arrays; integers and bools must be equal, floats close, and NaNs in the same places.

    Args:
      got: the array to test.
      want: the array that it should be.
      tolerance: how far floats may be apart, relative to `want`; a default for the dtype when None.

    Returns:
      What differs most, or None when nothing does.
    """
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"expected {want.dtype}{list(want.shape)}, got {got.dtype}{list(got.shape)}"
    if not jnp.issubdtype(want.dtype, np.floating):
        apart = np.asarray(got != want)
    else:
        limit = _TOLERANCES.get(want.dtype.name, 0.13) if tolerance is None else tolerance
        wide_got, wide_want = got.astype(np.float64), want.astype(np.float64)
        magnitudes = np.abs(wide_want[np.isfinite(wide_want)])
        scale = float(np.median(magnitudes)) if magnitudes.size else 0.0
        apart = ~np.isclose(wide_got, wide_want, rtol=limit, atol=limit * scale, equal_nan=True)
    if not apart.any():
        return None
    place = tuple(int(i[0]) for i in np.nonzero(apart)) if apart.ndim else ()
    return f"{int(apart.sum())} of {apart.size} elements differ, at {place} expected {want[place]}, got {got[place]}"
