# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for TPUs: parameters with the fields of every release of JAX, and the check by the real Mosaic compiler."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

from jax.experimental.pallas import tpu as _tpu
from jax.extend.pallas import register_lowering_rule as _register_lowering_rule

from gridir.compiler.tpu import TpuOptions
from gridir.frontend.capture.chips import KINDS, check_chip
from gridir.frontend.capture.own_params import lower_kernel_with_own_params
from gridir.frontend.compat import jax_tpu
from gridir.frontend.compat.jax_tpu import abstract_device
from gridir.frontend.targets.tpu_aot import aot
from gridir.runtime.tpu.messages import MosaicError
from gridir.runtime.tpu.report import KernelReport, Report
from gridir.runtime.tpu.workers import TOPOLOGIES, LibtpuError, Workers

__all__ = [
    "TOPOLOGIES",
    "CompilerParams",
    "KernelReport",
    "LibtpuError",
    "MosaicError",
    "Report",
    "TpuOptions",
    "Workers",
    "aot",
    "chip",
]


def chip(name: str) -> contextlib.AbstractContextManager[Any]:
    """While the context is entered, JAX answers questions about the TPU as for that chip, if there is none.

    The meshes of SparseCores ask, when they are made: how many cores, subcores and lanes there are.

    Args:
      name: the chip, as a topology of libtpu begins: "v4", "v5e", "v5p", "v6e", "tpu7x".

    Raises:
      OptionError: for another name.

    Example:
      >>> with gridir.tpu.chip("v6e"):
      ...     mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
    """
    return abstract_device(KINDS[check_chip(name)])


@dataclasses.dataclass(frozen=True, init=False)
class CompilerParams(_tpu.CompilerParams):
    """`jax.experimental.pallas.tpu.CompilerParams` with the fields of every release of JAX; with it gridir compiles the
    kernel on a TPU.

    Attributes:
      kernel_type: the core that the kernel runs on, as "tc", "sc_scalar_subcore" or "sc_vector_subcore", or a
        `CoreType`. Later releases of JAX take it from the mesh.
      opt_level: the optimization level of a kernel on a SparseCore, an `OptLevel` of JAX or "O0" to "O3". JAX has it
        since 0.11.

    All other fields are JAX's own.

    Raises:
      TypeError: if a field is given that no release of JAX has.
    """

    kernel_type: Any = None
    opt_level: Any = None

    def __init__(self, *args: Any, kernel_type: Any = None, opt_level: Any = None, **fields: Any):
        super().__init__(*args, **fields)
        object.__setattr__(self, "kernel_type", getattr(kernel_type, "value", kernel_type))
        object.__setattr__(self, "opt_level", jax_tpu.opt_level(opt_level) if opt_level else None)

    # Replace is a method, not a field.
    replace = dataclasses.replace


_register_lowering_rule(CompilerParams, lower_kernel_with_own_params, "tpu")
