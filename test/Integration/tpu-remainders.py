# RUN: %python %s | FileCheck %s

# Remainders and quotients with the sign of the divisor, and what is made of numbers of 8 bits as bools: the module for
# a TPU gives what interpret mode gives, also by zero, by -1, and of numbers that are none.
import functools

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import difference, interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 7.0, -7.0, 1e30, -3e-3, np.inf, -np.inf, np.nan, 0.75, -0.75, 5.0]
INTEGERS = [0, 1, -1, 2, -2, 3, -3, 7, -7, 100, -100, 2**31 - 1, -(2**31), 12345, -54321, 64]
SMALL = [0, 1, -1, 127, -128, 5, 64, -64]


def call(function, dtype, *operands):
    def kernel(*refs):
        refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(operands[0].shape, dtype))(*operands)


def pairs(values, dtype):
    x, y = np.meshgrid(np.array(values, dtype), np.array(values, dtype))
    return [jnp.asarray(np.tile(part.reshape(2, 128), (4, 1))) for part in (x, y)]


def check(name, function, dtype, *operands):
    with interpreted():
        want = call(function, dtype, *operands)
    with gridir.installed(options=THROUGH_TPU):
        given = jax.jit(lambda *operands: call(function, dtype, *operands))(*operands)
    print(name, difference(given, want))


floats, integers = pairs(FLOATS, np.float32), pairs(INTEGERS, np.int32)
unsigned = [x.astype(jnp.uint32) for x in integers]
small = jnp.asarray(np.resize(np.array(SMALL, np.int8), (32, 128)))
# CHECK: float mod None
# CHECK-NEXT: float rem None
# CHECK-NEXT: float floor None
# CHECK-NEXT: float sign None
check("float mod", jnp.mod, jnp.float32, *floats)
check("float rem", lax.rem, jnp.float32, *floats)
check("float floor", jnp.floor_divide, jnp.float32, *floats)
check("float sign", lambda x, y: jnp.sign(x) + jnp.sign(y), jnp.float32, *floats)
# CHECK-NEXT: integer mod None
# CHECK-NEXT: integer rem None
# CHECK-NEXT: unsigned mod None
# CHECK-NEXT: mod by one of all None
check("integer mod", jnp.mod, jnp.int32, *integers)
check("integer rem", lax.rem, jnp.int32, *integers)
check("unsigned mod", jnp.mod, jnp.uint32, *unsigned)
check("mod by one of all", lambda x, y: jnp.mod(x, y[0, 5]), jnp.int32, *integers)
# CHECK-NEXT: bool None
# CHECK-NEXT: is five None
check("bool", lambda x: x.astype(bool).astype(jnp.int32), jnp.int32, small)
check("is five", lambda x: jnp.where(x == 5, 2.0, -1.0), jnp.float32, small)


def near_multiples(dtype):
    """Pairs of all sizes; half of the first numbers are multiples of the second ones, or beside one."""
    rng, info = np.random.default_rng(7), np.iinfo(dtype)

    def numbers():
        bits = rng.integers(0, 1 << info.bits, 8192, dtype=np.uint64)
        bits >>= rng.integers(0, info.bits, 8192, dtype=np.uint64)
        return np.where(rng.random(8192) < 0.5, bits, np.uint64(0) - bits)

    y, times = numbers(), numbers()
    x = np.where(rng.random(8192) < 0.5, numbers(), y * times + rng.integers(-1, 2, 8192).astype(np.uint64))
    unsigned = np.dtype(f"uint{info.bits}")
    return [jnp.asarray(part.astype(unsigned).view(dtype).reshape(64, 128)) for part in (x, y)]


# Quotients by a reciprocal of f32 are exact: those of all bytes, and of other numbers at random.
# CHECK-NEXT: int8 [None, None]
# CHECK-NEXT: uint8 [None, None]
# CHECK-NEXT: int16 [None, None]
# CHECK-NEXT: uint16 [None, None]
# CHECK-NEXT: int32 [None, None]
# CHECK-NEXT: uint32 [None, None]
every = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8))
bytes_ = [jnp.asarray(part.reshape(512, 128)) for part in every]
for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
    dtype = np.dtype(name)
    operands = [part.view(dtype) for part in bytes_] if dtype.itemsize == 1 else near_multiples(dtype)
    results = []
    for function in (lax.div, lax.rem):
        with interpreted():
            want = call(function, dtype, *operands)
        with gridir.installed(options=THROUGH_TPU):
            results.append(difference(jax.jit(functools.partial(call, function, dtype))(*operands), want))
    print(name, results)

# Shifts and comparisons of narrow numbers, with and without Mosaic's own, by all amounts.
# CHECK-NEXT: int8 [None, None, None, None]
# CHECK-NEXT: uint8 [None, None, None, None]
# CHECK-NEXT: int16 [None, None, None, None]
# CHECK-NEXT: uint16 [None, None, None, None]
# CHECK-NEXT: uint32 [None, None, None, None]
NARROW = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu narrow-integers=true},tpu-to-cpu", platform="tpu")


def ordered(x, y):
    return jnp.where(x < y, x, y) + (x >= y).astype(x.dtype)


for name in ("int8", "uint8", "int16", "uint16", "uint32"):
    dtype = np.dtype(name)
    operands = [part.view(dtype) for part in bytes_] if dtype.itemsize == 1 else near_multiples(dtype)
    operands[1] = jnp.where(jnp.arange(128) % 2 == 0, operands[1] % 40, operands[1]).astype(dtype)
    results = []
    for function in (lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic, ordered):
        with interpreted():
            want = call(function, dtype, *operands)
        found = []
        for options in (THROUGH_TPU, NARROW):
            with gridir.installed(options=options):
                found.append(difference(jax.jit(functools.partial(call, function, dtype))(*operands), want))
        results.append(next(filter(None, found), None))
    print(name, results)


# Numbers in SMEM, divided and shifted by all of those above, with and without guards.
# CHECK-NEXT: int32 numbers [None, None, None, None, None]
# CHECK-NEXT: uint32 numbers [None, None, None, None, None]
def each(function, x, y):
    def kernel(x_ref, y_ref, o_ref):
        for i in range(256):
            o_ref[i] = function(x_ref[i], y_ref[i])

    spec = pl.BlockSpec(memory_space=pltpu.SMEM)
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, in_specs=[spec, spec], out_specs=spec, out_shape=shape)(x, y)


for name in ("int32", "uint32"):
    operands = [part[:2].reshape(256).astype(name) for part in integers]
    results = []
    for function in (lax.div, lax.rem, lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic):
        want = function(*operands)
        with gridir.installed(options=THROUGH_TPU):
            results.append(difference(jax.jit(functools.partial(each, function))(*operands), want))
    print(name, "numbers", results)
