# Kernels of blocks with dimensions of one element or that the body reshapes, and kernels that access elements at arrays
# of positions or slices of values, give what interpret mode gives as warpgroup programs: as tasks on the CPU, and as
# PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import os
import sys
import warnings

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small

with warnings.catch_warnings():
    # JAX recommends another package.
    warnings.simplefilter("ignore", DeprecationWarning)
    from jax.experimental.pallas.ops.gpu import layer_norm, rms_norm, softmax

SHAPE = jax.ShapeDtypeStruct


def product(x, y, rhs=0):
    return lax.dot_general(x, y, (((1,), (rhs,)), ((), ())), preferred_element_type=jnp.float32)


def batched(x, y, *, shaped=False):
    """A product for each batch, whose dimension the body drops: by an index, or by a reshape of the whole block."""

    def kernel(x_ref, y_ref, o_ref):
        if shaped:
            o_ref[...] = product(x_ref[...].reshape(128, -1), y_ref[...].reshape(-1, 64)).reshape(o_ref.shape)
        else:
            o_ref[0] = product(x_ref[0], y_ref[0])

    depth = x.shape[2]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0], x.shape[1] // 128, y.shape[2] // 64),
        in_specs=[
            pl.BlockSpec((1, 128, depth), lambda b, i, j: (b, i, 0)),
            pl.BlockSpec((1, depth, 64), lambda b, i, j: (b, 0, j)),
        ],
        out_specs=pl.BlockSpec((1, 128, 64), lambda b, i, j: (b, i, j)),
        out_shape=SHAPE((x.shape[0], x.shape[1], y.shape[2]), jnp.float32),
    )(x, y)


