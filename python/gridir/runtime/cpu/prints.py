# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing what kernels print."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from gridir.runtime.dtypes import DTYPES

PrintedValue = tuple[str, Sequence[int], bytes]
"""Element type as MLIR writes it, shape, and the bytes, one element after the other."""


def write_prints(records: Sequence[tuple[str, Sequence[PrintedValue]]]) -> None:
    """Writes the prints of one call, in order, to Python's `sys.stdout`.

    Args:
      records: for each print its format, with one `{}` for each value, and its values.
    """
    lines = [text.format(*map(_to_array, values)) + "\n" for text, values in records]
    # One write, so that the lines of a call stay together when other threads write too.
    sys.stdout.write("".join(lines))
    sys.stdout.flush()


def _to_array(value: PrintedValue) -> np.ndarray | np.generic:
    element, shape, data = value
    return np.frombuffer(data, dtype=DTYPES[element]).reshape(tuple(shape))[()]
