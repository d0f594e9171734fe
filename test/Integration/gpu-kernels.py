# What the examples leave out: dynamic grids, reductions to one number and to two, bools and narrow floats, scalars in
# memory. The mapped stage gives what interpret mode gives, and every kernel becomes PTX.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
from gridir.testing import difference, interpreted
from jax.experimental import pallas as pl

PIPELINE = "grid-to-gpu{stop-after=mapped},gpu-unmap-loops{reverse=true},loops-to-cpu"


def call(kernel, like, name, **kwargs):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(like.shape, like.dtype), name=name, **kwargs)


def dynamic_grid(n, x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + pl.program_id(0).astype(x_ref.dtype)

    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
    aliases = {0: 0}
    return call(kernel, x, "dynamic", grid=(n,), in_specs=[spec], out_specs=spec, input_output_aliases=aliases)(x)


def to_one(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.full(o_ref.shape, jnp.sum(x_ref[...]))

    return call(kernel, jnp.zeros((1, 1)), "to_one")(x)


def largest(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.argmax(x_ref[...], axis=1).astype(jnp.int32)

    return call(kernel, jnp.zeros((64,), jnp.int32), "largest")(x)


def mask(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.logical_and(x_ref[...] > 0, jnp.any(x_ref[...] > 2, axis=1, keepdims=True))

    return call(kernel, jnp.zeros(x.shape, bool), "mask")(x)


def narrow(x):
    def kernel(x_ref, o_ref):
        y = x_ref[...].astype(jnp.bfloat16)
        o_ref[...] = jnp.tanh(y) * y.astype(jnp.float16).astype(jnp.bfloat16)

    return call(kernel, jnp.zeros(x.shape, jnp.bfloat16), "narrow")(x)


def count(x):
    def kernel(x_ref, o_ref):
        def body(i, total):
            return total + (x_ref[i, 0] > 0).astype(jnp.int32)

        o_ref[0] = jax.lax.fori_loop(0, 64, body, 0)
        o_ref[1] = o_ref[0] * 2

    return call(kernel, jnp.zeros((2,), jnp.int32), "count")(x)


x = jax.random.normal(jax.random.key(0), (64, 128))
# CHECK: dynamic_grid: equal, .visible .entry dynamic(
# CHECK: to_one: equal, .visible .entry to_one(
# CHECK: largest: equal, .visible .entry largest(
# CHECK: mask: equal, .visible .entry mask(
# CHECK: narrow: equal, .visible .entry narrow(
# CHECK: count: equal, .visible .entry count(
for function, args in (
    (dynamic_grid, (jnp.int32(3), x)),
    (to_one, (x,)),
    (largest, (x,)),
    (mask, (x,)),
    (narrow, (x,)),
    (count, (x,)),
):
    with interpreted():
        want = jax.jit(function)(*args)
    with gridir.installed(options=gridir.CpuOptions(pipeline=PIPELINE)):
        got = jax.jit(function)(*args)
    problem = difference(got, want)
    ptx = gridir.lower(function, *args, target="gpu:sm_80").kernels[0].text("ptx")
    entry = next(line for line in ptx.splitlines() if ".entry" in line)
    print(f"{function.__name__}: {problem or 'equal'}, {entry}")
