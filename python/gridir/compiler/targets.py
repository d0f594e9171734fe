# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of targets."""

from __future__ import annotations

from gridir.compiler.cpu import CpuTarget
from gridir.compiler.gpu import GpuTarget
from gridir.compiler.target import Target
from gridir.compiler.tpu import TpuTarget
from gridir.errors import OptionError

CPU, TPU, GPU = CpuTarget(), TpuTarget(), GpuTarget()

TARGETS: dict[str, Target] = {target.name: target for target in (CPU, TPU, GPU)}


def get_target(name: str) -> Target:
    """Returns the target of that name, as "cpu" or "gpu:sm_80"; raises OptionError when there is none."""
    base, colon, chip = name.partition(":")
    if base not in TARGETS:
        raise OptionError(f"expected a target ({', '.join(TARGETS)}), got {name!r}")
    return TARGETS[base].with_chip(chip) if colon else TARGETS[base]
