# What kernels whose threads are warpgroups may say beside copies, barriers and products: unions of Refs, atomic stores,
# fences written by hand, axes that vmap adds, layouts printed; each in its own order and in another one.
#
# RUN: %python %s | FileCheck %s

import functools
import re
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

X = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
of_x = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)))


def look(name: str, call: Any, expected: Any, *args: Any) -> None:
    """Prints whether a kernel gives what is expected, or its error."""
    for options in ({}, {"schedule_seed": 1, "checks": ["races"]}):
        try:
            with gridir.installed(**options):
                got = jax.jit(call)(*args)
                pairs = zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True)
                said = next(filter(None, (difference(*pair) for pair in pairs)), "right")
        except gridir.Error as error:
            said = str(error.message).splitlines()[0]
        except jax.errors.JaxRuntimeError as error:
            said = re.sub(r" \(\S*language\.py:(\d+):\d+\)", "", str(error))
        print(f"{name}:", said)


def union(x, o, scratch, barrier):
    """Members of several types and tilings, one after another in the same bytes."""
    whole, [half, flags] = scratch
    plgpu.copy_gmem_to_smem(x, whole, barrier)
    plgpu.barrier_wait(barrier)
    value = whole[...]
    half[...] = value.astype(jnp.float16)
    flags[...] = (value[0] > 64).astype(jnp.int32)
    o[...] = half[...].astype(jnp.float32) + flags[...]


# CHECK-COUNT-2: union: right
TILED = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
look(
    "union",
    of_x(
        union,
        scratch_types=[
            plgpu.RefUnion(
                plgpu.SMEM((64, 128), jnp.float32),
                [plgpu.SMEM((64, 128), jnp.float16, transforms=TILED), plgpu.SMEM((128,), jnp.int32)],
            ),
            plgpu.Barrier(),
        ],
    ),
    X.astype(np.float16).astype(np.float32) + (X[0] > 64),
    X,
)


def parts(x, o, scratch, barrier):
    """Members of one type that are rows of a matrix in tiles, or a part of a row, and what was written by the other."""
    (whole, [_, rows]), (matrix, [_, row]) = scratch
    plgpu.copy_gmem_to_smem(x, whole, barrier)
    plgpu.barrier_wait(barrier)
    matrix[...] = whole[...] * 2
    plgpu.commit_smem()
    o[...] = whole[...]
    o[pl.ds(0, 32)] = rows[...]
    o[63] = row[...]


# CHECK-COUNT-2: parts: right
ROWS = plgpu.SMEM((32, 128), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)))
WHOLE = plgpu.SMEM((64, 128), jnp.float32, transforms=ROWS.transforms)
look(
    "parts",
    of_x(
        parts,
        scratch_types=[
            (
                plgpu.RefUnion(WHOLE, [ROWS, ROWS]),
                plgpu.RefUnion(
                    plgpu.SMEM((64, 128), jnp.float32),
                    [plgpu.SMEM((40, 128), jnp.float32), plgpu.SMEM((128,), jnp.float32)],
                ),
            ),
            plgpu.Barrier(),
        ],
    ),
    np.concatenate([X[32:], X[32:63], X[40:41] * 2]),
    X,
)


def bytes_of(x, o, scratch, barrier):
    """A member that is read as what another one of another type was written as, from registers and by a copy."""
    floats, [words, _], [_, row] = scratch
    plgpu.copy_gmem_to_smem(x, floats, barrier)
    plgpu.barrier_wait(barrier)
    o[...] = words[...]
    plgpu.copy_smem_to_gmem(row, o.at[0])
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-2: bytes of: right
BITS = X.view(np.int32).copy()
BITS[0] = BITS[2]
look(
    "bytes of",
    plgpu.kernel(
        bytes_of,
        out_type=jax.typeof(jnp.asarray(BITS)),
        scratch_types=[
            plgpu.RefUnion(
                plgpu.SMEM((64, 128), jnp.float32),
                [plgpu.SMEM((64, 128), jnp.int32), plgpu.SMEM((8,), jnp.int32)],
                [plgpu.SMEM((256,), jnp.int32), plgpu.SMEM((128,), jnp.int32)],
            ),
            plgpu.Barrier(),
        ],
    ),
    BITS,
    X,
)


