# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mosaic kernels inside of JAX programs on the CPU: each call goes to the reference interpreter."""

from __future__ import annotations

import collections
import contextlib
import functools
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.compiler.passes import parse_module
from gridir.errors import within_kernel
from gridir.frontend import jax_compat_calls, jax_compat_interpret
from gridir.frontend.request import KernelRequest
from gridir.runtime.tpu.interpreter import ExecutionError, Program

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


# What the interpreter has raised of late: of an error in a callback XLA hands on the text only.
_failures: collections.deque[ExecutionError] = collections.deque(maxlen=16)


def _is_of_jax(record: logging.LogRecord) -> bool:
    return record.exc_info is None or not isinstance(record.exc_info[1], ExecutionError)


# JAX writes the traceback of every error in a callback; this one is raised, with the author's line.
jax_compat_interpret.filter_callback_log(_is_of_jax)


@contextlib.contextmanager
def raising_own_errors() -> Iterator[None]:
    """Raises an error of the interpreter as itself, where XLA raises what it has made of it.

    Raises:
      ExecutionError: when a kernel that was called inside failed.
    """
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        for failure in reversed(_failures):
            if failure.message in str(error):
                raise failure from None
        raise


@functools.lru_cache(maxsize=64)
def _program(kernel: Kernel) -> Program:
    """The kernel as libtpu would read it, ready to run."""
    return Program(parse_module(kernel.prepare().body, kernel=kernel.name))


def emitter(kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
    """Returns what writes a call of the interpreter in the place of a kernel.

    Raises:
      CompileError: when a pass refuses the kernel.
      ExecutionError: when the interpreter does not know an op of it.
    """
    with within_kernel(kernel.name, kernel.source):
        program = _program(kernel)
    results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in request.out_avals]
    # Inside of a kernel a bool is an int32.
    stored = [(aval.shape, np.dtype(np.int32 if aval.dtype == np.bool_ else aval.dtype)) for aval in results]
    num_sizes = request.grid_mapping.num_dynamic_grid_bounds
    aliases = {operand + num_sizes: result for operand, result in request.input_output_aliases}

    def run(*operands: Any) -> list[np.ndarray]:
        arrays = [np.asarray(x) for x in operands]
        arrays = [x.astype(np.int32) if x.dtype == np.bool_ else x for x in arrays]
        try:
            with within_kernel(kernel.name, kernel.source):
                outputs = program.run(arrays, stored, aliases)
        except ExecutionError as error:
            _failures.append(error)
            raise
        return [output.astype(aval.dtype) for output, aval in zip(outputs, results, strict=True)]

    def call(*operands: Any) -> Sequence[Any]:
        return jax.pure_callback(run, results, *operands)

    return jax_compat_calls.emit_function(call)
