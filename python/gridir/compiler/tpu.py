# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `tpu`: the body of the custom call for Mosaic, as text."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

from gridir.compiler.options import Options
from gridir.compiler.passes import shared_context, to_generic_text
from gridir.compiler.target import Execution, Target
from gridir.mlir import ir
from gridir.mlir.dialects import grid

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


@dataclasses.dataclass(frozen=True)
class TpuOptions(Options):
    """Options of the target `tpu`.

    Attributes:
      version: the version of Mosaic's serialised form to write. A libtpu reads its own version and earlier ones.
      elide_checks: switches off those run-time checks of Mosaic's that a proof makes needless.
      logistic_unit: computes the logistic function with the unit for it, which chips since the v6e have. None uses it
        if the chip for which JAX lowers is known to have one.
      narrow_integers: shifts and compares integers of 8 and 16 bits, and rotates rows of 16 bits by different amounts,
        without widening them, which libtpu supports since 0.0.48, for chips after the v4. None does so unless an
        earlier libtpu will read the module, or JAX lowers for a v4.
      narrow_vectors: takes signs, argmax and argmin of bf16, splits vectors of 8 and 16 bits into columns, and rotates
        rows of 8 bits by different amounts, without widening them. None does so if the chip for which JAX lowers is
        known to be a v6e or a later one.
      pipeline: the pass pipeline from a `grid` module to the serialised Mosaic module.
    """

    version: int = 13
    elide_checks: bool = True
    logistic_unit: bool | None = None
    narrow_integers: bool | None = None
    narrow_vectors: bool | None = None
    pipeline: str = "grid-to-tpu"


@dataclasses.dataclass(frozen=True)
class MosaicKernel:
    """A kernel in the form that libtpu reads.

    Attributes:
      body: the module in Mosaic's versioned form, as generic MLIR text with locations.
      has_communication: whether it speaks with other cores or chips.
      has_custom_barrier: whether it uses the barrier semaphore, for which a call needs a `collective_id`.
      needed_checks: the reason why the kernel needs Mosaic's run-time checks "bounds" and "semaphore"; "" if a proof
        makes them unnecessary, or the kernel itself checks the rest. Checks that were not analyzed are absent.
      own_checks: of the same checks, the messages of the kernel's own assertions.
      seconds: how long it took from the `grid` module to the body.
      disabled_checks: those of the checks that the author has switched off.
    """

    body: bytes = dataclasses.field(repr=False)
    has_communication: bool
    has_custom_barrier: bool
    needed_checks: dict[str, str]
    own_checks: dict[str, tuple[str, ...]]
    seconds: float = dataclasses.field(compare=False)
    disabled_checks: frozenset[str] = frozenset()


class TpuTarget(Target):
    """A TPU: XLA passes the text of a kernel to libtpu."""

    name = "tpu"
    platform = "tpu"
    stages = ("grid", "grid-planned", "tpu", "tpu-serialized")
    options = TpuOptions
    frontend = "gridir.frontend.targets.tpu_call:TpuHooks"
    report = "gridir.report.tpu:TpuJudge"
    executions = (Execution("tpu-serialized", "by the reference interpreter of Mosaic modules"),)

    def pipeline_options(self, options: TpuOptions) -> list[str]:
        """See `Target`."""
        return [
            f"version={options.version}",
            f"elide-checks={str(options.elide_checks).lower()}",
            f"logistic-unit={str(bool(options.logistic_unit)).lower()}",
            f"narrow-integers={str(bool(options.narrow_integers)).lower()}",
            f"narrow-vectors={str(bool(options.narrow_vectors)).lower()}",
        ]

    def prepare(self, kernel: Kernel) -> MosaicKernel:
        """See `Target`; returns the module for libtpu."""
        return kernel.once(lambda: _serialize(kernel))


def _serialize(kernel: Kernel) -> MosaicKernel:
    start = time.perf_counter()
    module = kernel.module("tpu-serialized", context=shared_context(), keeps=False)
    needed, own, disabled = _take_checks(module)
    body = to_generic_text(module)
    # Most kernels have no such op. Searching the text is much faster than visiting each op.
    may_communicate = any(name.encode() in body for name in (*_DEVICE_GROUP, _BARRIER))
    operations = _operations(module) if may_communicate else []
    return MosaicKernel(
        body,
        has_communication=any(_communicates(op) for op in operations),
        has_custom_barrier=any(op.name == _BARRIER for op in operations),
        needed_checks=needed,
        own_checks=own,
        seconds=time.perf_counter() - start,
        disabled_checks=disabled,
    )


_CHECKS = "grid.run_time_checks"


def _take_checks(module: ir.Module) -> tuple[dict[str, str], dict[str, tuple[str, ...]], frozenset[str]]:
    """Removes the attributes of `tpu-elide-checks`, unknown to libtpu, and returns them as in `MosaicKernel`."""
    attributes = module.operation.attributes
    if _CHECKS not in attributes:
        return {}, {}, frozenset()
    # A reason, a list of assertions, or nothing; false where the author has switched them off.
    entries = {entry.name: entry.attr for entry in ir.DictAttr(attributes[_CHECKS])}
    disabled = frozenset(name for name, attr in entries.items() if isinstance(attr, ir.BoolAttr))
    entries = {name: attr for name, attr in entries.items() if name not in disabled}
    del attributes[_CHECKS]
    needed = {name: ir.StringAttr(x).value if isinstance(x, ir.StringAttr) else "" for name, x in entries.items()}
    own = {
        name: tuple(ir.StringAttr(message).value for message in ir.ArrayAttr(x))
        for name, x in entries.items()
        if isinstance(x, ir.ArrayAttr)
    }
    return needed, own, disabled


def planned_vmem(kernel: Kernel) -> dict[str, int]:
    """Returns the planned bytes of VMEM of a kernel, by operand, and for "scratch" the rest.

    Raises:
      CompileError: when the kernel needs more than there is.
    """
    module = kernel.module("grid-planned", context=shared_context())
    (planned,) = [op for op in module.body.operations if op.operation.name == "grid.kernel"]
    plan = grid.MemoryPlanAttr(planned.attributes["grid.memory_plan"])
    held: dict[str, int] = {}
    for operand in plan.operands:
        if operand.space == "tpu.vmem" and operand.buffers:
            held[operand.name] = held.get(operand.name, 0) + operand.block_bytes * operand.buffers
    scratch = plan.spaces.get("tpu.vmem", 0) - sum(held.values())
    return held | ({"scratch": scratch} if scratch else {})


_BARRIER = "stable_mosaic.tpu.sem_barrier"

# The number of the operand segment of the device, for the ops that may name one.
_DEVICE_GROUP = {"stable_mosaic.tpu.enqueue_dma": 4, "stable_mosaic.tpu.sem_signal": 2}


def _communicates(op: ir.Operation) -> bool:
    if op.name not in _DEVICE_GROUP:
        return op.name == _BARRIER
    sizes = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return any(sizes[i] for i in range(_DEVICE_GROUP[op.name], len(sizes)))


def _operations(module: ir.Module) -> list[ir.Operation]:
    found = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
