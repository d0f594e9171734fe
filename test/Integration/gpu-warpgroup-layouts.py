# Arrays on their way through the layouts that an author asks for, as PTX, executed thread by thread: by other
# registers, by shuffles, through shared memory at once and in rounds. The numbers are those of NumPy.
#
# RUN: %python %s | FileCheck %s

import os
import random
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from ptx_runs import look

L = plgpu.Layout


def layouts_of(shape: tuple[int, int]) -> list[Any]:
    """Layouts that the rows and columns of an array allow."""
    rows, columns = shape
    known = [L.WGMMA, L.WGMMA_TRANSPOSED, L.WGMMA_UPCAST_2X, L.WGMMA_UPCAST_4X]
    known += [L.WG_STRIDED(shape, vector) for vector in (1, 2, 4) if rows * columns % (128 * vector) == 0]
    if rows % 128 == 0:
        known += [L.TCGEN05, L.TCGEN05_TRANSPOSED, L.TCGEN05_TMEM_NATIVE, L.TCGEN05_TMEM_NATIVE(8)]
    return known


def travel(shape: tuple[int, int], dtype: Any, seed: int) -> None:
    """An array goes through all layouts, in an order by chance, and a little is added in each."""
    chosen = layouts_of(shape)
    random.Random(seed).shuffle(chosen)

    def kernel(x, o):
        v = x[...]
        for i, layout in enumerate(chosen):
            v = plgpu.layout_cast(v, layout)
            v = v != (i % 2 == 0) if dtype == jnp.bool_ else v + jnp.asarray(i, dtype)
        o[...] = v

    generator = np.random.default_rng(seed)
    x = generator.integers(0, 2 if dtype == jnp.bool_ else 100, shape).astype(dtype)
    y = x
    for i in range(len(chosen)):
        y = y != (i % 2 == 0) if dtype == jnp.bool_ else (y + np.asarray(i, dtype)).astype(dtype)
    out_type = jax.ShapeDtypeStruct(shape, dtype)
    look(f"travel {shape} {np.dtype(dtype)}", plgpu.kernel(kernel, out_type=out_type), y, x)


# CHECK-COUNT-3: travel (64, 32) float32 {{.*}}: right
# CHECK-COUNT-3: travel (128, 64) bfloat16 {{.*}}: right
# CHECK-COUNT-3: travel (128, 96) int8 {{.*}}: right
# CHECK-COUNT-3: travel (64, 64) bool {{.*}}: right
# CHECK-COUNT-3: travel (128, 32) float8_e5m2 {{.*}}: right
SIZES = [(64, 32), (128, 64), (128, 96), (64, 64), (128, 32)]
TYPES = [jnp.float32, jnp.bfloat16, jnp.int8, jnp.bool_, jnp.float8_e5m2]
for number, (size, dtype) in enumerate(zip(SIZES, TYPES, strict=True)):
    travel(size, dtype, number)


def statistics(x, o, *, layout, axis):
    """Each row or column is reduced, and its deviations are stored."""
    v = plgpu.layout_cast(x[...], layout)
    most = plgpu.layout_cast(jnp.max(v, axis=axis), layout.reduce(axis))
    total = jnp.sum(v, axis=axis)
    both = jax.lax.broadcast_in_dim(most - total, v.shape, (1 - axis,))
    o[...] = plgpu.layout_cast(v + plgpu.layout_cast(both, layout), L.WG_STRIDED(v.shape, 2))


# CHECK-COUNT-3: statistics WGMMA 0 {{.*}}: right
# CHECK-COUNT-3: statistics WGMMA 1 {{.*}}: right
# CHECK-COUNT-3: statistics TCGEN05 0 {{.*}}: right
# CHECK-COUNT-3: statistics TCGEN05 1 {{.*}}: right
for layout in (L.WGMMA, L.TCGEN05):
    for axis in (0, 1):
        X = np.random.default_rng(axis).integers(0, 9, (128, 64)).astype(np.float32)
        expected = X + np.expand_dims(X.max(axis) - X.sum(axis), axis)

        def kernel(x, o, layout=layout, axis=axis):
            statistics(x, o, layout=layout, axis=axis)

        look(
            f"statistics {layout.name} {axis}",
            plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype)),
            expected,
            X,
        )


def turned(x, o, *, layout):
    """What is transposed is asked for in the layout of its source, in a loop that carries it."""

    def turn(i, v):
        return plgpu.layout_cast(plgpu.layout_cast(v, layout).T + i, L.WG_STRIDED(v.shape, 1))

    v = plgpu.layout_cast(x[...], L.WG_STRIDED((64, 64), 1))
    o[...] = jax.lax.fori_loop(0, 3, turn, v)


# CHECK-COUNT-3: turned WGMMA {{.*}}: right
# CHECK-COUNT-3: turned WGMMA_TRANSPOSED {{.*}}: right
for layout in (L.WGMMA, L.WGMMA_TRANSPOSED):
    X = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)

    def kernel(x, o, layout=layout):
        turned(x, o, layout=layout)

    look(f"turned {layout.name}", plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype)), X.T + 3, X)


def crowded(x, o, tile, others):
    """Little shared memory is left for what passes between the threads of two warpgroups: it does in rounds."""
    i = jax.lax.axis_index("wg")
    tile[...] = jnp.zeros(tile.shape, tile.dtype)
    others[...] = jnp.zeros(others.shape, others.dtype)
    rows = pl.ds(i * 128, 128)
    v = plgpu.layout_cast(x[rows], L.WGMMA)
    o[rows] = plgpu.layout_cast(v * 2, L.WG_STRIDED((128, 128), 4)) + others[...]


