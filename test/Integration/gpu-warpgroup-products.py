# Products of kernels for Hopper and Blackwell, as PTX, executed thread by thread with what memory is checked for: of
# operands whose author does not say how they lie in shared memory, of which some have too few columns to be swizzled;
# with sums of 16 bits, which share registers; of elements of 8 bits in registers.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look

BLACKWELL = get_target("gpu:sm_100a")


def draw(seed: int, shape: Any, dtype: Any) -> Any:
    """Small whole numbers, whose products and sums are exact in all types."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def look_at_tiles(name, body, expected, a, b, tiles, more=(), transforms=(), num_barriers=1, **options):
    """Runs a kernel that has tiles of these shapes in shared memory, with one barrier at which their copies arrive."""
    scratch = [plgpu.SMEM(tile.shape, tile.dtype, transforms=transforms) for tile in tiles]
    barrier = plgpu.Barrier(num_arrivals=len(tiles), num_barriers=num_barriers)
    out_type = jax.ShapeDtypeStruct(expected.shape, expected.dtype)
    kernel = plgpu.kernel(body, out_type=out_type, scratch_types=[*scratch, barrier, *more])
    look(name, kernel, expected, a, b, **options)


def load_both(a, b, a_tile, b_tile, loaded):
    """Copies both operands to shared memory."""
    plgpu.copy_gmem_to_smem(a, a_tile, loaded)
    plgpu.copy_gmem_to_smem(b, b_tile, loaded)
    plgpu.barrier_wait(loaded)


def hopper(a, b, o, a_tile, b_tile, loaded, *, turned_a, turned_b):
    """One product by the threads of a warpgroup, added to ones."""
    load_both(a, b, a_tile, b_tile, loaded)

    def product(acc):
        plgpu.wgmma(acc, a_tile.T if turned_a else a_tile, b_tile.T if turned_b else b_tile)

    o[...] = pl.run_state(product)(plgpu.ACC.init(jnp.ones(o.shape, o.dtype)))


def blackwell(a, b, o, a_tile, b_tile, loaded, acc, done, *, turned_a, turned_b):
    """One product with its sums in tensor memory, added to ones."""
    load_both(a, b, a_tile, b_tile, loaded)
    plgpu.async_store_tmem(acc, jnp.ones(acc.shape, acc.dtype))
    plgpu.commit_tmem()
    plgpu.tcgen05_mma(acc, a_tile.T if turned_a else a_tile, b_tile.T if turned_b else b_tile, done)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)


def look_at_product(
    name, m, n, k, dtype, sums=jnp.float32, turned_a=False, turned_b=False, transforms=(), of_blackwell=False
):
    a, b = draw(0, (k, m) if turned_a else (m, k), dtype), draw(1, (n, k) if turned_b else (k, n), dtype)
    wide = np.int32 if sums == jnp.int32 else np.float32
    expected = (a.T if turned_a else a).astype(wide) @ (b.T if turned_b else b).astype(wide) + 1
    more, options = [], {}
    if of_blackwell:
        more = [plgpu.TMEM((m, n), sums, packed=False), plgpu.Barrier(orders_tensor_core=True)]
        options["target"] = BLACKWELL
    body = functools.partial(blackwell if of_blackwell else hopper, turned_a=turned_a, turned_b=turned_b)
    look_at_tiles(name, body, expected.astype(sums), a, b, (a, b), more, transforms, **options)


# Rows of 16, 32, 48 and 192 bytes: panels of 16 without a swizzle, of 32 and of 64 with one.
# CHECK-COUNT-3: hopper thin {{.*}}: right
# CHECK-COUNT-3: hopper turned thin {{.*}}: right
# CHECK-COUNT-3: hopper flat {{.*}}: right
# CHECK-COUNT-3: hopper odd {{.*}}: right
# CHECK-COUNT-3: hopper wide {{.*}}: right
# CHECK-COUNT-3: hopper turned wide {{.*}}: right
# CHECK-COUNT-3: hopper tiled {{.*}}: right
look_at_product("hopper thin", 64, 8, 64, jnp.float16)
look_at_product("hopper turned thin", 128, 24, 64, jnp.bfloat16, turned_a=True)
look_at_product("hopper flat", 64, 64, 16, jnp.bfloat16, turned_b=True)
look_at_product("hopper odd", 64, 32, 48, jnp.float16, turned_b=True)
look_at_product("hopper wide", 64, 96, 96, jnp.float16)
look_at_product("hopper turned wide", 192, 96, 96, jnp.float16, turned_a=True, turned_b=True)
look_at_product("hopper tiled", 64, 32, 64, jnp.float16, transforms=(plgpu.TilingTransform((8, 32)),))

# CHECK-COUNT-3: blackwell thin {{.*}}: right
# CHECK-COUNT-3: blackwell turned {{.*}}: right
# CHECK-COUNT-3: blackwell e4m3 {{.*}}: right
# CHECK-COUNT-3: blackwell turned e5m2 {{.*}}: right
of_blackwell = functools.partial(look_at_product, of_blackwell=True)
of_blackwell("blackwell thin", 128, 8, 64, jnp.float16)
of_blackwell("blackwell turned", 128, 96, 96, jnp.bfloat16, turned_a=True, turned_b=True)
of_blackwell("blackwell e4m3", 128, 64, 96, jnp.float8_e4m3fn, turned_b=True)
of_blackwell("blackwell turned e5m2", 128, 16, 64, jnp.float8_e5m2, turned_a=True)


def ring(a, b, o, a_tiles, b_tiles, loaded):
    """Two products, of stages that are windows of one array, and of half of their depth at a time."""

    def product(acc):
        for stage in range(3):
            plgpu.copy_gmem_to_smem(a.at[:, pl.ds(stage * 64, 64)], a_tiles.at[stage], loaded.at[stage])
            plgpu.copy_gmem_to_smem(b.at[pl.ds(stage * 64, 64)], b_tiles.at[stage], loaded.at[stage])
        for stage in range(3):
            plgpu.barrier_wait(loaded.at[stage])
            for half in range(2):
                depth = pl.ds(half * 32, 32)
                plgpu.wgmma(acc, a_tiles.at[stage, :, depth], b_tiles.at[stage, depth])

    o[...] = pl.run_state(product)(plgpu.ACC.init(jnp.ones(o.shape, o.dtype)))


# CHECK-COUNT-3: ring {{.*}}: right
A, B = draw(0, (128, 192), np.float16), draw(1, (192, 48), np.float16)
TILES = [jax.ShapeDtypeStruct(shape, jnp.float16) for shape in ((3, 128, 64), (3, 64, 48))]
look_at_tiles("ring", ring, A.astype(np.float32) @ B.astype(np.float32) + 1, A, B, TILES, num_barriers=3)


# 16-bit accumulators; two accumulators share a register.
# CHECK-COUNT-3: hopper halves {{.*}}: right
# CHECK-COUNT-3: hopper e5m2 {{.*}}: right
# CHECK-COUNT-3: blackwell halves {{.*}}: right
look_at_product("hopper halves", 128, 264, 64, jnp.float16, sums=jnp.float16)
look_at_product("hopper e5m2", 64, 24, 64, jnp.float8_e5m2, sums=jnp.float16, turned_b=True)
of_blackwell("blackwell halves", 128, 64, 64, jnp.float8_e4m3fn, sums=jnp.float16, turned_b=True)


# Of integers an instruction has 8, 16, 24 or 32 columns, and then multiples of 16: these are 192 and 8, and 256 and 16.
# CHECK-COUNT-3: 200 columns {{.*}}: right
# CHECK-COUNT-3: 272 columns {{.*}}: right
look_at_product("200 columns", 64, 200, 64, jnp.int8, sums=jnp.int32, turned_b=True)
look_at_product("272 columns", 64, 272, 64, jnp.int8, sums=jnp.int32, turned_b=True)


def from_registers(a, b, o, b_tile, loaded):
    """Two products of a left operand in registers: with all of its depth, and with the first half."""
    plgpu.copy_gmem_to_smem(b, b_tile, loaded)
    layout = plgpu.Layout.WGMMA_8BIT if a.dtype.itemsize == 1 else plgpu.Layout.WGMMA
    lhs = plgpu.load(a, layout=layout, optimized=False)
    plgpu.barrier_wait(loaded)

    def product(acc):
        plgpu.wgmma(acc, lhs, b_tile.T)
        plgpu.wgmma(acc, lhs[:, : lhs.shape[1] // 2], b_tile.at[:, pl.ds(0, lhs.shape[1] // 2)].T)

    o[...] = pl.run_state(product)(plgpu.ACC.init(jnp.ones(o.shape, o.dtype)))


# CHECK-COUNT-3: registers float16 float16 {{.*}}: right
# CHECK-COUNT-3: registers int8 int32 {{.*}}: right
# CHECK-COUNT-3: registers float8_e4m3fn float32 {{.*}}: right
# CHECK-COUNT-3: registers float8_e5m2 float16 {{.*}}: right
for dtype, sums in (
    (jnp.float16, jnp.float16),
    (jnp.int8, jnp.int32),
    (jnp.float8_e4m3fn, jnp.float32),
    (jnp.float8_e5m2, jnp.float16),
):
    A, B = draw(0, (128, 128), dtype), draw(1, (32, 128), dtype)
    left, right = A.astype(np.float32), B.astype(np.float32).T
    expected = (left @ right + left[:, :64] @ right[:64] + 1).astype(sums)
    look_at_tiles(f"registers {np.dtype(dtype)} {np.dtype(sums)}", from_registers, expected, A, B, (B,))


def in_flight(a, b, o, a_tile, b_tile, loaded):
    """Products of halves that are added to while others are still being computed, then the sums are replaced."""
    load_both(a, b, a_tile, b_tile, loaded)

    def product(acc):
        @pl.loop(0, 4)
        def _(i):
            plgpu.wgmma(acc, a_tile, b_tile)
            plgpu.wgmma_wait(1)

        sums = acc[...]
        acc[...] = sums + sums
        plgpu.wgmma(acc, a_tile, b_tile)

    o[...] = pl.run_state(product)(plgpu.ACC.init(jnp.zeros(o.shape, o.dtype)))


# CHECK-COUNT-3: in_flight {{.*}}: right
A, B = draw(0, (64, 64), np.float16), draw(1, (64, 64), np.float16)
EXPECTED = (9 * (A.astype(np.float32) @ B.astype(np.float32))).astype(np.float16)
look_at_tiles("in_flight", in_flight, EXPECTED, A, B, (A, B))


def halves_of_sums(a, b, o, a_tile, b_tile, loaded):
    """Products of halves of the columns of one accumulator, in the other order."""
    load_both(a, b, a_tile, b_tile, loaded)

    def product(acc):
        @pl.loop(0, 2)
        def _(i):
            plgpu.wgmma(acc.at[:, :32], a_tile, b_tile.at[:, 32:])
            plgpu.wgmma(acc.at[:, 32:], a_tile, b_tile.at[:, :32])

        plgpu.wgmma_wait(0)
        return acc[...]

    o[...] = pl.run_scoped(product, plgpu.ACC(o.shape, o.dtype))


# CHECK-COUNT-3: halves_of_sums float32 {{.*}}: right
# CHECK-COUNT-3: halves_of_sums float16 {{.*}}: right
A, B = draw(0, (128, 64), np.float16), draw(1, (64, 64), np.float16)
for sums in (jnp.float32, jnp.float16):
    expected = np.roll(2 * (A.astype(np.float32) @ B.astype(np.float32)), 32, axis=1).astype(sums)
    look_at_tiles(f"halves_of_sums {np.dtype(sums)}", halves_of_sums, expected, A, B, (A, B))


def reshaped(a, b, o, a_tiles, b_tiles, loaded):
    """Matrices of a stack as one, whose rows follow one another, and one of a stack of stacks."""
    load_both(a, b, a_tiles, b_tiles, loaded)

    def product(acc):
        plgpu.wgmma(acc, a_tiles.reshape(128, 64), b_tiles.reshape(6, 64, 128).at[4])
        return acc[...]

    o[...] = pl.run_scoped(product, plgpu.ACC(o.shape, o.dtype))


# CHECK-COUNT-3: reshaped 0 {{.*}}: right
# CHECK-COUNT-3: reshaped 2 {{.*}}: right
A, B = draw(0, (2, 64, 64), np.float16), draw(1, (2, 3, 64, 128), np.float16)
for transforms in ((), (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))):
    expected = A.reshape(128, 64).astype(np.float32) @ B[1, 1].astype(np.float32)
    look_at_tiles(f"reshaped {len(transforms)}", reshaped, expected, A, B, (A, B), transforms=transforms)


def joined(a, b, o, a_tile, b_tile, loaded):
    """A matrix whose columns are of two dimensions, the first of which counts panels, and one of its panels."""
    load_both(a, b, a_tile, b_tile, loaded)

    def product(acc):
        plgpu.wgmma(acc, a_tile, b_tile.reshape(128, 128))
        plgpu.wgmma(acc.at[:, :64], a_tile, b_tile.at[:, 1])
        return acc[...]

    o[...] = pl.run_scoped(product, plgpu.ACC(o.shape, o.dtype))


# CHECK-COUNT-3: joined {{.*}}: right
A, B = draw(0, (64, 128), np.float16), draw(1, (128, 2, 64), np.float16)
EXPECTED = A.astype(np.float32) @ B.reshape(128, 128).astype(np.float32)
EXPECTED[:, :64] += EXPECTED[:, 64:]
look(
    "joined",
    plgpu.kernel(
        joined,
        out_type=jax.ShapeDtypeStruct((64, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM(A.shape, A.dtype, transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))),
            plgpu.SMEM(B.shape, B.dtype, transforms=(plgpu.TilingTransform((8, 1, 64)), plgpu.SwizzleTransform(128))),
            plgpu.Barrier(num_arrivals=2),
        ],
    ),
    EXPECTED,
    A,
    B,
)
