# Kernels whose windows and blocks are at positions that are data, in index operands or other arrays of integers, give
# what interpret mode gives as warpgroup programs: as tasks on the CPU, and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import re
import sys

import jax
import jax.numpy as jnp
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import RANDOM, normal, report, small

SHAPE = jax.ShapeDtypeStruct


def integers(high, *shape, low=0):
    return jnp.asarray(RANDOM.integers(low, high, shape), jnp.int32)


def product(x, y, rhs=0):
    return lax.dot_general(x, y, (((1,), (rhs,)), ((), ())), preferred_element_type=jnp.float32)


def prefetched(kernel, scalars, args, grid, in_specs, out_specs, out_shape, scratch_shapes=(), **options):
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=len(scalars),
        grid=grid,
        in_specs=in_specs,
        out_specs=out_specs,
        scratch_shapes=scratch_shapes,
    )
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=out_shape, **options)(*scalars, *args)


def gather(indices, x, rows=16):
    """Blocks of rows in another order, and a scalar of the table in the body."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + i_ref[pl.program_id(0)].astype(jnp.float32)

    block = (rows, x.shape[1])
    return prefetched(
        kernel,
        [indices],
        [x],
        indices.shape,
        [pl.BlockSpec(block, lambda i, i_ref: (i_ref[i], 0))],
        pl.BlockSpec(block, lambda i, i_ref: (i, 0)),
        SHAPE((indices.size * rows, x.shape[1]), x.dtype),
    )


def gather_twice(tables, indices, x):
    """An index that another table of indices determines, and a block that has no dimension for it."""

    def kernel(t_ref, i_ref, x_ref, o_ref):
        o_ref[...] = jax.nn.softmax(x_ref[...], axis=-1)

    return prefetched(
        kernel,
        [tables, indices],
        [x],
        (indices.size, 2),
        [pl.BlockSpec((None, 32, x.shape[2]), lambda i, j, t_ref, i_ref: (t_ref[i_ref[i], 1], j, 0))],
        pl.BlockSpec((None, 32, x.shape[2]), lambda i, j, *_: (i, j, 0)),
        SHAPE((indices.size, 64, x.shape[2]), x.dtype),
    )


def scatter(indices, x, **options):
    """Blocks of the output at positions that are data, of which the last one of several counts."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    block = (16, x.shape[1])
    return prefetched(
        kernel,
        [indices],
        [x],
        indices.shape,
        [pl.BlockSpec(block, lambda i, i_ref: (i, 0))],
        pl.BlockSpec(block, lambda i, i_ref: (i_ref[i], 0)),
        SHAPE((32, x.shape[1]), x.dtype),
        **options,
    )


