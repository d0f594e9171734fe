# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `gpu` for kernels whose threads are warpgroups."""

from __future__ import annotations

import dataclasses
from typing import Any

from gridir.compiler.gpu import GpuOptions, GpuTarget
from gridir.compiler.target import Execution
from gridir.errors import UnsupportedError

_PIPELINE = "warpgroup-to-gpu"


def not_for_tpu(name: str, source: str = "") -> UnsupportedError:
    """The error of a kernel for warpgroups that is compiled for a TPU, which has none."""
    error = UnsupportedError(
        "expected a kernel for a TPU, got one for the warpgroups of a GPU, as Pallas' Mosaic GPU backend has them",
        kernel=name,
        notes=["compile it for a chip that has warpgroups, as gpu:sm_90a"],
    )
    error.source = source or None
    return error


@dataclasses.dataclass(frozen=True)
class WarpgroupTarget(GpuTarget):
    """Like `GpuTarget`, for kernels of Pallas' Mosaic GPU backend."""

    stages = ("grid", "layouts", "grid-planned", "gpu", "nvvm", "ptx")
    executions = (Execution("ptx", "by the executor of PTX on the CPU"),)

    def pipeline(self, options: Any, stop: str, start: str | None = None) -> str:
        """See `Target`; warpgroup kernels have a separate pipeline."""
        if options.has_stages:
            options = dataclasses.replace(options, pipeline=_PIPELINE)
        return super().pipeline(options, stop, start)

    def pipeline_options(self, options: GpuOptions) -> list[str]:
        """See `Target`; the kernel itself defines warps and memory."""
        return self.chip_options(options)
