# As PTX for a GPU, executed on the CPU: updates that are atomic, by threads and by copies, semaphores in global memory,
# elements that arrays name, and what kernels print.
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
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look

X = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
whole = functools.partial(plgpu.kernel, out_type=jax.typeof(jnp.asarray(X)))


def add_up(refs):
    """Three blocks add their rows to one array, by their threads and by a copy."""
    x, o = refs

    @pl.core_map(plgpu.Mesh(grid=(3,), grid_names=("i",)))
    def _():
        i = jax.lax.axis_index("i")

        @functools.partial(pl.run_scoped, tile=plgpu.SMEM((64,), jnp.int32))
        def _(tile):
            plgpu.atomic_add(o.at[0], x[i])
            tile[...] = x[i]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o.at[1], reduction_op="add")
            plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: add_up {{.*}}: right
INTEGERS = X.astype(np.int32)
SUMS = np.stack([INTEGERS[:3].sum(0, dtype=np.int32)] * 2)
look("add_up", lambda x: pl.run_state(add_up)((x, jnp.zeros((2, 64), jnp.int32)))[1], SUMS, INTEGERS)


def combine(x, o, tile, *, update):
    """Copies that keep the greater or the smaller of two integers, by the name that JAX has for those of their sign."""
    for row, how in enumerate((None, update)):
        tile[...] = x[row]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o, reduction_op=how)
        plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: smax {{.*}}: right
# CHECK-COUNT-3: umin {{.*}}: right
for name, numbers in {"smax": INTEGERS - 2048, "umin": INTEGERS.astype(np.uint32) - np.uint32(2048)}.items():
    pair = np.stack([numbers[:32], numbers[:31:-1]])
    kernel = plgpu.kernel(
        functools.partial(combine, update=name),
        out_type=jax.typeof(jnp.asarray(pair[0])),
        scratch_types=[plgpu.SMEM(pair[0].shape, pair.dtype)],
    )
    look(name, kernel, pair.max(0) if name == "smax" else pair.min(0), pair)


def add_bytes(refs):
    """Numbers of 8 bits, four of which share the word that an update takes."""
    x, o = refs

    @pl.core_map(plgpu.Mesh(grid=(3,), grid_names=("i",)))
    def _():
        plgpu.atomic_add(o, x[jax.lax.axis_index("i")])


# CHECK-COUNT-3: add_bytes {{.*}}: right
BYTES = np.random.default_rng(0).integers(-128, 128, (3, 128)).astype(np.int8)
look(
    "add_bytes", lambda x: pl.run_state(add_bytes)((x, jnp.zeros(128, jnp.int8)))[1], BYTES.sum(0, dtype=np.int8), BYTES
)

# The word with the last number of an array may end after it.
# CHECK-COUNT-3: odd bytes {{.*}}: right
look(
    "odd bytes",
    lambda x: pl.run_state(add_bytes)((x, jnp.zeros(3, jnp.int8)))[1],
    BYTES[:, :3].sum(0, dtype=np.int8),
    BYTES[:, :3],
)


def nibbles(x, copied, loaded, one, union):
    """Bytes that another member of a union has as two numbers each, copied and loaded by threads."""
    whole, halves = union
    whole[...] = x[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(halves.at[pl.ds(0, 128)], copied.at[pl.ds(32, 128)])
    loaded[...] = halves[...].astype(jnp.int32)
    one[...] = halves[77].astype(jnp.int32)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: nibbles {{.*}}: right
BYTES = np.random.default_rng(0).integers(0, 256, 128).astype(np.uint8)
HALVES = np.stack([BYTES & 15, BYTES >> 4], axis=-1).reshape(256)


def all_nibbles(x):
    out = jax.ShapeDtypeStruct((160,), jnp.uint4), jax.ShapeDtypeStruct((256,), jnp.int32)
    scratch = [plgpu.RefUnion(plgpu.SMEM((128,), jnp.uint8), plgpu.SMEM((256,), jnp.uint4))]
    copied, loaded, one = plgpu.kernel(
        nibbles, out_type=(*out, jax.ShapeDtypeStruct((), jnp.int32)), scratch_types=scratch
    )(x)
    return jnp.concatenate([copied[32:].astype(jnp.int32), loaded, one[None]])


look("nibbles", all_nibbles, np.concatenate([HALVES[:128], HALVES, HALVES[77:78]]).astype(np.int32), BYTES)


def rows_of(x, indices, o, tile, loaded):
    """Rows that an array names, by threads and by copies."""
    rows = plgpu.load(indices, layout=plgpu.Layout.TMA_INDICES, optimized=False)
    plgpu.copy_gmem_to_smem(x.at[rows], tile, loaded)
    plgpu.barrier_wait(loaded)
    o[...] = tile[...]


# CHECK-COUNT-3: rows_of {{.*}}: right
ROWS = np.array([5, 63, 0, 5, 7, -9, 70, 64, 31, 30, 29, 28, 2, 4, 6, 8], np.int32)
look(
    "rows_of",
    plgpu.kernel(
        rows_of,
        out_type=jax.ShapeDtypeStruct((16, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((16, 64), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))),
            plgpu.Barrier(),
        ],
    ),
    np.where((ROWS[:, None] >= 0) & (ROWS[:, None] < 64), X[ROWS % 64], 0),
    X,
    ROWS,
)


