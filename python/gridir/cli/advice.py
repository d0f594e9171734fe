# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suggests commands that find faults which a run cannot show."""

from __future__ import annotations

from collections.abc import Sequence

from gridir.compiler.kernel import Kernel
from gridir.mlir import ir


def advice(kernels: Sequence[Kernel], target: str, checks: Sequence[str]) -> list[str]:
    """Returns a suggestion of another command, beside a run with checks.

    Native code executes bulk copies and MMAs of warpgroups when they start or when they are waited for. Missing order
    on a GPU is found when the PTX is executed.

    Args:
      kernels: the kernels of the run.
      target: the target of the kernels.
      checks: the checks of the run.
    """
    if target != "cpu" or "races" not in checks or not any(map(_has_warpgroups, kernels)):
        return []
    return [
        "races with asynchronous copies and matrix units of a GPU are found by "
        "gridir run --target gpu:sm_90a --checks races FILE"
    ]


def _has_warpgroups(kernel: Kernel) -> bool:
    found = False

    def visit(operation: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = operation.name.partition(".")[0] == "warpgroup"
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module = kernel.module()
    with module.context:
        module.operation.walk(visit)
    return found
