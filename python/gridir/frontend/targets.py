# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frontend's part of each target."""

from __future__ import annotations

from gridir.compiler.target import Target, load_part
from gridir.frontend.target_hooks import TargetHooks


def hooks_of(target: Target) -> TargetHooks:
    """Returns the frontend's part of a target."""
    hooks: TargetHooks = load_part(target.frontend)
    return hooks
