# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A TPU as JAX sees it: the call of a Mosaic kernel in JAX's module."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.experimental.pallas import tpu as pltpu

from gridir.compiler.passes import parse_module
from gridir.compiler.tpu import MosaicKernel, TpuOptions
from gridir.errors import CompileError, OptionError, UnsupportedError, within_kernel
from gridir.frontend.capture.chips import lowered_chip
from gridir.frontend.compat import jax_calls, jax_gpu, jax_tpu
from gridir.frontend.compat.releases import field_of
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import record_for
from gridir.frontend.targets import emulation
from gridir.frontend.targets.hooks import TargetHooks
from gridir.frontend.targets.tpu_report import kernels_of, report
from gridir.frontend.targets.warpgroup_blocks import uses_warpgroup
from gridir.runtime.chips import find_facts
from gridir.runtime.tpu.interpreter import Outside, Program
from gridir.runtime.tpu.report import Report

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel
    from gridir.frontend.lower import Lowered
    from gridir.mlir import ir

# Fields of the author's record that XLA's backend configuration holds under the same name.
CONFIG_FIELDS = (
    "allow_input_fusion",
    "disable_bounds_checks",
    "disable_semaphore_checks",
    "flags",
    "internal_scratch_in_bytes",
    "serialization_format",
    "shape_invariant_numerics",
    "skip_device_barrier",
    "vmem_limit_bytes",
)


