# Floats as integers and floats of few bits, out of range, infinite and NaN, on each target and in JAX's interpreter:
# the values that XLA gives. Integers saturate, and NaN is 0.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import mosaic_interpreted
from jax.experimental import pallas as pl

# fmt: off
SPECIAL = (
    0.5, -0.5, 1.5, 2.5, 6.9, 7.5, 8, -8, -8.5, -9, 3, -3, 15.5, 16, 100, -100, 127.5, 128, -128.9, -129, 255.5, 256,
    300, -300, 32767, 32768, -32769, 65535, 65536, 1e5, -1e5, 2147483520, 2147483648, -3e9, 4294967296, 5e9, 1e20,
    -1e20, np.inf, -np.inf, np.nan, -np.nan, -0.0, 240, 248, 448, 464, 465, 480, 57344, 61440, 65000, 1e-3, -1e-6,
)
# fmt: on
X = np.resize(np.array(SPECIAL, np.float32), (64, 128))
INTEGERS = ("int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "bool")
FLOATS = ("float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz")
FLOATS += ("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")


def convert(source: str, dtype: str) -> Callable[[Any], Any]:
    return lambda x: x.astype(source).astype(dtype)


def inside(source: str, dtype: str, interpret: bool) -> Callable[[Any], Any]:
    """The conversion with a result of that type, and with one that is converted back."""

    def body(x_ref, o_ref, back_ref):
        o_ref[...] = convert(source, dtype)(x_ref[...])
        back_ref[...] = convert(source, dtype)(x_ref[...]).astype(jnp.float32)

    shapes = (jax.ShapeDtypeStruct(X.shape, dtype), jax.ShapeDtypeStruct(X.shape, jnp.float32))
    return pl.pallas_call(body, out_shape=shapes, interpret=interpret)


def look(name: str, context: AbstractContextManager[Any], interpret: bool = False) -> None:
    wrong = []
    with context:
        for source in ("float32", "bfloat16", "float16"):
            for dtype in (*INTEGERS, *FLOATS):
                expected = np.asarray(jax.jit(convert(source, dtype))(X)).astype(np.float32)
                for got in jax.jit(inside(source, dtype, interpret))(X):
                    number = np.asarray(got).astype(np.float32)
                    if not np.array_equal(number, expected, equal_nan=True):
                        at = np.flatnonzero((number != expected) & ~(np.isnan(number) & np.isnan(expected)))[0]
                        wrong.append((source, dtype, X.flat[at], number.flat[at], expected.flat[at]))
    print(f"{name}:", wrong)


# CHECK: interpreted: []
look("interpreted", gridir.installed(), interpret=True)
# CHECK: native: []
look("native", gridir.installed())
# CHECK: emulated GPU: []
look("emulated GPU", gridir.installed(emulate="gpu:sm_90a"))
# CHECK: Mosaic: []
look("Mosaic", mosaic_interpreted())
