# Kernels of blocks that access parts of scratch memory, allocate it in the body, or fill it by asynchronous copies: as
# warpgroup programs they give what interpret mode gives, as tasks on the CPU, and as PTX with checks that must find
# nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import RANDOM, normal, product, report, small

SHAPE = jax.ShapeDtypeStruct


def of_rows(kernel, *arrays, rows=16, columns=None, out=None, dtype=None, scratch=(), **how):
    """Calls a kernel on blocks of rows, with scratch memory."""
    x = arrays[0]
    columns = columns or x.shape[1]
    out = out or (rows, columns)
    steps = x.shape[0] // rows
    return pl.pallas_call(
        kernel,
        grid=(steps, x.shape[1] // columns),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j))] * len(arrays),
        out_specs=pl.BlockSpec(out, lambda i, j: (i, j)),
        out_shape=SHAPE((steps * out[0], x.shape[1] // columns * out[1]), dtype or x.dtype),
        scratch_shapes=list(scratch),
        **how,
    )(*arrays)


def halves(x):
    """Static parts: the halves of the scratch are written one after the other, and read in another order."""

    def kernel(x_ref, o_ref, s_ref):
        s_ref[:8] = x_ref[8:]
        s_ref[8:] = x_ref[:8] * 2
        o_ref[...] = s_ref[...] + jnp.sum(s_ref[3:7], axis=0, keepdims=True)

    return of_rows(kernel, x, scratch=[pltpu.VMEM((16, x.shape[1]), x.dtype)])


def rows_in_loop(x, columns=None):
    """A row at the position of a loop counter, in reverse order."""

    def kernel(x_ref, o_ref, s_ref):
        def body(i, _):
            s_ref[15 - i] = x_ref[i] + i.astype(x.dtype)

        lax.fori_loop(0, 16, body, None)
        o_ref[...] = s_ref[...]

    return of_rows(kernel, x, columns=columns, scratch=[pltpu.VMEM((16, columns or x.shape[1]), x.dtype)])


def shifted(x):
    """Each iteration reads what the one before has written: windows that overlap."""

    def kernel(x_ref, o_ref, s_ref):
        s_ref[...] = x_ref[...]

        def body(i, _):
            s_ref[pl.ds(i + 1, 8)] = s_ref[pl.ds(i, 8)] + x_ref[pl.ds(i, 8)]

        lax.fori_loop(0, 8, body, None)
        o_ref[...] = s_ref[...]

    return of_rows(kernel, x, scratch=[pltpu.VMEM((16, x.shape[1]), x.dtype)])


def strided(x):
    def kernel(x_ref, o_ref, s_ref):
        s_ref[...] = x_ref[...]
        o_ref[...] = s_ref[:, pl.ds(0, x.shape[1] // 2, 2)] - s_ref[:, pl.ds(1, x.shape[1] // 2, 2)]

    return of_rows(kernel, x, out=(16, x.shape[1] // 2), scratch=[pltpu.VMEM((16, x.shape[1]), x.dtype)])


def masked(x):
    """Accesses with masks, of the whole scratch."""

    def kernel(x_ref, o_ref, s_ref):
        s_ref[...] = jnp.zeros_like(s_ref)
        pltpu.store(s_ref, x_ref[...], mask=x_ref[...] > 0)
        o_ref[...] = s_ref[...]

    return of_rows(kernel, x, scratch=[pltpu.VMEM((16, x.shape[1]), x.dtype)])


def carried(x):
    """The last row of a block is carried to the next step; the first step has none."""

    def kernel(x_ref, o_ref, s_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            s_ref[...] = jnp.zeros_like(s_ref)

        o_ref[...] = x_ref[...] + s_ref[1:2]
        s_ref[pl.ds(1, 1)] = x_ref[15:16] + s_ref[0:1]
        s_ref[0] = x_ref[3]

    return of_rows(kernel, x, scratch=[pltpu.VMEM((2, x.shape[1]), x.dtype)])


def numbers(x):
    """Scalars in scratch memory, at the position of the step and as a counter."""

    def kernel(x_ref, o_ref, s_ref, count_ref):
        step = pl.program_id(0)

        @pl.when(step == 0)
        def _():
            count_ref[0] = 0

        s_ref[step] = x_ref[0, 0]
        count_ref[0] += 2
        o_ref[...] = x_ref[...] * s_ref[step] + count_ref[0].astype(x.dtype)

    return of_rows(kernel, x, scratch=[pltpu.SMEM((8,), x.dtype), pltpu.SMEM((1,), jnp.int32)])


def gathered(x, indices):
    """Rows of the scratch at indices that are data."""

    def kernel(x_ref, i_ref, o_ref, s_ref):
        s_ref[...] = x_ref[...] * 2
        o_ref[...] = s_ref[i_ref[...]]

    return pl.pallas_call(
        kernel, out_shape=SHAPE((indices.shape[0], x.shape[1]), x.dtype), scratch_shapes=[pltpu.VMEM(x.shape, x.dtype)]
    )(x, indices)


def row_at(x, indices):
    """A row at a position that is data."""

    def kernel(i_ref, x_ref, o_ref, s_ref):
        s_ref[...] = x_ref[...]
        o_ref[...] = jnp.broadcast_to(s_ref[pl.ds(i_ref[pl.program_id(0)], 1)], o_ref.shape)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 16,),
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec((16, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((16, x.shape[1]), lambda i: (i, 0)),
        out_shape=x,
        scratch_shapes=[pltpu.VMEM((16, x.shape[1]), x.dtype)],
    )(indices, x)


def lanes(q, k, v, keys=128):
    """Attention whose row statistics fill all lanes of their scratch, and are read in the first one."""

    def kernel(q_ref, k_ref, v_ref, o_ref, m_ref, l_ref, acc_ref):
        step = pl.program_id(1)

        @pl.when(step == 0)
        def _():
            m_ref[...] = jnp.full_like(m_ref, -1e30)
            l_ref[...] = jnp.zeros_like(l_ref)
            acc_ref[...] = jnp.zeros_like(acc_ref)

        scores = product(q_ref[...], k_ref[...], rhs=1)
        old = m_ref[:, :1]
        new = jnp.maximum(old, scores.max(axis=1, keepdims=True))
        weights, factor = jnp.exp(scores - new), jnp.exp(old - new)
        sums = factor * l_ref[:, :1] + weights.sum(axis=1, keepdims=True)
        l_ref[...] = jnp.broadcast_to(sums, l_ref.shape)
        m_ref[...] = jnp.broadcast_to(new, m_ref.shape)
        acc_ref[...] = acc_ref[...] * factor + product(weights.astype(v_ref.dtype), v_ref[...])

        @pl.when(step == pl.num_programs(1) - 1)
        def _():
            o_ref[...] = acc_ref[...] / l_ref[:, :1]

    rows, size = q.shape
    return pl.pallas_call(
        kernel,
        grid=(rows // 128, k.shape[0] // keys),
        in_specs=[
            pl.BlockSpec((128, size), lambda i, j: (i, 0)),
            *[pl.BlockSpec((keys, size), lambda i, j: (j, 0))] * 2,
        ],
        out_specs=pl.BlockSpec((128, size), lambda i, j: (i, 0)),
        out_shape=SHAPE(q.shape, jnp.float32),
        scratch_shapes=[*[pltpu.VMEM((128, 128), jnp.float32)] * 2, pltpu.VMEM((128, size), jnp.float32)],
    )(q, k, v)


def accumulator_parts(x, y):
    """An accumulator that is also accessed in parts, and a part of scratch as an operand of a product."""

    def kernel(x_ref, y_ref, o_ref, s_ref, acc_ref):
        s_ref[0] = x_ref[...]
        s_ref[1] = x_ref[...] * 2
        acc_ref[...] = jnp.zeros_like(acc_ref)
        acc_ref[...] += product(s_ref[1], y_ref[...])
        acc_ref[:8] = acc_ref[:8] + 1
        acc_ref[...] += product(s_ref[0], y_ref[...])
        o_ref[...] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64,),
        in_specs=[pl.BlockSpec((64, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(y.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((64, y.shape[1]), lambda i: (i, 0)),
        out_shape=SHAPE((x.shape[0], y.shape[1]), jnp.float32),
        scratch_shapes=[pltpu.VMEM((2, 64, x.shape[1]), x.dtype), pltpu.VMEM((64, y.shape[1]), jnp.float32)],
    )(x, y)


def scoped(x):
    """Scratch that the body allocates: as a whole, and in a loop and in parts."""

    def kernel(x_ref, o_ref):
        def first(s_ref):
            s_ref[...] = x_ref[...] * 2
            return s_ref[...] + 1

        value = pl.run_scoped(first, pltpu.VMEM((16, x.shape[1]), x.dtype))

        def body(i, total):
            def second(s_ref, t_ref):
                s_ref[pl.ds(i, 1)] = x_ref[pl.ds(i, 1)]
                t_ref[0] = total
                return t_ref[0] + s_ref[pl.ds(i, 1)]

            return pl.run_scoped(second, pltpu.VMEM((16, x.shape[1]), x.dtype), pltpu.VMEM((1, 1, x.shape[1]), x.dtype))

        o_ref[...] = value + lax.fori_loop(0, 16, body, jnp.zeros((1, x.shape[1]), x.dtype))

    return of_rows(kernel, x)


def fetched(x):
    """Copies into two slots, one step ahead, and copies of results."""

    chunks = x.shape[0]

    def kernel(x_ref, o_ref, in_ref, out_ref, sems, sem):
        def fetch(i, slot):
            return pltpu.make_async_copy(x_ref.at[i], in_ref.at[slot], sems.at[slot])

        fetch(0, 0).start()

        def body(i, _):
            slot = lax.rem(i, 2)

            @pl.when(i + 1 < chunks)
            def _():
                fetch(i + 1, 1 - slot).start()

            fetch(i, slot).wait()
            out_ref[...] = in_ref[slot] * 3
            result = pltpu.make_async_copy(out_ref, o_ref.at[i], sem)
            result.start()
            result.wait()

        lax.fori_loop(0, chunks, body, None)

    return pl.pallas_call(
        kernel,
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        out_shape=x,
        scratch_shapes=[
            pltpu.VMEM((2, *x.shape[1:]), x.dtype),
            pltpu.VMEM(x.shape[1:], x.dtype),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.SemaphoreType.DMA,
        ],
    )(x)


def fetched_by_programs(x, indices):
    """Each program copies the rows that an index names; scopes own the buffer and the semaphore."""

    def kernel(i_ref, x_ref, o_ref):
        first = i_ref[pl.program_id(0)]

        def body(buffer_ref, sem):
            copy = pltpu.make_async_copy(x_ref.at[pl.ds(first, 16)], buffer_ref, sem)
            copy.start()
            copy.wait()
            o_ref[...] = buffer_ref[...] + 1

        pl.run_scoped(body, pltpu.VMEM((16, x.shape[1]), x.dtype), pltpu.SemaphoreType.DMA)

    return pl.pallas_call(
        kernel,
        grid=(indices.shape[0],),
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((16, x.shape[1]), lambda i: (i, 0)),
        out_shape=SHAPE((16 * indices.shape[0], x.shape[1]), x.dtype),
    )(indices, x)


def fetched_ahead(x):
    """A copy that one step of the grid starts, and the next one awaits."""

    def kernel(x_ref, o_ref, in_ref, sems):
        step = pl.program_id(0)

        def fetch(i):
            slot = lax.rem(i, 2)
            return pltpu.make_async_copy(x_ref.at[pl.ds(i * 8, 8)], in_ref.at[slot], sems.at[slot])

        @pl.when(step == 0)
        def _():
            fetch(step).start()

        @pl.when(step + 1 < pl.num_programs(0))
        def _():
            fetch(step + 1).start()

        fetch(step).wait()
        o_ref[...] = in_ref[lax.rem(step, 2)] * 2

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 8,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0)),
        out_shape=x,
        scratch_shapes=[pltpu.VMEM((2, 8, x.shape[1]), x.dtype), pltpu.SemaphoreType.DMA((2,))],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",)),
    )(x)


def random_rows(limit, count):
    return jnp.asarray(RANDOM.integers(0, limit, (count,)), jnp.int32)


PROGRAMS = {
    "halves": (halves, normal(64, 256)),
    "halves of bf16": (halves, small(64, 200)),
    "halves of int8": (halves, small(32, 1024, dtype=jnp.int8)),
    "rows in a loop": (rows_in_loop, normal(64, 256)),
    "rows in a loop, in blocks of columns": (functools.partial(rows_in_loop, columns=512), normal(32, 2048)),
    "rows of 100": (rows_in_loop, small(32, 100)),
    "windows that overlap": (shifted, small(64, 256, dtype=jnp.float32)),
    "windows of 77 columns": (shifted, small(32, 77, dtype=jnp.int32)),
    "strides": (strided, normal(32, 256)),
    "masks": (masked, normal(32, 256)),
    "carried rows": (carried, normal(64, 256)),
    "numbers": (numbers, normal(64, 128)),
    "gathered rows": (gathered, normal(16, 256), random_rows(16, 64)),
    "row at an index": (row_at, normal(64, 256), random_rows(16, 4)),
    "statistics in lanes": (lanes, *(normal(n, 64, dtype=jnp.bfloat16) for n in (256, 384, 384))),
    "parts of an accumulator": (accumulator_parts, small(128, 64), small(64, 64)),
    "scopes": (scoped, small(64, 256, dtype=jnp.float32)),
    "copies": (fetched, normal(6, 8, 128)),
    "copies of odd sizes": (fetched, normal(5, 3, 77)),
    "copies of int8": (fetched, small(3, 16, 128, dtype=jnp.int8)),
    "copies of rows at indices": (fetched_by_programs, normal(64, 256), random_rows(48, 5)),
    "copies ahead of steps": (fetched_ahead, normal(64, 256)),
}

# CHECK: 22 of 22 programs are right
report("programs", PROGRAMS, programs=True)
