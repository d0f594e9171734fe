# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The targets and the stages that a kernel passes through on its way to each."""

from __future__ import annotations

import dataclasses
import importlib
from types import ModuleType
from typing import Any

from gridir.compiler.options import CpuOptions, GpuOptions, TpuOptions
from gridir.errors import OptionError


@dataclasses.dataclass(frozen=True)
class Execution:
    """How kernels of a target run on this machine's CPU.

    Attributes:
      stage: the stage whose program runs; what comes after it is not executed.
      how: what runs it, in words that follow the stage's name.
      emulated: whether the code of the target is executed as it is; else its module's `cpu_options` make code of
        this CPU of it.
    """

    stage: str
    how: str
    emulated: bool = False


@dataclasses.dataclass(frozen=True)
class Target:
    """What a kernel can be compiled for.

    Attributes:
      name: what a person writes.
      platform: the JAX platform whose lowering rules are used.
      stages: names of the forms that a kernel takes, in order. The first is the frontend's module.
      options: the class of its options.
      module: the module that has its `pipeline_until` and `prepare`, and `cpu_options` where an execution needs them.
      executions: how its kernels can run on this machine's CPU; the first is the usual one.
      runs: whether something runs the kernels that JAX calls; of others there is only the code.
      chip: the chip that a person named after the target, as in "gpu:sm_80"; "" for the default of the options.
    """

    name: str
    platform: str
    stages: tuple[str, ...]
    options: type[Any]
    module: str
    executions: tuple[Execution, ...]
    runs: bool = True
    chip: str = ""

    @property
    def backend(self) -> ModuleType:
        """What prepares kernels for this target; imported when it is first needed."""
        return importlib.import_module(self.module)

    def check_options(self, options: Any) -> Any:
        """Returns `options`, or the defaults for None; raises OptionError for those of another target."""
        if options is None:
            return self.options(chip=self.chip) if self.chip else self.options()
        if not isinstance(options, self.options):
            raise OptionError(
                f"expected {self.options.__name__} for target {self.name!r}, got {type(options).__name__}"
            )
        if self.chip and options.chip != self.chip:
            raise OptionError(f"expected options for chip {self.chip!r}, as the target says, got {options.chip!r}")
        return options

    def execution(self, stage: str | None = None) -> Execution:
        """Returns how kernels are executed at a stage, or usually; raises OptionError for a stage that is not."""
        for execution in self.executions:
            if stage in (None, execution.stage):
                return execution
        stages = ", ".join(execution.stage for execution in self.executions)
        raise OptionError(f"expected a stage of target {self.name!r} that is executed ({stages}), got {stage!r}")

    def check_stage(self, stage: str) -> str:
        """Returns `stage`; raises OptionError when this target has none of that name."""
        if stage not in self.stages:
            raise OptionError(f"expected a stage of target {self.name!r} ({', '.join(self.stages)}), got {stage!r}")
        return stage


CPU = Target(
    "cpu",
    platform="cpu",
    stages=("grid", "grid-planned", "loops", "bufferized", "vectorized", "llvm"),
    options=CpuOptions,
    module="gridir.runtime.cpu",
    executions=(Execution("llvm", "as native code"),),
)

TPU = Target(
    "tpu",
    platform="tpu",
    stages=("grid", "grid-planned", "tpu", "tpu-serialized"),
    options=TpuOptions,
    module="gridir.compiler.mosaic",
    executions=(Execution("tpu-serialized", "by the reference interpreter of Mosaic modules", emulated=True),),
)

GPU = Target(
    "gpu",
    platform="cuda",
    stages=("grid", "grid-planned", "loops", "bufferized", "mapped", "gpu", "nvvm", "ptx"),
    options=GpuOptions,
    module="gridir.compiler.ptx",
    executions=(
        Execution("ptx", "by the executor of PTX on the CPU", emulated=True),
        Execution("mapped", "with CTAs and threads as loops on the CPU; no GPU code has run"),
    ),
    runs=False,
)

TARGETS = {target.name: target for target in (CPU, TPU, GPU)}


def get_target(name: str) -> Target:
    """Returns the target of that name, as "cpu" or "gpu:sm_80"; raises OptionError when there is none."""
    base, colon, chip = name.partition(":")
    if base not in TARGETS:
        raise OptionError(f"expected a target ({', '.join(TARGETS)}), got {name!r}")
    target = TARGETS[base]
    if not colon:
        return target
    if not chip or not hasattr(target.options, "chip"):
        raise OptionError(f"expected a target like gpu:sm_90a, got {name!r}")
    return dataclasses.replace(target, chip=chip)
