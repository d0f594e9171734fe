# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing the prints of kernels, and calling the Python functions that they call."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from gridir.runtime import callbacks
from gridir.runtime.dtypes import DTYPES

PrintedValue = tuple[str, Sequence[int], bytes]
"""Element type as MLIR writes it, shape, and the bytes, one element after the other."""


def write_prints(records: Sequence[tuple[str, str, int, Sequence[PrintedValue]]]) -> None:
    """Writes the prints of one call, in order, to Python's `sys.stdout`, and calls the functions among them.

    Args:
      records: for each print its format, with one `{}` for each value, the nanoseconds of a clock, and its values; for
        each call of a function the function's identity as the second item.
    """
    lines: list[str] = []
    gathered: dict[str, list[tuple[int, list[np.ndarray]]]] = {}
    for text, identity, nanoseconds, values in records:
        arrays = [_to_array(value) for value in values]
        if callbacks.gathers(identity):
            gathered.setdefault(identity, []).append((nanoseconds, arrays))
        elif identity:
            _write(lines)
            callbacks.function_of(identity)(*arrays)
        else:
            lines.append(text.format(*(array[()] for array in arrays)) + "\n")
    _write(lines)
    for identity, calls in gathered.items():
        callbacks.function_of(identity)(calls)


def _write(lines: list[str]) -> None:
    """Writes lines at once, so that they stay together when other threads write too; none are left."""
    sys.stdout.write("".join(lines))
    sys.stdout.flush()
    lines.clear()


def _to_array(value: PrintedValue) -> np.ndarray:
    element, shape, data = value
    return np.frombuffer(data, dtype=DTYPES[element]).reshape(tuple(shape))