class TpuHooks(TargetHooks):
    """Mosaic's custom call, which XLA knows."""

    def tracing(self) -> contextlib.AbstractContextManager[Any]:
        """See `TargetHooks`; some of JAX's rules ask for the device."""
        return jax_tpu.some_device()

    def request_for(self, request: KernelRequest) -> KernelRequest:
        """See `TargetHooks`; first rejects features that only a GPU has."""
        if jax_gpu.is_mesh(request.mesh) or uses_warpgroup(request):
            error = UnsupportedError(
                "expected a kernel for a TPU, got one for the warpgroups of a GPU, as Pallas' Mosaic GPU backend has "
                "them",
                kernel=request.kernel_name,
                notes=["compile it for a chip that has warpgroups, as gpu:sm_90a"],
            )
            error.source = request.source or None
            raise error
        return request

    def options_for(self, options: TpuOptions, request: KernelRequest) -> TpuOptions:
        """See `TargetHooks`; adds what the chip and libtpu have, unless the module is for an earlier libtpu."""
        is_newer = options.version == TpuOptions.version and jax_tpu.is_libtpu_newer()
        facts = find_facts(f"tpu:{lowered_chip()}")
        if options.logistic_unit is None:
            has_unit = is_newer and facts.get("logistic_unit", False)
            options = dataclasses.replace(options, logistic_unit=has_unit)
        if options.narrow_integers is None:
            has_narrow = is_newer and facts.get("narrow_integers", True)
            options = dataclasses.replace(options, narrow_integers=has_narrow)
        if options.narrow_vectors is None:
            has_vectors = is_newer and facts.get("narrow_vectors", False)
            options = dataclasses.replace(options, narrow_vectors=has_vectors)
        return options

    def emitter(self, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """See `TargetHooks`."""
        params = record_for(request.compiler_params, "tpu")
        if not isinstance(params, pltpu.CompilerParams):
            # None, or the record of another chip.
            params = pltpu.CompilerParams()
        tag = jax_tpu.barrier_tag(request.jaxprs)

        def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
            try:
                mosaic = kernel.prepare()
            except CompileError:
                # A kernel that is only captured: its stages can be shown, and compiling it gives the error again.
                mosaic = MosaicKernel(b"", False, params.collective_id is not None, {}, {}, 0.0)
            collective_id = jax_tpu.collective_id(
                context,
                params.collective_id,
                tag,
                has_custom_barrier=mosaic.has_custom_barrier,
                body=mosaic.body,
                skip_device_barrier=params.skip_device_barrier,
                kernel_name=request.kernel_name,
            )
            return jax_tpu.emit_mosaic_call(
                context,
                operands,
                config=config_of(params, mosaic, request, collective_id),
                has_side_effects=params.has_side_effects,
                kernel_name=request.kernel_name,
                aliases=tuple(request.operand_aliases.items()),
                out_avals=request.out_avals,
                effects=request.jaxpr.effects,
                metadata=request.metadata,
                mesh=request.mesh,
            )

        return emit

    def executor(self, kernel: Kernel) -> emulation.Execute:
        """See `TargetHooks`; the reference interpreter."""
        return functools.partial(_interpret, _program(kernel))

    def emulator(self, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """See `TargetHooks`; the reference interpreter."""
        with within_kernel(kernel.name, kernel.source):
            return emulation.emitter(kernel, request, self.executor(kernel))

    def compile(self, lowered: Lowered, **options: Any) -> Report:
        """See `TargetHooks`; returns libtpu's report. The options are those of `gridir.tpu.aot`."""
        return report(kernels_of(lowered), **options)


@functools.lru_cache(maxsize=64)
def _program(kernel: Kernel) -> Program:
    """The kernel as libtpu would read it, ready to run. Raises ExecutionError for an op that is not known."""
    mosaic = kernel.prepare()
    outside = Outside.ALLOWED if "bounds" in mosaic.disabled_checks else Outside.DISCARDED
    return Program(parse_module(mosaic.body, kernel=kernel.name), outside, _scratch_names(kernel.module("grid")))


def _scratch_names(module: ir.Module) -> tuple[str, ...]:
    """The author's names of the scratch memory of a kernel; none for one that begins at a later stage.

    The module is an argument because its ops do not keep it alive.
    """
    for op in module.body.operations:
        if op.operation.name == "grid.kernel" and "scratch_origins" in op.attributes:
            return tuple(str(name.value) for name in op.attributes["scratch_origins"])
    return ()


def _interpret(
    program: Program,
    operands: Sequence[np.ndarray],
    results: Sequence[jax.ShapeDtypeStruct],
    aliases: dict[int, int],
) -> list[np.ndarray]:
    # Inside of a kernel a bool is an int32.
    arrays = [x.astype(np.int32) if x.dtype == np.bool_ else x for x in operands]
    stored = [(aval.shape, np.dtype(np.int32 if aval.dtype == np.bool_ else aval.dtype)) for aval in results]
    outputs = program.run(arrays, stored, aliases)
    return [output.astype(aval.dtype) for output, aval in zip(outputs, results, strict=True)]


def config_of(params: Any, mosaic: MosaicKernel, request: KernelRequest, collective_id: int | None) -> dict[str, Any]:
    """Returns the fields of XLA's backend configuration, besides the memory spaces.

    Args:
      params: the author's record.
      mosaic: the kernel's code.
      request: the kernel.
      collective_id: the number of its barrier semaphore, the author's or JAX's.

    Raises:
      OptionError: when a field of the record cannot be honoured.
    """
    _check(params, mosaic, request, collective_id)
    cost = request.cost_estimate
    is_sparse = jax_tpu.sparse_core_type(request.mesh) is not None
    elided = {f"disable_{check}_checks": True for check, reason in mosaic.needed_checks.items() if not reason}
    return {
        "lowered_module_asm": mosaic.body,
        "has_communication": mosaic.has_communication,
        "cost_estimate": dataclasses.asdict(cost) if cost is not None else None,
        # Vectors are as large as the author's blocks: on a TensorCore Mosaic always has to lay them out.
        "needs_layout_passes": params.needs_layout_passes if is_sparse else True,
        **{name: getattr(params, name) for name in CONFIG_FIELDS},
        **elided,
        "collective_id": collective_id,
        "tiling": jax_tpu.tiling(params.use_tc_tiling_on_sc) if is_sparse else None,
        **({"opt_level": level} if (level := _opt_level(params)) is not None else {}),
    }


def _opt_level(params: Any) -> Any:
    """How far the compiler for SparseCores optimises; None where the author, or this JAX, does not say."""
    return field_of("tpu.CompilerParams", params, "opt_level")


def _check(params: Any, mosaic: MosaicKernel, request: KernelRequest, collective_id: int | None) -> None:
    """Rejects features that Mosaic would reject later, or would silently drop."""
    # For each reason: whether it holds, the problem, and a change that would work.
    problems = (
        (
            mosaic.has_custom_barrier and collective_id is None,
            "collective_id is not set, but the kernel uses the barrier semaphore",
            "give CompilerParams(collective_id=...) a number that no other kernel of the program has",
        ),
        (
            collective_id is not None
            and not mosaic.has_custom_barrier
            and not params.allow_collective_id_without_custom_barrier,
            "collective_id is set, but the kernel uses no barrier semaphore",
            "leave collective_id out, or set allow_collective_id_without_custom_barrier",
        ),
        (
            params.use_tc_tiling_on_sc is not None and jax_tpu.sparse_core_type(request.mesh) is None,
            "use_tc_tiling_on_sc is set, but the kernel runs on a TensorCore",
            "leave it out: it chooses the tiling of kernels on a SparseCore",
        ),
        (
            _opt_level(params) is not None and jax_tpu.sparse_core_type(request.mesh) is None,
            "opt_level is set, but the kernel runs on a TensorCore",
            "leave it out: only the compiler for SparseCores has levels",
        ),
        (
            (kernel_type := field_of("tpu.CompilerParams", params, "kernel_type")) not in (None, "tc"),
            f"kernel_type is {kernel_type!r}, but gridir compiles for TensorCores only",
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
