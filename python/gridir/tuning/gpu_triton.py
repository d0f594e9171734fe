# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for Triton as JAX itself compiles them, for the compile tier of a GPU."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Protocol

from gridir.errors import Error
from gridir.frontend.capture.install import jax_alone
from gridir.frontend.compat.jax_gpu import is_mesh as is_gpu_mesh
from gridir.frontend.compat.jax_peer import lower_for_triton
from gridir.runtime.chip_constants import Chip
from gridir.runtime.ptxas import KernelReport, assemble
from gridir.runtime.triton import TritonKernel, Workers, kernels_of
from gridir.tuning.traced import Traced, reason_of

_BY_MOSAIC = "JAX compiles the kernels by Mosaic GPU, for which the lowering is 'gridir'"


class Assembled(Protocol):
    """A kernel that is lowered, and can be assembled."""

    def assemble(self, *, timeout: float) -> KernelReport:
        """Returns the resources and the code of the kernel; `timeout` is in seconds."""
        ...


class NoTritonError(Error):
    """JAX does not compile a kernel with Triton."""


@dataclasses.dataclass(frozen=True)
class _Kernel:
    kernel: TritonKernel
    chip: str
    workers: Workers

    def assemble(self, *, timeout: float) -> KernelReport:
        """See `Assembled`."""
        found = self.workers.compile(self.kernel)
        cubin = assemble(found["ptx"], self.chip, kernel=self.kernel.name, timeout=timeout)
        return KernelReport(
            self.kernel.name, cubin, math.prod(found["grid"]), found["threads"], found["shared_bytes"], 0
        )


class TritonCompiler:
    """JAX's compiler for Triton, in processes that start when they are needed."""

    def __init__(self, chip: Chip, *, jobs: int, timeout: float):
        """The arguments are those of `gridir.tune`."""
        self._chip = chip.name.partition(":")[2]
        self._workers = Workers(self._chip, chip.values, jobs=jobs, timeout=timeout)

    def lower(self, traced: Traced) -> list[Assembled]:
        """Returns the distinct kernels of a function as JAX lowers them, in order.

        Raises:
          NoTritonError: when JAX refuses a kernel, or compiles it by Mosaic GPU.
        """
        if any(is_gpu_mesh(call.request.mesh) for call in traced.calls.kernels):
            raise NoTritonError(_BY_MOSAIC)
        try:
            with jax_alone(), warnings.catch_warnings():
                # JAX deprecates Triton, which the author of a kernel learns when it runs.
                warnings.simplefilter("ignore", DeprecationWarning)
                module = lower_for_triton(traced.function, traced.args, self._chip)
        except Exception as error:
            # An exception of JAX is an answer, too.
            raise NoTritonError(reason_of(error)) from error
        kernels = kernels_of(module)
        if not kernels:
            raise NoTritonError(_BY_MOSAIC)
        return [_Kernel(kernel, self._chip, self._workers) for kernel in kernels]

    def kill(self) -> None:
        """Ends all processes for good, at once, although threads wait for them."""
        self._workers.kill()

    def close(self) -> None:
        """Ends all processes."""
        self._workers.close()
