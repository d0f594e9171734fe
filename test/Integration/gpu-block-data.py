# Bools in memory, elements at indices that are data, and products of sizes that matrix units do not divide: warpgroup
# programs give what interpret mode gives, as tasks on the CPU, and as PTX with checks that must find nothing.
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
from jax.experimental.pallas import triton

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import RANDOM, normal, report, small


def numbers(limit, *shape):
    return jnp.asarray(RANDOM.integers(0, limit, shape), jnp.int32)


def bools(*shape):
    return jnp.asarray(RANDOM.random(shape) < 0.5)


def blocks_of(function, *arrays, out, rows=None):
    """A function of whole arrays, or of blocks of rows of those that have as many rows as the result."""

    def kernel(*refs):
        *inputs, o_ref = refs
        o_ref[...] = function(*(ref[...] for ref in inputs)).astype(o_ref.dtype)

    def spec(array):
        rank = len(array.shape)
        if rows is None or array.shape[0] != out.shape[0]:
            return pl.BlockSpec(array.shape, lambda i: (0,) * rank)
        return pl.BlockSpec((rows, *array.shape[1:]), lambda i: (i, *(0,) * (rank - 1)))

    return pl.pallas_call(
        kernel,
        grid=(1 if rows is None else pl.cdiv(out.shape[0], rows),),
        in_specs=[spec(array) for array in arrays],
        out_specs=spec(out),
        out_shape=out,
    )(*arrays)


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


def masked_attention(q, k, v, mask):
    scores = lax.dot_general(q, k, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
    scores = jnp.where(mask, scores, -1e30)
    weights = jnp.exp(scores - jnp.max(scores, axis=1, keepdims=True))
    weights = weights / jnp.sum(weights, axis=1, keepdims=True)
    return jnp.dot(weights.astype(v.dtype), v, preferred_element_type=jnp.float32)


def dot(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.int32 if x.dtype == jnp.int8 else jnp.float32)


def product(dimensions, x, y):
    return jnp.einsum(dimensions, x, y, preferred_element_type=jnp.float32)


def heads(q, k, v):
    weights = jax.nn.softmax(product("qhd,khd->hqk", q, k), axis=-1).astype(v.dtype)
    return product("hqk,khd->qhd", weights, v)


def decode(q, k, v, keys=128):
    """Attention of a few queries, by blocks of keys."""

    def kernel(q_ref, k_ref, v_ref, o_ref):
        def body(j, carry):
            largest, total, acc = carry
            window = pl.ds(j * keys, keys)
            scores = lax.dot_general(
                q_ref[...], k_ref[window, :], (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32
            )
            new = jnp.maximum(largest, jnp.max(scores, axis=1, keepdims=True))
            weights, factor = jnp.exp(scores - new), jnp.exp(largest - new)
            product = jnp.dot(weights.astype(v.dtype), v_ref[window, :], preferred_element_type=jnp.float32)
            return new, total * factor + jnp.sum(weights, axis=1, keepdims=True), acc * factor + product

        init = jnp.full((len(q), 1), -1e30), jnp.zeros((len(q), 1)), jnp.zeros(o_ref.shape)
        _, total, acc = lax.fori_loop(0, k.shape[0] // keys, body, init)
        o_ref[...] = acc / total

    return pl.pallas_call(kernel, out_shape=shape(*q.shape))(q, k, v)


def of_columns(x, y, columns=128):
    """A product with blocks of columns."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = dot(x_ref[...], y_ref[...])

    lead = x.shape[:-1]
    return pl.pallas_call(
        kernel,
        grid=(y.shape[1] // columns,),
        in_specs=[
            pl.BlockSpec(x.shape, lambda j: (0,) * x.ndim),
            pl.BlockSpec((y.shape[0], columns), lambda j: (0, j)),
        ],
        out_specs=pl.BlockSpec((*lead, columns), lambda j: (*(0,) * len(lead), j)),
        out_shape=shape(*lead, y.shape[1]),
    )(x, y)


def gather(indices, table, rows=32):
    """The rows of a table at indices."""

    def kernel(i_ref, t_ref, o_ref):
        o_ref[...] = t_ref[i_ref[...]]

    return pl.pallas_call(
        kernel,
        grid=(indices.shape[0] // rows,),
        in_specs=[pl.BlockSpec((rows,), lambda i: (i,)), pl.BlockSpec(table.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((rows, table.shape[1]), lambda i: (i, 0)),
        out_shape=shape(indices.shape[0], table.shape[1]),
    )(indices, table)


def masked_gather(table, indices, limit):
    """Rows at indices; the mask is true for those below the limit."""

    def kernel(t_ref, i_ref, o_ref):
        rows = i_ref[...][:, None]
        columns = jnp.arange(t_ref.shape[1])[None, :]
        o_ref[...] = triton.load(t_ref.at[rows, columns], mask=jnp.broadcast_to(rows < limit, o_ref.shape), other=7.0)

    return pl.pallas_call(kernel, out_shape=shape(indices.shape[0], table.shape[1]))(table, indices)


floats = functools.partial(small, dtype=jnp.float32)


def scattered(indices, x, *, length):
    """Rows at indices, of which the last of equal ones stays."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[i_ref[...]] = x_ref[...] * 2

    return pl.pallas_call(kernel, out_shape=shape(length, *x.shape[1:]))(indices, x)


def histogram(x, *, bins):
    """Counts by updates of single elements, and sums by updates of rows."""

    def kernel(x_ref, _zeros, _rows, o_ref, sum_ref):
        def count(i, _):
            triton.atomic_add(o_ref, (x_ref[0, i],), jnp.minimum(x_ref[0, i] + 1, 1))

        lax.fori_loop(0, x.shape[1], count, None)
        triton.atomic_max(sum_ref, (slice(None),), x_ref[0])

    counts, rows = jnp.zeros(bins, jnp.int32), jnp.zeros(x.shape[1], jnp.int32)
    specs = [pl.BlockSpec(z.shape, lambda i: (0,)) for z in (counts, rows)]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0],),
        in_specs=[pl.BlockSpec((1, x.shape[1]), lambda i: (i, 0)), *specs],
        out_specs=specs,
        out_shape=[shape(*z.shape, dtype=z.dtype) for z in (counts, rows)],
        input_output_aliases={1: 0, 2: 1},
    )(x, counts, rows)


