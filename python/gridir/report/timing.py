# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def fastest(call: Callable[[], Any], calls: int) -> float:
    """Returns the seconds that the fastest of some calls takes."""
    best = float("inf")
    for _ in range(calls):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best
