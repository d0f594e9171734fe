# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as PTX inside of JAX programs on the CPU: each call goes to the executor of PTX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.errors import within_kernel
from gridir.frontend import jax_compat_calls
from gridir.frontend.callback_errors import remembering_errors
from gridir.frontend.request import KernelRequest

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel


def emitter(kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
    """Returns what writes a call of the executor in the place of a kernel.

    Raises:
      CompileError: when a pass refuses the kernel.
    """
    with within_kernel(kernel.name, kernel.source):
        prepared: Any = kernel.prepare()
    results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in request.out_avals]
    num_sizes = request.grid_mapping.num_dynamic_grid_bounds
    aliases = {result: operand + num_sizes for operand, result in request.input_output_aliases}

    def run(*operands: Any) -> list[np.ndarray]:
        # Copies: a kernel may write what it is given.
        inputs = [np.array(x, order="C") for x in operands]
        outputs = [
            inputs[aliases[number]] if number in aliases else _unwritten(aval) for number, aval in enumerate(results)
        ]
        with remembering_errors(), within_kernel(kernel.name, kernel.source):
            prepared.launch([*inputs, *outputs])
        return outputs

    def call(*operands: Any) -> Sequence[Any]:
        return jax.pure_callback(run, results, *operands)

    return jax_compat_calls.emit_function(call)


def _unwritten(aval: jax.ShapeDtypeStruct) -> np.ndarray:
    """Memory in which floats are NaN, as it is for who reads what nobody has written."""
    array = np.zeros(aval.shape, aval.dtype)
    if array.dtype != np.bool_:
        array.reshape(-1).view(np.uint8)[...] = 0xFF
    return array
