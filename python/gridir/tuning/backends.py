# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of each kind of chip."""

from __future__ import annotations

from gridir.errors import OptionError
from gridir.runtime.chip_constants import Chip
from gridir.tuning.backend import Backend
from gridir.tuning.cache import Cache

LOWERINGS = ("gridir", "jax")
"""The lowerings of kernels for libtpu, and for GPUs: with JAX's own, Triton compiles them."""


def make_backend(chip: Chip, cache: Cache, *, jobs: int, timeout: float, lowering: str) -> Backend:
    """Returns the backend of a chip; the arguments are those of `gridir.tune`.

    Raises:
      OptionError: for an unknown lowering.
    """
    if lowering not in LOWERINGS:
        raise OptionError(f"expected a lowering among {', '.join(LOWERINGS)}, got {lowering!r}")
    if chip.kind == "tpu":
        from gridir.tuning.tpu import TpuBackend

        return TpuBackend(chip, cache, jobs=jobs, timeout=timeout, lowering=lowering)
    if chip.kind == "gpu":
        from gridir.tuning.gpu import GpuBackend

        return GpuBackend(chip, cache, jobs=jobs, timeout=timeout, lowering=lowering)
    from gridir.tuning.cpu import CpuBackend

    return CpuBackend(chip, cache)
