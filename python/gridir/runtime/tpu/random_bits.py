# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random generator of the interpreter of Mosaic modules: that of the CPU, so that both draw the same numbers.

Threefry-2x32 with 20 rounds (Salmon et al., SC 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def _threefry(key: Sequence[int], x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = (np.uint32(word) for word in key)
    keys = (first, second, first ^ second ^ _PARITY)
    with np.errstate(over="ignore"):
        x, y = x + first, y + second
        for group in range(5):
            for bits in _ROTATIONS[group % 2]:
                x = x + y
                y = ((y << np.uint32(bits)) | (y >> np.uint32(32 - bits))) ^ x
            x = x + keys[(group + 1) % 3]
            y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def mix(seeds: Sequence[int]) -> tuple[int, int]:
    """The key of the generator; every seed is a part of it."""
    key = (0, 0)
    for i, seed in enumerate(seeds):
        x, y = _threefry(key, np.array([seed & 0xFFFFFFFF], np.uint32), np.array([i], np.uint32))
        key = int(x[0]), int(y[0])
    return key


def draw(key: tuple[int, int], drawn: int, shape: Sequence[int]) -> np.ndarray:
    """Random words, of a key and a number of the draw."""
    counters = np.arange(math.prod(shape), dtype=np.uint32).reshape(shape)
    return _threefry(key, counters, np.full(shape, drawn, np.uint32))[0]