def to_rows(refs):
    """Rows of a tile to those that an array names; one that is not there is left out."""
    x, indices, o = refs

    @pl.core_map(plgpu.Mesh())
    def _():
        @functools.partial(pl.run_scoped, tile=plgpu.SMEM((16, 64), jnp.float32))
        def _(tile):
            tile[...] = x[...]
            plgpu.commit_smem()
            rows = plgpu.load(indices, layout=plgpu.Layout.TMA_INDICES, optimized=False)
            plgpu.copy_smem_to_gmem(tile, o.at[rows])
            plgpu.wait_smem_to_gmem(0, wait_read_only=True)
            tile[...] = x[...] * 2
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o.at[rows + 64])
            plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: to_rows {{.*}}: right
# CHECK-COUNT-3: to_rows {{.*}}: right
# CHECK: to_rows native: right
NUMBERS = np.array([5, 63, 0, 11, 7, 9, 170, 62, 31, 30, 29, 28, 2, 4, 6, -99], np.int32)
SCATTERED = np.zeros((96, 64), np.float32)
for factor, begin in ((1, 0), (2, 64)):
    for row, number in zip(X[:16] + 1, NUMBERS + begin, strict=True):
        if 0 <= number < 96:
            SCATTERED[number] = row * factor


def scattered(x, rows):
    return pl.run_state(to_rows)((x, rows, jnp.zeros((96, 64), jnp.float32)))[2]


look("to_rows", scattered, SCATTERED, X[:16] + 1, NUMBERS)
look("to_rows", scattered, SCATTERED, X[:16] + 1, NUMBERS, target=get_target("gpu:sm_100a"))
with gridir.installed(checks=["races"]):
    print("to_rows native:", difference(scattered(X[:16] + 1, NUMBERS), SCATTERED) or "right")


def wide(refs):
    """Numbers of 64 bits: copied, summed along rows, and added to what others add."""
    x, o, total = refs

    @pl.core_map(plgpu.Mesh(grid=(2,), grid_names=("i",)))
    def _():
        @functools.partial(pl.run_scoped, tile=plgpu.SMEM((64, 32), o.dtype), loaded=plgpu.Barrier())
        def _(tile, loaded):
            i = jax.lax.axis_index("i")
            plgpu.copy_gmem_to_smem(x.at[i], tile, loaded)
            plgpu.barrier_wait(loaded)
            v = plgpu.load(tile, layout=plgpu.Layout.WGMMA, optimized=False)
            o[i] = jnp.sum(v, axis=1)
            plgpu.atomic_add(total, v)


# CHECK-COUNT-3: wide float64 {{.*}}: right
# CHECK-COUNT-3: wide int64 {{.*}}: right
with jax.enable_x64(True):
    for dtype in (np.float64, np.int64):
        BOTH = (np.arange(2 * 64 * 32).reshape(2, 64, 32) * 2**33 + 1).astype(dtype)
        look(
            f"wide {np.dtype(dtype)}",
            lambda x: jnp.concatenate(
                [y.ravel() for y in pl.run_state(wide)((x, jnp.zeros_like(x, shape=(2, 64)), jnp.zeros_like(x[0])))[1:]]
            ),
            np.concatenate([BOTH.sum(2).ravel(), BOTH.sum(0).ravel()]),
            BOTH,
        )