def flash_attention(q, k, v, *, causal=False):
    """Attention by a sequential dimension over keys, for each batch and head."""
    batch, heads, length, size = q.shape
    block = 64

    def kernel(q_ref, k_ref, v_ref, o_ref, m_ref, l_ref, acc_ref):
        step = pl.program_id(3)

        @pl.when(step == 0)
        def _():
            m_ref[...] = jnp.full_like(m_ref, -1e30)
            l_ref[...] = jnp.zeros_like(l_ref)
            acc_ref[...] = jnp.zeros_like(acc_ref)

        scores = product(q_ref[0, 0], k_ref[0, 0], rhs=1) * 0.125
        if causal:
            rows = pl.program_id(2) * block + lax.broadcasted_iota(jnp.int32, scores.shape, 0)
            columns = step * block + lax.broadcasted_iota(jnp.int32, scores.shape, 1)
            scores = jnp.where(rows >= columns, scores, -1e30)
        m = jnp.maximum(m_ref[...], scores.max(axis=1, keepdims=True))
        scale = jnp.exp(m_ref[...] - m)
        p = jnp.exp(scores - m)
        l_ref[...] = l_ref[...] * scale + p.sum(axis=1, keepdims=True)
        acc_ref[...] = acc_ref[...] * scale + product(p.astype(v_ref.dtype), v_ref[0, 0])
        m_ref[...] = m

        @pl.when(step == pl.num_programs(3) - 1)
        def _():
            o_ref[0, 0] = (acc_ref[...] / l_ref[...]).astype(o_ref.dtype)

    rows = pl.BlockSpec((1, 1, block, size), lambda b, h, i, j: (b, h, i, 0))
    keys = pl.BlockSpec((1, 1, block, size), lambda b, h, i, j: (b, h, j, 0))
    return pl.pallas_call(
        kernel,
        grid=(batch, heads, length // block, length // block),
        in_specs=[rows, keys, keys],
        out_specs=rows,
        out_shape=SHAPE(q.shape, q.dtype),
        scratch_shapes=[pltpu.VMEM((block, 1), jnp.float32)] * 2 + [pltpu.VMEM((block, size), jnp.float32)],
    )(q, k, v)


def in_place(x, y):
    """A block of the output that is read back, and is an input."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[0] = o_ref[0] + x_ref[0] * 2

    block = pl.BlockSpec((1, 8, 128), lambda i: (i, 0, 0))
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0],),
        in_specs=[block, block],
        out_specs=block,
        out_shape=SHAPE(y.shape, y.dtype),
        input_output_aliases={1: 0},
    )(x, y)


def at_positions(x, *, block=128, rest=None):
    """Rows and columns at arrays of positions; masked after `rest` columns."""

    def kernel(x_ref, o_ref):
        rows = pl.program_id(0) * 8 + jnp.arange(8)
        columns = pl.program_id(1) * block + jnp.arange(block)
        at = rows[:, None], columns[None, :]
        mask = None if rest is None else jnp.broadcast_to(at[1] < rest, (8, block))
        value = plgpu.load(x_ref.at[at], mask=mask, other=None if rest is None else 0.0)
        plgpu.store(o_ref.at[at], value * 2, mask=mask)

    return pl.pallas_call(kernel, grid=(x.shape[0] // 8, x.shape[1] // block), out_shape=SHAPE(x.shape, x.dtype))(x)


def kept(x, *, rest):
    """The output at which a masked store wrote."""
    return at_positions(x, rest=rest)[:, :rest]


def product_at_positions(x, y):
    """A loop whose operands are windows at arrays of positions, as Triton's kernels have them."""

    def kernel(x_ref, y_ref, o_ref):
        rows, columns = pl.program_id(0) * 64 + jnp.arange(64), pl.program_id(1) * 64 + jnp.arange(64)

        def body(step, acc):
            depth = step * 64 + jnp.arange(64)
            return acc + product(x_ref[rows[:, None], depth[None, :]], y_ref[depth[:, None], columns[None, :]])

        acc = lax.fori_loop(0, x_ref.shape[1] // 64, body, jnp.zeros((64, 64), jnp.float32))
        o_ref[rows[:, None], columns[None, :]] = acc

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64, y.shape[1] // 64),
        out_shape=SHAPE((x.shape[0], y.shape[1]), jnp.float32),
    )(x, y)


def rotary(x, sin, cos):
    """A rotation of pairs of columns, which are in the two halves of a head."""

    def kernel(x_ref, sin_ref, cos_ref, o_ref):
        x = x_ref[0].astype(jnp.float32)
        first, second = jnp.split(x, 2, axis=1)
        sin, cos = sin_ref[...], cos_ref[...]
        rotated = jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=1)
        o_ref[0] = rotated.astype(o_ref.dtype)

    half = pl.BlockSpec((32, x.shape[2] // 2), lambda b, i: (i, 0))
    block = pl.BlockSpec((1, 32, x.shape[2]), lambda b, i: (b, i, 0))
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0], x.shape[1] // 32),
        in_specs=[block, half, half],
        out_specs=block,
        out_shape=SHAPE(x.shape, x.dtype),
    )(x, sin, cos)


