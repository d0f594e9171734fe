# A `pallas_call` whose author says what warpgroups do with its blocks: as tasks, and as PTX executed on the CPU.
#
# RUN: %python %s | FileCheck %s

import os
import sys
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look as look_as_ptx

WIDE = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
NARROW = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
rng = np.random.default_rng(0)


def array(*shape: int, dtype: Any = np.float16) -> np.ndarray:
    return rng.integers(-4, 5, shape).astype(dtype)


def spec(shape: tuple[int | None, ...], index_map: Any, transforms: Any = WIDE) -> plgpu.BlockSpec:
    return plgpu.BlockSpec(shape, index_map, transforms=transforms)


def params(*semantics: str, **fields: Any) -> plgpu.CompilerParams:
    return plgpu.CompilerParams(dimension_semantics=semantics, **fields)


def look(name: str, call: Any, expected: Any, *args: Any, chip: str = "sm_90a") -> None:
    for options in ({}, {"schedule_seed": 1, "checks": ["races", "uninitialized"]}):
        with gridir.installed(**options):
            print(f"{name} as tasks:", difference(jax.jit(call)(*args), expected) or "right")
    look_as_ptx(name, call, expected, *args, target=get_target(f"gpu:{chip}"))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.float32) @ b.astype(np.float32)


def accumulates(a, b, o, acc):
    """A step of the sequential dimension adds a product to an accumulator that begins with zeros."""
    plgpu.wgmma(acc, a, b)
    plgpu.wgmma_wait(0)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o[...] = acc[...]


