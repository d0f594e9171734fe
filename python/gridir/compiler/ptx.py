# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for NVIDIA GPUs: PTX, and what a launch of it needs."""

from __future__ import annotations

import dataclasses
import functools
import time

from gridir.compiler.options import CpuOptions, GpuOptions
from gridir.compiler.passes import parse_module, run_pipeline, shared_context
from gridir.mlir import ir
from gridir.mlir.dialects import gpu
from gridir.runtime.gpu import KernelReport, assemble, find_libdevice_toolkit


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
    """

    name: str
    ptx: str = dataclasses.field(repr=False)
    chip: str
    ctas: int | None
    threads: int
    shared_bytes: int
    workspace_bytes: int
    seconds: float = dataclasses.field(compare=False)

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

    def read(attribute: str) -> int | None:
        attributes = module.operation.attributes
        full = f"gridir.{attribute}"
        return ir.IntegerAttr(attributes[full]).value if full in attributes else None

    return PtxKernel(
        name=ir.StringAttr(module.operation.attributes["gridir.kernel"]).value,
        ptx=text_of(module),
        chip=options.chip,
        ctas=read("num_ctas"),
        threads=read("num_threads") or 0,
        shared_bytes=read("shared_bytes") or 0,
        workspace_bytes=read("workspace_bytes") or 0,
        seconds=time.perf_counter() - start,
    )


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
