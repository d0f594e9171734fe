# A conversion, or a comparison, that is left to a TPU's own instruction gives what JAX gives, natively and in the
# interpreter of Mosaic modules: at the ends of the range, and for NaN.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import difference, interpreted, mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")
EDGES = [
    0.5,
    -0.5,
    -1.9,
    126.9,
    127.5,
    128.0,
    -128.7,
    -129.0,
    255.5,
    3e4,
    4e4,
    -4e4,
    2147483520.0,
    2147483648.0,
    3e9,
    -3e9,
]
EDGES += [4294967040.0, 4294967296.0, np.inf, -np.inf, np.nan, -np.nan, 1e38]

FUNCTIONS = {
    "int32": lambda x: x.astype(jnp.int32),
    "int16": lambda x: x.astype(jnp.int16).astype(jnp.int32),
    "int8": lambda x: x.astype(jnp.int8).astype(jnp.int32),
    "uint8": lambda x: x.astype(jnp.uint8).astype(jnp.int32),
    "uint16": lambda x: x.astype(jnp.uint16).astype(jnp.int32),
    "int4": lambda x: x.astype(jnp.int4).astype(jnp.int32),
    "uint4": lambda x: x.astype(jnp.uint4).astype(jnp.int32),
    "int2": lambda x: x.astype(jnp.int2).astype(jnp.int32),
    "from bfloat16": lambda x: x.astype(jnp.bfloat16).astype(jnp.int8).astype(jnp.int32),
    "from bfloat16 to int16": lambda x: x.astype(jnp.bfloat16).astype(jnp.int16).astype(jnp.int32),
    "uint32": lambda x: lax.bitcast_convert_type(x.astype(jnp.uint32), jnp.int32),
    "clamped": lambda x: jnp.clip(jnp.round(x), -127, 127).astype(jnp.int8).astype(jnp.int32),
    "clamped beyond the range": lambda x: jnp.clip(x, -500, 500).astype(jnp.int8).astype(jnp.int32),
    "clamped, without a sign": lambda x: jnp.clip(x, 0, 255).astype(jnp.uint8).astype(jnp.int32),
    "bool": lambda x: x.astype(jnp.bfloat16).astype(jnp.bool_).astype(jnp.int32),
    "finite": lambda x: jnp.isfinite(x).astype(jnp.int32),
    "finite or one": lambda x: jnp.where(jnp.isfinite(x), x, 1).astype(jnp.int32),
    "no number": lambda x: jnp.isnan(x).astype(jnp.int32) + 2 * (x != jnp.roll(x, 1, 1)).astype(jnp.int32),
    "of 16 bits": lambda x: jnp.where(x.astype(jnp.int16) > 99, 1, jnp.where(x.astype(jnp.int16) == -1, 2, 3)),
    "of bfloat16": lambda x: jnp.where(x.astype(jnp.bfloat16) > 126, 1, jnp.where(x.astype(jnp.bfloat16) != x, 2, 3)),
    "of 4 bits": lambda x: jnp.where(x.astype(jnp.int4) == -8, 1, 2),
}

# The interpreter holds them in 8 bits, and knows nothing of the ends of their range.
OF_FEW_BITS = ("int4", "uint4", "int2", "of 4 bits")

# CHECK:      int32: None, None
# CHECK-NEXT: int16: None, None
# CHECK-NEXT: int8: None, None
# CHECK-NEXT: uint8: None, None
# CHECK-NEXT: uint16: None, None
# CHECK-NEXT: int4: None{{$}}
# CHECK-NEXT: uint4: None{{$}}
# CHECK-NEXT: int2: None{{$}}
# CHECK-NEXT: from bfloat16: None, None
# CHECK-NEXT: from bfloat16 to int16: None, None
# CHECK-NEXT: uint32: None, None
# CHECK-NEXT: clamped: None, None
# CHECK-NEXT: clamped beyond the range: None, None
# CHECK-NEXT: clamped, without a sign: None, None
# CHECK-NEXT: bool: None, None
# CHECK-NEXT: finite: None, None
# CHECK-NEXT: finite or one: None, None
# CHECK-NEXT: no number: None, None
# CHECK-NEXT: of 16 bits: None, None
# CHECK-NEXT: of bfloat16: None, None
# CHECK-NEXT: of 4 bits: None{{$}}
x = jnp.asarray(np.resize(np.float32(EDGES), (32, 128)))
for name, function in FUNCTIONS.items():

    def kernel(x_ref, o_ref, function=function):
        o_ref[...] = function(x_ref[...])

    def call(x, kernel=kernel):
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, jnp.int32))(x)

    with interpreted():
        want = jax.jit(call)(x)
    got = gridir.lower(call, x, target="cpu", options=THROUGH_TPU).compile()(x)
    if name in OF_FEW_BITS:
        print(f"{name}: {difference(got, want)}")
        continue
    with mosaic_interpreted():
        interpreters = jax.jit(call)(x)
    print(f"{name}: {difference(got, want)}, {difference(interpreters, want)}")
