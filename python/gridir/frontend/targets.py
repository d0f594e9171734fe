# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frontend's half of each target."""

from __future__ import annotations

import functools

from gridir.compiler.cpu import CpuTarget
from gridir.compiler.gpu import GpuTarget
from gridir.compiler.target import Target
from gridir.compiler.tpu import TpuTarget
from gridir.frontend.cpu_call import CpuHooks
from gridir.frontend.gpu_call import GpuHooks
from gridir.frontend.target_hooks import TargetHooks
from gridir.frontend.tpu_call import TpuHooks

HOOKS: dict[type[Target], TargetHooks] = {CpuTarget: CpuHooks(), TpuTarget: TpuHooks(), GpuTarget: GpuHooks()}


def hooks_of(target: Target) -> TargetHooks:
    """Returns the frontend's half of a target: that of its class, or of the class that this derives from."""
    return _hooks_of(type(target))


@functools.cache
def _hooks_of(kind: type[Target]) -> TargetHooks:
    return next(HOOKS[cls] for cls in kind.__mro__ if cls in HOOKS)
