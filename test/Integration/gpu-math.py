# What `approx_math` makes of exp and tanh on a GPU is as close as docs/gpu.md says, run on the CPU, where the
# instruction that gives powers of 2 is as good as the library's. The other functions are those of the CPU.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

PIPELINE = "grid-to-gpu{stop-after=mapped},gpu-approximate-math{approx=true},gpu-unmap-loops,loops-to-cpu"
ULP = np.finfo(np.float32).eps


def apply(function, x):
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    with gridir.installed(options=gridir.CpuOptions(pipeline=PIPELINE)):
        return np.asarray(jax.jit(pl.pallas_call(kernel, out_shape=x))(x), np.float64)


x = jnp.linspace(-80, 80, 4096, dtype=jnp.float32)
exact = np.exp(np.asarray(x, np.float64))
error = np.abs(apply(jnp.exp, x) - exact) / exact
# CHECK: exp: True
print("exp:", bool(np.all(error <= (np.abs(np.asarray(x)) + 2) * ULP)))

x = jnp.linspace(-12, 12, 4096, dtype=jnp.float32)
error = np.abs(apply(jnp.tanh, x) - np.tanh(np.asarray(x, np.float64)))
# CHECK: tanh: True
print("tanh:", bool(error.max() <= 2.5e-7))
