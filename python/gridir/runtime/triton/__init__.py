# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own compiler of kernels for Triton, in worker processes: XLA of JAX's CUDA plugin, which needs no GPU."""

from gridir.runtime.triton.workers import (
    TritonError,
    TritonKernel,
    Workers,
    check_installed,
    kernels_of,
    plugin_version,
)

__all__ = ["TritonError", "TritonKernel", "Workers", "check_installed", "kernels_of", "plugin_version"]
