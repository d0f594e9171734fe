# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `gpu`: PTX for NVIDIA GPUs, and the data of a launch."""

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
from gridir.compiler.warpgroup_profile import WarpgroupProfile
from gridir.errors import CompileError, OptionError, UnsupportedError
from gridir.mlir import ir
from gridir.mlir.dialects import gpu
from gridir.mlir.dialects.kernel import abi_of, launch_of
from gridir.runtime.chips import facts_of
from gridir.runtime.dtypes import DTYPES
from gridir.runtime.gpu.driver import Driver
from gridir.runtime.gpu.emulator import Emulator
from gridir.runtime.gpu.host_arrays import execute
from gridir.runtime.gpu.launch import Launch
from gridir.runtime.gpu.libcuda import open_device
from gridir.runtime.ptxas import Cubin, KernelReport, assemble, find_libdevice_toolkit

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


@dataclasses.dataclass(frozen=True)
class GpuOptions(CheckedOptions):
    """Options of the target `gpu`.

    Attributes:
      chip: the chip to compile for, as LLVM names it; the target "gpu:sm_80" chooses it, too.
      path: "mapped" maps every kernel of blocks to CTAs and threads; "auto" makes it a warpgroup program if possible.
      num_warps: warps of a CTA; by default the kernel's own parameter, or 4.
      schedule: how CTAs and warpgroups divide the blocks of a kernel, as the text of a `#warpgroup.schedule`, which a
        remark of `warpgroup-choose-schedule` prints; None for the choice of this pass.
      workspace_limit: bytes of global memory that temporaries of all CTAs may take together; None for 1 GiB.
      libdevice: compute math functions with NVIDIA's libdevice where it is found, instead of gridir's own code.
      pipeline: the pass pipeline from a `grid` module to PTX.
      checks: the checks of the PTX when it is executed on the CPU, as in `gridir.runtime.ptx`.
      reports_races: whether a race is no error of the call there, and only kept, see `CpuOptions`.
      schedule_seed: runs its threads and copies there in an order that this number chooses; None for their own.
      device: the GPU of this machine that launches run on; None for the executor of PTX.

    Raises:
      OptionError: when a number is out of range.
    """

    chip: str = "sm_90a"
    path: str = "auto"
    num_warps: int | None = None
    schedule: str | None = None
    workspace_limit: int | None = None
    libdevice: bool = True
    pipeline: str = "grid-to-gpu"
    checks: tuple[str, ...] = ()
    reports_races: bool = False
    schedule_seed: int | None = None
    device: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.path not in ("auto", "mapped"):
            raise OptionError(f"expected path to be 'auto' or 'mapped', got {self.path!r}")
        if self.num_warps is not None and self.num_warps not in range(1, 33):
            raise OptionError(f"expected num_warps from 1 to 32, got {self.num_warps!r}")
        if self.schedule is not None and self.path == "mapped":
            raise OptionError("expected a schedule or path='mapped', got both")
        if self.workspace_limit is not None and self.workspace_limit < 0:
            raise OptionError(f"expected workspace_limit of at least 0, got {self.workspace_limit!r}")
        if self.device is not None and (self.checks or self.schedule_seed is not None):
            raise OptionError("expected checks and schedule_seed for the executor of PTX, got them with a device")


