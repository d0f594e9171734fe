# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Watching the calls of kernels that a JAX program makes: their operands, their results, and how long they took."""

from __future__ import annotations

import dataclasses
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.compiler.passes import parse_module, shared_context
from gridir.frontend.compat import jax_calls
from gridir.frontend.compat.jax_core import physical_aval
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.mlir import ir

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of a kernel.

    Attributes:
      kernel: the kernel.
      request: the `KernelRequest` of JAX; None for a kernel that comes from a module.
      operands: the arrays that it was given: sizes of a dynamic grid, index operands, inputs.
      results: the arrays that it has returned.
      seconds: the time between having the operands and having the results.
      error: why the call has failed; its results are then memory that nothing has written. "" where it has not.
    """

    kernel: Kernel
    request: Any
    operands: tuple[np.ndarray, ...] = dataclasses.field(repr=False)
    results: tuple[np.ndarray, ...] = dataclasses.field(repr=False)
    seconds: float
    error: str = ""


class Recorder:
    """Passes each call of a kernel to a function, on the thread on which XLA calls Python.

    Attributes:
      skipped: why kernels were not watched, by their names.
      interprets: whether kernels are run as JAX's interpret mode runs them.
      not_interpreted: why it did not run kernels, which native code of the CPU has run, by their names.
    """

    def __init__(self, keep: Callable[[Call], None]):
        """Watches nothing until it is part of an installation.

        Args:
          keep: receives each call, and may write to its results, which the JAX program gets. Its exceptions are errors
            of the JAX program.
        """
        self.skipped: dict[str, str] = {}
        self.interprets = False
        self.not_interpreted: dict[str, str] = {}
        self._keep = keep
        self._numbers = itertools.count()
        self._begun: dict[int, tuple[float, Kernel, KernelRequest, tuple[np.ndarray, ...]]] = {}
        self._lock = threading.Lock()

    def watch(self, emitter: jax_calls.Emitter, kernel: Kernel, request: KernelRequest) -> jax_calls.Emitter:
        """Returns the emitter of the call that `emitter` emits, with the recorder around it."""
        reason = _why_not_alone(kernel)
        if reason:
            self.skipped[kernel.name] = reason
            return emitter
        num_operands = len(request.in_avals)

        def begin(*operands: Any) -> Sequence[np.ndarray]:
            arrays = [np.asarray(x) for x in operands]
            # Copies: the memory is XLA's.
            copies = tuple(map(np.array, arrays))
            with self._lock:
                number = next(self._numbers) % 2**31
                self._begun[number] = (time.perf_counter(), kernel, request, copies)
            return [np.asarray(number, np.int32), *arrays]

        def end(number: Any, *arrays: Any) -> Sequence[np.ndarray]:
            now = time.perf_counter()
            results = tuple(np.array(x) for x in arrays[num_operands:])
            with self._lock:
                start, *_, given = self._begun.pop(int(number))
                self._keep(Call(kernel, request, given, results, now - start))
            return results

        return lambda context, operands: jax_calls.emit_watched(context, operands, emitter, begin, end)

    def keep_failed(self, error: str) -> None:
        """Passes unfinished calls to the function.

        Args:
          error: why they have not ended.
        """
        with self._lock:
            begun, self._begun = list(self._begun.values()), {}
            for _, kernel, request, operands in begun:
                types = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in map(physical_aval, request.out_avals)]
                results = tuple(map(jax_calls.unwritten, types))
                self._keep(Call(kernel, request, operands, results, 0.0, error))


def _why_not_alone(kernel: Kernel) -> str:
    """Why a kernel cannot be run but in the program that it is part of; "" where it can."""
    if kernel.group_size:
        return "it knows the device that it runs on"
    module = parse_module(kernel.bytecode, kernel=kernel.name, context=shared_context())
    return "it calls Python" if _calls_python(module) else ""


def _calls_python(module: ir.Module) -> bool:
    found = False

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = op.name == "grid.callback"
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
