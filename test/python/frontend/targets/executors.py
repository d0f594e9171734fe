# RUN: %python %s | FileCheck %s

# A kernel runs by itself, without the program that it is of, on every target that something here executes.

import dataclasses

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.errors import UnsupportedError
from gridir.frontend.targets.hooks import hooks_of
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref, n_ref):
    o_ref[...] = x_ref[...] * 2
    n_ref[0] = jnp.int32(7)


def double(x):
    out_shape = (jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((2,), jnp.int32))
    return pl.pallas_call(kernel, out_shape=out_shape, input_output_aliases={0: 0}, name="double")(x)


x = np.arange(256, dtype=np.float32).reshape(2, 128)
types = [jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((2,), np.int32)]

# CHECK: cpu: True [ 7 -1]
# CHECK: gpu: True [ 7 -1]
# An interpreter of Mosaic's fills what is unwritten as a TPU's tests do.
# CHECK: tpu: True [ {{ *}}7 -2147483648]
for target in ("cpu", "gpu", "tpu"):
    (lowered,) = gridir.lower(double, x, target=target).kernels
    doubled, number = hooks_of(lowered.target).executor(lowered)([x], types, {0: 0})
    print(f"{target}: {np.array_equal(doubled, 2 * x)} {number}")
# CHECK: untouched: True
print("untouched:", x[1, 1] == 129)

(lowered,) = gridir.lower(double, x).kernels
try:
    hooks_of(lowered.target).executor(dataclasses.replace(lowered, group_size=2))
except UnsupportedError as error:
    # CHECK: expected a kernel that does not access devices, got one for 2
    print(error.message)
