# RUN: %python %s | FileCheck %s

# Sorting on a TPU is a network of exchanges: the module gives what interpret mode gives, in the interpreter of Mosaic's
# form and compiled for this machine. Equal numbers keep their order, every NaN is last, and zeros are equal.
import os
import sys

import jax.numpy as jnp
import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from tpu_values import check

SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-42]

draws = np.random.default_rng(5)


def floats(*shape):
    x = draws.integers(-9, 9, shape).astype(np.float32) / 2
    x.reshape(-1)[:: x.size // 40] = np.resize(SPECIAL, x.reshape(-1)[:: x.size // 40].shape)
    return jnp.asarray(draws.permuted(x, axis=None).reshape(shape))


# Rows that fill no register, in both dimensions; several registers of rows, one dimension.
# CHECK: some lanes None None
# CHECK-NEXT: some rows None None
# CHECK-NEXT: many rows None None
# CHECK-NEXT: one dimension None None
check("some lanes", lambda x: jnp.sort(x, 1), floats(5, 100))
check("some rows", lambda x: jnp.argsort(x, 0), floats(6, 128))
check("many rows", lambda x: jnp.argsort(x, 0), floats(24, 128).astype(jnp.bfloat16))
check("one dimension", lambda x: jnp.argsort(x), floats(128))

# Integers alone, with what goes with keys, and the first of all.
# CHECK-NEXT: integers None None
# CHECK-NEXT: two keys None None
# CHECK-NEXT: top_k None None
few = jnp.asarray(draws.integers(-2, 2, (8, 128)).astype(np.int32))
words = jnp.asarray(draws.integers(0, 2**32, (16, 128)).astype(np.uint32))
check("integers", lambda x: jnp.sort(x, 0), words)
check("two keys", lambda x, y: lax.sort((y, x, y + 1), num_keys=2, dimension=0)[2], floats(8, 128), few)
check("top_k", lambda x: lax.top_k(x.T, 5)[1], floats(8, 128)[:, :8])