def nibbles(x, o, scratch, barrier):
    """Two elements of four bits are a byte."""
    whole, halves = scratch
    plgpu.copy_gmem_to_smem(x, whole, barrier)
    plgpu.barrier_wait(barrier)
    plgpu.copy_smem_to_gmem(halves, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-2: nibbles: right
BYTES = np.arange(128, dtype=np.uint8) * 2
look(
    "nibbles",
    plgpu.kernel(
        nibbles,
        out_type=jax.ShapeDtypeStruct((256,), jnp.uint4),
        scratch_types=[
            plgpu.RefUnion(plgpu.SMEM((128,), jnp.uint8), plgpu.SMEM((256,), jnp.uint4)),
            plgpu.Barrier(),
        ],
    ),
    np.stack([BYTES & 15, BYTES >> 4], axis=1).reshape(256).astype(jnp.uint4),
    BYTES,
)


def tiled_bytes(x, o, scratch):
    rows, tiles = scratch
    rows[...] = x[...]
    o[...] = tiles[...]


# Where the bytes of a member in tiles are, no view says.
# CHECK-COUNT-2: tiled bytes: expected a read of the union member that was written, got one of scratch[1]
look(
    "tiled bytes",
    of_x(
        tiled_bytes,
        scratch_types=[
            plgpu.RefUnion(
                plgpu.SMEM((64, 128), jnp.float32),
                plgpu.SMEM((64, 128), jnp.float32, transforms=WHOLE.transforms),
            )
        ],
    ),
    X,
    X,
)


def large(x, o, first, second):
    first[...] = jnp.zeros_like(first)
    second[...] = jnp.zeros_like(second)
    o[...] = x[...]


# Kernels that exceed every GPU are rejected, except for Refs that share memory.
# CHECK-COUNT-2: large: expected at most 232448 bytes of shared memory on sm_90, got 262144, most of them for first (13
# CHECK-COUNT-2: large, shared: right
# CHECK-COUNT-2: columns: expected at most 512 columns of tensor memory on sm_100a, got 768, most of them for second (5
LARGE = plgpu.SMEM((256, 128), jnp.float32)
look("large", of_x(large, scratch_types=[LARGE, LARGE]), X, X)


def large_union(x, o, scratch):
    large(x, o, *scratch)


look("large, shared", of_x(large_union, scratch_types=[plgpu.RefUnion(LARGE, LARGE)]), X, X)


def columns_of(x, o, first, second):
    plgpu.async_store_tmem(first, jnp.zeros(first.shape, jnp.float32))
    plgpu.async_store_tmem(second, jnp.zeros(second.shape, jnp.float32))
    o[...] = x[...]


SCRATCH = [plgpu.TMEM((128, 256), jnp.float32), plgpu.TMEM((128, 512), jnp.float32)]
look("columns", of_x(columns_of, scratch_types=SCRATCH), X, X)


def overhanging(x, o, tile, barrier):
    first = 32 * (jax.lax.axis_index("i") + 1)
    plgpu.copy_gmem_to_smem(x.at[pl.ds(first, 64)], tile, barrier)
    plgpu.barrier_wait(barrier)
    o[...] = tile[...]


# Elements outside of the array are zero, not uninitialized memory.
# CHECK: overhanging: right
OVERHANGING = of_x(
    overhanging, grid=(1,), grid_names=("i",), scratch_types=[plgpu.SMEM(X.shape, jnp.float32), plgpu.Barrier()]
)
with gridir.installed(checks=["uninitialized"]):
    said = difference(jax.jit(OVERHANGING)(X), np.concatenate([X[32:], 0 * X[32:]]))
print("overhanging:", said or "right")


def gathers(x, o, tile, barrier):
    """What a copy of rows has written needs no commit to be copied on."""
    rows = plgpu.layout_cast(63 - plgpu.broadcasted_iota(jnp.int32, (64,), 0, layout=INDICES), INDICES)
    plgpu.copy_gmem_to_smem(x.at[rows], tile, barrier)
    plgpu.barrier_wait(barrier)
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-2: gathers: right
INDICES = plgpu.Layout.TMA_INDICES
look("gathers", of_x(gathers, scratch_types=[plgpu.SMEM(X.shape, jnp.float32), plgpu.Barrier()]), X[::-1], X)


def tensor_union(x, o, scratch):
    """Two members beside each other in columns of tensor memory."""
    [left, right], _ = scratch
    plgpu.async_store_tmem(left, x[...])
    plgpu.async_store_tmem(right, x[...] * 2)
    plgpu.commit_tmem()
    o[...] = plgpu.async_load_tmem(left) + plgpu.async_load_tmem(right)


# CHECK-COUNT-2: tensor union: right
columns = plgpu.TMEM((128, 64), jnp.float32)
TALL = X.reshape(128, 64)
look(
    "tensor union",
    plgpu.kernel(
        tensor_union,
        out_type=jax.typeof(jnp.asarray(TALL)),
        scratch_types=[plgpu.RefUnion([columns, columns], plgpu.TMEM((128, 128), jnp.float32))],
    ),
    TALL * 3,
    TALL,
)


def batches(x, o, acc):
    """Tensor memory of more than two dimensions."""
    for i in range(2):
        plgpu.async_store_tmem(acc.at[i], x[...] + i)
    plgpu.commit_tmem()
    o[...] = plgpu.async_load_tmem(acc.at[1])


# CHECK-COUNT-2: batches: right
look(
    "batches",
    plgpu.kernel(
        batches, out_type=jax.typeof(jnp.asarray(TALL)), scratch_types=[plgpu.TMEM((2, 128, 64), jnp.float32)]
    ),
    TALL + 1,
    TALL,
)


def atomics(x, o, high, bits):
    """Each block updates the same elements."""
    i = jax.lax.axis_index("i")
    plgpu.atomic_add(o.at[pl.ds(0, 64)], x[...])
    plgpu.atomic_max(high, x[:, 0].astype(jnp.int32) + i)
    plgpu.atomic_or(bits.at[0], jnp.full((128,), 1, jnp.int32) << i)


def accumulate(x):
    zeros = jnp.zeros_like(x), jnp.zeros(64, jnp.int32), jnp.zeros((1, 128), jnp.int32)

    def within(refs):
        x_ref, o, high, bits = refs

        @pl.core_map(plgpu.Mesh(grid=(5,), grid_names=("i",)))
        def _():
            atomics(x_ref, o, high, bits)

    return pl.run_state(within)((x, *zeros))[1:]


# CHECK-COUNT-2: atomics: right
look(
    "atomics",
    accumulate,
    (X * 5, X[:, 0].astype(np.int32) + 4, np.full((1, 128), 31, np.int32)),
    X,
)


def fenced(x, o, tile, barrier):
    plgpu.copy_gmem_to_smem(x, tile, barrier)
    plgpu.barrier_wait(barrier)
    tile[...] = tile[...] + 1

    @plgpu.inline_mgpu()
    def fence(_):
        llvm.inline_asm(mlir.Type.parse("!llvm.void"), [], "fence.proxy.async;", "", has_side_effects=True)

    fence()
    plgpu.print_layout("tile: {}", tile[...])
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)


