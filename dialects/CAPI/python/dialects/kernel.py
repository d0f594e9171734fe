# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `kernel` dialect in Python: the ABI of a lowered kernel, whose fields are those of the generated `ABIOp`."""

from __future__ import annotations

from gridir.mlir import ir
from gridir.mlir._mlir_libs import _gridirKernel
from gridir.mlir.dialects._kernel_ops_gen import *  # noqa: F403
from gridir.mlir.dialects._kernel_ops_gen import ABIOp

TensorMapAttr = _gridirKernel.TensorMapAttr


def abi_of(module: ir.Module) -> ABIOp:
    """Returns the op that says the ABI of a module's kernel.

    Raises:
      ValueError: when there is none.
    """
    for op in module.body.operations:
        if isinstance(op, ABIOp):
            return op
    raise ValueError("expected a module that says the ABI of its kernel in a kernel.abi")
