# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU as JAX sees it: a custom call that nothing runs yet."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.compiler.gpu import GpuOptions, GpuTarget, PtxKernel
from gridir.compiler.warpgroup import WarpgroupTarget
from gridir.frontend import emulation, jax_compat_calls, jax_compat_gpu
from gridir.frontend.interpret_params import keep_race, with_interpret_params_of_gpu
from gridir.frontend.request import KernelRequest
from gridir.frontend.target_hooks import TargetHooks
from gridir.frontend.warpgroup_blocks import as_mesh_kernel, records_events, says_memory, uses_warpgroup
from gridir.runtime.ptx import RaceError
from gridir.runtime.ptxas import Report

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel
    from gridir.compiler.target import Target
    from gridir.frontend.lower import Lowered

CALL_TARGET = "gridir_gpu"


class GpuHooks(TargetHooks):
    """PTX: `gridir.lower` shows and assembles kernels for a GPU."""

    def target_for(self, target: Target, request: KernelRequest) -> Target:
        """See `TargetHooks`; selects the target for kernels of warpgroups."""
        if isinstance(target, GpuTarget) and (jax_compat_gpu.is_mesh(request.mesh) or _is_for_warpgroups(request)):
            return WarpgroupTarget(target.chip)
        return target

    def request_for(self, request: KernelRequest) -> KernelRequest:
        """See `TargetHooks`; converts a kernel of blocks that specifies layouts or memory spaces to a mesh kernel."""
        return as_mesh_kernel(request) if _is_for_warpgroups(request) else request

    def options_for(self, options: GpuOptions, request: KernelRequest) -> GpuOptions:
        """See `TargetHooks`; adds the checks of the interpreter of GPU kernels."""
        return with_interpret_params_of_gpu(options, request)

    def emitter(self, kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
        """See `TargetHooks`."""

        def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
            return jax_compat_calls.emit_call(
                context,
                operands,
                CALL_TARGET,
                {"key": kernel.key},
                aliases=request.operand_aliases,
                has_side_effect=False,
            )

        return emit

    def executor(self, kernel: Kernel) -> emulation.Execute:
        """See `TargetHooks`; executes the PTX."""
        return functools.partial(_launch, kernel.prepare())

    def emulator(self, kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
        """See `TargetHooks`; the executor of PTX."""
        return emulation.emitter(kernel, request, self.executor(kernel))

    def compile(self, lowered: Lowered, **_: Any) -> Report:
        """See `TargetHooks`; returns the report of ptxas."""
        kernels = [kernel.prepare() for kernel in lowered.kernels]
        return Report(lowered.options.chip, tuple(kernel.assemble() for kernel in kernels))


def _is_for_warpgroups(request: KernelRequest) -> bool:
    return uses_warpgroup(request) or says_memory(request) or records_events(request)


def _launch(
    kernel: PtxKernel,
    operands: Sequence[np.ndarray],
    results: Sequence[jax.ShapeDtypeStruct],
    aliases: dict[int, int],
) -> list[np.ndarray]:
    if not kernel.reports_races:
        return _launch_once(kernel, operands, results, aliases)
    try:
        outputs = _launch_once(kernel, operands, results, aliases)
    except RaceError as error:
        keep_race(error.message)
        # A launch ends where it finds a race, and the program goes on with what the kernel computes.
        others = tuple(check for check in kernel.checks if check != "races")
        return _launch_once(dataclasses.replace(kernel, checks=others), operands, results, aliases)
    keep_race(None)
    return outputs


def _launch_once(
    kernel: PtxKernel,
    operands: Sequence[np.ndarray],
    results: Sequence[jax.ShapeDtypeStruct],
    aliases: dict[int, int],
) -> list[np.ndarray]:
    # Copies: a kernel may write what it is given.
    inputs = [np.array(x, order="C") for x in operands]
    shared = {result: inputs[operand] for operand, result in aliases.items()}
    outputs = [shared[i] if i in shared else jax_compat_calls.unwritten(result) for i, result in enumerate(results)]
    # Persistent kernels ask JAX for this number; devices that are not GPUs have none.
    kernel.launch([*inputs, *outputs], blocks_at_once=getattr(jax.devices()[0], "core_count", None))
    return outputs
