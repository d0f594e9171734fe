# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The NumPy dtype of each element type of MLIR."""

import ml_dtypes
import numpy as np

DTYPES = {
    "i1": np.bool_,
    "i2": np.int8,
    "i4": np.int8,
    "index": np.int64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
} | {
    f"{sign}i{bits}": np.dtype(f"{kind}{bits}")
    for bits in (8, 16, 32, 64)
    for sign, kind in (("", "int"), ("s", "int"), ("u", "uint"))
}
"""For an element type as MLIR writes it, the dtype of its bytes in memory; sub-byte numbers take a byte each."""
