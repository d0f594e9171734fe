# Products of arrays in registers (`plgpu.mma`), natively and as PTX that is executed on the CPU, each in several
# orders: of every type of operands, with warps along rows and columns, in loops, from shared and global memory, and of
# operands that the author did not lay out.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

HERE = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(HERE, "..", "python", "Inputs")]
import orders_of
import ptx_runs
from refusals import report

L = plgpu.Layout
ORDERS = [{}, {"schedule_seed": 1, "checks": ["races"]}]
ALL = [jnp.float16, jnp.bfloat16, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.int8, jnp.uint8, jnp.int4, jnp.uint4]


def look(name, call, expected, *args, chips=("sm_90a",)):
    orders_of.look(ORDERS, name, call, expected, *args)
    for chip in chips:
        ptx_runs.look(f"{name} {chip}", call, expected, *args, target=get_target(f"gpu:{chip}"))


def draw(seed, shape, dtype):
    """Numbers whose products and sums are exact: for integers the extremes are among them."""
    random = np.random.default_rng(seed)
    if jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)
        return random.integers(info.min, info.max + 1, shape).astype(dtype)
    return (random.integers(-7, 8, shape) / 4).astype(dtype)


def wide(dtype):
    return jnp.int32 if jnp.issubdtype(dtype, jnp.integer) else jnp.float32


def product(a, b):
    acc = wide(a.dtype)
    exact = np.asarray(a).astype(np.float64) @ np.asarray(b).astype(np.float64)
    return exact.astype(acc)


def loaded(a, b, o, *, m_warps):
    """As in JAX's own test: operands from global memory, the right one transposed there; sums begin at one."""
    acc = plgpu.layout_cast(jnp.ones(o.shape, o.dtype), L.MMA_ACC(a.dtype, m_warps=m_warps))
    lhs = plgpu.load(a, layout=L.MMA_LHS(a.dtype, m_warps=m_warps), optimized=False)
    rhs = plgpu.load(b.T, layout=L.MMA_RHS(a.dtype, m_warps=m_warps), optimized=False)
    o[...] = plgpu.mma(acc, lhs, rhs)


# CHECK-COUNT-64: loaded {{.*}}: right
# CHECK-NOT: loaded
for number, dtype in enumerate(ALL):
    depth = 256 // jnp.iinfo(dtype).bits if jnp.issubdtype(dtype, jnp.integer) else 256 // jnp.finfo(dtype).bits
    a, b = draw(number, (128, 2 * depth), dtype), draw(number + 100, (8, 2 * depth), dtype)
    call = plgpu.kernel(functools.partial(loaded, m_warps=4), out_type=jax.ShapeDtypeStruct((128, 8), wide(dtype)))
    expected = 1 + product(a, b.T)
    look(f"loaded {jnp.dtype(dtype)}", call, expected, a, b, chips=("sm_90a", "sm_80"))

# Warps have rows, columns, or both.
# CHECK-COUNT-10: warps {{.*}}: right
# CHECK-NOT: warps
for m_warps, shape in ((2, (32, 32)), (1, (16, 64))):
    a, b = draw(1, (shape[0], 32), jnp.bfloat16), draw(2, (shape[1], 32), jnp.bfloat16)
    call = plgpu.kernel(functools.partial(loaded, m_warps=m_warps), out_type=jax.ShapeDtypeStruct(shape, jnp.float32))
    look(f"warps {m_warps}", call, 1 + product(a, b.T), a, b)


def sliced(a, b, o, a_tile, b_tile, loaded):
    """Sums that a loop carries, of windows of shared memory; nobody says how anything lies."""
    plgpu.copy_gmem_to_smem(a, a_tile, loaded)
    plgpu.copy_gmem_to_smem(b, b_tile, loaded)
    plgpu.barrier_wait(loaded)

    def add(i, acc):
        return plgpu.mma(acc, a_tile[:, pl.ds(i * 32, 32)], b_tile[pl.ds(i * 32, 32), :])

    o[...] = jax.lax.fori_loop(0, 4, add, jnp.zeros(o.shape, o.dtype)) * 2


# CHECK-COUNT-10: sliced {{.*}}: right
# CHECK-NOT: sliced
for m, n in ((64, 24), (32, 16)):
    a, b = draw(3, (m, 128), jnp.float16), draw(4, (128, n), jnp.float16)
    call = plgpu.kernel(
        sliced,
        out_type=jax.ShapeDtypeStruct((m, n), jnp.float32),
        scratch_types=[
            plgpu.SMEM(a.shape, a.dtype),
            plgpu.SMEM(b.shape, b.dtype),
            plgpu.Barrier(num_arrivals=2),
        ],
    )
    look(f"sliced {m} x {n}", call, 2 * product(a, b), a, b)