def grouped(experts, x, weights, *, m=64, n=128, k=64):
    """Each block of rows has the weights of its expert, in steps over the depth."""

    def kernel(e_ref, x_ref, w_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += product(x_ref[...], w_ref[...])

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = acc_ref[...]

    depth, columns = weights.shape[1:]
    return prefetched(
        kernel,
        [experts],
        [x, weights],
        (x.shape[0] // m, columns // n, depth // k),
        [
            pl.BlockSpec((m, k), lambda i, j, step, e_ref: (i, step)),
            pl.BlockSpec((None, k, n), lambda i, j, step, e_ref: (e_ref[i], step, j)),
        ],
        pl.BlockSpec((m, n), lambda i, j, step, e_ref: (i, j)),
        SHAPE((x.shape[0], columns), jnp.float32),
        scratch_shapes=[pltpu.VMEM((m, n), jnp.float32)],
    )


def grouped_deep(experts, rows, x, weights, *, m=64, n=128):
    """Both operands are at positions that are data, in their whole depth."""

    def kernel(e_ref, r_ref, x_ref, w_ref, o_ref):
        o_ref[...] = product(x_ref[...], w_ref[0])

    depth, columns = weights.shape[1:]
    return prefetched(
        kernel,
        [experts, rows],
        [x, weights],
        (experts.size, columns // n),
        [
            pl.BlockSpec((m, depth), lambda i, j, e_ref, r_ref: (r_ref[i], 0)),
            pl.BlockSpec((1, depth, n), lambda i, j, e_ref, r_ref: (e_ref[i], 0, j)),
        ],
        pl.BlockSpec((m, n), lambda i, j, e_ref, r_ref: (i, j)),
        SHAPE((experts.size * m, columns), jnp.float32),
    )


def sorted_groups(offsets, x, weights, *, m=64):
    """Rows of a group begin at any row; a loop adds the groups that have rows of a block, each with a mask."""

    def kernel(x_ref, w_ref, g_ref, o_ref):
        first = pl.program_id(0) * m
        rows = first + lax.broadcasted_iota(jnp.int32, (m, 1), 0)

        def body(group, acc):
            inside = (rows >= g_ref[group]) & (rows < g_ref[group + 1])
            return acc + jnp.where(inside, product(x_ref[...], w_ref[group]), 0)

        zero = jnp.zeros(o_ref.shape, jnp.float32)
        o_ref[...] = lax.fori_loop(0, w_ref.shape[0], body, zero)

    columns = weights.shape[2]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m,),
        in_specs=[pl.BlockSpec((m, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(), pl.BlockSpec()],
        out_specs=pl.BlockSpec((m, columns), lambda i: (i, 0)),
        out_shape=SHAPE((x.shape[0], columns), jnp.float32),
    )(x, weights, offsets)


def window_rows(indices, x, *, n=16):
    """Windows of rows from any row on."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(i_ref[pl.program_id(0)], n), :] * 2

    return pl.pallas_call(
        kernel,
        grid=indices.shape,
        out_specs=pl.BlockSpec((n, x.shape[1]), lambda i: (i, 0)),
        out_shape=SHAPE((indices.size * n, x.shape[1]), x.dtype),
    )(indices, x)


def window_in_memory_of_scalars(indices, x):
    """The same with the scalars in the memory for scalars, and in columns."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[:, pl.ds(i_ref[0, pl.program_id(0)], 128)] - i_ref[1, 0].astype(jnp.float32)

    return pl.pallas_call(
        kernel,
        grid=(indices.shape[1],),
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec()],
        out_specs=pl.BlockSpec((x.shape[0], 128), lambda i: (0, i)),
        out_shape=SHAPE((x.shape[0], 128 * indices.shape[1]), x.dtype),
    )(indices, x)


def embedding(indices, table):
    """A row for each of several indices of a block."""

    def kernel(i_ref, table_ref, o_ref):
        def body(row, _):
            o_ref[pl.ds(row, 1), :] = table_ref[pl.ds(i_ref[row], 1), :]

        lax.fori_loop(0, o_ref.shape[0], body, None)

    return pl.pallas_call(
        kernel,
        grid=(indices.size // 8,),
        in_specs=[pl.BlockSpec((8,), lambda i: (i,)), pl.BlockSpec()],
        out_specs=pl.BlockSpec((8, table.shape[1]), lambda i: (i, 0)),
        out_shape=SHAPE((indices.size, table.shape[1]), table.dtype),
    )(indices, table)


def stored_rows(indices, x):
    """Windows of the output at positions that are data: the last store counts."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)

        def body(row, _):
            o_ref[pl.ds(i_ref[row], 2), :] = x_ref[pl.ds(row * 2, 2), :]

        lax.fori_loop(0, i_ref.shape[0], body, None)

    return pl.pallas_call(kernel, out_shape=SHAPE(x.shape, x.dtype))(indices, x)


def paged(pages, q, k, v, *, size=64):
    """Attention to keys in pages: a loop whose windows are at positions that a table has."""

    def kernel(pages_ref, q_ref, k_ref, v_ref, o_ref):
        q, sequence = q_ref[...], pl.program_id(0)

        def body(step, carry):
            acc, m, total = carry
            page = pages_ref[sequence, step]
            s = product(q, k_ref[page], rhs=1)
            new = jnp.maximum(m, s.max(axis=1))
            p, scale = jnp.exp(s - new[:, None]), jnp.exp(m - new)
            acc = acc * scale[:, None] + product(p.astype(v_ref.dtype), v_ref[page])
            return acc, new, total * scale + p.sum(axis=1)

        rows = q.shape[0]
        init = jnp.zeros(q.shape, jnp.float32), jnp.full(rows, -jnp.inf), jnp.zeros(rows)
        acc, _, total = lax.fori_loop(0, pages_ref.shape[1], body, init)
        o_ref[...] = (acc / total[:, None]).astype(o_ref.dtype)

    block = pl.BlockSpec((None, *q.shape[1:]), lambda i: (i, 0, 0))
    return pl.pallas_call(
        kernel,
        grid=(q.shape[0],),
        in_specs=[pl.BlockSpec(), block, pl.BlockSpec(), pl.BlockSpec()],
        out_specs=block,
        out_shape=SHAPE(q.shape, jnp.float32),
    )(pages, q, k, v)


def of_lengths(lengths, x, y, *, prefetch):
    """A loop whose number of iterations is data."""

    def kernel(n_ref, x_ref, y_ref, o_ref):
        def body(step, acc):
            return acc + product(x_ref[:, pl.ds(step * 64, 64)], y_ref[pl.ds(step * 64, 64), :])

        o_ref[...] = lax.fori_loop(0, n_ref[pl.program_id(0)], body, jnp.zeros(o_ref.shape, jnp.float32))

    specs = [pl.BlockSpec((64, x.shape[1]), lambda i, *_: (i, 0)), pl.BlockSpec(y.shape, lambda i, *_: (0, 0))]
    out_spec = pl.BlockSpec((64, y.shape[1]), lambda i, *_: (i, 0))
    out = SHAPE((x.shape[0], y.shape[1]), jnp.float32)
    if prefetch:
        return prefetched(kernel, [lengths], [x, y], lengths.shape, specs, out_spec, out)
    return pl.pallas_call(
        kernel, grid=lengths.shape, in_specs=[pl.BlockSpec(), *specs], out_specs=out_spec, out_shape=out
    )(lengths, x, y)


def folded(x):
    """A position that is no affine function of the program."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    block = (16, x.shape[1])
    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec(block, lambda i: (i * i % 4, 0))],
        out_specs=pl.BlockSpec(block, lambda i: (i, 0)),
        out_shape=SHAPE((64, x.shape[1]), x.dtype),
    )(x)


HEADS = small(2, 64, 64), small(6, 64, 64), small(6, 64, 64)


def sum_in_scalar(x):
    """A scalar to which all programs add."""

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.float32(0)

        o_ref[...] += lax.dot_general(jnp.sum(x_ref[...]), jnp.max(x_ref[...]), (((), ()), ((), ())))

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 8,),
        in_specs=[pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((), lambda i: ()),
        out_shape=SHAPE((), x.dtype),
    )(x)