def tickets(x):
    """Updates of arrays, whose old elements determine a result."""

    def kernel(x_ref, _counts, _best, o_ref, count_ref, best_ref):
        old = triton.atomic_add(count_ref, (slice(None),), x_ref[...])
        best = triton.atomic_max(best_ref, (slice(None),), x_ref[...].astype(jnp.float32))
        o_ref[...] = old * 3 + best.astype(jnp.int32)

    size = x.shape[1]
    whole = pl.BlockSpec((size,), lambda i: (0,))
    row = pl.BlockSpec((None, size), lambda i: (i, 0))
    counts, best = jnp.zeros(size, jnp.int32), jnp.zeros(size)
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0],),
        in_specs=[row, whole, whole],
        out_specs=[row, whole, whole],
        out_shape=[x, counts, best],
        input_output_aliases={1: 1, 2: 2},
    )(x, counts, best)


PROGRAMS = {
    "bools": (
        functools.partial(blocks_of, lambda m, x: jnp.where(m, x, -1), out=shape(64, 512), rows=8),
        bools(64, 512),
        floats(64, 512),
    ),
    "comparison": (
        functools.partial(blocks_of, lambda x, y: x > y, out=shape(64, 512, dtype=jnp.bool_), rows=8),
        floats(64, 512),
        floats(64, 512),
    ),
    "logic": (
        functools.partial(blocks_of, lambda x, y: (x & ~y) ^ (x | y), out=shape(8, 1000, dtype=jnp.bool_), rows=1),
        bools(8, 1000),
        bools(8, 1000),
    ),
    "attention with a mask": (
        functools.partial(blocks_of, masked_attention, out=shape(64, 64), rows=64),
        normal(64, 64, dtype=jnp.bfloat16),
        normal(256, 64, dtype=jnp.bfloat16),
        normal(256, 64, dtype=jnp.bfloat16),
        bools(64, 256),
    ),
    "attention of 40 keys": (
        functools.partial(blocks_of, masked_attention, out=shape(128, 64), rows=64),
        normal(128, 64, dtype=jnp.bfloat16),
        normal(40, 64, dtype=jnp.bfloat16),
        normal(40, 64, dtype=jnp.bfloat16),
        jnp.ones((1, 40), jnp.bool_),
    ),
    "heads of 80": (
        functools.partial(blocks_of, masked_attention, out=shape(128, 80), rows=64),
        normal(128, 80, dtype=jnp.bfloat16),
        normal(96, 80, dtype=jnp.bfloat16),
        normal(96, 80, dtype=jnp.bfloat16),
        jnp.ones((1, 96), jnp.bool_),
    ),
    "48 columns": (functools.partial(blocks_of, dot, out=shape(128, 48), rows=64), small(128, 64), small(64, 48)),
    "77 x 93 x 67": (functools.partial(blocks_of, dot, out=shape(77, 67)), small(77, 93), small(93, 67)),
    "depth of 200": (
        functools.partial(blocks_of, dot, out=shape(300, 64), rows=64),
        small(300, 200),
        small(200, 64),
    ),
    "depth of 784": (
        functools.partial(blocks_of, dot, out=shape(128, 64), rows=64),
        small(128, 784),
        small(784, 64),
    ),
    "f32 with a depth of 144": (
        functools.partial(blocks_of, dot, out=shape(64, 64)),
        floats(64, 144),
        floats(144, 64),
    ),
    "f32 with a depth of 50": (
        functools.partial(blocks_of, dot, out=shape(64, 72), rows=64),
        floats(64, 50),
        floats(50, 72),
    ),
    "int8 with a depth of 100": (
        functools.partial(blocks_of, dot, out=shape(48, 40, dtype=jnp.int32)),
        small(48, 100, dtype=jnp.int8),
        small(100, 40, dtype=jnp.int8),
    ),
    "computed operand": (
        functools.partial(blocks_of, lambda x, y: dot((x + 1) / (x * x), y), out=shape(50, 64)),
        jnp.abs(small(50, 75)) + 1,
        small(75, 64),
    ),
    "one row": (of_columns, small(1, 1024), small(1024, 256)),
    "one row of f32": (of_columns, floats(1, 200), floats(200, 256)),
    "vector": (of_columns, small(1024), small(1024, 256)),
    "four rows": (of_columns, small(4, 1024), small(1024, 256)),
    "pages of 16 keys of f32": (functools.partial(decode, keys=16), *(normal(n, 192) for n in (8, 32, 32))),
    "pages of 8 keys of 256 elements": (
        functools.partial(decode, keys=8),
        *(normal(n, 256, dtype=jnp.bfloat16) for n in (4, 16, 16)),
    ),
    "one query": (decode, *(normal(n, 64, dtype=jnp.bfloat16) for n in (1, 512, 512))),
    "batch": (
        functools.partial(blocks_of, functools.partial(product, "bij,bjk->bik"), out=shape(4, 64, 64), rows=2),
        small(4, 64, 64),
        small(4, 64, 64),
    ),
    "sequences": (
        functools.partial(blocks_of, dot, out=shape(4, 64, 64), rows=2),
        small(4, 64, 128),
        small(128, 64),
    ),
    "projection to heads": (
        functools.partial(blocks_of, functools.partial(product, "sd,dhk->shk"), out=shape(64, 4, 32)),
        small(64, 128),
        small(128, 4, 32),
    ),
    "projection from heads": (
        functools.partial(blocks_of, functools.partial(product, "shk,hkd->sd"), out=shape(64, 128)),
        small(64, 4, 32),
        small(4, 32, 128),
    ),
    "heads": (
        functools.partial(blocks_of, heads, out=shape(64, 4, 64)),
        *(normal(n, 4, 64, dtype=jnp.bfloat16) for n in (64, 128, 128)),
    ),
    "sum of 77 x 67": (functools.partial(blocks_of, lambda x: x.sum().reshape(1, 1), out=shape(1, 1)), floats(77, 67)),
    "rows of a table": (gather, numbers(1000, 256), floats(1000, 128)),
    "elements of a table": (
        functools.partial(blocks_of, lambda i, t: t[i] * 2, out=shape(64, 128), rows=8),
        numbers(1000, 64, 128),
        floats(1000),
    ),
    "masked rows of a table": (functools.partial(masked_gather, limit=50), floats(50, 128), numbers(80, 32)),
    "scattered rows": (functools.partial(scattered, length=32), numbers(32, 24), floats(24, 128)),
    "scattered elements": (functools.partial(scattered, length=128), numbers(128, 64), floats(64)),
    "histogram": (functools.partial(histogram, bins=16), numbers(16, 3, 32)),
    **{f"{size} old elements": (tickets, numbers(16, 3, size)) for size in (8, 128, 200, 512)},
}

