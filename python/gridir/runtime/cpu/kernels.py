# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling kernels for the CPU and finding them again."""

from __future__ import annotations

import dataclasses
import time
import warnings
from typing import TYPE_CHECKING, Any, Literal

from gridir.locations import error_from_native
from gridir.mlir._mlir_libs import _gridirCPU as native
from gridir.runtime.cpu.prints import write_prints

if TYPE_CHECKING:
    from gridir.compiler.cpu import CpuOptions

CALL_TARGET = "gridir_cpu"
"""The name of the XLA custom call that runs a kernel, for `jax.export`'s list of allowed calls."""

COLLECTIVE_CALL_TARGET = "gridir_cpu_collective"
"""The same for a kernel that knows of the devices that its call is mapped over."""

native.set_print_handler(write_prints)


@dataclasses.dataclass(frozen=True)
class PreparedKernel:
    """A kernel that is ready to run.

    Attributes:
      key: its name in calls.
      origin: where it came from: this process's table, the directory GRIDIR_CACHE_DIR, or the compiler.
      seconds: how long it took to be ready.
      arena_bytes: scratch memory that each thread needs while it runs the kernel.
    """

    key: str
    origin: Literal["memory", "disk", "compiled"]
    seconds: float
    arena_bytes: int


def prepare(name: str, key: str, bytecode: bytes, options: CpuOptions, pipeline: str | None = None) -> PreparedKernel:
    """Makes the kernel of a `grid` module ready to run under a key.

    Args:
      name: the kernel's name, for messages.
      key: identifies module and options; the same key always gives the same kernel.
      bytecode: the module, as MLIR bytecode.
      options: how to compile it.
      pipeline: the remaining pipeline of the options, if the module is at a later stage.

    Raises:
      CompileError: when a pass, LLVM or the linker refuses the kernel.
      InternalError: when one of them crashes.
    """
    start = time.perf_counter()
    reply = native.compile_kernel(
        key,
        bytecode,
        pipeline=options.full_pipeline if pipeline is None else pipeline,
        opt_level=options.opt_level,
        codegen_level=options.codegen_level,
        cpu=options.cpu,
        features=options.features,
        reports_races=options.reports_races,
    )
    _raise_failure(reply, name)
    if reply["warning"]:
        warnings.warn(reply["warning"], stacklevel=2)
    return PreparedKernel(key, reply["origin"], time.perf_counter() - start, reply["arena_bytes"])


def call_attributes(name: str, key: str, bytecode: bytes, options: CpuOptions) -> dict[str, Any]:
    """Returns the attributes of the custom call, from which another process finds the kernel or compiles it.

    The name appears in XLA's texts and in profiles.
    """
    return {
        "name": name,
        "key": key,
        "module": bytecode,
        "pipeline": options.full_pipeline,
        "opt_level": options.opt_level,
        "codegen_level": options.codegen_level,
        "cpu": options.cpu,
        "features": options.features,
        "reports_races": options.reports_races,
    }


def complete_pipeline(pipeline: str, options: CpuOptions) -> str:
    """Returns a pipeline with the options that the CPU's registers imply; one that is not only a name and options as it
    is.

    Raises:
      CompileError: when LLVM does not know the CPU of the options.
    """
    reply = native.complete_pipeline(pipeline, options.codegen_level, options.cpu, options.features)
    _raise_failure(reply, None)
    return reply["pipeline"]


def host_cpu() -> str:
    """Returns the CPU of this machine as LLVM names it."""
    return native.describe_host().split(";")[0]


def missing_features(options: CpuOptions) -> list[str]:
    """Returns the features that code for the CPU of the options may use and this machine lacks, with LLVM's names; []
    if it runs.

    Raises:
      CompileError: when LLVM does not know the CPU.
    """
    reply = native.missing_features(options.cpu, options.features)
    _raise_failure(reply, None)
    return reply["missing"]


def kept_race() -> str | None:
    """Returns the race of the last call that only reports races; None if it had none."""
    return native.kept_race()


def ffi_target() -> dict[str, Any]:
    """Returns the addresses of the custom call's stages and state, for `jax.ffi`."""
    return native.ffi_target()


def _raise_failure(reply: dict[str, Any], name: str | None) -> None:
    if "stage" in reply:
        raise error_from_native(reply, kernel=name)