PROGRAMS = {
    "gather": (gather, jnp.array([2, 0, 1, 7]), normal(128, 128)),
    "gather of long blocks": (functools.partial(gather, rows=128), jnp.array([1, 0, 1]), normal(256, 256)),
    "gather by two tables": (gather_twice, integers(3, 4, 2), integers(4, 3), normal(3, 64, 256)),
    "grouped product": (grouped, integers(3, 4), small(256, 128), small(3, 128, 256)),
    "grouped product of two warpgroups": (
        functools.partial(grouped, m=128),
        integers(3, 2),
        small(256, 192),
        small(3, 192, 128),
    ),
    "deep grouped product": (grouped_deep, integers(3, 4), integers(4, 4), small(256, 512), small(3, 512, 256)),
    "deep grouped product of two warpgroups": (
        functools.partial(grouped_deep, m=128),
        integers(3, 4),
        integers(2, 4),
        small(256, 512),
        small(3, 512, 256),
    ),
    "groups of sorted rows": (sorted_groups, jnp.array([0, 10, 70, 128]), small(128, 64), small(3, 64, 128)),
    "rows from any row on": (window_rows, integers(112, 5), normal(128, 128)),
    "columns": (window_in_memory_of_scalars, integers(100, 2, 3), normal(32, 256)),
    "embedding": (embedding, integers(100, 32), normal(100, 128)),
    "stored rows": (stored_rows, jnp.array([3, 8, 2, 0]), normal(16, 128)),
    "scatter": (scatter, jnp.array([1, 0, 1, 0]), normal(64, 128)),
    "scatter that claims to be parallel": (
        functools.partial(scatter, compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",))),
        jnp.array([0, 1, 0, 0]),
        normal(64, 128),
    ),
    "pages": (paged, integers(6, 2, 3), *HEADS),
    "lengths": (functools.partial(of_lengths, prefetch=False), jnp.array([2, 0, 4]), small(192, 256), small(256, 64)),
    "prefetched lengths": (
        functools.partial(of_lengths, prefetch=True),
        jnp.array([4, 1, 3]),
        small(192, 256),
        small(256, 128),
    ),
    "not affine": (folded, normal(64, 128)),
    "sum in a scalar": (sum_in_scalar, small(32, 128, dtype=jnp.float32)),
}

# CHECK: 19 of 19 programs are right
report("programs", PROGRAMS, programs=True)

# A window or block outside of its array is the same error as on the CPU.
# CHECK-NEXT: block index 8 of dimension 0 of x_ref is outside the array, which has 128 elements there and blocks of 16
# CHECK-NEXT: block index -1 of dimension 0 of x_ref is outside the array, which has 128 elements there and blocks of 16
# CHECK-NEXT: a slice of 16 elements from index 113 is out of bounds [0, 128) in dimension 0 of x_ref
# CHECK-NEXT: index 6 is out of bounds [0, 6) in dimension 0 of k_ref
OUTSIDE = [
    (gather, jnp.array([2, 0, 8, 9]), normal(128, 128)),
    (gather, jnp.array([2, -1, 0, 7]), normal(128, 128)),
    (window_rows, jnp.array([2, 113]), normal(128, 128)),
    (paged, jnp.array([[1, 2, 6], [0, 1, 2]]), *HEADS),
]


def error_of(function, args, target, **how):
    try:
        execute(function, args, get_target(target), **how).function(*args)
    except Exception as error:
        return re.search("(a slice|block index|index) .*?(?= [(]/)", str(error)).group()
    return None


for function, *args in OUTSIDE:
    expected = error_of(function, args, "cpu")
    errors = {error_of(function, args, "gpu:sm_90a", stage="program"), error_of(function, args, "gpu:sm_90a")}
    print(expected if errors == {expected} else f"expected {expected}, got {errors}")
