# Functions of complex numbers in a kernel, against the same functions outside of one.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

gridir.install()

random = np.random.RandomState(0)
X, Y = ((random.randn(3, 5) * 2 + 2j * random.randn(3, 5)).astype(np.complex64) for _ in range(2))
X[0, 0] = 0

NAMES = "abs arccos arccosh arcsin arcsinh arctan arctanh conj cos cosh exp exp2 expm1 imag log1p real sign sin sinh"
FUNCTIONS = {name: lambda x, _, name=name: getattr(jnp, name)(x) for name in [*NAMES.split(), "sqrt", "square", "tanh"]}
FUNCTIONS |= {
    "equal": lambda x, y: (x == y) | (x.T != x.T).T,
    "not equal": lambda x, y: x != jnp.where(y.real > 0, x, y),
    "sum": lambda x, y: jnp.sum(x),
    "sum of rows": lambda x, y: jnp.sum(x, 1),
    "product": lambda x, y: jnp.prod(y, 0),
    "running sum": lambda x, y: jnp.cumsum(x, 1),
    "contraction": lambda x, y: x @ y.T,
    "together": lambda x, y: jnp.concatenate([x, y]),
    "padded": lambda x, y: lax.pad(x, jnp.complex64(1j), [(1, 0, 1), (0, 2, 0)]),
    "rolled": lambda x, y: jnp.roll(x, 2, 1),
}

# CHECK-NOT: differ
for name, function in FUNCTIONS.items():

    def kernel(x_ref, y_ref, o_ref, function=function):
        o_ref[...] = function(x_ref[...], y_ref[...])

    want = function(jnp.asarray(X), jnp.asarray(Y))
    got = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(want.shape, want.dtype))(X, Y)
    # XLA computes some of them by other formulas, so that the last bits differ.
    if got.dtype != want.dtype or not np.allclose(got, want, rtol=1e-4, atol=1e-5):
        print(f"results of {name} differ: expected {want}, got {got}")
# CHECK: all done
print("all done")
