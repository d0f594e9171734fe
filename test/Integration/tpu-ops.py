# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# Small kernels, one for each op or primitive that a TPU has its own way with: libtpu accepts the module, which,
# executed on this machine, gives what interpret mode gives.
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from small_kernels import SMEM, add, case, check, like, values, with_number

# Rotations, slices with dynamic offsets, repetition.
for axis in (0, 1):
    case(f"pltpu.roll {axis}", lambda x, a=axis: pltpu.roll(x, 3, a), values((16, 256)))
    case(f"jnp.roll {axis}", lambda x, a=axis: jnp.roll(x, -3, a), values((16, 256)))
    with_number(f"roll{axis}", lambda n, x, a=axis: pltpu.roll(x, n, a), 5, values((16, 256)))
case("pltpu.roll bfloat16", lambda x: pltpu.roll(x, 3, 1), values((16, 256), "bfloat16"))
case("pltpu.roll 3 dimensions", lambda x: pltpu.roll(x, 3, 1), values((4, 8, 128)))
for name in ("float32", "bfloat16"):
    case(f"strided {name}", lambda x: pltpu.roll(x, 3, 1, stride=2, stride_axis=0), values((16, 256), name))
case("strided rows", lambda x: pltpu.roll(x, 3, 0, stride=1, stride_axis=1)[:, :8], values((16, 128))[:, :8])
for rows in (8, 16, 24):
    strided = functools.partial(pltpu.roll, axis=1, stride=5, stride_axis=0)
    with_number(f"strided by {rows}", lambda n, x, f=strided: f(x, n), 120, values((rows, 128)))
with_number("strided slices by", lambda n, x: pltpu.roll(x, n, 2, stride=5, stride_axis=1), 120, values((2, 8, 128)))
with_number("strided rows by", lambda n, x: pltpu.roll(x, n, 0, stride=3, stride_axis=1), 5, values((16, 128)))
with_number("strided wide by", lambda n, x: pltpu.roll(x, n, 1, stride=2, stride_axis=0), 77, values((16, 256)))

# Rows that are packed, and taken apart.
for source, target in (("bfloat16", "int32"), ("float32", "bfloat16"), ("uint8", "int32"), ("int32", "int8")):
    rows = values((32, 128), source) if source != "uint8" else jnp.arange(32 * 128, dtype=jnp.uint8).reshape(32, 128)
    case(f"bitcast {source} to {target}", lambda x, t=target: pltpu.bitcast(x, jnp.dtype(t)), rows)
with_number("dynamic_slice", lambda n, x: lax.dynamic_slice(x, (n, 0), (8, 256)), 5, values((16, 256)))
case("jnp.tile", lambda x: jnp.tile(x, (2, 2)), values((16, 256)))

# Gathers within a register, and over several.
for axis in (0, 1):
    indices = jnp.asarray(np.random.default_rng(0).integers(0, (8, 128)[axis], (8, 128)), jnp.int32)
    for mode in ("promise_in_bounds", "fill"):

        def along(x, i, a=axis, m=mode):
            return jnp.take_along_axis(x, i, a, mode=m)

        case(f"take_along_axis {axis} {mode}", along, values((8, 128)), indices)
indices = jnp.asarray(np.random.default_rng(0).integers(0, 256, (16, 256)), jnp.int32)
case("take_along_axis of 256", lambda x, i: jnp.take_along_axis(x, i, 1), values((16, 256)), indices)
case(
    "take_along_axis bfloat16",
    lambda x, i: jnp.take_along_axis(x, i, 1),
    values((8, 128), "bfloat16"),
    indices[:8, :128] % 128,
)

# Arithmetic that Mosaic has in other words.
x = values((16, 256)).at[0, :4].set(jnp.asarray([np.nan, np.inf, -np.inf, -0.0]))
for function in (jnp.sign, jnp.isnan, jnp.nan_to_num, jax.nn.softplus, jnp.fmax, jnp.copysign):
    case(
        function.__name__,
        (lambda x, f=function: f(x, 2 - x).astype(x.dtype))
        if function in (jnp.fmax, jnp.copysign)
        else (lambda x, f=function: f(x).astype(x.dtype)),
        x,
    )