# CHECK: 37 of 37 programs are right
report("programs", PROGRAMS, programs=True)
# CHECK-NEXT: 2 of 2 programs of sm_80 are right
# CHECK-NEXT: 2 of 2 programs of sm_100a are right
for chip in "sm_80", "sm_100a":
    some = {name: PROGRAMS[name] for name in ("8 old elements", "200 old elements")}
    report(f"programs of {chip}", some, programs=True, chip=chip)

# An index that is out of bounds is the same error as on the CPU.
# CHECK-NEXT: index 50 is out of bounds [0, 50) in dimension 0 of t_ref
# CHECK-NEXT: index 59 is out of bounds [0, 50) in dimension 0 of t_ref


def error_of(args, target, **how):
    function = functools.partial(masked_gather, limit=60)
    try:
        execute(function, args, get_target(target), **how).function(*args)
    except Exception as error:
        return re.search("index .*?(?= [(]/)", str(error)).group()
    return None


for index in 50, 59:
    args = floats(50, 128), numbers(50, 32).at[17].set(index)
    expected = error_of(args, "cpu")
    errors = {error_of(args, "gpu:sm_90a", stage="program"), error_of(args, "gpu:sm_90a")}
    print(expected if errors == {expected} else f"expected {expected}, got {errors}")


def printing(x, y):
    """A product whose programs print a row each."""

    def kernel(x_ref, y_ref, o_ref):
        pl.debug_print("program {} has {}", pl.program_id(0), x_ref[0, :4])
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    rows = pl.BlockSpec((64, 64), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // 64,),
        in_specs=[rows, pl.BlockSpec(y.shape, lambda i: (0, 0))],
        out_specs=rows,
        out_shape=shape(*x.shape),
    )(x, y)


# Programs that print run in order. Each prints once: the PTX last.
# CHECK-DAG: 1 of 1 programs that print are right
# CHECK-DAG: program 0 has [0 1 2 3]
# CHECK-DAG: program 1 has [1 2 3 4]
ROWS = jnp.arange(128 * 64, dtype=jnp.float32).reshape(128, 64)
report("programs that print", {"rows": (printing, ROWS % 7, small(64, 64, dtype=jnp.float32))}, programs=True)
