# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing what kernels print."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import ml_dtypes
import numpy as np

PrintedValue = tuple[str, Sequence[int], bytes]
"""Element type as MLIR writes it, shape, and the bytes, one element after the other."""

_DTYPES = {
    "i1": np.bool_,
    "i2": np.int8,
    "i4": np.int8,
    "index": np.int64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
} | {
    f"{sign}i{bits}": np.dtype(f"{kind}{bits}")
    for bits in (8, 16, 32, 64)
    for sign, kind in (("", "int"), ("s", "int"), ("u", "uint"))
}


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
    return np.frombuffer(data, dtype=_DTYPES[element]).reshape(tuple(shape))[()]
