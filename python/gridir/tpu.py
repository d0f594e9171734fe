# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiler parameters of JAX's Mosaic TPU backend, with the fields of every release of JAX."""

from __future__ import annotations

import dataclasses
from typing import Any

from jax.experimental.pallas import tpu as _tpu


@dataclasses.dataclass(frozen=True, init=False)
class CompilerParams(_tpu.CompilerParams):
    """`jax.experimental.pallas.tpu.CompilerParams` and `kernel_type`.

    Attributes:
      kernel_type: the core that the kernel runs on, as "tc", "sc_scalar_subcore" or "sc_vector_subcore", or a
        `CoreType`. Later releases of JAX take it from the mesh.

    All other fields are JAX's own.

    Raises:
      TypeError: if a field is given that no release of JAX has.
    """

    kernel_type: Any = None

    def __init__(self, *args: Any, kernel_type: Any = None, **fields: Any):
        super().__init__(*args, **fields)
        object.__setattr__(self, "kernel_type", getattr(kernel_type, "value", kernel_type))

    # Replace is a method, not a field.
    replace = dataclasses.replace
