# Conversions of narrow elements, and sums and products of those of 16 bits, as threads compute several at a time: of
# integers and of floats of a byte all there are, of floats that are rounded to a byte all of bf16, and what lies at
# both sides of the largest.
#
# RUN: %python %s | FileCheck %s

import operator
from collections.abc import Callable
from typing import Any

import gridir
import jax
import ml_dtypes
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from jax.experimental.pallas import mosaic_gpu as plgpu

TARGET = get_target("gpu:sm_90a")


def run(function: Callable[..., Any], dtype: Any, *arrays: np.ndarray) -> np.ndarray:
    """What a warpgroup computes of all elements."""

    @jax.jit
    def call(*arrays: Any) -> Any:
        def body(*refs: Any) -> None:
            *inputs, result = refs
            result[...] = function(*(ref[...] for ref in inputs))

        return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(arrays[0].shape, dtype))(*arrays)

    return np.asarray(execute(call, arrays, TARGET).function(*arrays))


def same(result: np.ndarray, expected: np.ndarray) -> bool:
    """Whether the bits are the same, but those of what is no number."""
    wide, other = result.astype(np.float64), expected.astype(np.float64)
    return bool(np.all((wide == other) & (np.signbit(wide) == np.signbit(other)) | np.isnan(wide) & np.isnan(other)))


def convert(source: Any, dtype: Any, values: np.ndarray) -> None:
    """Says whether a conversion is that of NumPy, where threads load pairs and where they load four."""
    array = values.astype(source)
    said = []
    for elements in (array[:256], np.resize(array, 512), array):
        try:
            result = run(lambda x: x.astype(dtype), dtype, elements)
            said.append(same(result, elements.astype(dtype)))
        except gridir.Error as error:
            said.append(str(error))
    print(np.dtype(source).name, "to", np.dtype(dtype).name, *said)


# CHECK: int8 to float16 True True True
# CHECK: int8 to bfloat16 True True True
# CHECK: uint8 to float16 True True True
# CHECK: uint8 to bfloat16 True True True
# CHECK: int4 to float16 True True True
# CHECK: int4 to bfloat16 True True True
# CHECK: uint4 to float16 True True True
# CHECK: uint4 to bfloat16 True True True
for source in (np.int8, np.uint8, ml_dtypes.int4, ml_dtypes.uint4):
    for dtype in (np.float16, ml_dtypes.bfloat16):
        convert(source, dtype, np.arange(256).astype(np.uint8).view(np.int8))

# CHECK: float8_e4m3fn to float16 True True True
# CHECK: float8_e4m3fn to bfloat16 True True True
# CHECK: float8_e4m3fn to float32 True True True
# CHECK: float8_e5m2 to float16 True True True
# CHECK: float8_e5m2 to bfloat16 True True True
# CHECK: float8_e5m2 to float32 True True True
BYTES = np.arange(256).astype(np.uint8)
for source in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32):
        convert(source, dtype, BYTES.view(source))

# CHECK: bfloat16 to float8_e4m3fn True True True
# CHECK: float32 to float8_e4m3fn True True True
# CHECK: bfloat16 to float8_e5m2 True True True
# CHECK: float32 to float8_e5m2 True True True
ALL = np.arange(1 << 16).astype(np.uint16).view(ml_dtypes.bfloat16)
for dtype, limit in ((ml_dtypes.float8_e4m3fn, 464), (ml_dtypes.float8_e5m2, 61440)):
    convert(ml_dtypes.bfloat16, dtype, ALL)
    step = np.spacing(np.float32(limit))
    near = np.asarray([limit - step, limit, limit + step, -limit - step, -limit], np.float32)
    convert(np.float32, dtype, np.resize(np.concatenate([near, ALL.astype(np.float32)[::97]]), 1024))

# CHECK: float16 add True
# CHECK: float16 sub True
# CHECK: float16 mul True
# CHECK: bfloat16 add True
# CHECK: bfloat16 sub True
# CHECK: bfloat16 mul True
rng = np.random.default_rng(0)
for dtype in (np.float16, ml_dtypes.bfloat16):
    x, y = (np.exp(4 * rng.normal(size=4096)).astype(dtype) * rng.choice([-1, 1], 4096).astype(dtype) for _ in "xy")
    for op in (operator.add, operator.sub, operator.mul):
        print(np.dtype(dtype).name, op.__name__, same(run(op, dtype, x, y), op(x, y)))
