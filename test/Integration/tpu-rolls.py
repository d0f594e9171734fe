# RUN: %python %s | FileCheck %s

# Rotations whose distance grows from slice to slice, parts that are joined, what is reversed, slices with strides: the
# module for a TPU gives what interpret mode gives, in the interpreter of Mosaic's form and compiled for this machine.
import os
import sys

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from tpu_values import check


def numbers(*shape):
    return jnp.asarray(np.random.default_rng(4).integers(-100, 100, shape).astype(np.float32))


# CHECK: rows None None
# CHECK-NEXT: rows far None None
# CHECK-NEXT: rows further None None
# CHECK-NEXT: lanes None None
# CHECK-NEXT: lanes of 24 rows None None
# CHECK-NEXT: slices None None
rows = numbers(16, 128)
check("rows", lambda x: pltpu.roll(x, 5, 1, stride=2, stride_axis=0), rows)
check("rows far", lambda x: pltpu.roll(x, 100, 1, stride=9, stride_axis=0), rows)
check("rows further", lambda x: pltpu.roll(x, 0, 1, stride=100, stride_axis=0), rows)
check("lanes", lambda x: pltpu.roll(x, 5, 0, stride=3, stride_axis=1), rows)
check("lanes of 24 rows", lambda x: pltpu.roll(x, 1, 0, stride=7, stride_axis=1), numbers(24, 128))
check("slices", lambda x: pltpu.roll(x, 3, 2, stride=5, stride_axis=0), numbers(3, 8, 128))

# A distance that is data, by which a power of two is left or not.
# CHECK-NEXT: data None None
# CHECK-NEXT: negative data None None
amount = jnp.asarray([[300]], jnp.int32)
check("data", lambda x, n: pltpu.roll(x, n[0, 0], 1, stride=1, stride_axis=0), rows, amount)
check("negative data", lambda x, n: pltpu.roll(x, n[0, 0], 0), rows, -amount)

# Narrow rows are rotated as words that hold several.
# CHECK-NEXT: packed lanes None None
# CHECK-NEXT: packed lanes by data None None
# CHECK-NEXT: packed rows None None
# CHECK-NEXT: packed rows around None None
# CHECK-NEXT: whole words None None
# CHECK-NEXT: half words None None
# CHECK-NEXT: packed slices None None
# CHECK-NEXT: by nothing None None
packed = numbers(16, 128).astype(jnp.int8)
check("packed lanes", lambda x: pltpu.roll(x, 5, 1), packed)
check("packed lanes by data", lambda x, n: pltpu.roll(x, n[0, 0], 1), packed, amount)
check("packed rows", lambda x: pltpu.roll(x, 3, 0), packed)
check("packed rows around", lambda x: pltpu.roll(x, 13, 0), packed)
check("whole words", lambda x: pltpu.roll(x, 6, 0), packed.astype(jnp.bfloat16))
check("half words", lambda x: pltpu.roll(x, 3, 0), packed.astype(jnp.int16))
check("packed slices", lambda x: pltpu.roll(x, 1, 0), jnp.stack([packed, packed + 1, packed + 2]))
check("by nothing", lambda x: pltpu.roll(x, 16, 0), packed)

# CHECK-NEXT: joined None None
# CHECK-NEXT: padded None None
# CHECK-NEXT: stacked None None
# CHECK-NEXT: one number None None
check("joined", lambda x: jnp.concatenate([x[:3], x[5:9], x[1:2]], 0), rows)
check("padded", lambda x: jnp.pad(x, ((1, 7), (2, 126)), constant_values=-1), rows)
check("stacked", lambda x: jnp.stack([x[:8], x[8:16], x[:8] + 1], 1), rows)
check("one number", lambda x: x + jnp.sum(x[:8].astype(jnp.float32)).astype(x.dtype), rows.astype(jnp.bfloat16))

# CHECK-NEXT: reversed lanes None None
# CHECK-NEXT: reversed rows None None
# CHECK-NEXT: reversed both None None
# CHECK-NEXT: reversed slices None None
# CHECK-NEXT: neighbours None None
many = numbers(16, 256)
check("reversed lanes", lambda x: jnp.flip(x, 1), many)
check("reversed rows", lambda x: jnp.flip(x, 0), many.astype(jnp.int8))
check("reversed both", lambda x: jnp.flip(x[:5, :100]), many)
check("reversed slices", lambda x: jnp.flip(x.reshape(2, 8, 256), (0, 1)), many)
check("neighbours", lambda x: jnp.take_along_axis(x, lax.broadcasted_iota(jnp.int32, x.shape, 1) ^ 1, 1), many)

# Every second element and the like, by lookups within registers.
# CHECK-NEXT: even lanes None None
# CHECK-NEXT: odd lanes None None
# CHECK-NEXT: distant lanes None None
# CHECK-NEXT: some rows None None
# CHECK-NEXT: rows of bytes None None
# CHECK-NEXT: rows of 12 None None
# CHECK-NEXT: strided slices None None
# CHECK-NEXT: strided line None None
# CHECK-NEXT: both dimensions None None
check("even lanes", lambda x: x[:, ::2], numbers(16, 512))
check("odd lanes", lambda x: x[:, 1::2] - x[:, ::2], many.astype(jnp.bfloat16))
check("distant lanes", lambda x: x[:, 5::130], numbers(16, 512))
check("some rows", lambda x: x[2::5], many)
check("rows of bytes", lambda x: x[::3], numbers(32, 128).astype(jnp.int8))
check("rows of 12", lambda x: x[1::2], numbers(12, 200))
check("strided slices", lambda x: x[::2], numbers(5, 8, 128))
check("strided line", lambda x: x[1::2], many[0])
check("both dimensions", lambda x: x[::2, ::4] > 0, many)
