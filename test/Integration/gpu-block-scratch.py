# Kernels of blocks that access parts of scratch memory, allocate it in the body, or fill it by asynchronous copies: as
# warpgroup programs they give what interpret mode gives, as tasks on the CPU, and as PTX with checks that must find
# nothing.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import RANDOM, normal, report, small

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
    "halves of bf16": (halves, small(64, 200)),
    "rows in a loop": (rows_in_loop, normal(64, 256)),
    "windows that overlap": (shifted, small(64, 256, dtype=jnp.float32)),
    "scopes": (scoped, small(64, 256, dtype=jnp.float32)),
    "copies": (fetched, normal(6, 8, 128)),
    "copies of odd sizes": (fetched, normal(5, 3, 77)),
    "copies of rows at indices": (fetched_by_programs, normal(64, 256), random_rows(48, 5)),
    "copies ahead of steps": (fetched_ahead, normal(64, 256)),
}

# CHECK: 8 of 8 programs are right
report("programs", PROGRAMS, programs=True)
