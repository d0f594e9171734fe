# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a pass pipeline on a module, with failures as exceptions."""

from __future__ import annotations

import threading

from gridir.locations import error_from_native
from gridir.mlir import ir
from gridir.mlir._mlir_libs import _gridirDialects as native
from gridir.passes import take_exception, versions

# The maximum number of modules that share a context. Attributes and types, which MLIR makes unique in a context, are
# freed only with it.
_MODULES_PER_CONTEXT = 1000

_thread = threading.local()


def shared_context() -> ir.Context:
    """Returns this thread's context for modules that outlive no call: making one takes as long as most kernels.

    A thread that compiles on and on gets a new one from time to time, so that its memory does not grow.
    """
    if getattr(_thread, "modules", 0) % _MODULES_PER_CONTEXT == 0:
        _thread.context, _thread.modules = _make_context(), 0
        _thread.pipelines = native.Pipelines(_thread.context)
    _thread.modules += 1
    return _thread.context


def _pipelines(context: ir.Context) -> native.Pipelines | None:
    """The pipelines that this thread has run in a context, which are ready to run again; None for any other context."""
    return _thread.pipelines if getattr(_thread, "context", None) is context else None


def _make_context() -> ir.Context:
    context = ir.Context()
    # Kernels are small: threads of the context's own would only contend.
    context.enable_multithreading(False)
    return context


def parse_module(
    source: str | bytes,
    *,
    kernel: str | None = None,
    context: ir.Context | None = None,
    file: str = "<module>",
) -> ir.Module:
    """Returns the module of MLIR text or bytecode, in the given context or a new one; its locations are in `file`.

    Raises:
      CompileError: when `source` is not a valid module.
      InternalError: when the parser or a verifier crashes.
    """
    context = context or _make_context()
    parsed = native.parse_module(context, source.encode() if isinstance(source, str) else source, file)
    if isinstance(parsed, ir.Module):
        return parsed
    if "reproducer" in parsed:
        _abandon(context)
    raise error_from_native(parsed, kernel=kernel)


def verify_module(module: ir.Module, source: bytes, *, kernel: str | None = None) -> None:
    """Verifies a module, as `parse_module` would verify that of `source`, its bytecode.

    Raises: as `parse_module`.
    """
    failure = native.verify_module(module, source)
    if failure is None:
        return
    if "reproducer" in failure:
        _abandon(module)
    raise error_from_native(failure, kernel=kernel)


def _abandon(crashed: ir.Module | ir.Context) -> None:
    """Keeps a crashed module and its context, which may be in any state, from being used or freed."""
    native.leak(crashed)
    if getattr(_thread, "modules", 0):
        native.leak(_thread.pipelines)
    _thread.modules = 0


def to_bytecode(module: ir.Module) -> bytes:
    """Returns a module as MLIR bytecode."""
    return native.write_bytecode(module)


def to_generic_text(module: ir.Module) -> bytes:
    """Returns a module as text, each op in its generic form and with its location."""
    return native.print_generic(module)


def run_pipeline(
    module: ir.Module,
    pipeline: str,
    *,
    kernel: str | None = None,
    source: bytes | None = None,
    print_after_all: bool = False,
    timing: bool = False,
    statistics: bool = False,
) -> ir.Module:
    """Runs a textual pass pipeline (without `builtin.module(...)` around it) on a module, in place, and verifies it.

    Args:
      source: the module as bytecode, for the reproducer of a failure; written here without it.
      print_after_all: writes the IR after each pass to stderr.
      timing: writes how long each pass took to stderr.
      statistics: writes the statistics of each pass to stderr.

    Raises:
      CompileError: when the pipeline cannot be parsed or a pass fails. Its details are a command that reproduces it;
        its cause is the exception of a pass in Python.
      InternalError: when a pass crashes.
    """
    source = source or to_bytecode(module)
    told = {"print_after_all": print_after_all, "timing": timing, "statistics": statistics}
    # A pass in Python may be another one by the next time, or run a pipeline itself.
    is_kept = not any(told.values()) and not versions(pipeline)
    known = _pipelines(module.context) if is_kept else None
    failure = native.run_pipeline(module, source, pipeline, **told, pipelines=known)
    if failure is None:
        return module
    if "reproducer" in failure:
        _abandon(module)
        raise error_from_native(failure, kernel=kernel)
    cause = take_exception(module.context)
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # As KeyboardInterrupt.
    details = f"// run with: gridir-opt --pass-pipeline='builtin.module({pipeline})'\n{parse_module(source)}"
    raise error_from_native(failure, kernel=kernel, details=details) from cause