def matmul(a, b, steps=2):
    (m, k), n = a.shape, b.shape[1]
    return pl.pallas_call(
        accumulates,
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(m // 64, n // 128, k // 64),
        in_specs=[spec((64, 64), lambda i, j, k: (i, k)), spec((64, 128), lambda i, j, k: (k, j))],
        out_specs=spec((64, 128), lambda i, j, k: (i, j), NARROW),
        scratch_shapes=[plgpu.ACC((64, 128), jnp.float32)],
        compiler_params=params("parallel", "parallel", "sequential", max_concurrent_steps=steps),
    )(a, b)


# CHECK-COUNT-5: matmul {{.*}}: right
A, B = array(128, 320), array(320, 256)
look("matmul", matmul, product(A, B), A, B)

# CHECK-COUNT-5: vmapped {{.*}}: right
A, B = array(3, 64, 128), array(3, 128, 128)
look("vmapped", jax.vmap(matmul), product(A, B), A, B)

# CHECK-COUNT-5: deeper {{.*}}: right
A, B = array(64, 512), array(512, 128)
look("deeper", lambda a, b: matmul(a, b, steps=3), product(A, B), A, B)


def in_tiles(a, b, o, tile, acc):
    """Scratch that lies in tiles, and is an operand of the matrix unit."""
    tile[...] = a[...] * jnp.float16(2)
    plgpu.commit_smem()
    plgpu.wgmma(acc, tile, b)
    o[...] = acc[...]


# CHECK-COUNT-5: in_tiles {{.*}}: right
A, B = array(128, 64), array(64, 64)
look(
    "in_tiles",
    pl.pallas_call(
        in_tiles,
        out_shape=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        grid=(2,),
        in_specs=[spec((64, 64), lambda i: (i, 0)), spec((64, 64), lambda i: (0, 0))],
        out_specs=spec((64, 64), lambda i: (i, 0), ()),
        scratch_shapes=[plgpu.SMEM((64, 64), jnp.float16, transforms=WIDE), plgpu.ACC((64, 64), jnp.float32)],
        compiler_params=plgpu.CompilerParams(),
    ),
    2 * product(A, B),
    A,
    B,
)


def batched(x, o, acc):
    """Matrices side by side in tensor memory."""
    plgpu.async_store_tmem(acc.at[0], x[...])
    plgpu.async_store_tmem(acc.at[1], x[...] * 2)
    plgpu.commit_tmem()
    o[...] = plgpu.async_load_tmem(acc.at[1]) + plgpu.async_load_tmem(acc.at[0])


# CHECK-COUNT-5: batched {{.*}}: right
ROWS, X = spec((128, 64), lambda i: (i, 0), ()), array(256, 64, dtype=np.float32)
look(
    "batched",
    pl.pallas_call(
        batched,
        out_shape=jax.typeof(jnp.asarray(X)),
        grid=(2,),
        in_specs=[ROWS],
        out_specs=ROWS,
        scratch_shapes=[plgpu.TMEM((2, 128, 64), jnp.float32)],
        compiler_params=plgpu.CompilerParams(),
    ),
    X * 3,
    X,
    chip="sm_100a",
)


def row_sums(x, o, tile, loaded):
    """A copy by hand, of an operand that stays in global memory."""
    plgpu.copy_gmem_to_smem(x.at[pl.ds(pl.program_id(0) * 64, 64)], tile, loaded)
    plgpu.barrier_wait(loaded)
    o[...] = tile[...].sum(axis=1)


# CHECK-COUNT-5: row_sums {{.*}}: right
X = array(128, 128, dtype=np.float32)
look(
    "row_sums",
    pl.pallas_call(
        row_sums,
        out_shape=jax.ShapeDtypeStruct((128,), jnp.float32),
        grid=(2,),
        in_specs=[pl.BlockSpec(memory_space=plgpu.GMEM)],
        out_specs=pl.BlockSpec((64,), lambda i: (i,)),
        scratch_shapes=[plgpu.SMEM((64, 128), jnp.float32), plgpu.Barrier()],
        compiler_params=plgpu.CompilerParams(),
    ),
    X.sum(axis=1),
    X,
)


def adds_one(x, o):
    o[...] = x[...] + 1


# Blocks that say only how they lie are read where they are by tasks, and are in shared memory of a GPU.
# CHECK-COUNT-5: squeezed {{.*}}: right
SLABS, X = spec((None, 64, 64), lambda i: (i, 0, 0), NARROW), array(3, 64, 64, dtype=np.float32)
look(
    "squeezed",
    pl.pallas_call(
        adds_one,
        out_shape=jax.typeof(jnp.asarray(X)),
        grid=(3,),
        in_specs=[SLABS],
        out_specs=SLABS,
        input_output_aliases={0: 0},
        compiler_params=params("sequential"),
    ),
    X + 1,
    X,
)


def in_place(x, o):
    """What is written is the operand; the result is the same memory."""
    del o
    x[...] = x[...] + 1


# CHECK-COUNT-5: in_place {{.*}}: right
GLOBAL = plgpu.BlockSpec(memory_space=plgpu.GMEM)
look(
    "in_place",
    pl.pallas_call(
        in_place,
        out_shape=jax.typeof(jnp.asarray(X)),
        in_specs=[GLOBAL],
        out_specs=GLOBAL,
        input_output_aliases={0: 0},
        compiler_params=plgpu.CompilerParams(),
    ),
    X + 1,
    X,
)


def refusal(call: Any, *args: Any) -> str:
    try:
        gridir.lower(call, *args)
    except gridir.UnsupportedError as error:
        return error.message
    return "no error"


def with_barrier(*refs):
    *_, x, o, _ = refs
    adds_one(x, o)


ROWS = pl.BlockSpec((32, 64), lambda i, *_: (i, 0))
PARTS = {"in_specs": [ROWS], "out_specs": ROWS, "scratch_shapes": [plgpu.Barrier()]}


def prefetches(numbers, x):
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(2,), **PARTS)
    return pl.pallas_call(with_barrier, out_shape=x, grid_spec=spec)(numbers, x)


def counts(number, x):
    return pl.pallas_call(with_barrier, out_shape=x, grid=(number,), **PARTS)(x)


# Parameters that JAX rejects for this backend are rejected.
# CHECK: prefetches: expected a kernel for warpgroups without scalar prefetch, got 1
# CHECK: counts: expected a kernel for warpgroups without dynamic grid bounds, got 1
print("prefetches:", refusal(prefetches, np.zeros(2, np.int32), X[0]))
print("counts:", refusal(counts, np.int32(2), X[0]))
