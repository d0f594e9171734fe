# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts JAX's parameters of interpret mode, and its settings, to options of compiled code."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any

import jax

from gridir.compiler.cpu import CpuOptions
from gridir.compiler.gpu import GpuOptions
from gridir.frontend import fields
from gridir.frontend.capture.installation import current
from gridir.frontend.compat import jax_gpu
from gridir.frontend.compat.releases import field_of
from gridir.runtime.cpu import kept_race

if TYPE_CHECKING:
    from gridir.frontend.request.kernel_request import KernelRequest


@dataclasses.dataclass(frozen=True)
class Races:
    """The result of JAX's `get_races()` after a kernel that ran as native code or as PTX.

    Attributes:
      races_found: whether the last kernel with `InterpretGPUParams` had a race.
      message: both accesses of the first one, with their lines; None where there was none.
    """

    races_found: bool
    message: str | None


# The race of the last kernel that was executed as PTX, if races were checked.
_race_of_ptx: str | None = None


def keep_race(message: str | None) -> None:
    """Stores the race of a kernel that was executed as PTX, None for none, until the next one."""
    global _race_of_ptx
    _race_of_ptx = message
    if message is not None:
        print(f"gridir: warning: {message}", file=sys.stderr)


def _races() -> Races | None:
    """The races of the last kernel; None where JAX's interpreter runs them."""
    installation = current()
    if installation is None or not installation.replace_interpret:
        return None
    for array in jax.live_arrays():
        array.block_until_ready()
    message = kept_race() if installation.emulated is None else _race_of_ptx
    return Races(message is not None, message)


def _raises_races(params: Any) -> bool:
    """True if a race is an error and not a warning. JAX has this parameter since 0.12; before, a race on a GPU was no
    error.
    """
    is_gpu = jax_gpu.is_interpret_params(params)
    owner = "mosaic_gpu.InterpretGPUParams" if is_gpu else "tpu.InterpretParams"
    return bool(field_of(owner, params, "on_race") == "raise")


def with_interpret_params(options: CpuOptions, request: KernelRequest) -> CpuOptions:
    """Returns the options of a kernel on the CPU: those of the installation, and those of its `InterpretParams`.

    Memory that a kernel without them allocates holds poison where `jax_pallas_poison_buffers` is set. Options with a
    custom pipeline are returned unchanged, and so are those of a kernel with `interpret=True` or without it.

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
    is_gpu = jax_gpu.is_interpret_params(params)
    if is_gpu:
        # JAX's interpreter rejects phases that are not observed.
        checks.append("semaphores")
        jax_gpu.answer_races(_races)
    # JAX's interpreter of GPU kernels has no seed.
    seed = getattr(params, "random_seed", None)
    return dataclasses.replace(
        options,
        checks=tuple(checks),
        reports_races=not _raises_races(params),
        schedule_seed=options.schedule_seed if seed is None else abs(seed),
        # Memory that nothing has written is no error there.
        fill_memory=options.fill_memory or params.uninitialized_memory,
    )


def with_interpret_params_of_gpu(options: GpuOptions, request: KernelRequest) -> GpuOptions:
    """Returns the options of a kernel for a GPU: those of the installation, and races, if its `InterpretGPUParams` ask.

    Raises:
      UnsupportedError: for a value of a field that the table of fields calls an error.
    """
    params = request.interpret
    if not jax_gpu.is_interpret_params(params):
        return options
    fields.check_interpret_params(request)
    jax_gpu.answer_races(_races)
    checks = {*options.checks, *(["races"] if params.detect_races else [])}
    return dataclasses.replace(options, checks=tuple(sorted(checks)), reports_races=not _raises_races(params))