def inlined(results: Any, emit: Any) -> Any:
    def kernel(x, o):
        number = plgpu.inline_mgpu(return_type=results)(emit)()
        o[...] = x[...] if number is None else x[...] + number

    return of_x(kernel)


from jax._src.lib.mlir import ir as mlir
from jax._src.lib.mlir.dialects import llvm
from jax.experimental.mosaic import gpu as mgpu

SPLAT = plgpu.ShapeDtypeStruct((64, 128), jnp.float32, layout=plgpu.Layout.WG_SPLAT((64, 128)))

# CHECK-COUNT-2: fence: right
look("fence", of_x(fenced, scratch_types=[plgpu.SMEM((64, 128), jnp.float32), plgpu.Barrier()]), X + 1, X)
# CHECK-COUNT-2: number: right
look(
    "number",
    inlined(SPLAT, lambda _: mgpu.FragmentedArray.splat(mgpu.c(7.0, mlir.F32Type.get()), (64, 128))),
    X + 7,
    X,
)


@functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((64,), jnp.float32), grid=(2,), grid_names=("i",))
def rows(x, y, o):
    part = pl.ds(jax.lax.axis_index("i") * 32, 32)
    o[part] = x[part] + y[part]


# CHECK-COUNT-2: vmap: right
ROWS, COLUMNS = X[:, :64], X[:, 64:]
each_with_each = jax.vmap(jax.vmap(rows, (0, None)), (None, 1))
look("vmap", each_with_each, ROWS[None] + COLUMNS.T[:, None], ROWS, COLUMNS)


