# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The option `--on`: whether the kernels of a GPU run on a GPU of this machine or in the executor of PTX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gridir.compiler.target import Target
    from gridir.runtime.gpu import Device

CHIP, EXECUTOR = "chip", "executor"

on_option = click.option(
    "--on",
    type=click.Choice([CHIP, EXECUTOR]),
    help="Where kernels for a GPU run: on a GPU of this machine, or in the executor of PTX on the CPU. The default is "
    "a GPU if there is one that runs code for the chip, and no checks are asked for.",
)


def choose_device(target: Target, on: str | None, *, needs_executor: bool) -> Device | None:
    """Returns the GPU to run kernels on, or None for an emulator on the CPU.

    Args:
      target: the target of the kernels.
      on: the value of the command line.
      needs_executor: true if something is asked for that only the executor has, as checks.

    Raises:
      OptionError: when a GPU is asked for and there is none, or the target has no kernels for one.
    """
    from gridir.compiler.gpu import GpuTarget
    from gridir.errors import OptionError

    if not isinstance(target, GpuTarget):
        if on is not None:
            raise OptionError(f"expected a GPU as the target with --on, as gpu:sm_90a, got {target.name!r}")
        return None
    if on == EXECUTOR or (on is None and needs_executor):
        return None
    if needs_executor:
        raise OptionError(
            "expected --on executor with checks, an order of threads, a profile or another stage, got --on chip"
        )
    from gridir.runtime.gpu.host_arrays import find_device

    options: Any = target.check_options(None)
    device = find_device(options.chip)
    if device is None and on == CHIP:
        raise OptionError(f"expected a GPU that runs code for {options.chip}, found none on this machine")
    return device
