# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
from gridir.errors import Error
from jax import lax
from jax.experimental import pallas as pl
from show import array

x = array(jnp.float32, 1, 8, 128)


def kernel(x_ref, o_ref):
    value = lax.fft(x_ref[...].astype(jnp.complex64), "fft", (128,)).real
    o_ref[...] = value + lax.polygamma(x_ref[...], x_ref[...])


# Every primitive that is missing is named at once, with its parameters and the author's line.
# CHECK: UnsupportedError
# CHECK: expected primitives that gridir can lower, got `fft`, `polygamma`
# CHECK: in kernel `kernel`
# CHECK: unsupported.py:{{[0-9]+}}:{{[0-9]+}} (kernel)
# CHECK: note: fft[{{.*}}fft_lengths=(128,){{.*}}] at {{.*}}unsupported.py
# CHECK: note: polygamma[] at {{.*}}unsupported.py
# CHECK: note: docs/primitives.md lists the primitives that have a lowering rule
try:
    gridir.lower(pl.pallas_call(kernel, out_shape=x), x)
except Error as error:
    print(type(error).__name__, error)


def by_name(x_ref, o_ref):
    o_ref[...] = x_ref[...] * lax.axis_index("rows").astype(jnp.float32)


# CHECK: UnsupportedError axis_index: expected the name of one dimension of the grid or the mesh (none), got 'rows'
# CHECK: unsupported.py:{{[0-9]+}}
try:
    jax.vmap(lambda a: gridir.lower(pl.pallas_call(by_name, out_shape=x), x) and a, axis_name="rows")(jnp.zeros(2))
except Error as error:
    print(type(error).__name__, error)


def outside(x_ref, o_ref):
    o_ref[0, 0, 0] = x_ref[0, 100, 0]


# An index that is a number may be outside: nothing may depend on the value. Where it does, the call fails.
# CHECK: index 100 is out of bounds [0, 8) in dimension 1 of x_ref ({{.*}}unsupported.py:{{[0-9]+}}
try:
    with gridir.installed():
        jax.block_until_ready(pl.pallas_call(outside, out_shape=x)(jnp.ones(x.shape)))
except jax.errors.JaxRuntimeError as error:
    print(error)
