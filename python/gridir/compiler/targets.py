# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of targets: gridir's own, and those of other packages.

A package adds a target by an entry point in the group `gridir.targets`, whose value is a subclass of `Target`.
"""

from __future__ import annotations

import functools
from importlib import metadata

from gridir.compiler.cpu import CpuTarget
from gridir.compiler.gpu import GpuTarget
from gridir.compiler.target import Target
from gridir.compiler.tpu import TpuTarget
from gridir.errors import OptionError

CPU, TPU, GPU = CpuTarget(), TpuTarget(), GpuTarget()

TARGETS: dict[str, Target] = {target.name: target for target in (CPU, TPU, GPU)}
"""gridir's own targets. JAX calls kernels of these, one for each platform."""


@functools.cache
def all_targets() -> dict[str, Target]:
    """Returns all targets by name: gridir's own, then those of other packages."""
    others = [entry.load()() for entry in metadata.entry_points(group="gridir.targets")]
    return TARGETS | {target.name: target for target in others if target.name not in TARGETS}


def target_of_platform(platform: str) -> Target | None:
    """Returns the target whose kernels JAX calls on a platform, as "cuda"; None where there is none."""
    return next((target for target in TARGETS.values() if target.platform == platform), None)


def get_target(name: str) -> Target:
    """Returns the target of that name, as "cpu" or "gpu:sm_80"; raises OptionError when there is none."""
    base, colon, chip = name.partition(":")
    target = TARGETS.get(base) or all_targets().get(base)
    if target is None:
        raise OptionError(f"expected a target ({', '.join(all_targets())}), got {name!r}")
    return target.with_chip(chip) if colon else target
