# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s | FileCheck %s
"""Results that exceed the caches, which are said to be small, and elementwise kernels whose blocks are made rows.

Streaming stores go past the caches and whole lines at a time; each case is on one side of what they can write. Results
are compared with plain JAX.
"""

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

SMALL = "grid-to-cpu{{vector-bytes={} vector-registers=16 cache-bytes=4096}}"


def elements(dtype, shape, block):
    """A kernel that computes each element from those of two arrays, along all dimensions in blocks."""

    def body(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + y_ref[...].astype(x_ref.dtype)

    def f(x, y):
        spec = pl.BlockSpec(block, lambda *ids: ids)
        grid = tuple(pl.cdiv(n, b or 1) for n, b in zip(shape, block, strict=True))
        call = pl.pallas_call(
            body, grid=grid, in_specs=[spec, spec], out_specs=spec, out_shape=jax.ShapeDtypeStruct(shape, dtype)
        )
        return call(x, y)

    key = jax.random.key(1)
    x = (100 * jax.random.normal(key, shape)).astype(dtype)
    return f, lambda x, y: x * 2 + y, (x, x[::-1])


def summed(x_ref, o_ref):
    """Adds to a block that all steps of the second dimension see."""

    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]


def accumulated(x):
    spec = pl.BlockSpec((8, 128), lambda i, k: (k, i))
    out = pl.BlockSpec((8, 128), lambda i, k: (0, i))
    shape = jax.ShapeDtypeStruct((8, x.shape[1]), x.dtype)
    return pl.pallas_call(
        summed, grid=(x.shape[1] // 128, x.shape[0] // 8), in_specs=[spec], out_specs=out, out_shape=shape
    )(x)


def revisited(x):
    """The last of four programs that see a block decides."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] + pl.program_id(0)

    spec = pl.BlockSpec((8, 256), lambda i: (i, 0))
    out = pl.BlockSpec((8, 256), lambda i: (i // 4, 0))
    shape = jax.ShapeDtypeStruct((x.shape[0] // 4, 256), x.dtype)
    return pl.pallas_call(body, grid=(x.shape[0] // 8,), in_specs=[spec], out_specs=out, out_shape=shape)(x)


def scattered(rows, x):
    """Rows of prefetched scalars, some of them twice."""

    def body(rows_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(x.shape[0],),
        in_specs=[pl.BlockSpec((None, 1, 256), lambda i, rows: (i, 0, 0))],
        out_specs=pl.BlockSpec((None, 1, 256), lambda i, rows: (rows[i], 0, 0)),
    )
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(body, grid_spec=spec, out_shape=out)(rows, x)


def in_place(x):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    spec = pl.BlockSpec((8, 64), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], 8), pl.cdiv(x.shape[1], 64))
    return pl.pallas_call(body, grid=grid, in_specs=[spec], out_specs=spec, out_shape=x, input_output_aliases={0: 0})(x)


def marked(most, least):
    """Both results, 9 for NaN, beside the signs of their zeros."""
    both = jnp.concatenate([most, least])
    both = jnp.where(jnp.isnan(both), 9, both)
    return jnp.concatenate([both, jnp.where(both == 0, jnp.copysign(1, both), 0)])


def extremes(x):
    """The largest and the smallest element of each column, in groups of rows."""

    def body(x_ref, most_ref, least_ref):
        most_ref[...] = jnp.max(x_ref[...], axis=0, keepdims=True)
        least_ref[...] = jnp.min(x_ref[...], axis=0, keepdims=True)

    shape = jax.ShapeDtypeStruct((1, x.shape[1]), x.dtype)
    return marked(*pl.pallas_call(body, out_shape=[shape, shape])(x))


def extremes_by_value(x):
    """As `extremes`: +0 is larger than -0, and a NaN is larger and smaller than all."""
    order = lambda column: sorted(column, key=lambda n: (n, not np.signbit(n)))  # noqa: E731
    columns = [[np.nan] * 2 if np.isnan(column).any() else order(column) for column in np.asarray(x).T]
    most, least = (np.array([[column[end] for column in columns]], np.float32) for end in (-1, 0))
    return marked(most, least)


def last_writers(x):
    """What `revisited` leaves: of each four blocks the last one."""
    blocks = x.reshape(-1, 8, 256) + jnp.arange(x.shape[0] // 8, dtype=x.dtype)[:, None, None]
    return blocks[3::4].reshape(-1, 256)


def twice(rows, x):
    """What `scattered` leaves: the last row for each place, and what nothing writes is not compared."""
    out = np.zeros(x.shape, x.dtype)
    for i, row in enumerate(np.asarray(rows)):
        out[row] = x[i]
    return out


rows = jnp.concatenate([jnp.arange(64), jnp.arange(64)]).astype(jnp.int32)
many = jax.random.normal(jax.random.key(2), (128, 1, 256))
tall = jax.random.normal(jax.random.key(3), (256, 256))
# Columns of one sign, of zeros of both signs, and with a NaN at any row.
special = np.random.default_rng(4).choice(np.array([1, -1, 0, -0.0, np.inf, -np.inf], np.float32), (43, 131))
special[:, ::5] = np.where(np.arange(43)[:, None] % 7 == 3, 0.0, -0.0)
special[:, 1::5] = -np.abs(special[:, 1::5])
special[np.arange(20) % 43, 3 * np.arange(20)] = np.nan
special[np.arange(23, 43), 2 + 3 * np.arange(20)] = -np.nan
special = jnp.asarray(special)
CASES = {
    "whole rows": elements(jnp.float32, (64, 512), (8, 512)),
    "columns": elements(jnp.float32, (64, 512), (8, 128)),
    "bf16": elements(jnp.bfloat16, (64, 512), (16, 512)),
    "bytes": elements(jnp.int8, (64, 512), (32, 128)),
    # XLA packs these; what the kernel writes is a byte for each.
    "int4": elements(jnp.int4, (64, 512), (32, 128)),
    "overhang": elements(jnp.float32, (61, 509), (8, 128)),
    "overhang bf16": elements(jnp.bfloat16, (61, 509), (16, 128)),
    "one block": elements(jnp.float32, (5, 7), (8, 128)),
    "squeezed": elements(jnp.float32, (6, 5, 130), (None, None, 128)),
    "odd rows": elements(jnp.float32, (64, 509), (8, 509)),
    "accumulated": (accumulated, lambda x: x.reshape(-1, 8, 256).sum(0), (tall,)),
    "revisited": (revisited, last_writers, (tall,)),
    "scattered": (lambda r, x: scattered(r, x)[:64], lambda r, x: twice(r, x)[:64], (rows, many)),
    "extremes": (extremes, extremes_by_value, (special,)),
    "in place": (in_place, lambda x: x + 1, (tall[:61, :250],)),
}
# CHECK:      32 lines: equal
# CHECK-NEXT: 64 lines: equal
for width in (32, 64):
    options = CpuOptions(pipeline=SMALL.format(width))
    wrong = []
    for name, case in CASES.items():
        kernel, reference, args = case
        got = np.asarray(gridir.lower(kernel, *args, options=options).compile()(*args)).astype(np.float64)
        want = np.asarray(reference(*args)).astype(np.float64)
        # A sum in another order is all that may differ.
        if not np.allclose(got, want, rtol=1e-5, atol=1e-5):
            wrong.append((name, np.abs(got - want).max()))
    print(width, "lines:", *wrong or ["equal"])

# The machine's own caches decide what streams otherwise: this result is larger than those of any.
# CHECK-NEXT: streams: True
large = jax.ShapeDtypeStruct((1 << 16, 1 << 14), jnp.float32)


def double(x):
    spec = pl.BlockSpec((8, 1 << 14), lambda i: (i, 0))
    kernel = lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...] * 2)  # noqa: E731
    return pl.pallas_call(kernel, grid=(1 << 13,), in_specs=[spec], out_specs=spec, out_shape=large)(x)


print("streams:", "nontemporal" in gridir.lower(double, large).kernels[0].text("vectorized"))
