# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU as JAX sees it: XLA's custom calls that launch kernels, and the executor of PTX."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.compiler.bundle import operand_names
from gridir.compiler.gpu import GpuOptions, PtxKernel, loaded_operands
from gridir.errors import OptionError, UnsupportedError
from gridir.frontend.capture.installation import current
from gridir.frontend.compat import jax_calls, jax_gpu
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import has_side_effects, records_of
from gridir.frontend.targets import emulation
from gridir.frontend.targets.hooks import TargetHooks
from gridir.frontend.targets.interpret_params import keep_race, with_interpret_params_of_gpu
from gridir.frontend.targets.warpgroup_blocks import as_mesh_kernel, records_events, says_memory, uses_warpgroup
from gridir.runtime.gpu import xla_call
from gridir.runtime.gpu.chips import chip_of
from gridir.runtime.ptx import RaceError
from gridir.runtime.ptxas import Report, find_ptxas

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel
    from gridir.compiler.target import Target
    from gridir.frontend.lower import Lowered


class GpuHooks(TargetHooks):
    """Machine code or PTX, which XLA launches."""

    def register(self, platform: str) -> None:
        """See `TargetHooks`: with JAX's CUDA plugin once it is loaded; without one nothing happens."""
        addresses = xla_call.ffi_target()
        state = {name: addresses[name] for name in ("type_id", "type_info")}
        stages = {name: addresses[name] for name in ("instantiate", "initialize")}
        targets = {
            xla_call.CALL_TARGET: {**stages, "execute": addresses["execute"]},
            xla_call.RECORDED_CALL_TARGET: {**stages, "execute": addresses["execute_recorded"]},
        }
        jax_calls.register_call_targets(targets, "gridir_gpu_call_state", state, platform.upper())

    def default_options(self, target: Target) -> GpuOptions:
        """See `TargetHooks`: for the chip of the first GPU of this process, where there is one."""
        capability = jax_gpu.capability()
        return GpuOptions() if capability is None else GpuOptions(chip=chip_of(capability))

    def request_for(self, request: KernelRequest) -> KernelRequest:
        """See `TargetHooks`; converts a kernel of blocks that specifies layouts or memory spaces to a mesh kernel."""
        return as_mesh_kernel(request) if _is_for_warpgroups(request) else request

    def options_for(self, options: GpuOptions, request: KernelRequest) -> GpuOptions:
        """See `TargetHooks`; adds the checks of the interpreter of GPU kernels."""
        return with_interpret_params_of_gpu(options, request)

    def emitter(self, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """See `TargetHooks`.

        Raises:
          OptionError: for checks, which only the executor of PTX has.
          PtxasError: when `ptxas` refuses the kernel.
          UnsupportedError: when XLA cannot launch the kernel.
        """
        installation = current()
        is_captured = installation is not None and installation.captured is not None
        # `gridir.lower` shows the stages of a kernel, also of one that no pass compiles.
        call = _captured_call(kernel) if is_captured else _call_of(kernel, request)
        asked = any(has_side_effects(record) for record in records_of(request.compiler_params).values())

        def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
            return jax_calls.emit_call(
                context,
                operands,
                call.target,
                call.attributes,
                aliases=request.operand_aliases,
                has_side_effect=kernel.has_side_effects or asked,
                scratch_bytes=call.scratch_bytes,
            )

        return emit

    def executor(self, kernel: Kernel) -> emulation.Execute:
        """See `TargetHooks`; executes the PTX."""
        return executor_of(kernel.prepare())

    def emulator(self, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """See `TargetHooks`; the executor of PTX."""
        return emulation.emitter(kernel, request, self.executor(kernel))

    def compile(self, lowered: Lowered, **_: Any) -> Report:
        """See `TargetHooks`; returns the report of ptxas."""
        kernels = [kernel.prepare() for kernel in lowered.kernels]
        return Report(lowered.options.chip, tuple(kernel.assemble() for kernel in kernels))


def executor_of(kernel: PtxKernel) -> emulation.Execute:
    """Returns a function that launches a kernel on arrays of the host."""
    return functools.partial(_launch, kernel)


def _captured_call(kernel: Kernel) -> xla_call.XlaCall:
    return xla_call.XlaCall(xla_call.CALL_TARGET, {"key": kernel.key}, 0)


def _call_of(kernel: Kernel, request: KernelRequest) -> xla_call.XlaCall:
    """Returns the call that launches a kernel.

    Raises:
      OptionError, PtxasError, UnsupportedError: see `GpuHooks.emitter`.
    """
    prepared: PtxKernel = kernel.prepare()
    launch = prepared.known_launch
    if prepared.checks or prepared.schedule_seed is not None:
        raise OptionError("expected checks and schedule_seed for the executor of PTX, got them for a GPU")
    if kernel.group_size:
        raise UnsupportedError(
            f"expected a kernel that does not access devices, got one for {kernel.group_size}", kernel=kernel.name
        )
    if prepared.profile is not None:
        raise UnsupportedError(
            "expected a kernel without profile_space, as only the executor of PTX writes a profile",
            kernel=kernel.name,
        )
    if launch.dynamic_ctas is not None and prepared.workspace_bytes:
        raise UnsupportedError(
            "expected a kernel without temporaries in global memory, as its grid is dynamic, got "
            f"{prepared.workspace_bytes} bytes for each CTA",
            kernel=kernel.name,
        )
    packed = {number for number, _ in launch.packed_operands}
    for number, aval in enumerate((*request.in_avals, *request.out_avals)):
        if jax_calls.shares_bytes(aval) and (number not in packed or number in loaded_operands(kernel)):
            raise UnsupportedError(
                f"expected elements of 8 bits or more, got {aval.str_short()} of {operand_names(kernel)[number]}, "
                "whose elements share bytes on a GPU, and not those that threads access",
                kernel=kernel.name,
            )
    return xla_call.xla_call(kernel.name, _image_of(prepared), prepared.chip, launch)


@functools.lru_cache(maxsize=256)
def _image_of(kernel: PtxKernel) -> bytes:
    """Returns machine code, or the PTX where `ptxas` is not installed: the driver compiles it then."""
    return kernel.ptx.encode() if find_ptxas() is None else kernel.cubin().code


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
        # A launch stops at a race, but the program continues with the results of the kernel.
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
    # Copies: a kernel may overwrite its operands.
    inputs = [np.array(x, order="C") for x in operands]
    shared = {result: inputs[operand] for operand, result in aliases.items()}
    outputs = [shared[i] if i in shared else jax_calls.unwritten(result) for i, result in enumerate(results)]
    # Persistent kernels ask JAX for this number; devices that are not GPUs have none.
    kernel.launch([*inputs, *outputs], blocks_at_once=getattr(jax.devices()[0], "core_count", None))
    return outputs
