# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU as JAX sees it: XLA's custom calls of native code."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gridir.compiler.cpu import CpuOptions
from gridir.compiler.kernel import Kernel
from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_calls
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import has_side_effects, records_of
from gridir.frontend.targets.emulation import Execute
from gridir.frontend.targets.hooks import TargetHooks
from gridir.frontend.targets.interpret_params import with_interpret_params
from gridir.frontend.targets.warpgroup_blocks import as_mesh_kernel, records_events, uses_warpgroup
from gridir.runtime import cpu

if TYPE_CHECKING:
    from gridir.frontend.lower import Lowered


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A function compiled for the CPU; call it with arrays of the shapes and dtypes that it was lowered for.

    Attributes:
      kernels: the kernels in it.
    """

    kernels: tuple[Kernel, ...]
    _compiled: Any = dataclasses.field(repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function; the results are JAX arrays."""
        return self._compiled(*args, **kwargs)


class CpuHooks(TargetHooks):
    """Native code, which XLA calls."""

    takes_unions = True

    def request_for(self, request: KernelRequest) -> KernelRequest:
        """See `TargetHooks`; converts a kernel of blocks that uses features of warpgroups to a mesh kernel."""
        return as_mesh_kernel(request) if uses_warpgroup(request) or records_events(request) else request

    def register(self, platform: str) -> None:
        """Registers the custom calls with XLA."""
        addresses = cpu.ffi_target()
        targets = {
            cpu.CALL_TARGET: {stage: addresses[stage] for stage in ("instantiate", "execute")},
            cpu.COLLECTIVE_CALL_TARGET: {
                stage: addresses[f"{stage}_collective"] for stage in ("instantiate", "execute")
            },
        }
        state = {name: addresses[name] for name in ("type_id", "type_info")}
        jax_calls.register_call_targets(targets, "gridir_call_state", state, platform)

    def options_for(self, options: CpuOptions, request: KernelRequest) -> CpuOptions:
        """See `TargetHooks`; adds the checks and the fill of interpret mode."""
        return with_interpret_params(options, request)

    def emitter(self, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """See `TargetHooks`."""
        # The TPU's record has this field; the author means the call, so it counts here too.
        records = records_of(request.compiler_params).values()
        asked = any(has_side_effects(record) for record in records)
        options: Any = kernel.options  # Those of the CPU, as the target is.
        attributes = cpu.call_attributes(kernel.name, kernel.key, kernel.bytecode, options)
        target, devices = cpu.CALL_TARGET, None
        if kernel.group_size:
            target, devices = cpu.COLLECTIVE_CALL_TARGET, request.devices
            attributes["num_devices"] = kernel.group_size
            if kernel.group_size > 1 and devices is not None and not devices.is_local:
                raise UnsupportedError(
                    "expected devices of one process, got several for a kernel that accesses other devices",
                    kernel=kernel.name,
                )

        def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
            return jax_calls.emit_call(
                context,
                operands,
                target,
                attributes,
                aliases=request.operand_aliases,
                has_side_effect=kernel.has_side_effects or asked or kernel.group_size > 1,
                devices=devices,
                has_barriers=True,
            )

        return emit

    def executor(self, kernel: Kernel) -> Execute:
        """See `TargetHooks`; the native code, in an XLA program that contains nothing else.

        Raises:
          UnsupportedError: for a kernel that knows of several devices.
        """
        if kernel.group_size:
            raise UnsupportedError(
                f"expected a kernel that does not access devices, got one for {kernel.group_size}", kernel=kernel.name
            )
        options: Any = kernel.options
        kernel.prepare()
        self.register("cpu")
        attributes = cpu.call_attributes(kernel.name, kernel.key, kernel.bytecode, options)
        return functools.partial(jax_calls.run_call, cpu.CALL_TARGET, attributes)

    def emulator(self, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """See `TargetHooks`; the native code."""
        # Before XLA asks for it, so that an error has the kernel's location.
        kernel.prepare()
        return self.emitter(kernel, request)

    def compile(self, lowered: Lowered, **_: Any) -> Compiled:
        """See `TargetHooks`; returns a callable."""
        for kernel in lowered.kernels:
            # Before XLA asks for it, so that an error has the kernel's location.
            kernel.prepare()
        return Compiled(lowered.kernels, lowered.program.compile())
