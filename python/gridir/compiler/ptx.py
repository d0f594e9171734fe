# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for NVIDIA GPUs: PTX, and what a launch of it needs."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Sequence

import numpy as np

from gridir.compiler.options import CpuOptions, GpuOptions
from gridir.compiler.passes import parse_module, run_pipeline, shared_context
from gridir.errors import UnsupportedError
from gridir.mlir import ir
from gridir.mlir.dialects import arith, gpu, kernel
from gridir.runtime import ptx
from gridir.runtime.gpu import KernelReport, assemble, find_libdevice_toolkit

# Words of a kernel's error report: the number of the check, two values, and one that threads exchange.
_REPORT_WORDS = 4


@dataclasses.dataclass(frozen=True)
class PtxKernel:
    """A kernel as PTX.

    Attributes:
      name: the kernel's name in the PTX.
      ptx: the text.
      chip: the chip that it is for.
      ctas: how many CTAs a launch has; None where the grid is dynamic.
      threads: threads of each CTA.
      shared_bytes: shared memory that a launch asks for.
      workspace_bytes: global memory for temporaries of each CTA.
      seconds: how long it took from the `grid` module to the text.
      origin: where it came from: it is always compiled.
      checks: what a launch checks.
      schedule_seed: in which order a launch runs its threads and copies; None for their own.
      items: the work items of all CTAs; None where the grid is dynamic.
      diagnostics: what the kernel's checks say, with {0} and {1} for two numbers.
    """

    name: str
    ptx: str = dataclasses.field(repr=False)
    chip: str
    ctas: int | None
    threads: int
    shared_bytes: int
    workspace_bytes: int
    seconds: float = dataclasses.field(compare=False)
    items: int | None = None
    diagnostics: tuple[str, ...] = ()
    origin: str = "compiled"
    checks: tuple[str, ...] = ()
    schedule_seed: int | None = None

    def launch(self, buffers: Sequence[np.ndarray]) -> None:
        """Executes the PTX on this machine's CPU.

        Args:
          buffers: the operands, in their order: dynamic grid sizes, inputs, outputs. An output that is in the memory
            of an input is the same array.

        Raises:
          UnsupportedError: for a kernel with a dynamic grid.
          PtxError: when it uses an instruction that the executor does not know.
          LaunchError: when a thread does what it must not, or a check of the kernel fails.
        """
        if self.ctas is None or self.items is None:
            raise UnsupportedError(
                "expected a grid whose sizes are known, got a dynamic one; no launch of it is implemented",
                kernel=self.name,
            )
        report = np.zeros(_REPORT_WORDS, np.int64)
        workspace = np.empty(self.workspace_bytes * self.ctas, np.uint8)
        if self.ctas:
            ptx.load(self.ptx, path=f"{self.name}.ptx").function(self.name).launch(
                [*buffers, report, np.int64(0), np.int64(self.items), workspace],
                grid=(self.ctas,),
                block=(self.threads,),
                shared_bytes=self.shared_bytes,
                checks=self.checks,
                schedule_seed=self.schedule_seed,
            )
        if report[0]:
            message = self.diagnostics[report[0] - 1]
            for index, value in enumerate(report[1:3]):
                message = message.replace(f"{{{index}}}", str(value))
            raise ptx.LaunchError(message, kernel=self.name)

    def assemble(self) -> KernelReport:
        """Assembles the kernel with `ptxas`.

        Raises:
          PtxasError: when `ptxas` is not found or refuses the kernel.
        """
        cubin = assemble(self.ptx, self.chip, kernel=self.name)
        return KernelReport(self.name, cubin, self.ctas, self.threads, self.shared_bytes, self.workspace_bytes)


def pipeline_until(stage: str, options: GpuOptions) -> str:
    """Returns the pass pipeline that takes a `grid` module to a stage."""
    chosen = [f"chip={options.chip}", f"stop-after={stage}"]
    if options.num_warps is not None:
        chosen.append(f"num-warps={options.num_warps}")
    if options.workspace_limit is not None:
        chosen.append(f"workspace-limit={options.workspace_limit}")
    toolkit = find_libdevice_toolkit() if options.libdevice else None
    if toolkit is not None:
        chosen.append(f"toolkit={toolkit}")
    return f"{options.pipeline}{{{' '.join(chosen)}}}"


def cpu_options(options: GpuOptions) -> CpuOptions:
    """Returns the options with which a kernel runs on the CPU as it is mapped to CTAs and threads."""
    return CpuOptions(pipeline=f"{pipeline_until('mapped', options)},gpu-unmap-loops,loops-to-cpu")


@functools.lru_cache(maxsize=256)
def prepare(name: str, key: str, bytecode: bytes, options: GpuOptions) -> PtxKernel:
    """Lowers the kernel of a `grid` module to PTX.

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
        parse_module(bytecode, kernel=name, context=shared_context()), pipeline_until("ptx", options), kernel=name
    )

    abi = kernel.abi_of(module)

    return PtxKernel(
        name=abi.entry.value,
        ptx=text_of(module),
        chip=options.chip,
        ctas=None if abi.num_ctas is None else abi.num_ctas.value,
        threads=abi.num_threads.value,
        shared_bytes=abi.shared_bytes.value,
        workspace_bytes=abi.workspace_bytes.value,
        seconds=time.perf_counter() - start,
        items=_find_items(module, f"{name}.range"),
        diagnostics=tuple(ir.StringAttr(text).value for text in abi.diagnostics),
        checks=options.checks,
        schedule_seed=options.schedule_seed,
    )


def _find_items(module: ir.Module, function: str) -> int | None:
    """Returns what the function of that name returns, where that is a constant: the work items of a launch."""
    for op in module.body.operations:
        if "sym_name" in op.attributes and ir.StringAttr(op.attributes["sym_name"]).value == function:
            value = op.regions[0].blocks[0].operations[-1].operands[0]
            if isinstance(value.owner, arith.ConstantOp):
                return ir.IntegerAttr(value.owner.value).value
    return None


def text_of(module: ir.Module) -> str:
    """Returns the PTX that a module at stage `ptx` holds.

    Raises:
      ValueError: when it holds none.
    """
    for op in module.body.operations:
        if op.operation.name == "gpu.binary":
            compiled = gpu.ObjectAttr(ir.ArrayAttr(op.attributes["objects"])[0])
            return compiled.object.rstrip(b"\0").decode()
    raise ValueError("expected a module with a gpu.binary")