# CHECK-COUNT-3: crowded {{.*}}: right
X = np.arange(256 * 128, dtype=np.float32).reshape(256, 128)
look(
    "crowded",
    plgpu.kernel(
        crowded,
        out_type=jax.ShapeDtypeStruct(X.shape, X.dtype),
        num_threads=2,
        thread_name="wg",
        scratch_types=[plgpu.SMEM((128, 256), jnp.float32), plgpu.SMEM((128, 128), jnp.float32)],
    ),
    X * 2,
    X,
)


def sums(x, o):
    """Rows that no number of threads divides."""
    o[...] = jnp.sum(x[...], axis=1)


# CHECK-COUNT-3: sums {{.*}}: right
X = np.arange(3 * 37, dtype=np.float32).reshape(3, 37)
look("sums", plgpu.kernel(sums, out_type=jax.ShapeDtypeStruct((3,), X.dtype)), X.sum(1), X)


def largest(x, o, *, layout, axis):
    """The indices where rows or columns are largest, the first of several."""
    o[...] = jnp.argmax(plgpu.layout_cast(x[...], layout), axis=axis).astype(o.dtype)


# CHECK-COUNT-3: largest WGMMA 0 {{.*}}: right
# CHECK-COUNT-3: largest WGMMA 1 {{.*}}: right
X = np.random.default_rng(0).integers(-5, 5, (64, 32)).astype(np.float32)
for axis in (0, 1):
    expected = X.argmax(axis).astype(np.int32)

    def kernel(x, o, axis=axis):
        largest(x, o, layout=L.WGMMA, axis=axis)

    out_type = jax.ShapeDtypeStruct(expected.shape, expected.dtype)
    look(f"largest WGMMA {axis}", plgpu.kernel(kernel, out_type=out_type), expected, X)


def windows(x, o, rows, *, layout):
    """Parts of an array, at offsets that are known or loaded, in whole tiles or not, are exchanged."""
    v = plgpu.layout_cast(x[...], layout)
    n = rows[0]
    low, high = v[:64], v[64:]
    both = jnp.concatenate([high, low * 2])
    odd = both[1:128:2]
    moved = jax.lax.dynamic_slice(v, (n, 0), (64, 64))
    both = jax.lax.dynamic_update_slice(both, odd - moved, (n + 7, 0))
    o[...] = both.at[3, 5:13].set(v[4, 0:8])


# CHECK-COUNT-3: windows WGMMA {{.*}}: right
# CHECK-COUNT-3: windows TCGEN05 {{.*}}: right
for layout in (L.WGMMA, L.TCGEN05):
    X = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    offset = 9
    expected = np.concatenate([X[64:], X[:64] * 2])
    part = expected[1::2] - X[offset : offset + 64]
    expected[offset + 7 : offset + 7 + 64] = part
    expected[3, 5:13] = X[4, :8]

    def kernel(x, rows, o, layout=layout):
        windows(x, o, rows, layout=layout)

    look(
        f"windows {layout.name}",
        plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype)),
        expected,
        X,
        np.array([offset], np.int32),
    )


def matrices(x, o):
    """One matrix of several, and one of a stack, by their numbers."""
    v = x[...]
    o[...] = jnp.stack([v[1] + v[0], v[0].T, v[1]])


# CHECK-COUNT-3: matrices {{.*}}: right
X = np.arange(2 * 64 * 64, dtype=np.float32).reshape(2, 64, 64)
look(
    "matrices",
    plgpu.kernel(matrices, out_type=jax.ShapeDtypeStruct((3, 64, 64), X.dtype)),
    np.stack([X[1] + X[0], X[0].T, X[1]]),
    X,
)


def tiles(x, o, o_turned, tile, rows, *, layout):
    """An array goes through tiles by rows and by columns: a whole one, and half of the columns of one."""
    v = plgpu.load(x, layout=layout, optimized=False)
    tile[...] = v
    rows.at[:, pl.ds(x.shape[1], x.shape[1])].T[...] = tile.T[...].T.T
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)
    o_turned[...] = plgpu.load(rows.at[:, pl.ds(x.shape[1], x.shape[1])].T, layout=layout, optimized=False).T


# CHECK-COUNT-3: tiles WGMMA 128 {{.*}}: right
# CHECK-COUNT-3: tiles WGMMA 64 {{.*}}: right
# CHECK-COUNT-3: tiles TCGEN05 128 {{.*}}: right
# CHECK-COUNT-3: tiles TCGEN05 0 {{.*}}: right
# CHECK-COUNT-3: tiles WGMMA_TRANSPOSED 32 {{.*}}: right
for layout, swizzle in ((L.WGMMA, 128), (L.WGMMA, 64), (L.TCGEN05, 128), (L.TCGEN05, 0), (L.WGMMA_TRANSPOSED, 32)):
    X = np.random.default_rng(swizzle).integers(-99, 99, (128, 128)).astype(np.float16)
    transforms = (plgpu.TilingTransform((8, swizzle // 2)), plgpu.SwizzleTransform(swizzle)) if swizzle else ()

    def kernel(x, o, o_turned, tile, rows, layout=layout):
        tiles(x, o, o_turned, tile, rows, layout=layout)

    look(
        f"tiles {layout.name} {swizzle}",
        plgpu.kernel(
            kernel,
            out_type=[jax.ShapeDtypeStruct(X.shape, X.dtype)] * 2,
            scratch_types=[
                plgpu.SMEM(X.shape, X.dtype, transforms=transforms),
                plgpu.SMEM((128, 256), X.dtype, transforms=transforms),
            ],
        ),
        [X, X],
        X,
    )
