# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX's parameters of interpret mode, and its settings, ask of a kernel that runs as native code instead."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import jax

from gridir.compiler.cpu import CpuOptions
from gridir.frontend import fields

if TYPE_CHECKING:
    from gridir.frontend.request import KernelRequest


def with_interpret_params(options: CpuOptions, request: KernelRequest) -> CpuOptions:
    """Returns the options of a kernel on the CPU: those of the installation, and what its `InterpretParams` ask for.

    Memory that a kernel without them allocates holds poison where `jax_pallas_poison_buffers` is set. Options with a
    pipeline of one's own are returned as they are, and so are those of a kernel that asks for `interpret=True`, or for
    nothing.

    Raises:
      UnsupportedError: for a value of a field that the table of fields calls an error.
    """
    params = request.interpret
    if not options.has_stages:
        return options
    if not dataclasses.is_dataclass(params):
        poison = "poison" if jax.config.jax_pallas_poison_buffers else None
        return dataclasses.replace(options, fill_memory=options.fill_memory or poison)
    fields.check_interpret_params(request)
    checks = [*options.checks]
    if params.detect_races:
        checks.append("races")
    # JAX's interpreter of GPU kernels has no seed.
    seed = getattr(params, "random_seed", None)
    return dataclasses.replace(
        options,
        checks=tuple(checks),
        schedule_seed=options.schedule_seed if seed is None else abs(seed),
        # Memory that nothing has written is no error there.
        fill_memory=options.fill_memory or params.uninitialized_memory,
    )
