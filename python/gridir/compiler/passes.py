# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a pass pipeline on a module, with failures as exceptions."""

from __future__ import annotations

from gridir.locations import Diagnostic, error_from_diagnostics
from gridir.mlir import ir
from gridir.mlir.passmanager import PassManager


def parse_module(source: str | bytes, *, kernel: str | None = None) -> ir.Module:
    """Returns the module of MLIR text or bytecode, in a context of its own.

    Raises:
      CompileError: when `source` is not a valid module.
    """
    context = ir.Context()
    # Kernels are small: threads of the context's own would only contend.
    context.enable_multithreading(False)
    with context:
        try:
            return ir.Module.parse(source)
        except ir.MLIRError as error:
            raise _to_error(error, kernel, "parse", "") from None


def run_pipeline(
    module: ir.Module, pipeline: str, *, kernel: str | None = None, print_after_all: bool = False
) -> ir.Module:
    """Runs a textual pass pipeline (without `builtin.module(...)` around it) on a module, in place.

    Args:
      print_after_all: writes the IR after each pass to stderr.

    Raises:
      CompileError: when the pipeline cannot be parsed or a pass fails. Its details are a command that shows it again.
    """
    with module.context:
        try:
            manager = PassManager.parse(f"builtin.module({pipeline})")
        except ValueError as error:
            raise error_from_diagnostics([Diagnostic("error", str(error))], kernel=kernel, stage="pipeline") from None
        if print_after_all:
            manager.enable_ir_printing(print_before_all=False, print_after_all=True, enable_debug_info=False)
        before = str(module)
        try:
            manager.run(module.operation)
        except ir.MLIRError as error:
            details = f"// run with: gridir-opt --pass-pipeline='builtin.module({pipeline})'\n{before}"
            raise _to_error(error, kernel, "passes", details) from None
    return module


def _to_error(error: ir.MLIRError, kernel: str | None, stage: str, details: str) -> Exception:
    diagnostics = [Diagnostic.from_mlir(info) for info in error.error_diagnostics]
    return error_from_diagnostics(diagnostics, kernel=kernel, stage=stage, details=details)
