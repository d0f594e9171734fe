# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `gpu`: PTX for NVIDIA GPUs, and what a launch of it needs."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gridir.compiler.cpu import CpuOptions
from gridir.compiler.options import CheckedOptions
from gridir.compiler.passes import shared_context
from gridir.compiler.target import Execution, Target
from gridir.errors import OptionError, UnsupportedError
from gridir.mlir import ir
from gridir.mlir.dialects import arith, gpu
from gridir.mlir.dialects.kernel import abi_of
from gridir.runtime import ptx
from gridir.runtime.ptxas import KernelReport, assemble, find_libdevice_toolkit

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel

# Words of a kernel's error report: the number of the check, two values, and one that threads exchange.
_REPORT_WORDS = 4


@dataclasses.dataclass(frozen=True)
class GpuOptions(CheckedOptions):
    """Options of the target `gpu`.

    Attributes:
      chip: the chip to compile for, as LLVM names it; the target "gpu:sm_80" chooses it, too.
      num_warps: warps of a CTA, instead of what the kernel's own parameters say; 4 where they say nothing.
      workspace_limit: bytes of global memory that temporaries of all CTAs may take together; None for 1 GiB.
      libdevice: compute math functions with NVIDIA's libdevice where it is found, instead of gridir's own code.
      pipeline: the pass pipeline from a `grid` module to PTX.
      checks: what the PTX is checked for where it is executed on the CPU, as `gridir.runtime.ptx` has them.
      reports_races: whether a race is no error of the call there, and only kept, as of `CpuOptions`.
      schedule_seed: runs its threads and copies there in an order that this number chooses; None for their own.

    Raises:
      OptionError: when a number is out of range.
    """

    chip: str = "sm_90a"
    num_warps: int | None = None
    workspace_limit: int | None = None
    libdevice: bool = True
    pipeline: str = "grid-to-gpu"
    checks: tuple[str, ...] = ()
    reports_races: bool = False
    schedule_seed: int | None = None

    def __post_init__(self) -> None:
        if self.num_warps is not None and self.num_warps not in range(1, 33):
            raise OptionError(f"expected num_warps from 1 to 32, got {self.num_warps!r}")
        if self.workspace_limit is not None and self.workspace_limit < 0:
            raise OptionError(f"expected workspace_limit of at least 0, got {self.workspace_limit!r}")


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
      reports_races: whether a race is an answer to who asks for it, and no error.
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
    reports_races: bool = False
    schedule_seed: int | None = None

    def launch(self, buffers: Sequence[np.ndarray], blocks_at_once: int | None = None) -> None:
        """Executes the PTX on this machine's CPU.

        Args:
          buffers: the operands, in their order: dynamic grid sizes, inputs, outputs. An output that is in the memory
            of an input is the same array.
          blocks_at_once: how many blocks the machine runs at a time, which those see that take the work of others;
            None for the number of multiprocessors of the chip.

        Raises:
          UnsupportedError: for a kernel with a dynamic grid.
          PtxError: when it uses an instruction that the executor does not know.
          LaunchError: when a thread does what it must not, or a check of the kernel fails.
        """
        del blocks_at_once  # No block takes another one's work.
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
        """Assembles the kernel with `ptxas`; products that it serialises are a remark of the report.

        Raises:
          PtxasError: when `ptxas` is not found or refuses the kernel.
        """
        cubin = assemble(self.ptx, self.chip, kernel=self.name)
        return KernelReport(self.name, cubin, self.ctas, self.threads, self.shared_bytes, self.workspace_bytes)


def _on_cpu(options: GpuOptions) -> CpuOptions:
    """A kernel as it is mapped to CTAs and threads, which are loops then."""
    return CpuOptions(pipeline=f"{GpuTarget().pipeline(options, 'mapped')},gpu-unmap-loops,loops-to-cpu")


@dataclasses.dataclass(frozen=True)
class GpuTarget(Target):
    """An NVIDIA GPU, on which nothing launches kernels yet.

    Attributes:
      chip: the chip that a person named after the target, as in "gpu:sm_80"; "" for the default of the options.
    """

    chip: str = ""

    name = "gpu"
    platform = "cuda"
    stages = ("grid", "grid-planned", "loops", "bufferized", "mapped", "gpu", "nvvm", "ptx")
    options = GpuOptions
    executions = (
        Execution("ptx", "by the executor of PTX on the CPU"),
        Execution("mapped", "with CTAs and threads as loops on the CPU; no GPU code has run", _on_cpu),
    )
    runs = False

    def with_chip(self, chip: str) -> Self:
        """See `Target`."""
        return dataclasses.replace(self, chip=chip) if chip else super().with_chip(chip)

    def check_options(self, options: Any) -> GpuOptions:
        """See `Target`; raises OptionError also for options of another chip."""
        if options is None and self.chip:
            return GpuOptions(chip=self.chip)
        options = super().check_options(options)
        if self.chip and options.chip != self.chip:
            raise OptionError(f"expected options for chip {self.chip!r}, as the target says, got {options.chip!r}")
        return options

    def pipeline_options(self, options: GpuOptions) -> list[str]:
        """See `Target`."""
        chosen = {"num-warps": options.num_warps, "workspace-limit": options.workspace_limit}
        return self.chip_options(options) + [f"{name}={value}" for name, value in chosen.items() if value is not None]

    def chip_options(self, options: GpuOptions) -> list[str]:
        """Returns what the pipelines of all kernels for a GPU are told, as "name=value"."""
        toolkit = find_libdevice_toolkit() if options.libdevice else None
        return [f"chip={options.chip}"] + ([f"toolkit={toolkit}"] if toolkit is not None else [])

    def prepare(self, kernel: Kernel) -> PtxKernel:
        """See `Target`; returns the PTX."""
        return kernel.once(lambda: _to_ptx(kernel))

    def text(self, module: ir.Module, stage: str, *, locations: bool) -> str:
        """See `Target`; returns the PTX for the last stage."""
        return text_of(module) if stage == self.stages[-1] else super().text(module, stage, locations=locations)

    def suffix(self, stage: str) -> str:
        """See `Target`."""
        return "ptx" if stage == self.stages[-1] else super().suffix(stage)


def _to_ptx(kernel: Kernel) -> PtxKernel:
    start = time.perf_counter()
    module = kernel.module("ptx", context=shared_context())
    options: Any = kernel.options
    return dataclasses.replace(
        ptx_kernel_of(module, options.chip),
        seconds=time.perf_counter() - start,
        checks=options.checks,
        reports_races=options.reports_races,
        schedule_seed=options.schedule_seed,
    )


def ptx_kernel_of(module: ir.Module, chip: str = "") -> PtxKernel:
    """Returns the kernel of a module at stage `ptx`, with what its `kernel.abi` says of a launch.

    Raises:
      ValueError: when it holds none.
    """
    abi: Any = abi_of(module)
    name = abi.entry.value
    return PtxKernel(
        name=name,
        ptx=text_of(module),
        chip=chip,
        ctas=None if abi.num_ctas is None else abi.num_ctas.value,
        threads=abi.num_threads.value,
        shared_bytes=abi.shared_bytes.value,
        workspace_bytes=abi.workspace_bytes.value,
        seconds=0.0,
        items=_find_items(module, f"{name}.range"),
        diagnostics=tuple(ir.StringAttr(text).value for text in abi.diagnostics),
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
