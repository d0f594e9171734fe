# RUN: %python %s | FileCheck %s

# Functions of many forms, and values that users give: arrays as keyword arguments, several kernels, loops and
# conditions around kernels, values of NumPy, and block sizes that are no integers.

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

x = jax.ShapeDtypeStruct((1024, 512), jnp.float32)


def softmax_kernel(x_ref, o_ref):
    exponents = jnp.exp(x_ref[...] - x_ref[...].max(1, keepdims=True))
    o_ref[...] = exponents / exponents.sum(1, keepdims=True)


def softmax(x, *, rows):
    block = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    grid = (pl.cdiv(x.shape[0], rows),)
    return pl.pallas_call(softmax_kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=x)(x)


def show(name, function, *args, rows=(8, 64), **kwargs):
    result = gridir.tune(function, *args, space={"rows": rows}, tier="estimate", cache=False, check=False, **kwargs)
    steps = [entry.steps for entry in result.ranking]
    reasons = [entry.reason for entry in result.ranking if entry.reason]
    print(name, [entry.config["rows"] for entry in result.ranking], steps, *reasons, *result.problem.notes)


# CHECK: range [32, 24, 16, 8]
show("range", softmax, x, rows=range(8, 33, 8))
# The estimate for a CPU sees no caches: of each size of blocks the best one is measured first.
# CHECK-NEXT: sizes [(16, 1, 65536), (32, 1, 131072)]
sizes = {"rows": [16, 32], "unused": [1, 2]}
found = gridir.tune(
    lambda x, rows, unused: softmax(x, rows=rows), x, space=sizes, target="cpu", top=2, cache=False, check=False
)
measured = [(*entry.config.values(), entry.outcomes["estimate"].memory_bytes) for entry in found.ranking[:2]]
print("sizes", sorted(measured))
# CHECK-NEXT: NumPy [64, 8] [16.0, 128.0]
show("NumPy", softmax, x, rows=np.array([8, 64, 8]))
# CHECK-NEXT: numbers [64, 8, True] [16.0, 128.0, 1024.0]
show("numbers", softmax, x, rows=[np.int64(8), True, 64])
# CHECK-NEXT: no integer [8, 8.5] [128.0, None] expected a grid of integers, got a size of type float32
show("no integer", softmax, x, rows=[8.5, 8])
# CHECK-NEXT: keyword [64, 8] [16.0, 128.0]
show("keyword", lambda x, *, y, scale, rows: softmax(x + y * scale, rows=rows), x, y=x, scale=2)
# CHECK-NEXT: jitted [64, 8] [16.0, 128.0]
show("jitted", jax.jit(softmax, static_argnames="rows"), x)
# CHECK-NEXT: vmapped [64, 8] [48.0, 384.0]
batch = jax.ShapeDtypeStruct((3, 1024, 512), jnp.float32)
show("vmapped", lambda x, rows: jax.vmap(lambda row: softmax(row, rows=rows))(x), batch)
# CHECK-NEXT: twice [64, 8] [32.0, 256.0]
show("twice", lambda x, rows: softmax(softmax(x, rows=rows), rows=8 if rows == 8 else 64), x)
# CHECK-NEXT: loop [64, 8] [160.0, 1280.0]
show("loop", lambda x, rows: jax.lax.fori_loop(0, 10, lambda _, y: softmax(y, rows=rows), x), x)


def until(x, *, rows):
    return jax.lax.while_loop(lambda y: y[0, 0] > 0, lambda y: softmax(y, rows=rows), x)


def chosen(x, *, rows):
    return jax.lax.cond(x[0, 0] > 0, lambda y: softmax(y, rows=rows), lambda y: y, x)


# CHECK-NEXT: until [64, 8] [16.0, 128.0] a loop around a kernel whose trip count depends on data counts once
show("until", until, x)
# CHECK-NEXT: chosen [64, 8] [16.0, 128.0] kernels in all branches of a condition around them count as called
show("chosen", chosen, x)
# CHECK-NEXT: no kernel there [64, 8] [16.0, 128.0]{{$}}
show(
    "no kernel there", lambda x, rows: softmax(jax.lax.cond(x[0, 0] > 0, lambda y: y, lambda y: y + 1, x), rows=rows), x
)

# The fault is reported for any target.
# CHECK-NEXT: expected a grid of integers, got a size of type float32
# CHECK: note: a quotient such as n / rows is no integer; n // rows is, and pl.cdiv(n, rows) of integers
try:
    gridir.lower(lambda x: softmax(x, rows=8.5), x)
except gridir.Error as error:
    print(error)
