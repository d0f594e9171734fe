# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `cpu`: native code of this machine, or of another CPU that LLVM knows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from gridir.compiler.options import CheckedOptions, with_options
from gridir.compiler.target import Execution, Target
from gridir.errors import OptionError
from gridir.runtime import cpu

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel

RUN_TIME_CHECKS = ("uninitialized", "races", "semaphores", "bounds")
"""The checks that a kernel on the CPU supports."""

FILLS = (None, "nan", "poison", "zero")
"""The initial contents of memory on the CPU; None leaves it uninitialized."""


@dataclasses.dataclass(frozen=True)
class CpuOptions(CheckedOptions):
    """Options of the target `cpu`.

    Attributes:
      opt_level: LLVM's middle end, 0 to 3. Kernels are vectorised before LLVM, so 0 is as fast and compiles sooner.
      codegen_level: LLVM's code generator, 0 to 3.
      cpu: the CPU to generate code for, as LLVM names it ("znver4", "haswell"); "" for the CPU of this machine. Code
        that this machine cannot run is an error when it is made ready to run.
      features: features to add to or take from the CPU, as "+avx2,-avx512f".
      pipeline: the pass pipeline from a `grid` module to the LLVM dialect. A pipeline that is only a name is given the
        width and number of the CPU's vector registers.
      checks: the checks of a running kernel. "uninitialized" reports reads of uninitialized memory, and outputs with
        elements that are not written; "races" reports unordered accesses; "semaphores" reports semaphores that are not
        zero at the end of the kernel, and barriers whose last phase a warpgroup has not observed; "bounds" also reports
        loads outside of their Ref whose value may be discarded, and accesses that the author's `disable_bounds_checks`
        leaves unchecked.
      reports_races: whether a race is a warning on the standard error stream, and no error of the call. The last one
        is kept for `get_races()` of JAX's interpreter.
      schedule_seed: runs parallel programs and copies in an order that this number chooses; None for program order.
      fill_memory: the initial contents of memory: "nan", which is the highest integer for types without NaN, "poison",
        which is true or the lowest integer there, "zero", or None for uninitialized memory. The check "uninitialized"
        fills it with "nan" by default.
      platform: the JAX platform that kernels are lowered for: "tpu" where `pipeline` takes them through that of a TPU.

    Raises:
      OptionError: for a value of another type, when a level is not from 0 to 3, for an unknown check or fill, and for
        any of them or a seed with a pipeline of one's own, which says everything.
    """

    opt_level: int = 0
    codegen_level: int = 2
    cpu: str = ""
    features: str = ""
    pipeline: str = "grid-to-cpu"
    checks: tuple[str, ...] = ()
    reports_races: bool = False
    schedule_seed: int | None = None
    fill_memory: str | None = None
    platform: str = "cpu"

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("opt_level", "codegen_level"):
            value = getattr(self, field)
            if value not in range(4):
                raise OptionError(f"expected {field} from 0 to 3, got {value!r}")
        for check in self.checks:
            if check not in RUN_TIME_CHECKS:
                raise OptionError(f"expected checks among {', '.join(RUN_TIME_CHECKS)}, got {check!r}")
        # The same checks are the same options, however they were listed.
        object.__setattr__(self, "checks", tuple(check for check in RUN_TIME_CHECKS if check in self.checks))
        if self.schedule_seed is not None and not 0 <= self.schedule_seed < 2**63:
            raise OptionError(f"expected schedule_seed from 0 to 2**63 - 1, got {self.schedule_seed!r}")
        if self.fill_memory not in FILLS:
            raise OptionError(f"expected fill_memory among {', '.join(map(str, FILLS))}, got {self.fill_memory!r}")
        if self.pipeline_options and not self.has_stages:
            raise OptionError(f"expected checks with the CPU's own pipeline, got {self.pipeline!r}")

    @property
    def pipeline_options(self) -> list[str]:
        """Returns the options of the pipeline, as "name=value"."""
        options = [f"checks={','.join(self.checks)}"] if self.checks else []
        if self.schedule_seed is not None:
            options.append(f"schedule-seed={self.schedule_seed}")
        return options + ([f"fill-memory={self.fill_memory}"] if self.fill_memory else [])

    @property
    def full_pipeline(self) -> str:
        """The pipeline with the options that the other fields imply."""
        return with_options(self.pipeline, self.pipeline_options)


class CpuTarget(Target):
    """The CPU: XLA calls the compiled kernel."""

    name = "cpu"
    platform = "cpu"
    stages = ("grid", "grid-planned", "loops", "bufferized", "vectorized", "llvm")
    options = CpuOptions
    frontend = "gridir.frontend.targets.cpu_call:CpuHooks"
    report = "gridir.report.cpu:CpuJudge"
    executions = (Execution("llvm", "as native code", lambda options: options),)

    def lowering_platform(self, options: CpuOptions) -> str:
        """See `Target`; returns another platform if kernels run through its pipeline first."""
        return options.platform

    def pipeline(self, options: CpuOptions, stop: str, start: str | None = None) -> str:
        """See `Target`; adds options that follow from the CPU's registers. A custom pipeline is used unchanged.

        Raises:
          CompileError: when LLVM does not know the CPU of the options.
        """
        text = super().pipeline(options, stop, start) if options.has_stages else options.pipeline
        return cpu.complete_pipeline(text, options)

    def pipeline_options(self, options: CpuOptions) -> list[str]:
        """See `Target`."""
        return options.pipeline_options

    def prepare(self, kernel: Kernel) -> cpu.PreparedKernel:
        """See `Target`; XLA finds the prepared kernel by its key."""
        options: Any = kernel.options
        # A pipeline of a person's own begins with the first stage.
        last = self.stages[-1] if options.has_stages else self.stages[0]
        stage, bytecode = kernel.nearest(last)
        # A call in another process has the whole pipeline only.
        pipeline = options.full_pipeline if stage == self.stages[0] else self.pipeline(options, self.stages[-1], stage)
        return cpu.prepare(kernel.name, kernel.key, bytecode, options, pipeline)
