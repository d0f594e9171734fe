# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as native code in this process, called by XLA."""

from gridir.runtime.cpu.kernels import (
    CALL_TARGET,
    COLLECTIVE_CALL_TARGET,
    PreparedKernel,
    call_attributes,
    complete_pipeline,
    ffi_target,
    kept_race,
    prepare,
)

__all__ = [
    "CALL_TARGET",
    "COLLECTIVE_CALL_TARGET",
    "PreparedKernel",
    "call_attributes",
    "complete_pipeline",
    "ffi_target",
    "kept_race",
    "prepare",
]