def gathered(x, rows, o, tile, barrier):
    """Rows in any order, of which one is not there."""
    numbers = plgpu.load(rows, layout=plgpu.Layout.TMA_INDICES)
    plgpu.copy_gmem_to_smem(x.at[numbers, pl.ds(32, 64)], tile, barrier)
    plgpu.barrier_wait(barrier)
    o[...] = tile[...]


# CHECK-COUNT-2: gathered: right
NUMBERS = np.array([5, 63, 0, 64, 5, 1, 2, 3] * 2, np.int32)
look(
    "gathered",
    plgpu.kernel(
        gathered,
        out_type=jax.ShapeDtypeStruct((16, 64), jnp.float32),
        scratch_types=[plgpu.SMEM((16, 64), jnp.float32), plgpu.Barrier()],
    ),
    np.pad(X, ((0, 1), (0, 0)))[NUMBERS, 32:96],
    X,
    NUMBERS,
)


def of_blocks(x, o, tile, pair):
    """A kernel of blocks in tiles of shared memory, one step after another."""
    tile[...] = x[...] + 1
    pair[1] = x[...]
    o[...] = tile[...] + pair[1] * pl.program_id(0)


# CHECK-COUNT-2: blocks: right
BLOCK = plgpu.BlockSpec((16, 64), lambda i, j: (i, j), transforms=(plgpu.TilingTransform((8, 32)),))
look(
    "blocks",
    pl.pallas_call(
        of_blocks,
        out_shape=jax.typeof(jnp.asarray(X)),
        grid=(4, 2),
        in_specs=[BLOCK],
        out_specs=BLOCK,
        scratch_shapes=[
            plgpu.SMEM((16, 64), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))),
            plgpu.SMEM((2, 16, 64), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)),)),
        ],
        compiler_params=plgpu.CompilerParams(dimension_semantics=["parallel", "sequential"], max_concurrent_steps=2),
    ),
    X + 1 + X * np.float32(np.arange(64) // 16)[:, None],
    X,
)


def sums(x, y, o, low, tile, numbers):
    """Each block adds a tile to the same rows, of which some lie outside, and takes the lowest numbers."""
    i = jax.lax.axis_index("i")
    tile[...] = x[pl.ds(i * 16, 16)]
    numbers[...] = y[...] + i
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(56 + 0 * i, 16)], reduction_op="add")
    plgpu.copy_smem_to_gmem(numbers, low, reduction_op="min", predicate=i > 0)
    plgpu.wait_smem_to_gmem(0)


def accumulated(x, y):
    def within(refs):
        @pl.core_map(plgpu.Mesh(grid=(4,), grid_names=("i",)))
        def _():
            scratch = plgpu.SMEM((16, 128), jnp.float32), plgpu.SMEM((64,), jnp.int32)
            pl.run_scoped(functools.partial(sums, *refs), *scratch)

    return pl.run_state(within)((x, y, jnp.zeros((64, 128), jnp.float32), jnp.full(64, 99, jnp.int32)))[2:]


# CHECK-COUNT-2: sums: right
TOTAL = np.zeros((64, 128), np.float32)
TOTAL[56:] = X.reshape(4, 16, 128).sum(0)[:8]
LOW = np.int32(np.arange(64) % 5)
look("sums", accumulated, (TOTAL, LOW + 1), X, LOW)
