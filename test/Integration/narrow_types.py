# Integers of less than a byte, which XLA packs, and floats of a byte or less, against JAX's interpret mode.
#
# RUN: %python %s | FileCheck %s

import math
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference, interpreted
from jax import lax
from jax.experimental import pallas as pl

INTEGERS = (jnp.int4, jnp.uint4, jnp.int2, jnp.uint2)
FLOATS = (
    jnp.float8_e4m3fn,
    jnp.float8_e5m2,
    jnp.float8_e4m3b11fnuz,
    jnp.float8_e4m3fnuz,
    jnp.float8_e5m2fnuz,
    jnp.float8_e4m3,
    jnp.float8_e3m4,
)
WIDE = (jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32, jnp.int8, jnp.uint8)

Functions = dict[str, Callable[..., Any]]


def run(functions: Functions, args: tuple[Any, ...], **options: Any) -> list[np.ndarray]:
    """The result of each function, all computed by one kernel."""
    shapes = [jax.eval_shape(function, *args) for function in functions.values()]

    def kernel(*refs: Any) -> None:
        values = [ref[...] for ref in refs[: len(args)]]
        for function, ref in zip(functions.values(), refs[len(args) :], strict=True):
            ref[...] = function(*values)

    results = jax.jit(lambda *a: pl.pallas_call(kernel, out_shape=shapes, **options)(*a))(*args)
    return [np.asarray(r) for r in results]


def check(title: str, functions: Functions, *args: Any, **options: Any) -> int:
    """Compares a kernel with interpret mode, bit for bit but for NaN, and returns how many results differ."""
    with interpreted():
        want = run(functions, args, **options)
    with gridir.installed():
        got = run(functions, args, **options)
    failures = 0
    for name, result, reference in zip(functions, got, want, strict=True):
        problem = difference(result, reference, tolerance=0.0)
        if problem:
            print(f"{title}: {name}: {problem}")
            failures += 1
    return failures


def casts(*dtypes: Any) -> Functions:
    """A conversion to each dtype."""
    return {f"to {np.dtype(t).name}": lambda x, t=t: lax.convert_element_type(x, t) for t in dtypes}


def numbers() -> np.ndarray:
    """Numbers on, between and beyond those of every small format."""
    random = np.random.RandomState(0)
    powers = 2.0 ** np.arange(-24, 18)
    ties = np.concatenate([powers * m for m in (1, 1.0625, 1.125, 1.1875, 1.25, 1.5, 1.875, 1.9375)])
    edges = [0.0, -0.0, math.inf, -math.inf, math.nan, 447, 463.9, 464, 465, 480, 57344, 61439, 61440, 1e30, -1e30]
    spread = random.randn(600) * 10.0 ** random.randint(-7, 6, 600)
    return np.resize(np.concatenate([edges, ties, -ties, spread]), (32, 32)).astype(np.float32)


def all_encodings(dtype: Any) -> jax.Array:
    return lax.bitcast_convert_type(jnp.arange(256, dtype=jnp.uint8), dtype).reshape(16, 16)


def main() -> None:
    failures = 0
    counting = jnp.arange(15 * 8).reshape(15, 8)
    for t in INTEGERS:
        # An odd number of rows and of columns: the last byte of the array holds fewer elements.
        x = (counting[:, :7] - 8).astype(jnp.int8).astype(t)
        arithmetic: Functions = {
            "copy": lambda x: x,
            "transpose": jnp.transpose,
            "sum": lambda x: x + x,
            "product": lambda x: x * x,
            "shift": lambda x: x >> jnp.asarray(1, x.dtype),
            "less": lambda x: x < x[:1],
            "largest": lambda x: jnp.max(x.astype(jnp.int32), 1),
            "select": lambda x: jnp.where(x > jnp.asarray(0, x.dtype), x, -x),
        }
        failures += check(np.dtype(t).name, {**arithmetic, **casts(*WIDE)}, x)
        failures += check(f"to {np.dtype(t).name}", casts(t), counting - 50)
        spec = pl.BlockSpec((4, 4), lambda i, j: (i, j))
        blocks = {"grid": (4, 2), "in_specs": [spec], "out_specs": [spec]}
        failures += check(f"blocks of {np.dtype(t).name}", {"copy": lambda x: x}, x, **blocks)
        failures += check(f"alias of {np.dtype(t).name}", {"sum": lambda x: x + x}, x, input_output_aliases={0: 0})
    for t in FLOATS:
        x = all_encodings(t)
        failures += check(np.dtype(t).name, {"copy": lambda x: x, "transpose": jnp.transpose, **casts(*WIDE)}, x)
        for source in (jnp.float32, jnp.bfloat16, jnp.float16):
            failures += check(f"from {np.dtype(source).name}", casts(t), numbers().astype(source))
        failures += check(f"from int32 to {np.dtype(t).name}", casts(t), counting - 60)
        operations: Functions = {
            "negative": lambda x, y: -x,
            "maximum": jnp.maximum,
            "less": lambda x, y: x < y,
            "select": lambda x, y: jnp.where(x < y, x, y),
            "product": lambda x, y: (x.astype(jnp.float32) * y.astype(jnp.float32)).astype(x.dtype),
            "sum": lambda x, y: x + y,
        }
        failures += check(f"arithmetic of {np.dtype(t).name}", operations, x, x.T)
        finite = jnp.clip(jnp.nan_to_num(x.astype(jnp.float32)), -8, 8).astype(t)
        dots = {"dot": lambda x: jnp.dot(x, x, preferred_element_type=jnp.float32)}
        failures += check(f"dot of {np.dtype(t).name}", dots, finite)
    print("no narrow type differs" if failures == 0 else f"{failures} results differ")
    sys.exit(failures > 0)


# CHECK: no narrow type differs
main()