case("mod", lambda x: jnp.mod(x, 2.5), values((16, 256)))
for name in ("int32", "int8", "uint8", "bool"):
    case(f"float32 to {name}", lambda x, d=name: x.astype(d).astype(jnp.int32), 50 * values((32, 256)))
for dtype in ("int32", "uint32", "int16", "uint16", "int8", "uint8"):
    x = values((32, 256), dtype)
    case(f"maximum {dtype}", lambda x: jnp.maximum(x, 3), x)
    case(f"extremes {dtype}", lambda x, y: jnp.minimum(x, jnp.maximum(y, 5)), x, x[::-1])
    case(f"clip {dtype}", lambda x: jnp.clip(x, 2, 9), x)
    least, most = (np.dtype(dtype).type(end) for end in (jnp.iinfo(dtype).min, jnp.iinfo(dtype).max))
    case(
        f"extremes of the ends {dtype}",
        lambda x, a=least, b=most: jnp.maximum(jnp.minimum(x, b), a) + jnp.minimum(jnp.maximum(x, b), a) + jnp.sign(x),
        x.at[0, :4].set(jnp.asarray([least, most, 0, 1], dtype)),
    )
    case(f"smaller by comparison {dtype}", lambda x, y: jnp.where(x < y, x, y) + jnp.where(x <= y, y, x), x, x[::-1])
    case(f"largest {dtype}", lambda x: like(x, jnp.max(x, 0, keepdims=True)), x)
    case(f"greater {dtype}", lambda x: jnp.where(x > 3, x, 1), x)
    case(f"population_count {dtype}", lax.population_count, x)
    if "u" not in dtype:
        case(f"abs {dtype}", jnp.abs, x)
for function in (jnp.round, jnp.log2, lambda x: lax.rem(x, x * 2 + 7)):
    case(f"{function.__name__} bfloat16", function, abs(values((16, 256), "bfloat16")) + 1)
case("equal bools", lambda x, y: (x > 0) == (y > 0), values((16, 256)), values((16, 256))[::-1])
case("iota of 1 dimension", lambda x: x + lax.iota(jnp.int32, 256)[None], values((16, 256), "int32"))

# Control flow, prints and checks.
with_number("switch", lambda n, x: lax.switch(n, [lambda: x, lambda: x * 2, lambda: x * 3]), 1, values((8, 128)))
with_number(
    "unsigned",
    lambda n, x: x + jnp.maximum(n.astype(jnp.uint32), jnp.minimum(n.astype(jnp.uint32), 7)).astype(jnp.float32),
    -7,
    values((8, 128)),
)
with_number(
    "divide", lambda n, x: x * (lax.div(n, 3) + lax.sign(n) + lax.rem(n, 5)).astype(jnp.float32), -7, values((8, 128))
)


def prints(number_ref, x_ref, o_ref):
    pl.debug_print("number {} of {}", number_ref[0], number_ref[0] + 1)
    pl.debug_print("half", number_ref[0].astype(jnp.float32) / 2)
    pl.debug_print("row {}", x_ref[0:1, 0:4])
    pl.debug_check(number_ref[0] > 0, "not positive")
    o_ref[...] = x_ref[...] + 1


add(
    "prints",
    prints,
    (jnp.asarray([3], jnp.int32), jnp.ones((8, 128))),
    jax.ShapeDtypeStruct((8, 128), jnp.float32),
    in_specs=[SMEM, pl.BlockSpec()],
)

# CHECK-DAG: number 3 of 4
# CHECK-DAG: half 1.5
# CHECK-DAG: row {{\[+}}1{{.*}}
# CHECK: {{[0-9]+}} kernels, 0 problems
check()
