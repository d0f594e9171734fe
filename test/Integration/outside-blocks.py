# Blocks that lie outside of their arrays, natively and as PTX that is executed on the CPU. A program may have such a
# block if it accesses the block with a mask, or under a condition that does not hold there. Elements outside of an
# array are padding when they are read, and are not written.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plt

HERE = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(HERE, "..", "python", "Inputs")]
import ptx_runs
from refusals import report

GPU = get_target("gpu:sm_90a")


def look(name, call, expected, *args, is_for_gpu=True):
    got = np.asarray(gridir.lower(call, *args).compile()(*args))
    print(f"{name}: {'right' if np.array_equal(got, expected) else f'wrong, {got}'}")
    if is_for_gpu:
        ptx_runs.look(f"{name}, PTX", call, expected, *args, target=GPU)


def blocks(body, grid, size, block, index_map=lambda i: (i,)):
    """A call of `body` on blocks of one array and of the result, which has its shape."""

    def call(x):
        spec = pl.BlockSpec(block, index_map)
        out = jax.ShapeDtypeStruct(size, x.dtype)
        return pl.pallas_call(body, grid=grid, in_specs=[spec], out_specs=spec, out_shape=out)(x)

    return call


def inside(block, size):
    return pl.program_id(0) * block + jnp.arange(block) < size


def masked(size, block):
    def kernel(x, o):
        mask = inside(block, size)
        plt.store(o, plt.load(x, mask=mask, other=0.0) * 2, mask=mask)

    return kernel


# Blocks that tile the array, that overhang it, that are longer than it, and that lie before it.
# CHECK-COUNT-16: masked {{.*}}: right
# CHECK-NOT: masked
for size, block, grid in ((32, 8, 6), (24, 16, 4), (8, 16, 3)):
    x = np.arange(size, dtype=np.float32)
    look(f"masked {size} by {block}", blocks(masked(size, block), (grid,), (size,), (block,)), 2 * x, x)


def before(x, o):
    mask = jnp.full(8, pl.program_id(0) > 1)
    plt.store(o, plt.load(x, mask=mask, other=0.0) * 2, mask=mask)


x = np.arange(32, dtype=np.float32)
look("masked from before", blocks(before, (6,), (32,), (8,), lambda i: (i - 2,)), 2 * x, x)


def guarded(x, o):
    @pl.when(pl.program_id(0) < 4)
    def _():
        o[...] = x[...] * 2


# CHECK-COUNT-4: guarded{{.*}}: right
look("guarded", blocks(guarded, (7,), (32,), (8,)), 2 * x, x)


def columns(x, o):
    j = pl.program_id(1) * 16 + jnp.arange(16)
    mask = jnp.broadcast_to(j < 24, (8, 16))
    plt.store(o, plt.load(x, mask=mask, other=0.0) + 1, mask=mask)


# CHECK-COUNT-4: columns{{.*}}: right
y = np.arange(16 * 24, dtype=np.float32).reshape(16, 24)
look("columns", blocks(columns, (2, 3), (16, 24), (8, 16), lambda i, j: (i, j)), y + 1, y)


def claimed(x, o):
    """The mask is true of elements outside of the array: what is read there is padding, and nothing is written."""
    mask = inside(8, 40)
    plt.store(o, plt.load(x, mask=mask, other=0.0) * 2, mask=mask)


# CHECK-COUNT-4: claimed{{.*}}: right
look("claimed", blocks(claimed, (5,), (32,), (8,)), 2 * x, x)


def chosen(rows, x):
    """A prefetched scalar selects the block, and a mask leaves out the one that does not exist."""

    def kernel(rows, x, o):
        mask = jnp.full((8,), rows[pl.program_id(0)] < 4)
        plt.store(o, plt.load(x, mask=mask, other=-1.0))

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=rows.shape,
        in_specs=[pl.BlockSpec((8,), lambda i, rows: (rows[i],))],
        out_specs=pl.BlockSpec((8,), lambda i, rows: (i,)),
    )
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=jax.ShapeDtypeStruct((24,), x.dtype))(rows, x)


# CHECK: chosen: right
rows = np.array([3, 9, 0], np.int32)
expected = np.concatenate([x[24:], np.full(8, -1, np.float32), x[:8]])
look("chosen", chosen, expected, rows, x, is_for_gpu=False)


# An access without a mask, or under another condition, is refused.
def plain(plain_ref, o):
    o[...] = plain_ref[...] * 2


def half_masked(half_ref, o):
    plt.store(o, half_ref[...] * 2, mask=inside(8, 32))


def badly_guarded(guarded_ref, o):
    @pl.when(pl.program_id(0) < 5)
    def _():
        plt.store(o, guarded_ref[...] * 2, mask=inside(8, 32))


def for_gpu(gpu_ref, o):
    o[...] = gpu_ref[...] * 2


def lowering(body, target="cpu"):
    return lambda: gridir.lower(blocks(body, (6,), (32,), (8,)), x, target=target).kernels[0].text("grid-planned")


# CHECK: CompileError: 4 of 4 refused in these words
REFUSED = "expected every block of {} to overlap its array, got one outside of dimension 0 of size 32"
report(
    gridir.CompileError,
    {
        REFUSED.format("plain_ref"): lowering(plain),
        REFUSED.format("half_ref"): lowering(half_masked),
        REFUSED.format("guarded_ref"): lowering(badly_guarded),
        REFUSED.format("gpu_ref"): lowering(for_gpu, "gpu:sm_90a"),
    },
)
