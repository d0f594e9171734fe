# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suggests commands that find faults which a run cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gridir.compiler.kernel import Kernel
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.runtime.chips import chips_of

_TENSOR_MEMORY = "#warpgroup.space<tmem>"

# The ops that start a copy.
_COPIES = frozenset({"grid.copy_start"} | {f"warpgroup.tma_{kind}" for kind in ("load", "gather", "store", "scatter")})


def advice(kernels: Sequence[Kernel], target: str, checks: Sequence[str], command: str = "run") -> list[str]:
    """Returns a suggestion of another command, beside a run with checks.

    Native code executes bulk copies and MMAs of warpgroups when they start or when they are waited for. Missing order
    on a GPU is found when the PTX is executed.

    Args:
      kernels: the kernels of the run.
      target: the target of the kernels.
      checks: the checks of the run.
      command: the command of gridir that takes the same file.
    """
    if target != "cpu" or "races" not in checks:
        return []
    features = set(filter(None, map(_feature_of, kernels)))
    chips = {
        next(chip for chip, facts in chips_of("gpu").items() if feature in facts["features"]): None
        for feature in sorted(features)
    }
    return [
        "races with asynchronous copies and matrix units of a GPU are found by "
        f"gridir {command} --target gpu:{chip} --checks races FILE"
        for chip in chips
    ]


def advice_on_difference(kernels: Sequence[Kernel], target: str, checks: Sequence[str]) -> list[str]:
    """Returns suggestions of another command, beside results that differ.

    Warpgroups and CTAs of a cluster that run at the same time, and copies, may lack order between them, which their
    results show but do not explain.

    Args:
      kernels: the kernels of the run.
      target: the target of the kernels.
      checks: the checks of the run.
    """
    if "races" in checks:
        return []
    option = "" if target == "cpu" else f"--target {target} "
    command = f"missing order between them is found by gridir run {option}--checks races FILE"
    together = [kernel.name for kernel in kernels if _runs_together(kernel)]
    copying = [kernel.name for kernel in kernels if kernel.name not in together and _copies(kernel)]
    notes = [f"programs of {' and '.join(together)} run at the same time; {command}"] if together else []
    return notes + ([f"copies of {' and '.join(copying)} run beside its programs; {command}"] if copying else [])


def _runs_together(kernel: Kernel) -> bool:
    module = kernel.module()
    with module.context:
        kinds = {
            dim.kind for op in module.body.operations if isinstance(op, grid.KernelOp) for dim in op.attributes["dims"]
        }
    return not kinds.isdisjoint(("thread", "cluster"))


def _copies(kernel: Kernel) -> bool:
    """True if a kernel starts copies that it waits for later."""
    found = False

    def visit(operation: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = operation.name in _COPIES
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module = kernel.module()
    with module.context:
        module.operation.walk(visit)
    return found


def _feature_of(kernel: Kernel) -> str:
    """The feature of a chip that runs the warpgroups of a kernel; "" for a kernel without."""
    feature = ""

    def visit(operation: ir.Operation) -> ir.WalkResult:
        nonlocal feature
        if operation.name.partition(".")[0] == "warpgroup":
            feature = feature or "wgmma"
        if any(isinstance(type_, ir.MemRefType) and _is_tensor_memory(type_) for type_ in _types_in(operation)):
            feature = "tensor-memory"
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module = kernel.module()
    with module.context:
        module.operation.walk(visit)
    return feature


def _types_in(operation: ir.Operation) -> Iterator[ir.Type]:
    for region in operation.regions:
        for block in region.blocks:
            yield from (argument.type for argument in block.arguments)


def _is_tensor_memory(type_: ir.Type) -> bool:
    return str(ir.MemRefType(type_).memory_space) == _TENSOR_MEMORY
