# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The call of a Mosaic kernel, in the module that JAX makes for a TPU."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jax.experimental.pallas import tpu as pltpu

from gridir.compiler.mosaic import MosaicKernel
from gridir.errors import CompileError, OptionError
from gridir.frontend import jax_compat_calls, jax_compat_tpu
from gridir.frontend.options import record_for
from gridir.frontend.request import KernelRequest

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel

# Fields of the author's record that XLA's backend configuration holds under the same name.
CONFIG_FIELDS = (
    "allow_input_fusion",
    "collective_id",
    "disable_bounds_checks",
    "disable_semaphore_checks",
    "flags",
    "internal_scratch_in_bytes",
    "serialization_format",
    "shape_invariant_numerics",
    "skip_device_barrier",
    "vmem_limit_bytes",
)


def register(_: str) -> None:
    """XLA knows Mosaic's custom call."""


def emitter(kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
    """Returns what writes the call of a kernel.

    Raises:
      OptionError: when a field of the author's record cannot be honoured.
    """
    params = record_for(request.compiler_params, "tpu")
    if not isinstance(params, pltpu.CompilerParams):
        # None, or the record of another chip.
        params = pltpu.CompilerParams()

    def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
        try:
            mosaic = kernel.prepare()
        except CompileError:
            # A kernel that is only captured: its earlier stages can be shown, and compiling it gives the error again.
            mosaic = MosaicKernel(b"", False, params.collective_id is not None, 0.0)
        return jax_compat_tpu.emit_mosaic_call(
            context,
            operands,
            config=config_of(params, mosaic, request),
            has_side_effects=params.has_side_effects,
            kernel_name=request.kernel_name,
            num_dynamic_sizes=request.grid_mapping.num_dynamic_grid_bounds,
            input_output_aliases=request.input_output_aliases,
            out_avals=request.out_avals,
            effects=request.jaxpr.effects,
            metadata=request.metadata,
        )

    return emit


def config_of(params: Any, mosaic: MosaicKernel, request: KernelRequest) -> dict[str, Any]:
    """Returns the fields of XLA's backend configuration, besides the memory spaces.

    Raises:
      OptionError: when a field of the record cannot be honoured.
    """
    _check(params, mosaic, request)
    cost = request.cost_estimate
    return {
        "lowered_module_asm": mosaic.body,
        "has_communication": mosaic.has_communication,
        "cost_estimate": dataclasses.asdict(cost) if cost is not None else None,
        # Vectors are as large as the author's blocks: on a TensorCore Mosaic always has to lay them out.
        "needs_layout_passes": True,
        **{name: getattr(params, name) for name in CONFIG_FIELDS},
    }


def _check(params: Any, mosaic: MosaicKernel, request: KernelRequest) -> None:
    """Refuses what Mosaic would refuse later, or would silently drop."""
    # For each reason: whether it holds, what is wrong, and a change that would work.
    problems = (
        (
            mosaic.has_custom_barrier and params.collective_id is None,
            "collective_id is not set, but the kernel uses the barrier semaphore",
            "give CompilerParams(collective_id=...) a number that no other kernel of the program has",
        ),
        (
            params.collective_id is not None
            and not mosaic.has_custom_barrier
            and not params.allow_collective_id_without_custom_barrier,
            "collective_id is set, but the kernel uses no barrier semaphore",
            "leave collective_id out, or set allow_collective_id_without_custom_barrier",
        ),
        (
            params.use_tc_tiling_on_sc is not None,
            "use_tc_tiling_on_sc is set, but the kernel runs on a TensorCore",
            "leave it out: it chooses the tiling of kernels on a SparseCore",
        ),
        (
            getattr(params, "kernel_type", None) not in (None, "tc"),
            f"kernel_type is {getattr(params, 'kernel_type', None)!r}, but gridir compiles for TensorCores only",
            "leave kernel_type out, or let JAX compile this kernel",
        ),
        (
            params.serialization_format != 1,
            f"serialization_format is {params.serialization_format!r}, but libtpu reads format 1 only",
            "leave serialization_format out",
        ),
    )
    for holds, message, change in problems:
        if holds:
            raise OptionError(message, kernel=request.kernel_name, notes=[change])
