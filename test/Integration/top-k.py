# top_k of every type is JAX's bit for bit, with NaN, zeros of both signs and equal elements, selected or sorted.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

CASES = (((16, 64), 8, 1), ((64, 16), 4, 0), ((128,), 32, 0), ((4, 32, 8), 3, 1), ((8, 64), 17, 1), ((3, 5), 1, 1))
DTYPES = ("float32", "bfloat16", "float16", "int32", "int16", "int8", "uint32", "uint8")


def numbers(shape, dtype):
    """Small numbers, many of them equal, and the special ones of the type."""
    if jnp.issubdtype(dtype, jnp.floating):
        special = (jnp.nan, -0.0, 0.0, jnp.inf, -jnp.inf)
    else:
        special = (jnp.iinfo(dtype).min, jnp.iinfo(dtype).max)
    x = jax.random.randint(jax.random.key(0), shape, 0, 5).astype(dtype).ravel()
    places = jnp.arange(len(special)) * 3
    return x.at[places].set(jnp.array(special, dtype)).reshape(shape)


for dtype in DTYPES:
    for shape, k, axis in CASES:

        def kernel(x_ref, values_ref, order_ref, k=k, axis=axis):
            values_ref[...], order_ref[...] = lax.top_k(x_ref[...], k, axis=axis)

        x = numbers(shape, dtype)
        expected = lax.top_k(x, k, axis=axis)
        types = tuple(jax.ShapeDtypeStruct(part.shape, part.dtype) for part in expected)
        result = gridir.lower(jax.jit(pl.pallas_call(kernel, out_shape=types)), x, target="cpu").compile()(x)
        for part, other in zip(result, expected, strict=True):
            assert np.asarray(part).tobytes() == np.asarray(other).tobytes(), (dtype, shape, k, axis)

# CHECK: 48 results are JAX's
print(len(CASES) * len(DTYPES), "results are JAX's")
