# RUN: %python %s | FileCheck %s

# Elements of values that are updated and read at indices that are data: the module for a TPU gives what interpret mode
# gives, in the interpreter of Mosaic's form and compiled for this machine.
import os
import sys

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from tpu_values import check, check_kernel


def numbers(*shape):
    return jnp.asarray(np.random.default_rng(4).integers(-100, 100, shape).astype(np.float32))


def indices(*numbers):
    return jnp.asarray(numbers, jnp.int32)


# A row, a column and an element; what is narrow; a row that there is not, which is left out.
# CHECK: row None None
# CHECK-NEXT: no row None None
# CHECK-NEXT: last row None None
# CHECK-NEXT: column None None
# CHECK-NEXT: element None None
# CHECK-NEXT: slices None None
# CHECK-NEXT: bytes None None
# CHECK-NEXT: bools None None
# CHECK-NEXT: line None None
x = numbers(16, 256)
check("row", lambda x, i: x.at[i[0]].set(1), x, indices(5))
check("no row", lambda x, i: x.at[i[0]].add(1), x, indices(16))
check("last row", lambda x, i: x.at[i[0]].multiply(2), x, indices(-1))
check("column", lambda x, i: x.at[:, i[0]].max(2), x.astype(jnp.bfloat16), indices(200))
check("element", lambda x, i: x.at[i[0], i[1]].set(2), x, indices(5, 200))
check("slices", lambda x, i: x.at[i[0], :, i[1]].add(1), numbers(3, 8, 128), indices(1, 77))
check("bytes", lambda x, i: x.at[i[0]].set(3), x.astype(jnp.int8), indices(9))
check("bools", lambda x, i: x.at[i[0]].set(True), x > 0, indices(9))
check("line", lambda x, i: x.at[i[0]].set(3), x[0], indices(99))

# Indices that are known, which no mask is made for.
# CHECK-NEXT: known row None None
# CHECK-NEXT: known part None None
# CHECK-NEXT: even rows None None
check("known row", lambda x: x.at[3].set(1), x)
check("known part", lambda x: x.at[2:9, 5:130].add(1), x)
check("even rows", lambda x: x.at[::2].set(1), x)

# Several at once, one after the other: few are written out, and more are a loop.
# CHECK-NEXT: few rows None None
# CHECK-NEXT: clipped rows None None
# CHECK-NEXT: many rows None None
# CHECK-NEXT: columns None None
# CHECK-NEXT: few points None None
# CHECK-NEXT: many points None None
some = indices(5, 2, 5, -1, 99)
many = indices(*range(3, 15), 3)
check("few rows", lambda x, i: x.at[i].add(x[: i.size] * 2), x, some)
check("clipped rows", lambda x, i: x.at[i].set(x[: i.size] * 2, mode="clip"), x, some)
check("many rows", lambda x, i: x.at[i].add(x[: i.size] * 2), x, many)
check("columns", lambda x, i: x.at[:, i].min(x[:, : i.size]), x, some)
check("few points", lambda x, i: x.at[i, i + 100].set(5), x, some)
check("many points", lambda x, i: x.at[i, i + 100].add(5), x, many)


# Parts that begin anywhere, in dimensions that fill registers and others.
# CHECK-NEXT: part None None
# CHECK-NEXT: part of bf16 None None
# CHECK-NEXT: part beyond the end None None
# CHECK-NEXT: part of 12 rows None None
def update(x, i):
    return lax.dynamic_update_slice(x, x[:3, :100] * 2, (i[0], i[1]))


check("part", update, x, indices(7, 77))
check("part of bf16", update, x.astype(jnp.bfloat16), indices(7, 77))
check("part beyond the end", update, x, indices(15, 250))
check("part of 12 rows", update, numbers(12, 200), indices(4, 77))

# Elements of values that are computed.
# CHECK-NEXT: one element None None
# CHECK-NEXT: one row None None
# CHECK-NEXT: in a loop None None
check("one element", lambda x, i: jnp.full((8, 128), (x * 2)[i[0], i[1]]), numbers(12, 200), indices(11, 150))
check("one row", lambda x, i: (x * 2)[i[0]][None], numbers(12, 200), indices(11))
check("in a loop", lambda x: lax.fori_loop(0, 15, lambda i, x: x.at[i + 1].set(x[i] * 2 + i), x), x)

# Strided stores beside unchanged elements; masked narrow numbers.
# CHECK-NEXT: with strides None None
# CHECK-NEXT: apart None None
# CHECK-NEXT: rows None None
# CHECK-NEXT: rows of bf16 None None
# CHECK-NEXT: lanes None None
# CHECK-NEXT: slices None None
# CHECK-NEXT: under a mask None None
check("with strides", lambda x: lax.pad(x[:8, :50], jnp.float32(7), ((1, 2, 1), (3, 5, 2))), x)
check("apart", lambda x: lax.pad(x[:3].reshape(3, 2, 128), jnp.float32(7), ((0, 0, 1), (1, 1, 1), (0, 0, 0))), x)


def written(window, value):
    def body(x_ref, o_ref):
        o_ref[...] = jnp.full_like(o_ref, -1)
        o_ref[window] = value(x_ref)

    return body


check_kernel("rows", written(np.s_[1::3], lambda x: x[:10:2] * 2), x)
check_kernel("rows of bf16", written(np.s_[::2], lambda x: x[:8] + x[1::2]), x.astype(jnp.bfloat16))
check_kernel("lanes", written(np.s_[:, 1::2], lambda x: x[:, 128:]), x)
check_kernel("slices", written(np.s_[::2, :, ::2], lambda x: x[1:, :, :64]), numbers(3, 8, 128))


def masked(x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    pltpu.store(o_ref.at[...], x_ref[...], mask=x_ref[...] > 0)


check_kernel("under a mask", masked, x.astype(jnp.int8))

# Numbers of less than 32 bits, which a TPU has only in vectors.
# CHECK-NEXT: narrow sum None None
# CHECK-NEXT: narrow choice None None
# CHECK-NEXT: narrow condition None None
# CHECK-NEXT: narrow index None None
# CHECK-NEXT: sum of bf16 None None
words, octets = x.astype(jnp.bfloat16), x.astype(jnp.int8)
check("narrow sum", lambda x: x * (x[3, 5] + x[2, 7]), octets)
check("narrow choice", lambda x: jnp.where(x[3, 5] > x[2, 7], x, -x), words)


def conditional(x_ref, o_ref):
    o_ref[...] = x_ref[...]

    @pl.when(x_ref[0, 0] > x_ref[1, 5])
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)


check_kernel("narrow condition", conditional, words)
check("narrow index", lambda i, x: x[i[0, 0]][None], jnp.abs(octets) % 16, x)
check("sum of bf16", lambda x: x + jnp.sum(x) * jnp.bfloat16(0.125), words)