@dataclasses.dataclass(frozen=True)
class PtxKernel:
    """A kernel as PTX.

    Attributes:
      name: the kernel's name in the PTX.
      ptx: the text.
      chip: the chip that it is for.
      threads: threads of a CTA.
      shared_bytes: dynamic shared memory of a CTA.
      workspace_bytes: global memory for temporaries of each CTA.
      description: how it is launched; None if the number of CTAs is no product of sizes of the grid.
      seconds: the time from the `grid` module to the text.
      profile: receives the zeroed memory after a launch; None for no profile.
      origin: where it came from: it is always compiled.
      checks: the checks of the executor.
      reports_races: true if a race is a result for the caller, and no error.
      schedule_seed: chooses the order in which the executor runs threads and copies; None for their own.
      device: the GPU that launches run on; None for the executor of PTX.
      image: a cubin or a text that the GPU runs instead of `ptx`; None for `ptx`.
    """

    name: str
    ptx: str = dataclasses.field(repr=False)
    chip: str
    threads: int
    shared_bytes: int
    workspace_bytes: int
    description: Launch | None
    seconds: float = dataclasses.field(compare=False, default=0.0)
    profile: WarpgroupProfile | None = None
    origin: str = "compiled"
    checks: tuple[str, ...] = ()
    reports_races: bool = False
    schedule_seed: int | None = None
    device: int | None = None
    image: bytes | None = dataclasses.field(repr=False, default=None)

    @property
    def ctas(self) -> int | None:
        """CTAs of a launch; None if the grid is dynamic."""
        return None if self.description is None else self.description.ctas

    @property
    def known_launch(self) -> Launch:
        """How the kernel is launched.

        Raises:
          UnsupportedError: if the number of CTAs of its dynamic grid is not known.
        """
        if self.description is None:
            raise UnsupportedError(
                "expected a number of CTAs that is a product of the sizes of the grid, got another one",
                kernel=self.name,
            )
        return self.description

    def launch(self, buffers: Sequence[np.ndarray], blocks_at_once: int | None = None) -> None:
        """Runs the kernel on its device, or executes the PTX on this machine's CPU.

        Args:
          buffers: the operands, in their order: inputs, outputs. An output that is in the memory of an input is the
            same array.
          blocks_at_once: how many CTAs run at a time, for kernels whose CTAs take over the work of others; None for the
            number of multiprocessors of the chip.

        Raises:
          UnsupportedError: if the number of CTAs of its dynamic grid is not known.
          PtxError: when it uses an instruction that the executor does not know.
          LaunchError: when a thread makes an invalid access, or a check of the kernel fails.
          DriverError: when the driver of the device refuses the kernel, or the launch fails.
        """
        launch = self.known_launch
        driver: Driver[Any] = (
            Emulator(self.checks, self.schedule_seed, blocks_at_once)
            if self.device is None
            else open_device(self.device)
        )
        zeroed = execute(self.ptx.encode() if self.image is None else self.image, launch, buffers, driver)
        if self.profile is not None and launch.ctas:
            self.profile.write(self.name, zeroed, launch.ctas)

    def cubin(self, chip: str = "", *, line_info: bool = False, timeout: float = 120) -> Cubin:
        """Assembles the kernel with `ptxas`, for its own chip unless another one is named.

        Args:
          chip: the chip; "" for the kernel's own.
          line_info: keeps the lines that the text names.
          timeout: seconds after which `ptxas` is given up.

        Raises:
          PtxasError: when `ptxas` is not found, is too old for the kernel, or refuses it.
        """
        products = self.description is not None and self.description.register_products
        return assemble(
            self.ptx,
            chip or self.chip,
            kernel=self.name,
            timeout=timeout,
            line_info=line_info,
            register_products=products,
        )

    def assemble(self, *, timeout: float = 120) -> KernelReport:
        """Assembles the kernel with `ptxas`; a product that ptxas serializes is a remark of the report.

        Args:
          timeout: seconds after which `ptxas` is given up.

        Raises:
          PtxasError: when `ptxas` is not found or refuses the kernel.
        """
        return KernelReport(
            self.name, self.cubin(timeout=timeout), self.ctas, self.threads, self.shared_bytes, self.workspace_bytes
        )


def _as_tasks(options: GpuOptions) -> CpuOptions:
    """Returns the options that execute a warpgroup program natively, each warpgroup as a task."""
    return CpuOptions(pipeline=f"{GpuTarget().pipeline(options, 'program')},grid-to-cpu")


def _as_loops(options: GpuOptions) -> CpuOptions:
    """Returns the options that execute a kernel natively as it is mapped to CTAs and threads, which become loops."""
    mapped = _mapped(options)
    return CpuOptions(pipeline=f"{GpuTarget().pipeline(mapped, 'mapped')},gpu-unmap-loops,loops-to-cpu")


def _mapped(options: GpuOptions) -> GpuOptions:
    return dataclasses.replace(options, path="mapped", schedule=None)


def _has_blocks(kernel: Kernel) -> bool:
    """False for a kernel that programs individual warpgroups, which no pass maps to threads."""
    options: Any = kernel.options
    try:
        module = dataclasses.replace(kernel, options=_mapped(options)).module("program", context=shared_context())
    except CompileError:
        return True
    return any("warpgroup.mapped" in op.attributes for op in module.body.operations)


