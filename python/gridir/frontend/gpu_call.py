# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The call of a kernel that is compiled for a GPU, in the module that JAX makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gridir.frontend import jax_compat_calls
from gridir.frontend.request import KernelRequest

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel

CALL_TARGET = "gridir_gpu"


def register(_: str) -> None:
    """Nothing runs the call yet: `gridir.lower` shows and assembles kernels for a GPU."""


def emitter(kernel: Kernel, request: KernelRequest) -> jax_compat_calls.Emitter:
    """Returns what writes the call of a kernel."""
    num_sizes = request.grid_mapping.num_dynamic_grid_bounds
    aliases = {operand + num_sizes: result for operand, result in request.input_output_aliases}

    def emit(context: Any, operands: Sequence[Any]) -> Sequence[Any]:
        return jax_compat_calls.emit_call(
            context, operands, CALL_TARGET, {"key": kernel.key}, aliases=aliases, has_side_effect=False
        )

    return emit