def turned(x, o, tile, loaded):
    """Copies from a tile whose rows are in another order."""
    plgpu.copy_gmem_to_smem(x, tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.copy_smem_to_gmem(tile.transpose((1, 0, 2)), o)
    plgpu.wait_smem_to_gmem(0)


# CHECK-COUNT-3: turned {{.*}}: right
CUBE = X[:8].reshape(2, 4, 64)
look(
    "turned",
    plgpu.kernel(
        turned,
        out_type=jax.ShapeDtypeStruct((4, 2, 64), jnp.float32),
        scratch_types=[plgpu.SMEM((2, 4, 64), jnp.float32), plgpu.Barrier()],
    ),
    CUBE.transpose(1, 0, 2),
    CUBE,
)


def meet(o, own):
    """The second and third block signal what the first one waits for; each has a semaphore of its own, too."""
    semaphore = pl.get_global(plgpu.SemaphoreType.REGULAR)
    i = jax.lax.axis_index("i")
    pl.semaphore_signal(own, i)

    @pl.when(i == 0)
    def _():
        pl.semaphore_wait(semaphore, 5)
        o[3] = pl.semaphore_read(semaphore)

    @pl.when(i == 1)
    def _():
        pl.semaphore_signal(semaphore, 2)

    @pl.when(i == 2)
    def _():
        pl.semaphore_signal(semaphore, 4)

    pl.semaphore_wait(own, i, decrement=False)
    o[i] = pl.semaphore_read(own)


def hand_over(x, o):
    """What the first block has stored the others load, when a semaphore has told them."""
    stored = pl.get_global(plgpu.SemaphoreType.REGULAR)
    i = jax.lax.axis_index("i")

    @pl.when(i == 0)
    def _():
        o[0] = x[...] * 2
        pl.semaphore_signal(stored, 2)

    @pl.when(i > 0)
    def _():
        pl.semaphore_wait(stored, 1)
        o[i] = o[0] + 1


# CHECK-COUNT-3: hand_over {{.*}}: right
ROW = X[:2].reshape(128)
look(
    "hand_over",
    plgpu.kernel(hand_over, out_type=jax.ShapeDtypeStruct((3, 128), jnp.float32), grid=(3,), grid_names=("i",)),
    np.stack([ROW * 2, ROW * 2 + 1, ROW * 2 + 1]),
    ROW,
)

# CHECK-COUNT-3: meet {{.*}}: right
look(
    "meet",
    plgpu.kernel(
        meet,
        out_type=jax.ShapeDtypeStruct((4,), jnp.int32),
        grid=(3,),
        grid_names=("i",),
        scratch_types=[plgpu.SemaphoreType.REGULAR],
    ),
    np.array([0, 1, 2, 1], np.int32),
)


def speak(o):
    @plgpu.warp_map
    def _(warp):
        @pl.when(warp == 2)
        def _():
            pl.debug_print("warp {} of 4", warp)

    pl.debug_print("an array {}", jax.lax.broadcasted_iota(jnp.int32, (4,), 0))
    o[...] = jnp.zeros((4,), jnp.int32)


# CHECK: warp 2 of 4
# CHECK: an array [0 1 2 3]
look("speak", plgpu.kernel(speak, out_type=jax.ShapeDtypeStruct((4,), jnp.int32)), np.zeros(4, np.int32))


def nobody_arrives(x, o, met):
    plgpu.barrier_wait(met)
    o[...] = x[...]


# CHECK:      nobody_arrives None: no thread can continue
# CHECK-NEXT: in kernel `nobody_arrives`
# CHECK-NEXT: at {{.*}}gpu-warpgroup-memory.py:{{[0-9]+}}:5
# CHECK:      note: 32 threads of each of warps 0 to 3 of block (0, 0, 0) wait at line {{.*}}memory.py:{{[0-9]+}}:5
# CHECK-NEXT: nobody_arrives {{[0-9]+}}: no thread can continue
look("nobody_arrives", whole(nobody_arrives, scratch_types=[plgpu.Barrier()]), X, X)

# Blocks that wait alike share a note.
# CHECK:      nobody_in_cluster None: no thread can continue
# CHECK:      note: 32 threads of each of warps 0 to 3 of blocks (0, 0, 0), (1, 0, 0) wait at line
look(
    "nobody_in_cluster",
    whole(nobody_arrives, scratch_types=[plgpu.Barrier()], cluster=(2,), cluster_names=("c",)),
    X,
    X,
)
