# Where XLA rounds at each step, and where it flushes subnormal numbers, the kernel's results are equal bit by bit.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import interpreted
from jax import lax
from jax.experimental import pallas as pl


def noise(dtype: Any, *shape: int) -> jax.Array:
    return jax.random.normal(jax.random.key(7), shape, dtype)


# Of one run of XLA's, of runs that do not come out even, and of runs of runs.
ROWS: dict[str, tuple[Callable[[Any], Any], jax.Array]] = {}
for t in (jnp.float32, jnp.bfloat16, jnp.float16):
    name = jnp.dtype(t).name
    ROWS[f"sum in a run {name}"] = (lambda x: lax.cumsum(x, 0), noise(t, 13, 8))
    ROWS[f"sum in runs {name}"] = (lambda x: lax.cumsum(x, 1), noise(t, 3, 37, 5))
    ROWS[f"sum in runs of runs {name}"] = (lambda x: lax.cumsum(x, 1), noise(t, 2, 300))
    ROWS[f"product in runs {name}"] = (lambda x: lax.cumprod(x, 1), noise(t, 4, 40))
    every = lax.bitcast_convert_type(jnp.arange(1, 129, dtype=f"uint{jnp.finfo(t).bits}"), t)
    ROWS[f"tiny numbers as bools {name}"] = (lambda x: x.astype(jnp.bool_).astype(jnp.int32), every)


def call(function: Callable[[Any], Any], x: jax.Array) -> np.ndarray:
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    return np.asarray(pl.pallas_call(kernel, out_shape=jax.eval_shape(function, x))(x))


equal = 0
for name, (function, x) in ROWS.items():
    with interpreted():
        want = call(function, x)
    with gridir.installed():
        got = call(function, x)
    if got.tobytes() == want.tobytes():
        equal += 1
    else:
        print(f"{name}: {(got != want).sum()} of {got.size} elements differ")

# CHECK: 15 of 15 rows have the bits of interpret mode
print(f"{equal} of {len(ROWS)} rows have the bits of interpret mode")
