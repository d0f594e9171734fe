# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# Small kernels, one for each op or primitive that a TPU has its own way with: libtpu accepts the module, which,
# executed on this machine, gives what interpret mode gives.
import contextlib

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.options import CpuOptions
from gridir.frontend.tpu_aot import compile_candidates, kernels_of
from gridir.testing import difference, interpreted, mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu")
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)
DTYPES = ("float32", "bfloat16", "int32", "uint32", "int16", "int8", "uint8")
# What the frontend takes apart in another way for a CPU is executed by the reference interpreter.
OTHERWISE_ON_CPU = ("cumsum 0", "cumsum 1")
cases = {}


def values(shape, dtype="float32"):
    numbers = np.random.default_rng(0).uniform(-3, 3, shape)
    if jnp.dtype(dtype) == jnp.bool_:
        return jnp.asarray(numbers > 0)
    if jnp.dtype(dtype).kind == "u":
        return jnp.asarray(np.abs(7 * numbers)).astype(dtype)
    return jnp.asarray(numbers if jnp.issubdtype(dtype, jnp.floating) else 7 * numbers).astype(dtype)


def add(name, kernel, args, out, **options):
    """A call that is made when it is traced, so that each run may choose who lowers it."""
    options |= {"out_shape": out, "name": "".join(filter(str.isalnum, name))}
    cases[name] = lambda *arrays: pl.pallas_call(kernel, **options)(*arrays), args


def case(name, function, *args):
    """A kernel that stores a function of what its operands hold."""
    out = jax.eval_shape(function, *args)

    def kernel(*refs):
        refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))

    add(name, kernel, args, out)


def with_number(name, function, number, x):
    """A kernel with a number in SMEM beside an array."""

    def kernel(number_ref, x_ref, o_ref):
        o_ref[...] = function(number_ref[0], x_ref[...])

    out = jax.eval_shape(function, number, x)
    add(name, kernel, (jnp.asarray([number], jnp.int32), x), out, in_specs=[SMEM, pl.BlockSpec()])


def like(x, value):
    return jnp.broadcast_to(value, x.shape)


# Reductions: what Mosaic has, and what it has not, for every dtype and along rows, lanes and both.
for axis in (0, 1, (0, 1)):
    suffix = "".join(map(str, np.atleast_1d(axis)))
    for dtype in DTYPES:
        x = values((32, 256), dtype)
        for function in (jnp.max, jnp.min):
            case(
                f"{function.__name__} {dtype} {suffix}",
                lambda x, f=function, a=axis: like(x, f(x, a, keepdims=True)),
                x,
            )
        case(f"sum {dtype} {suffix}", lambda x, a=axis: like(x, jnp.sum(x, a, keepdims=True, dtype=x.dtype)), x)
    for function in (jnp.any, jnp.all):

        def bools(x, f=function, a=axis):
            return like(x, f(x > -2.9, a, keepdims=True).astype(jnp.int32))

        case(f"{function.__name__} {suffix}", bools, values((16, 256)))
    near_one = 1 + values((24, 200)) / 1000
    case(f"prod {suffix}", lambda x, a=axis: like(x, jnp.prod(x, a, keepdims=True)), near_one)
    for primitive in (lax.reduce_and_p, lax.reduce_or_p, lax.reduce_xor_p):
        axes = tuple(np.atleast_1d(axis).tolist())

        def bits(x, p=primitive, a=axes):
            return like(x, jnp.expand_dims(p.bind(x, axes=a), a))

        case(f"{primitive.name} {suffix}", bits, values((16, 256), "int32"))
for axis in (0, 1):
    for function in (jnp.argmax, jnp.argmin):
        for dtype in ("float32", "bfloat16", "int32", "uint8"):

            def place(x, f=function, a=axis):
                return jnp.broadcast_to(f(x, axis=a, keepdims=True), x.shape)

            case(f"{function.__name__} {dtype} {axis}", place, values((32, 256), dtype))
    for function in (jnp.cumsum, lax.cummax):
        case(f"{function.__name__} {axis}", lambda x, f=function, a=axis: f(x, axis=a), values((16, 256)))
case("sum of 3 dimensions", lambda x: jnp.sum(x, axis=1), values((4, 8, 128)))

# Rotations, slices at places known at run time, repetition.
for axis in (0, 1):
    case(f"pltpu.roll {axis}", lambda x, a=axis: pltpu.roll(x, 3, a), values((16, 256)))
    case(f"jnp.roll {axis}", lambda x, a=axis: jnp.roll(x, -3, a), values((16, 256)))
    with_number(f"roll{axis}", lambda n, x, a=axis: pltpu.roll(x, n, a), 5, values((16, 256)))
case("pltpu.roll bfloat16", lambda x: pltpu.roll(x, 3, 1), values((16, 256), "bfloat16"))
case("pltpu.roll 3 dimensions", lambda x: pltpu.roll(x, 3, 1), values((4, 8, 128)))
with_number("dynamic_slice", lambda n, x: lax.dynamic_slice(x, (n, 0), (8, 256)), 5, values((16, 256)))
case("jnp.tile", lambda x: jnp.tile(x, (2, 2)), values((16, 256)))

# Gathers within a register, and over several.
for axis in (0, 1):
    places = jnp.asarray(np.random.default_rng(0).integers(0, (8, 128)[axis], (8, 128)), jnp.int32)
    for mode in ("promise_in_bounds", "fill"):

        def along(x, i, a=axis, m=mode):
            return jnp.take_along_axis(x, i, a, mode=m)

        case(f"take_along_axis {axis} {mode}", along, values((8, 128)), places)
places = jnp.asarray(np.random.default_rng(0).integers(0, 256, (16, 256)), jnp.int32)
case("take_along_axis of 256", lambda x, i: jnp.take_along_axis(x, i, 1), values((16, 256)), places)
case(
    "take_along_axis bfloat16",
    lambda x, i: jnp.take_along_axis(x, i, 1),
    values((8, 128), "bfloat16"),
    places[:8, :128] % 128,
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

kernels, owners, problems = [], [], []
with pl.enable_debug_checks() if hasattr(pl, "enable_debug_checks") else contextlib.nullcontext():
    for name, (function, args) in cases.items():
        for kernel in kernels_of(gridir.lower(function, *args, target="tpu")):
            kernels.append(kernel)
            owners.append(name)
        try:
            if name in OTHERWISE_ON_CPU:
                with mosaic_interpreted():
                    got = jax.jit(function)(*args)
            else:
                got = gridir.lower(function, *args, target="cpu", options=THROUGH_TPU).compile()(*args)
        except gridir.Error as error:
            problems.append(f"{name}: {error}")
            continue
        with interpreted():
            problem = difference(got, jax.jit(function)(*args))
        if problem:
            problems.append(f"{name}: {problem}")
with gridir.tpu.Workers("v5e:2x2", timeout=90) as workers:
    report = compile_candidates(kernels, workers)
problems += [
    f"{name}: {kernel.error}" for name, kernel in zip(owners, report.kernels, strict=True) if not kernel.accepted
]
# CHECK-DAG: number 3 of 4
# CHECK-DAG: half 1.5
# CHECK-DAG: row {{\[+}}1{{.*}}
# CHECK: {{[0-9]+}} kernels, 0 problems
print("\n".join(problems))
print(f"{len(kernels)} kernels, {len(problems)} problems")
