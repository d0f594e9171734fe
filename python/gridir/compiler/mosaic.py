# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for TPUs: the body of the custom call that XLA hands to Mosaic, as text."""

from __future__ import annotations

import dataclasses
import functools
import time
from typing import Any

from gridir.compiler.options import TpuOptions
from gridir.compiler.passes import parse_module, run_pipeline, shared_context
from gridir.mlir import ir

# Where the pipeline stops for each stage; the last stage is its end.
_STOPS = {"grid-planned": "grid-planned", "tpu": "tpu"}


@dataclasses.dataclass(frozen=True)
class MosaicKernel:
    """A kernel in the form that libtpu reads.

    Attributes:
      body: the module in Mosaic's versioned form, as generic MLIR text with locations.
      has_communication: whether it speaks with other cores or chips.
      has_custom_barrier: whether it uses the barrier semaphore, for which a call needs a `collective_id`.
      seconds: how long it took from the `grid` module to the body.
    """

    body: bytes = dataclasses.field(repr=False)
    has_communication: bool
    has_custom_barrier: bool
    seconds: float = dataclasses.field(compare=False)


def pipeline_until(stage: str, options: TpuOptions) -> str:
    """Returns the pass pipeline that takes a `grid` module to a stage."""
    stop = f" stop-after={_STOPS[stage]}" if stage in _STOPS else ""
    return f"{options.pipeline}{{version={options.version}{stop}}}"


@functools.lru_cache(maxsize=256)
def prepare(name: str, key: str, bytecode: bytes, options: TpuOptions) -> MosaicKernel:
    """Lowers the kernel of a `grid` module to the body of a Mosaic kernel.

    Args:
      name: the kernel's name, for messages.
      key: identifies module and options; the same key always gives the same kernel.
      bytecode: the module, as MLIR bytecode.
      options: how to compile it.

    Raises:
      CompileError: when a pass refuses the kernel.
      InternalError: when one crashes.
    """
    start = time.perf_counter()
    module = run_pipeline(
        parse_module(bytecode, kernel=name, context=shared_context()),
        pipeline_until("tpu-serialized", options),
        kernel=name,
        # As on the CPU; libtpu verifies what it is given.
        verify=False,
    )
    operations = _operations(module)
    body = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True).encode()
    return MosaicKernel(
        body,
        has_communication=any(_communicates(op) for op in operations),
        has_custom_barrier=any(op.name == "stable_mosaic.tpu.sem_barrier" for op in operations),
        seconds=time.perf_counter() - start,
    )


_PLAN = "grid.kernel(grid-canonicalize-index-maps,grid-plan-memory{target=tpu})"


def plan_vmem(name: str, bytecode: bytes) -> dict[str, int]:
    """Returns the bytes of VMEM that `grid-plan-memory` counts, by operand, and for "scratch" what no operand takes.

    Args:
      name: the kernel's name, for messages.
      bytecode: its `grid` module.

    Raises:
      CompileError: when the kernel needs more than there is.
    """
    module = run_pipeline(parse_module(bytecode, kernel=name, context=shared_context()), _PLAN, kernel=name)
    kernel = next(op for op in module.body.operations if op.operation.name == "grid.kernel")
    plan = _to_python(kernel.attributes["grid.memory_plan"])
    held = {
        operand: entry["block_bytes"] * entry["buffers"]
        for operand, entry in plan["operands"].items()
        if entry["space"] == "tpu.vmem" and entry["buffers"]
    }
    scratch = plan["spaces"].get("tpu.vmem", 0) - sum(held.values())
    return held | ({"scratch": scratch} if scratch else {})


def _to_python(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.DictAttr):
        return {item.name: _to_python(item.attr) for item in ir.DictAttr(attribute)}
    return attribute.value


# The place of the device among the groups of operands of an op that may name one.
_DEVICE_GROUP = {"stable_mosaic.tpu.enqueue_dma": 4, "stable_mosaic.tpu.sem_signal": 2}


def _communicates(op: ir.Operation) -> bool:
    if op.name not in _DEVICE_GROUP:
        return op.name == "stable_mosaic.tpu.sem_barrier"
    sizes = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return any(sizes[i] for i in range(_DEVICE_GROUP[op.name], len(sizes)))


def _operations(module: ir.Module) -> list[ir.Operation]:
    found = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
