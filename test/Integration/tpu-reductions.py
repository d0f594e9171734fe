# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# Reductions, running ones and argmax and argmin, small: libtpu accepts the module, which, executed on this machine,
# gives what interpret mode gives.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax.numpy as jnp
import numpy as np
from jax import lax
from small_kernels import case, check, like, values

DTYPES = ("float32", "bfloat16", "int32", "uint32", "int16", "int8", "uint8")

# Reductions: what Mosaic has, and what it has not, for every dtype and along rows, lanes and both.
for axis in (0, 1, (0, 1)):
    suffix = "".join(map(str, np.atleast_1d(axis)))
    for dtype in DTYPES if axis == 1 else ("float32", "bfloat16", "int8"):
        x = values((32, 256), dtype)
        for function in (jnp.max, jnp.min):
            case(
                f"{function.__name__} {dtype} {suffix}",
                lambda x, f=function, a=axis: like(x, f(x, a, keepdims=True)),
                x,
            )
        case(f"sum {dtype} {suffix}", lambda x, a=axis: like(x, jnp.sum(x, a, keepdims=True, dtype=x.dtype)), x)
    for function in (jnp.any, jnp.all):

        def bools(x, f=function, a=axis):
            return like(x, f(x > -2.9, a, keepdims=True).astype(jnp.int32))

        case(f"{function.__name__} {suffix}", bools, values((16, 256)))
    near_one = 1 + values((24, 200)) / 1000
    case(f"prod {suffix}", lambda x, a=axis: like(x, jnp.prod(x, a, keepdims=True)), near_one)
    for primitive in (lax.reduce_and_p, lax.reduce_or_p, lax.reduce_xor_p):
        axes = tuple(np.atleast_1d(axis).tolist())

        def bits(x, p=primitive, a=axes):
            return like(x, jnp.expand_dims(p.bind(x, axes=a), a))

        case(f"{primitive.name} {suffix}", bits, values((16, 256), "int32"))
for axis in (0, 1):
    for function in (jnp.argmax, jnp.argmin):
        for dtype in ("float32", "bfloat16", "int32", "uint8"):

            def arg_extreme(x, f=function, a=axis):
                return jnp.broadcast_to(f(x, axis=a, keepdims=True), x.shape)

            case(f"{function.__name__} {dtype} {axis}", arg_extreme, values((32, 256), dtype))
    for function in (jnp.cumsum, lax.cummax):
        case(f"{function.__name__} {axis}", lambda x, f=function, a=axis: f(x, axis=a), values((16, 256)))
case("sum of 3 dimensions", lambda x: jnp.sum(x, axis=1), values((4, 8, 128)))

# CHECK: {{[0-9]+}} kernels, 0 problems
check(otherwise_on_cpu=("cumsum 0", "cumsum 1"))
