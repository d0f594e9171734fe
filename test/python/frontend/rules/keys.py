# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from show import array, show


# An array of keys is the array of their words, which no block cuts; a key is a value of the words' type.
# CHECK-LABEL: // draw
# CHECK: inputs(%key_ref: ui32 [4, 1, 2] block [1, 1, 2] at (%{{.*}}, 0, 0)
# CHECK: %[[KEY:.*]] = grid.load {{.*}} -> tensor<1x2xi32>
# CHECK: %[[WORD:.*]] = tensor.extract %[[KEY]]
# CHECK: %[[OTHER:.*]] = tensor.extract %[[KEY]]
# CHECK: grid.prng_seed %[[WORD]], %[[OTHER]]
# CHECK: grid.prng_bits
def draw(key_ref, o_ref):
    o_ref[...] = jax.random.bits(key_ref[0], o_ref.shape)


keys = jax.eval_shape(lambda: pltpu.to_pallas_key(jax.random.split(jax.random.key(0, impl="rbg"), 4)))
spec = pl.BlockSpec((1,), lambda i: (i,))
show(draw, keys, out_shape=array(jnp.uint32, 8, 128), grid=(4,), in_specs=[spec])
