# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mosaic kernels inside of JAX programs on the CPU: each call goes to the reference interpreter."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.compiler.passes import parse_module
from gridir.errors import within_kernel
from gridir.frontend import jax_compat_calls
from gridir.frontend.callback_errors import remembering_errors
from gridir.frontend.request import KernelRequest
from gridir.runtime.tpu.interpreter import Program

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


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
        with remembering_errors(), within_kernel(kernel.name, kernel.source):
            outputs = program.run(arrays, stored, aliases)
        return [output.astype(aval.dtype) for output, aval in zip(outputs, results, strict=True)]

    def call(*operands: Any) -> Sequence[Any]:
        return jax.pure_callback(run, results, *operands)

    return jax_compat_calls.emit_function(call)