def chained(a, b, o):
    """The result of a product, rounded, is an operand of the next one, by two warpgroups for a half each."""
    half = pl.ds(jax.lax.axis_index("wg") * 64, 64)
    lhs, rhs = a.at[half][...], b[...]
    first = plgpu.mma(jnp.zeros((64, 64), jnp.float32), lhs, rhs)
    o[half] = plgpu.mma(first, first.astype(jnp.bfloat16), rhs)


# CHECK-COUNT-5: chained {{.*}}: right
a, b = draw(5, (128, 64), jnp.bfloat16), np.eye(64).astype(jnp.bfloat16)[::-1] * 2
first = product(a, b)
call = plgpu.kernel(chained, out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32), num_threads=2, thread_name="wg")
look("chained", call, first + product(first.astype(jnp.bfloat16), b), a, b)


def plain(a, b, o):
    o[...] = plgpu.mma(jnp.zeros(o.shape, o.dtype), a[...], b[...])


# Sums of f16 round after each instruction; those of these numbers are exact. An f64 has a register of its own.
# CHECK-COUNT-48: sums {{.*}}: right
# CHECK-NOT: sums
jax.config.update("jax_enable_x64", True)
for dtype, acc, depth in (
    (jnp.float16, jnp.float16, 32),
    (jnp.float8_e4m3fn, jnp.float16, 64),
    (jnp.float64, jnp.float64, 16),
):
    a, b = draw(6, (64, depth), dtype), draw(7, (depth, 16), dtype)
    exact = np.asarray(a).astype(np.float64) @ np.asarray(b).astype(np.float64)
    out = jax.ShapeDtypeStruct((64, 16), acc)
    name = f"sums of {jnp.dtype(dtype)} in {jnp.dtype(acc)}"
    look(name, plgpu.kernel(plain, out_type=out), exact.astype(acc), a, b, chips=("sm_90a", "sm_90"))
    call = plgpu.kernel(functools.partial(loaded, m_warps=2), out_type=out)
    look(f"{name}, loaded", call, (1 + exact).astype(acc), a, b.T)
    # Warps of one row of tiles, and of four columns.
    a, b = draw(8, (16, depth), dtype), draw(9, (depth, 64), dtype)
    exact = np.asarray(a).astype(np.float64) @ np.asarray(b).astype(np.float64)
    call = plgpu.kernel(plain, out_type=jax.ShapeDtypeStruct((16, 64), acc))
    ptx_runs.look(f"{name}, wide", call, exact.astype(acc), a, b, target=get_target("gpu:sm_100a"))


def lower(shape, depth, dtype, acc=jnp.float32, chip="sm_90a"):
    call = plgpu.kernel(plain, out_type=jax.ShapeDtypeStruct(shape, acc))
    args = (jax.ShapeDtypeStruct((shape[0], depth), dtype), jax.ShapeDtypeStruct((depth, shape[1]), dtype))
    return lambda: gridir.lower(call, *args, target=f"gpu:{chip}").kernels[0].text("ptx")


# Unsupported operands are rejected by name.
# CHECK: CompileError: 7 of 7 refused in these words
KINDS = (
    "expected an MMA that mma.sync supports, of f16, bf16 or 8-bit floats in f32, of f16 or 8-bit floats in f16, of "
    "f64 in f64, or of 4-bit or 8-bit integers in i32"
)
report(
    gridir.CompileError,
    {
        f"{KINDS}, got one of 'f32' and 'f32' in 'f32'": lower((64, 8), 8, jnp.float32),
        f"{KINDS}, got one of 'bf16' and 'bf16' in 'f16'": lower((64, 8), 16, jnp.bfloat16, jnp.float16),
        f"{KINDS}, got one of 'f16' and 'f16' in 'f64'": lower((64, 8), 16, jnp.float16, jnp.float64),
        f"{KINDS}, got one of 'f64' and 'f64' in 'f32'": lower((64, 8), 16, jnp.float64),
        "expected a chip that has mma of 16 rows of f64, got sm_80": lower(
            (64, 8), 16, jnp.float64, jnp.float64, chip="sm_80"
        ),
        (
            "expected an mma.sync of multiples of 16 x 16 x 8 elements, one for each of four warps, got 48 x 16 x 8"
        ): lower((48, 8), 16, jnp.float16),
        "got 64 x 24 x 8": lower((64, 8), 24, jnp.float16),
    },
)
