# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The targets and the stages that a kernel passes through on its way to each."""

from __future__ import annotations

import dataclasses

from gridir.errors import OptionError


@dataclasses.dataclass(frozen=True)
class Target:
    """What a kernel can be compiled for.

    Attributes:
      name: what a person writes.
      platform: the JAX platform whose lowering rules are used.
      stages: names of the forms that a kernel takes, in order. The first is the frontend's module.
    """

    name: str
    platform: str
    stages: tuple[str, ...]

    def check_stage(self, stage: str) -> str:
        """Returns `stage`; raises OptionError when this target has none of that name."""
        if stage not in self.stages:
            raise OptionError(f"expected a stage of target {self.name!r} ({', '.join(self.stages)}), got {stage!r}")
        return stage


CPU = Target("cpu", platform="cpu", stages=("grid", "grid-planned", "loops", "bufferized", "vectorized", "llvm"))

TARGETS = {target.name: target for target in (CPU,)}


def get_target(name: str) -> Target:
    """Returns the target of that name; raises OptionError when there is none."""
    if name not in TARGETS:
        raise OptionError(f"expected a target ({', '.join(TARGETS)}), got {name!r}")
    return TARGETS[name]
