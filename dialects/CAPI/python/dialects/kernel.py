# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `kernel` dialect in Python: the ABI of a lowered kernel, whose fields are those of the generated `ABIOp`."""

from __future__ import annotations

import json
from typing import Any

from gridir.mlir import ir
from gridir.mlir._mlir_libs import _gridirDialects
from gridir.mlir.dialects._kernel_ops_gen import *  # noqa: F403
from gridir.mlir.dialects._kernel_ops_gen import ABIOp


def abi_of(module: ir.Module) -> ABIOp:
    """Returns the op that says the ABI of a module's kernel.

    Raises:
      ValueError: when there is none.
    """
    for op in module.body.operations:
        if isinstance(op, ABIOp):
            return op
    raise ValueError("expected a module with a kernel.abi")


def launch_of(module: ir.Module) -> dict[str, Any]:
    """Returns how a module's kernel is launched on a GPU: the fields of `gridir.runtime.gpu.launch.Launch`.

    Element types are written as in MLIR.

    Raises:
      ValueError: when the module does not say it, as before the stage `ptx`.
    """
    text = _gridirDialects.describe_launch(module)
    if text is None:
        raise ValueError("expected a module whose kernel.abi has num_threads, shared_bytes and params")
    return json.loads(text)
