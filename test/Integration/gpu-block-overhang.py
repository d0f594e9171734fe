# Kernels whose blocks overhang their arrays give what interpret mode gives as warpgroup programs: as tasks on the CPU,
# and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import column_sums, matmul, normal, report, small

SHAPE = jax.ShapeDtypeStruct


def of_rows(kernel, *arrays, block, **options):
    x = arrays[0]
    spec = pl.BlockSpec((block, *x.shape[1:]), lambda i: (i,) + (0,) * (x.ndim - 1))
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], block),),
        in_specs=[spec] * len(arrays),
        out_specs=spec,
        out_shape=SHAPE(x.shape, x.dtype),
        **options,
    )(*arrays)


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def softmax(x_ref, o_ref):
    e = jnp.exp(x_ref[...] - jnp.max(x_ref[...], axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def masked(x_ref, o_ref):
    column = lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
    triton.store(o_ref.at[...], x_ref[...] * 2, mask=column < 100)


def tiles(x, block, transposes):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].T + 1 if transposes else x_ref[...] + 1

    order = (lambda i, j: (j, i)) if transposes else (lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], block[0]), pl.cdiv(x.shape[1], block[1])),
        in_specs=[pl.BlockSpec(block, lambda i, j: (i, j))],
        out_specs=pl.BlockSpec(order(*block), order),
        out_shape=SHAPE(order(*x.shape), x.dtype),
    )(x)


def parts_of_blocks(x):
    """A part of a block that overhangs its array."""

    def kernel(x_ref, o_ref):
        for i in range(4):
            o_ref[i * 4 : i * 4 + 4] = x_ref[i * 4 : i * 4 + 4] + i

    return of_rows(kernel, x, block=16)


def every_second_row(x):
    """Rows at a distance of two of a block that overhangs its array."""

    def kernel(x_ref, o_ref):
        for first in range(2):
            rows = pl.ds(first, 8, stride=2)
            o_ref[rows] = x_ref[rows] + first

    return of_rows(kernel, x, block=16)


def batches(x, batch=4):
    """Products of a block of matrices that overhangs its array."""

    def kernel(x_ref, o_ref):
        dims = (((2,), (1,)), ((0,), (0,)))
        o_ref[...] = lax.dot_general(x_ref[...], x_ref[...], dims, preferred_element_type=jnp.float32).astype(x.dtype)

    return of_rows(kernel, x, block=batch)


def single_elements(x):
    """A column of one element after a dimension that blocks do not have."""

    def kernel(x_ref, o_ref):
        o_ref[0] = x_ref[...]

    columns = x.shape[1]
    return pl.pallas_call(
        kernel,
        grid=x.shape,
        in_specs=[pl.BlockSpec((None, 1), lambda i, j: (i, (j + 1) % columns))],
        out_specs=pl.BlockSpec((1, 1), lambda i, j: (i, j)),
        out_shape=SHAPE(x.shape, x.dtype),
    )(x)


PROGRAMS = {
    "vectors": (functools.partial(of_rows, add, block=256), normal(1000), normal(1000)),
    "vectors of an odd size": (functools.partial(of_rows, add, block=256), normal(1001), normal(1001)),
    "rows": (functools.partial(of_rows, add, block=8), normal(30, 256), normal(30, 256)),
    "softmax": (functools.partial(of_rows, softmax, block=8), normal(30, 512)),
    "softmax of long rows": (functools.partial(of_rows, softmax, block=8), normal(9, 4096)),
    "softmax of odd sizes": (functools.partial(of_rows, softmax, block=16), normal(17, 77)),
    "tiles": (functools.partial(tiles, block=(32, 128), transposes=False), normal(100, 200)),
    "transposed tiles": (functools.partial(tiles, block=(8, 128), transposes=True), normal(30, 130)),
    "in place": (functools.partial(of_rows, double, block=16, input_output_aliases={0: 0}), normal(40, 128)),
    "with a mask": (functools.partial(of_rows, masked, block=16, input_output_aliases={0: 0}), normal(40, 128)),
    "sums over a sequential dimension": (column_sums, small(128, 200, dtype=jnp.float32)),
    "blocks larger than the array": (functools.partial(of_rows, double, block=16), normal(10, 128)),
    "matmul": (matmul, small(200, 128), small(128, 200)),
    # The second warpgroup of the last CTA has no row, and its columns end within a vector.
    "matmul of fewer rows": (matmul, small(150, 128), small(128, 136)),
    "matmul of whole depth": (functools.partial(matmul, k=512), small(200, 512), small(512, 200)),
    "parts of blocks": (parts_of_blocks, normal(40, 128)),
}
MAPPED = {
    "every second row": (every_second_row, normal(40, 128)),
    "batches": (batches, small(6, 32, 32)),
    "single elements": (single_elements, normal(3, 2)),
}

# CHECK: 16 of 16 programs of warpgroups are right
report("programs of warpgroups", PROGRAMS, programs=True)
# CHECK: 3 of 3 kernels that are mapped to threads are right
report("kernels that are mapped to threads", MAPPED, programs=False)
