# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of JAX's GPU kernels that say nothing about what a kernel computes."""

from __future__ import annotations

import fnmatch

LEFT_OUT: dict[str, dict[str, str]] = {
    "mosaic_gpu_test": {},
}
"""For each test file the tests, as patterns of `Class.method`, with the reason."""


def reason_to_leave_out(file: str, test: str) -> str | None:
    """Why a test is not run; None for one that is.

    Args:
      file: the name of its file, without the suffix.
      test: its name, as `Class.method`.
    """
    patterns = LEFT_OUT.get(file, {})
    return next((reason for pattern, reason in patterns.items() if fnmatch.fnmatchcase(test, pattern)), None)
