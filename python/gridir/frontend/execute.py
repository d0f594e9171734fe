# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function whose kernels are compiled for any target, executed on this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax

from gridir.compiler.kernel import Kernel
from gridir.compiler.options import Options
from gridir.compiler.target import Target
from gridir.frontend.capture.install import emulating
from gridir.frontend.lower import lower


@dataclasses.dataclass(frozen=True)
class Executable:
    """A function that executes code on the CPU as a target's execution specifies.

    Attributes:
      kernels: the kernels in it, as they are executed.
      prepared: for each kernel the code of this CPU that it became; empty where an interpreter runs them.
      function: the function; call it with the arguments that it was made for.
    """

    kernels: tuple[Kernel, ...]
    prepared: tuple[Any, ...]
    function: Callable[..., Any]


def execute(
    function: Callable[..., Any],
    args: Sequence[Any],
    target: Target,
    *,
    stage: str | None = None,
    pipeline: str | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    device: int | None = None,
) -> Executable:
    """Returns a function with its kernels as a target has them at the stage that can be executed here.

    Args:
      function: a function of JAX arrays.
      args: arguments of the shapes and dtypes that it will be called with.
      target: the target of its kernels.
      stage: the stage whose program runs, of those that the target's executions have; None for the usual one.
      pipeline: the pass pipeline instead of the target's own.
      checks: as those of the target's options.
      schedule_seed: as that of the target's options.
      device: the GPU of this machine that runs the kernels; None for an emulator on the CPU.

    Raises:
      OptionError: for a stage that is not executed, for an unknown check, and for checks and a seed with
        the target tpu.
      UnsupportedError: when a kernel uses something that gridir, or the target, cannot compile.
      CompileError: when a pass refuses a kernel.
    """
    own = target.check_options(None)
    if pipeline is not None:
        own = dataclasses.replace(own, pipeline=pipeline)
    if device is not None:
        own = dataclasses.replace(own, device=device)
    execution, options = target.executed(stage, own, checks, schedule_seed)
    if execution.cpu_options is None:
        kernels = lower(function, *args, options=options, target=target.name).kernels
        return Executable(kernels, (), _emulating(function, target, options))
    lowered = lower(function, *args, options=options)
    prepared = tuple(kernel.prepare() for kernel in lowered.kernels)
    return Executable(lowered.kernels, prepared, lowered.compile())


def _emulating(function: Callable[..., Any], target: Target, options: Options | None) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with emulating(target, options):
            # Errors of the execution arrive with the results.
            return jax.block_until_ready(jax.jit(function)(*args))

    return call