@dataclasses.dataclass(frozen=True)
class GpuTarget(Target):
    """An NVIDIA GPU, on which XLA's custom calls launch kernels.

    Attributes:
      chip: the chip that a person named after the target, as in "gpu:sm_80"; "" for the default of the options.
    """

    chip: str = ""

    name = "gpu"
    platform = "cuda"
    stages = (
        *("grid", "grid-planned", "program", "layouts", "memory"),
        *("loops", "bufferized", "mapped", "gpu", "nvvm", "ptx"),
    )
    memory_stage = "memory"
    options = GpuOptions
    frontend = "gridir.frontend.targets.gpu_call:GpuHooks"
    report = "gridir.report.gpu:GpuJudge"
    executions = (
        Execution("ptx", "by the executor of PTX on the CPU"),
        Execution("program", "with warpgroups as tasks on the CPU; no GPU code has run", _as_tasks),
        Execution("mapped", "with CTAs and threads as loops on the CPU; no GPU code has run", _as_loops, _has_blocks),
    )

    def with_chip(self, chip: str) -> Self:
        """See `Target`; raises OptionError for an unknown chip."""
        if not chip:
            return super().with_chip(chip)
        facts_of(f"{GpuTarget.name}:{chip}")
        return dataclasses.replace(self, chip=chip)

    def check_options(self, options: Any) -> GpuOptions:
        """See `Target`; raises OptionError also for options of another chip."""
        if options is None and self.chip:
            return GpuOptions(chip=self.chip)
        options = super().check_options(options)
        if self.chip and options.chip != self.chip:
            raise OptionError(f"expected options for chip {self.chip!r}, as in the target, got {options.chip!r}")
        return options

    def pipeline_options(self, options: GpuOptions) -> list[str]:
        """See `Target`."""
        chosen = {
            "chip": options.chip,
            "toolkit": find_libdevice_toolkit() if options.libdevice else None,
            "path": options.path,
            "num-warps": options.num_warps,
            "schedule": None if options.schedule is None else f"{{{options.schedule}}}",
            "workspace-limit": options.workspace_limit,
        }
        return [f"{name}={value}" for name, value in chosen.items() if value is not None]

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
        device=options.device,
    )


def ptx_kernel_of(module: ir.Module, chip: str = "") -> PtxKernel:
    """Returns the kernel of a module at stage `ptx`, with the launch that its `kernel.abi` describes.

    Raises:
      ValueError: when it holds none.
    """
    abi: Any = abi_of(module)
    record = launch_of(module)
    workspaces = [x["bytes"] for x in record["parameters"] if x["kind"] == "workspace"]
    return PtxKernel(
        name=record["entry"],
        ptx=text_of(module),
        chip=chip,
        threads=record["threads"],
        shared_bytes=record["shared_bytes"],
        workspace_bytes=abi.workspace_bytes.value if workspaces else 0,
        description=None if record["ctas"] is None and record["dynamic_ctas"] is None else _launch(record),
        profile=WarpgroupProfile.of(abi),
    )


def loaded_operands(kernel: Kernel) -> frozenset[int]:
    """Returns the numbers of the operands whose addresses the threads of a kernel use, beside bulk copies."""
    module = kernel.module("nvvm")
    (function,) = (
        op
        for binary in module.body.operations
        if binary.operation.name == "gpu.module"
        for op in binary.regions[0].blocks[0].operations
        if "gpu.kernel" in op.attributes
    )
    parameters = launch_of(module)["parameters"]
    arguments = function.regions[0].blocks[0].arguments
    return frozenset(
        parameter["operand"]
        for parameter, argument in zip(parameters, arguments, strict=True)
        if parameter["kind"] == "operand" and any(True for _ in argument.uses)
    )


def _launch(record: dict[str, Any]) -> Launch:
    """Returns the description with NumPy's names of element types instead of MLIR's."""
    parameters = [
        {**x, "dtype": np.dtype(DTYPES[x["dtype"]]).name} if "dtype" in x else x for x in record["parameters"]
    ]
    return Launch.from_json({**record, "parameters": parameters})


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
