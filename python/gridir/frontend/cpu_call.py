# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The call of a kernel that is compiled for the CPU, in the module that JAX makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gridir.errors import UnsupportedError
from gridir.frontend import jax_compat_calls
from gridir.frontend.options import has_side_effects, records_of
from gridir.frontend.request import KernelRequest
from gridir.runtime import cpu

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


def register(platform: str) -> None:
    """Makes XLA know the custom calls."""
    addresses = cpu.ffi_target()
    targets = {
        cpu.CALL_TARGET: {stage: addresses[stage] for stage in ("instantiate", "execute")},
        cpu.COLLECTIVE_CALL_TARGET: {stage: addresses[f"{stage}_collective"] for stage in ("instantiate", "execute")},
    }
    state = {name: addresses[name] for name in ("type_id", "type_info")}
    jax_compat_calls.register_call_targets(targets, state, platform)


def emitter(kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
    """Returns what writes the call of a kernel."""
    # The pairs of the call count operands after the dynamic grid sizes.
    num_sizes = request.grid_mapping.num_dynamic_grid_bounds
    aliases = {operand + num_sizes: result for operand, result in request.input_output_aliases}

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
                "expected devices of one process, got a mesh of several for a kernel that reaches other devices",
                kernel=kernel.name,
            )

    def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
        return jax_compat_calls.emit_call(
            context,
            operands,
            target,
            attributes,
            aliases=aliases,
            has_side_effect=kernel.has_side_effects or asked or kernel.group_size > 1,
            devices=devices,
        )

    return emit
