# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of a target."""

from __future__ import annotations

import abc
import dataclasses
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gridir.compiler.options import Options, with_options
from gridir.errors import OptionError

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel
    from gridir.mlir import ir


@dataclasses.dataclass(frozen=True)
class Execution:
    """How kernels of a target run on this machine's CPU.

    Attributes:
      stage: the stage whose program runs; later stages are not executed.
      how: the executor, in words that follow the stage's name.
      cpu_options: returns, for the target's options, those of the target `cpu` for the program that runs; None if an
        emulator executes the code of the target directly.
      takes: returns False for a kernel that has no program of this form.
    """

    stage: str
    how: str
    cpu_options: Callable[[Any], Options] | None = None
    takes: Callable[[Kernel], bool] = lambda kernel: True


@functools.cache
def load_part(path: str) -> Any:
    """Returns the only object of a class in this process, named as in "gridir.frontend.targets.cpu_call:CpuHooks"."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)()


class Target(abc.ABC):
    """A target for which a kernel can be compiled, and the only place that lists all that a target consists of.

    Layers above the compiler have parts of their own, which are loaded when they are needed.

    Attributes:
      name: user-visible target name, e.g. "gpu".
      platform: the JAX platform whose lowering rules are used.
      stages: names of the forms that a kernel takes, in order. The first is the frontend's module.
      memory_stage: the stage at which the plan of the memory is complete.
      options: the class of its options.
      executions: how its kernels can run on this machine's CPU; the first is the usual one.
      frontend: the class of its part of the frontend, as "module:class": a `gridir.frontend.targets.hooks.TargetHooks`.
      report: the class of its part of reports: a `gridir.report.judges.Judge`.
    """

    name: ClassVar[str]
    platform: ClassVar[str]
    stages: ClassVar[tuple[str, ...]]
    memory_stage: ClassVar[str] = "grid-planned"
    options: ClassVar[type[Any]]
    executions: ClassVar[tuple[Execution, ...]]
    frontend: ClassVar[str]
    report: ClassVar[str]

    def __repr__(self) -> str:
        return f"<target {self.name}>"

    def with_chip(self, chip: str) -> Self:
        """Returns the target for a chip, as of "gpu:sm_80"; raises OptionError if there is none to choose."""
        raise OptionError(f"expected {self.name!r}, which has one form for all chips, got {f'{self.name}:{chip}'!r}")

    def check_options(self, options: Any) -> Any:
        """Returns `options`, or the defaults for None; raises OptionError for those of another target."""
        if options is None:
            return self.options()
        if not isinstance(options, self.options):
            raise OptionError(
                f"expected {self.options.__name__} for target {self.name!r}, got {type(options).__name__}"
            )
        return options

    def check_stage(self, stage: str) -> str:
        """Returns `stage`; raises OptionError when this target has none of that name."""
        if stage not in self.stages:
            raise OptionError(f"expected a stage of target {self.name!r} ({', '.join(self.stages)}), got {stage!r}")
        return stage

    def execution(self, stage: str | None = None) -> Execution:
        """Returns how kernels are executed at a stage, or usually; raises OptionError for a stage that is not."""
        for execution in self.executions:
            if stage in (None, execution.stage):
                return execution
        stages = ", ".join(execution.stage for execution in self.executions)
        raise OptionError(f"expected a stage of target {self.name!r} that is executed ({stages}), got {stage!r}")

    def executed(
        self, stage: str | None, options: Any, checks: Sequence[str], schedule_seed: int | None
    ) -> tuple[Execution, Any]:
        """Returns how kernels are executed at a stage, and the options with checks of the target that executes them.

        Raises:
          OptionError: as `execution`, for an unknown check, and for checks of another stage than the usual one.
        """
        execution = self.execution(stage)
        if execution is not self.executions[0] and (checks or schedule_seed is not None):
            usual = self.executions[0].stage
            raise OptionError(f"expected no checks and no seed at stage {stage!r}, since only {usual!r} has them")
        on_cpu = options if execution.cpu_options is None else execution.cpu_options(options)
        return execution, on_cpu.with_checks(checks, schedule_seed)

    def lowering_platform(self, options: Any) -> str:
        """Returns the JAX platform that `jax.lax.platform_dependent` is resolved for."""
        return self.platform

    def pipeline(self, options: Any, stop: str, start: str | None = None) -> str:
        """Returns the pass pipeline that takes a module from a stage, without one from the first, to another."""
        stages = [f"stop-after={stop}"] + ([f"start-after={start}"] if start is not None else [])
        return with_options(options.pipeline, [*self.pipeline_options(options), *stages])

    def pipeline_options(self, options: Any) -> list[str]:
        """Returns the pipeline options for the user's choices, as "name=value"."""
        return []

    @abc.abstractmethod
    def prepare(self, kernel: Kernel) -> Any:
        """Compiles a kernel if necessary, so that it can be called.

        Raises:
          CompileError: when a pass, LLVM or the linker refuses the kernel.
          InternalError: when one of them crashes.
        """

    def text(self, module: ir.Module, stage: str, *, locations: bool) -> str:
        """Returns the text of a module at a stage for users; `locations` adds the origin of every op."""
        return module.operation.get_asm(enable_debug_info=locations)

    def suffix(self, stage: str) -> str:
        """Returns how the name of a file with that text ends."""
        return "mlir"
