# Prefix sums, sorts, shifts and values that are put together from parts give what interpret mode gives as warpgroup
# programs: as tasks on the CPU, and as PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, report, small


def of_rows(kernel, x, rows=8):
    """Calls a kernel that maps rows to rows."""

    def body(x_ref, o_ref):
        o_ref[...] = kernel(x_ref[...])

    spec = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(
        body,
        grid=(x.shape[0] // rows,),
        in_specs=[spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x)


def shifted(x):
    """Each element less the one before it, of values that the body computes."""
    y = x * x
    return y - jnp.concatenate([jnp.zeros_like(y[:, :1]), y[:, :-1]], axis=1)


def halves(x):
    """The halves of a row that is computed, exchanged."""
    y = jax.nn.softmax(x, axis=1)
    n = x.shape[1] // 2
    return jnp.concatenate([y[:, n:] * 2, y[:, :n]], axis=1)


def weights(x):
    """The share of each element in the sum of those before it, as in a sampler."""
    p = jax.nn.softmax(x, axis=1)
    return jnp.where(jnp.cumsum(p, axis=1) < 0.9, p, 0)


def recurrence(x):
    """A linear recurrence along a row."""

    def combine(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]

    return lax.associative_scan(combine, (jnp.full_like(x, 0.5), x), axis=1)[1]


def along(scan, axis=1, **options):
    return lambda x: scan(x, axis=axis, **options)


def pairs(x):
    """Rows by the sum of a key and what is sorted with it: many keys are equal, and stay in order."""
    keys, values = lax.sort((jnp.round(x), x, -x), dimension=1, num_keys=2)[:2]
    return keys + values


def order(x):
    return jnp.argsort(x, axis=1, stable=True).astype(x.dtype)


def best(x):
    """The largest elements, less their positions."""
    values, places = lax.top_k(x, x.shape[1] // 2)
    return jnp.concatenate([values, places.astype(x.dtype)], axis=1)


def rotated(x):
    """Rotations of neighbors, whose results are stacked along a new dimension."""
    even, odd = x[:, 0::2], x[:, 1::2]
    return jnp.stack([even - odd * 0.5, even * 0.5 + odd], axis=-1).reshape(x.shape)


def selected(x):
    """The first choice whose condition is true: conditions are stacked."""
    return jnp.select([x > 1, x < -1, x > 0.5], [x, -x, x * 2], 0.25)


INTEGERS = small(32, 128, dtype=jnp.int32)
PROGRAMS = {
    "sums": (functools.partial(of_rows, along(jnp.cumsum)), small(32, 128, dtype=jnp.float32)),
    "sums of long rows": (functools.partial(of_rows, along(jnp.cumsum)), small(32, 2048, dtype=jnp.float32)),
    "sums of bf16": (functools.partial(of_rows, along(jnp.cumsum)), small(32, 128)),
    "sums of integers": (functools.partial(of_rows, along(jnp.cumsum)), INTEGERS),
    "sums from the end": (functools.partial(of_rows, along(lax.cumsum, reverse=True)), INTEGERS),
    "sums of columns": (functools.partial(of_rows, along(jnp.cumsum, axis=0), rows=16), INTEGERS),
    "products": (functools.partial(of_rows, along(jnp.cumprod)), 1 + normal(32, 128) / 64),
    "maxima": (functools.partial(of_rows, along(lax.cummax)), normal(32, 256)),
    "minima": (functools.partial(of_rows, along(lax.cummin)), INTEGERS),
    "logarithms of sums": (functools.partial(of_rows, along(lax.cumlogsumexp)), normal(32, 128)),
    "shifted": (functools.partial(of_rows, shifted), normal(32, 128)),
    "exchanged halves": (functools.partial(of_rows, halves), normal(32, 256)),
    "likely elements": (functools.partial(of_rows, weights), normal(8, 512)),
    "recurrence": (functools.partial(of_rows, recurrence), normal(32, 128)),
    "sorted": (functools.partial(of_rows, along(jnp.sort)), normal(8, 100).at[:, 7].set(jnp.nan)),
    "sorted columns": (functools.partial(of_rows, along(jnp.sort, axis=0), rows=16), small(16, 128)),
    "sorted pairs": (functools.partial(of_rows, pairs), normal(16, 64)),
    "order": (functools.partial(of_rows, order), small(16, 100, dtype=jnp.int32)),
    "rotated neighbors, large blocks": (functools.partial(of_rows, rotated, rows=64), normal(64, 256)),
    "selected, large blocks": (functools.partial(of_rows, selected, rows=64), normal(64, 128)),
    "best": (functools.partial(of_rows, best), normal(16, 64)),
}

# CHECK: 21 of 21 programs are right
report("programs", PROGRAMS, programs=True)