def rolled(x, *, axis=1):
    """Rows or columns that move by one, in the memory of the input."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + jnp.roll(x_ref[...], 1, axis=axis)

    block = pl.BlockSpec((16, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 16,),
        in_specs=[block],
        out_specs=block,
        out_shape=SHAPE(x.shape, x.dtype),
        input_output_aliases={0: 0},
    )(x)


def by_rows(function, x, rows=8, out=None):
    """A function of blocks of rows, and of the number of the block."""
    out = out or SHAPE(x.shape, x.dtype)

    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...], pl.program_id(0))

    def spec(shape):
        return pl.BlockSpec((rows * shape[0] // x.shape[0], *shape[1:]), lambda i: (i, 0))

    return pl.pallas_call(
        kernel, grid=(x.shape[0] // rows,), in_specs=[spec(x.shape)], out_specs=spec(out.shape), out_shape=out
    )(x)


def rotations(x, i):
    """Rotations by numbers that are known, by the number of a block, by one of a loop, and by that of a row."""
    x = pltpu.roll(x, 64, 1) * 2 + pltpu.roll(x, 3, 0)
    x = lax.fori_loop(0, 3, lambda n, y: y + pltpu.roll(y, n + i, 1), x)
    return pltpu.roll(x, i + 1, 1, stride=2, stride_axis=0)


def words(x, _):
    """Pairs of rows of bf16 in words, whose bytes are the rows of the result."""
    return pltpu.bitcast(pltpu.bitcast(x, jnp.int32) ^ 1, jnp.int8)


def inner_products(x, y, z):
    """Products of vectors, of rows, and of a matrix and the transpose of another one."""

    def kernel(x_ref, y_ref, z_ref, o_ref):
        rows = jnp.einsum("ij,ij->i", x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
        vectors = jnp.dot(x_ref[0], y_ref[1], preferred_element_type=jnp.float32)
        o_ref[...] = rows + vectors + jnp.einsum("ij,ji->", x_ref[...], z_ref[...], preferred_element_type=jnp.float32)

    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape[:1], jnp.float32))(x, y, z)


def grouped_attention(q, k, v, *, heads=2, steps=False):
    """Attention of several heads with the same keys, whose positions are the rows of one product."""
    _, _, length, size = q.shape
    block, scale = 64, size**-0.5
    rows = heads * block

    def scores(q_ref, k, row, column):
        s = product(q_ref[0].reshape(rows, size), k, rhs=1) * scale
        row = row * block + lax.broadcasted_iota(jnp.int32, s.shape, 0) % block
        return jnp.where(row >= column * block + lax.broadcasted_iota(jnp.int32, s.shape, 1), s, -1e30)

    def update(s, v, m, total, acc):
        new = jnp.maximum(m, s.max(axis=1, keepdims=True))
        p, shrink = jnp.exp(s - new), jnp.exp(m - new)
        return new, total * shrink + p.sum(axis=1, keepdims=True), acc * shrink + product(p.astype(v.dtype), v)

    starts = [(rows, 1), (rows, 1), (rows, size)]

    def loop(q_ref, k_ref, v_ref, o_ref):
        i = pl.program_id(1)

        def step(j, state):
            window = pl.ds(j * block, block)
            return update(scores(q_ref, k_ref[0, window], i, j), v_ref[0, window], *state)

        zeros = [jnp.full(shape, -1e30 if i == 0 else 0, jnp.float32) for i, shape in enumerate(starts)]
        _, total, acc = lax.fori_loop(0, length // block, step, tuple(zeros))
        o_ref[0] = (acc / total).reshape(heads, block, size).astype(o_ref.dtype)

    def stepwise(q_ref, k_ref, v_ref, o_ref, *state):
        j = pl.program_id(2)

        @pl.when(j == 0)
        def _():
            for i, ref in enumerate(state):
                ref[...] = jnp.full_like(ref, -1e30 if i == 0 else 0)

        new = update(scores(q_ref, k_ref[0], pl.program_id(1), j), v_ref[0], *(ref[...] for ref in state))
        for ref, value in zip(state, new, strict=True):
            ref[...] = value

        @pl.when(j == pl.num_programs(2) - 1)
        def _():
            o_ref[0] = (state[2][...] / state[1][...]).reshape(heads, block, size).astype(o_ref.dtype)

    queries = pl.BlockSpec((1, heads, block, size), lambda b, i, j=0: (b, 0, i, 0))
    keys = (
        pl.BlockSpec((1, block, size), lambda b, i, j: (b, j, 0))
        if steps
        else pl.BlockSpec((1, length, size), lambda b, i: (b, 0, 0))
    )
    return pl.pallas_call(
        stepwise if steps else loop,
        grid=(q.shape[0], length // block) + ((length // block,) if steps else ()),
        in_specs=[queries, keys, keys],
        out_specs=queries,
        out_shape=SHAPE(q.shape, q.dtype),
        scratch_shapes=[pltpu.VMEM(shape, jnp.float32) for shape in starts] if steps else [],
    )(q, k, v)


def convolution(x, w):
    """A convolution of an image, by a product for each element of the window."""

    def kernel(x_ref, w_ref, o_ref):
        height, width, features = o_ref.shape
        total = jnp.zeros((height * width, features), jnp.float32)
        for i in range(3):
            for j in range(3):
                window = x_ref[i : i + height, j : j + width, :].reshape(height * width, -1)
                total += product(window, w_ref[i, j])
        o_ref[...] = total.reshape(o_ref.shape)

    return pl.pallas_call(kernel, out_shape=SHAPE((x.shape[0] - 2, x.shape[1] - 2, w.shape[3]), jnp.float32))(x, w)


def projection(x, w, *, heads=2, transposed=False):
    """Rows of a product in the heads of an attention."""

    def kernel(x_ref, w_ref, o_ref):
        out = product(x_ref[...].reshape(-1, x.shape[2]), w_ref[...]).reshape(-1, heads, w.shape[1] // heads)
        o_ref[...] = out.transpose(1, 0, 2) if transposed else out

    shape = (x.shape[0] * x.shape[1], heads, w.shape[1] // heads)
    if transposed:
        shape = (heads, shape[0], shape[2])
    return pl.pallas_call(kernel, out_shape=SHAPE(shape, jnp.float32))(x, w)


def gated(x):
    """Columns of the second half of a row gate those of the first."""

    def kernel(x_ref, o_ref):
        half = o_ref.shape[1]
        o_ref[...] = jax.nn.sigmoid(x_ref[...][:, half:]) * x_ref[...][:, :half]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 8,),
        in_specs=[pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, x.shape[1] // 2), lambda i: (i, 0)),
        out_shape=SHAPE((x.shape[0], x.shape[1] // 2), x.dtype),
    )(x)


def heads(*shape):
    return [normal(*shape, dtype=jnp.bfloat16) for _ in range(3)]


CASES = {
    "batched": (batched, small(2, 128, 128), small(2, 128, 64)),
    "batched, reshaped": (lambda x, y: batched(x, y, shaped=True), small(2, 256, 64), small(2, 64, 128)),
    "flash attention": (flash_attention, *heads(1, 2, 128, 64)),
    "causal flash attention": (lambda *args: flash_attention(*args, causal=True), *heads(2, 1, 128, 64)),
    "in place": (in_place, normal(4, 8, 128), normal(4, 8, 128)),
    "positions": (at_positions, normal(16, 256)),
    "masked positions": (lambda x: kept(x, rest=250), normal(16, 256)),
    "product at positions": (product_at_positions, small(128, 256), small(256, 128)),
    "JAX's softmax": (softmax.softmax, normal(16, 256)),
    "JAX's layer norm": (layer_norm.layer_norm, normal(2, 4, 1024), normal(1024), normal(1024)),
    "JAX's RMS norm": (rms_norm.rms_norm, normal(2, 4, 1024), normal(1024), normal(1024)),
    "rotary": (rotary, normal(2, 64, 128, dtype=jnp.bfloat16), normal(64, 64), normal(64, 64)),
    "rolled columns": (rolled, normal(32, 128)),
    "rolled rows": (lambda x: rolled(x, axis=0), normal(32, 128)),
    "gated": (gated, normal(16, 256)),
    "rotations": (lambda x: by_rows(rotations, x), small(16, 128, dtype=jnp.float32)),
    "words": (
        lambda x: by_rows(words, x, rows=16, out=SHAPE((64, 128), jnp.int8)),
        normal(32, 128, dtype=jnp.bfloat16),
    ),
    "inner products": (inner_products, small(8, 128), small(8, 128), small(128, 8)),
    "grouped heads": (grouped_attention, *heads(1, 2, 128, 64)[:1], *heads(1, 128, 64)[:2]),
    "grouped heads by steps": (
        lambda *args: grouped_attention(*args, steps=True),
        *heads(1, 2, 128, 64)[:1],
        *heads(1, 128, 64)[:2],
    ),
    "convolution": (convolution, small(10, 18, 16), small(3, 3, 16, 32)),
    "projection to heads": (projection, small(2, 32, 64), small(64, 128)),
    "projection, transposed": (lambda x, w: projection(x, w, transposed=True), small(2, 32, 64), small(64, 128)),
}
# CHECK: 23 of 23 kernels with views are right
report("kernels with views", CASES, programs=True)
