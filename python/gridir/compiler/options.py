# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a person may choose of each target, as frozen records."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from gridir.errors import OptionError

RUN_TIME_CHECKS = ("uninitialized", "races", "semaphores")
"""What a kernel on the CPU can check while it runs."""

FILLS = (None, "nan", "poison", "zero")
"""What memory on the CPU can hold at first; None for whatever it held."""


@dataclasses.dataclass(frozen=True)
class CpuOptions:
    """Options of the target `cpu`.

    Attributes:
      opt_level: LLVM's middle end, 0 to 3. Kernels are vectorised before LLVM, so 0 is as fast and compiles sooner.
      codegen_level: LLVM's code generator, 0 to 3.
      cpu: the CPU to generate code for, as LLVM names it ("znver4", "haswell"); "" for the CPU of this machine. Code
        that this machine cannot run is an error when it is made ready to run.
      features: features to add to or take from the CPU, as "+avx2,-avx512f".
      pipeline: the pass pipeline from a `grid` module to the LLVM dialect. A pipeline that is only a name is given the
        width and number of the CPU's vector registers.
      checks: what a kernel checks while it runs. "uninitialized" makes an error of a read of what nothing has written,
        and of an output of which elements are not written; "races" of two accesses that nothing brings into an order;
        "semaphores" of one that is not zero when the kernel ends.
      schedule_seed: runs parallel programs and copies in an order that this number chooses; None for program order.
      fill_memory: what memory holds until something is written to it: "nan", which is the highest integer where there
        is no NaN, "poison", which is true or the lowest integer there, "zero", or None for whatever it held. The check
        "uninitialized" fills it with "nan" without this.

    Raises:
      OptionError: when a level is not from 0 to 3, for a check or fill that there is not, and for any of them or a seed
        with a pipeline of one's own, which says everything.
    """

    opt_level: int = 0
    codegen_level: int = 2
    cpu: str = ""
    features: str = ""
    pipeline: str = "grid-to-cpu"
    checks: tuple[str, ...] = ()
    schedule_seed: int | None = None
    fill_memory: str | None = None

    def __post_init__(self) -> None:
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
        if self._pipeline_options and self.pipeline != CpuOptions.pipeline:
            raise OptionError(f"expected checks with the CPU's own pipeline, got {self.pipeline!r}")

    @property
    def platform(self) -> str:
        """The JAX platform that kernels are lowered for: a TPU's where they go through its pipeline before they run."""
        return "tpu" if self.pipeline.startswith("grid-to-tpu") else "cpu"

    @property
    def _pipeline_options(self) -> list[str]:
        options = [f"checks={','.join(self.checks)}"] if self.checks else []
        if self.schedule_seed is not None:
            options.append(f"schedule-seed={self.schedule_seed}")
        return options + ([f"fill-memory={self.fill_memory}"] if self.fill_memory else [])

    @property
    def full_pipeline(self) -> str:
        """The pipeline with the options that the other fields imply."""
        options = self._pipeline_options
        return f"{self.pipeline}{{{' '.join(options)}}}" if options else self.pipeline


@dataclasses.dataclass(frozen=True)
class TpuOptions:
    """Options of the target `tpu`.

    Attributes:
      version: the version of Mosaic's serialised form to write. A libtpu reads its own version and earlier ones.
      pipeline: the pass pipeline from a `grid` module to the serialised Mosaic module.
    """

    version: int = 13
    pipeline: str = "grid-to-tpu"


@dataclasses.dataclass(frozen=True)
class GpuOptions:
    """Options of the target `gpu`.

    Attributes:
      chip: the chip to compile for, as LLVM names it; the target "gpu:sm_80" chooses it, too.
      num_warps: warps of a CTA, instead of what the kernel's own parameters say; 4 where they say nothing.
      workspace_limit: bytes of global memory that temporaries of all CTAs may take together; None for 1 GiB.
      libdevice: compute math functions with NVIDIA's libdevice where it is found, instead of gridir's own code.
      pipeline: the pass pipeline from a `grid` module to PTX.
      checks: what the PTX is checked for where it is executed on the CPU, as `gridir.runtime.ptx` has them.
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
    schedule_seed: int | None = None

    def __post_init__(self) -> None:
        if self.num_warps is not None and self.num_warps not in range(1, 33):
            raise OptionError(f"expected num_warps from 1 to 32, got {self.num_warps!r}")
        if self.workspace_limit is not None and self.workspace_limit < 0:
            raise OptionError(f"expected workspace_limit of at least 0, got {self.workspace_limit!r}")


def with_checks(
    options: Options | None, checks: Sequence[str] = (), schedule_seed: int | None = None
) -> Options | None:
    """Returns options with which kernels are checked while they run on the CPU, beside what is checked already.

    Raises:
      OptionError: for a check that there is not, or with options of another target or a pipeline of one's own.
    """
    if not checks and schedule_seed is None:
        return options
    options = options or CpuOptions()
    if isinstance(options, TpuOptions):
        raise OptionError(f"expected checks with the target cpu or gpu, got options {options!r}")
    seed = options.schedule_seed if schedule_seed is None else schedule_seed
    return dataclasses.replace(options, checks=(*options.checks, *checks), schedule_seed=seed)


Options = CpuOptions | TpuOptions | GpuOptions
"""The options of any target."""
