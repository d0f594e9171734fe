# Maxima and minima order zeros, -0 before +0, and a NaN of either operand stays one, whatever the instructions and the
# order of a reduction.
#
# RUN: %python %s | FileCheck %s

import itertools

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from jax.experimental import pallas as pl

VALUES = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan]
PAIRS = np.array(list(itertools.product(VALUES, VALUES)), np.float32)
LEFT, RIGHT = PAIRS.T
ZEROS = np.zeros_like(LEFT)
# Rows of zeros, of which a third are all negative.
ROWS = np.random.default_rng(0).choice(np.array([0.0, -0.0], np.float32), (40, 5), p=(0.2, 0.8))
LONG = np.tile(ROWS, (1, 40))


def largest(x, axis):
    """By the definition, since XLA loses signs of zeros in long rows."""
    result = np.max(x, axis)
    has_positive = np.any((x == 0) & ~np.signbit(x), axis)
    return np.where(result == 0, np.where(has_positive, np.float32(0), np.float32(-0.0)), result)


def smallest(x, axis):
    return -largest(-x, axis)


def largest_so_far(x, axis):
    return np.stack([largest(x[:, : i + 1], axis) for i in range(x.shape[1])], axis)


# Each with its arrays and its results.
CASES = {
    "maximum": (jnp.maximum, (LEFT, RIGHT), largest(PAIRS, 1)),
    "minimum": (jnp.minimum, (LEFT, RIGHT), smallest(PAIRS, 1)),
    "rectifier": (lambda x: jnp.maximum(x, 0.0), (LEFT,), largest(np.stack([LEFT, ZEROS]), 0)),
    "limit below": (lambda x: jnp.maximum(x, -0.0), (LEFT,), largest(np.stack([LEFT, -ZEROS]), 0)),
    "limit above": (lambda x: jnp.minimum(x, -0.0), (LEFT,), smallest(np.stack([LEFT, -ZEROS]), 0)),
    "maximum of rows": (lambda x: jnp.max(x, axis=1), (ROWS,), largest(ROWS, 1)),
    "minimum of rows": (lambda x: jnp.min(x, axis=1), (-ROWS,), smallest(-ROWS, 1)),
    "maximum of long rows": (lambda x: jnp.max(x, axis=1), (LONG,), largest(LONG, 1)),
    "maximum of columns": (lambda x: jnp.max(x, axis=0), (ROWS.T,), largest(ROWS.T, 0)),
    "minimum of columns": (lambda x: jnp.min(x, axis=0), (-LONG.T,), smallest(-LONG.T, 0)),
    "largest so far": (lambda x: jax.lax.cummax(x, axis=1), (LONG,), largest_so_far(LONG, 1)),
}


def bits(x):
    x = np.asarray(x)
    return np.where(np.isnan(x), np.uint32(0x7FC00000), x.view(np.uint32))


def as_kernel(function):
    def kernel(*refs):
        refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))

    return lambda *xs: pl.pallas_call(kernel, out_shape=jax.eval_shape(function, *xs))(*xs)


def runs(function, args):
    """The results of native code, and of code for a GPU on the CPU."""
    for options in (None, gridir.CpuOptions(cpu="x86-64-v2")):
        with gridir.installed(options=options):
            yield jax.jit(as_kernel(function))(*args)
    yield execute(as_kernel(function), args, get_target("gpu:sm_90a")).function(*args)


right = 0
for name, (function, arrays, want) in CASES.items():
    args = [jnp.asarray(x) for x in arrays]
    same = [np.array_equal(bits(got), bits(want)) for got in runs(function, args)]
    if not all(same):
        print(f"{name}: native, native of an old CPU, GPU: {same}")
    right += all(same)
# CHECK: 11 of 11 are right
print(f"{right} of {len(CASES)} are right")
