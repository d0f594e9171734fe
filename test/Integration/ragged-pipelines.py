# Blocks of an emitted pipeline that do not divide their array are copied to the end of the last tile. Natively and in
# the module that libtpu gets: the array's elements are right, and nothing is written behind them; what the author masks
# of the rest is reported by no check.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)


def report(name, f, *args, want):
    want = np.asarray(want)
    for how, context in (
        ("native", gridir.installed()),
        ("checked", gridir.installed(checks=["uninitialized", "races", "semaphores"])),
        ("interpreted", mosaic_interpreted()),
    ):
        # The tiles of one dimension differ from chip to chip.
        with gridir.tpu.chip("v5e"), context:
            got = np.asarray(f(*args))
        print(f"{name}, {how}: {'equal' if np.array_equal(got, want) else 'DIFFERENT'}")


def sums(grid, block, shape, dtype):
    def add(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...]

    def kernel(x_ref, y_ref, o_ref):
        spec = pl.BlockSpec(block, lambda *indices: indices)
        pltpu.emit_pipeline(add, grid=grid, in_specs=[spec, spec], out_specs=[spec])(x_ref, y_ref, o_ref)

    call = pl.pallas_call(
        kernel, in_specs=[ANYWHERE] * 2, out_specs=ANYWHERE, out_shape=jax.ShapeDtypeStruct(shape, dtype)
    )
    x = (jnp.arange(np.prod(shape)) % 61).reshape(shape).astype(dtype)
    return call, x, x[::-1]


for name, *arguments in (
    ("rows", (4, 1), (64, 128), (201, 128), jnp.float32),
    ("rows and lanes", (2, 3), (64, 128), (100, 300), jnp.float32),
    ("few rows", (1, 2), (8, 128), (3, 200), jnp.float32),
    ("three dimensions", (2, 3, 2), (1, 16, 128), (2, 37, 130), jnp.bfloat16),
    ("bytes", (3, 1), (32, 128), (70, 128), jnp.int8),
    ("one dimension", (3,), (1024,), (2500,), jnp.int32),
):
    call, x, y = sums(*arguments)
    report(name, call, x, y, want=x + y)
# CHECK: rows, native: equal
# CHECK: rows, checked: equal
# CHECK: rows, interpreted: equal
# CHECK: rows and lanes, native: equal
# CHECK: rows and lanes, checked: equal
# CHECK: rows and lanes, interpreted: equal
# CHECK: few rows, native: equal
# CHECK: few rows, checked: equal
# CHECK: few rows, interpreted: equal
# CHECK: three dimensions, native: equal
# CHECK: three dimensions, checked: equal
# CHECK: three dimensions, interpreted: equal
# CHECK: bytes, native: equal
# CHECK: bytes, checked: equal
# CHECK: bytes, interpreted: equal
# CHECK: one dimension, native: equal
# CHECK: one dimension, checked: equal
# CHECK: one dimension, interpreted: equal


def sum_rows(x_ref, o_ref, sum_ref):
    sum_ref[...] = jnp.zeros_like(sum_ref)

    def add(step, block_ref):
        # Until JAX 0.11 the body got the indices alone.
        indices = step if isinstance(step, tuple) else step.index
        row = indices[0] * 64 + lax.broadcasted_iota(jnp.int32, block_ref.shape, 0)
        sum_ref[...] += jnp.where(row < x_ref.shape[0], block_ref[...], 0).reshape(8, 8, 128).sum(0)

    block = pl.BlockSpec((64, 128), lambda i: (i, 0))
    pltpu.emit_pipeline(add, grid=(3,), in_specs=[block], _explicit_indices=True)(x_ref)
    pltpu.sync_copy(sum_ref, o_ref)


x = (jnp.arange(136 * 128) % 61).reshape(136, 128).astype(jnp.float32)
masked = pl.pallas_call(
    sum_rows,
    in_specs=[ANYWHERE],
    out_specs=ANYWHERE,
    out_shape=jax.ShapeDtypeStruct((8, 128), x.dtype),
    scratch_shapes=[pltpu.VMEM((8, 128), x.dtype)],
)
report("masked sum", masked, x, want=x.reshape(17, 8, 128).sum(0))
# CHECK: masked sum, native: equal
# CHECK: masked sum, checked: equal
# CHECK: masked sum, interpreted: equal
