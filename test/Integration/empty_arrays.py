# Arrays without elements: kernels read, write and reduce them as functions of arrays do.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax import lax
from jax.experimental import pallas as pl

gridir.install()

FUNCTIONS = {
    "copy": lambda x: x,
    "arithmetic": lambda x: jnp.where(x > 0, jnp.exp(x), -x),
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape(-1),
    "strided": lambda x: x[..., ::2],
    "broadcast": lambda x: jnp.broadcast_to(x, (2, *x.shape)),
    "concatenate": lambda x: jnp.concatenate([x, x]),
    "padded": lambda x: lax.pad(x, jnp.float32(3), [(1, 2, 0)] * x.ndim),
    "updated": lambda x: lax.dynamic_update_slice(jnp.ones((4, 5, 6), x.dtype), x.reshape(4, 0, 1), (0, 1, 2)),
    "sum of all": jnp.sum,
    "sum of some": lambda x: jnp.sum(x, -1),
    "running": lambda x: lax.cumsum(x, x.ndim - 1),
    "sorted": lambda x: jnp.sort(x, -1),
    "product": lambda x: x.reshape(2, 0) @ x.reshape(0, 3),
}


def compute(function, x):
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    return pl.pallas_call(kernel, out_shape=jax.eval_shape(function, x))(x)


def rows(x_ref, o_ref):
    o_ref[...] = x_ref[...]


# CHECK-NOT: differ
for shape in ((0,), (3, 0, 2)):
    x = jnp.zeros(shape, jnp.float32)
    for name, function in FUNCTIONS.items():
        problem = difference(compute(function, x), function(x))
        if problem:
            print(f"{name} of {shape} differ: {problem}")

blocks = pl.BlockSpec((2, 16), lambda i: (i, 0))
for size, length in ((0, 0), (0, 8), (3, 8)):
    # The programs that the grid does not have leave the output as it is.
    copy = pl.pallas_call(
        lambda x_ref, _, o_ref: rows(x_ref, o_ref),
        out_shape=jax.ShapeDtypeStruct((length, 16), jnp.float32),
        grid=(size,),
        in_specs=[blocks, pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=blocks,
        input_output_aliases={1: 0},
    )
    x = np.arange(length * 16, dtype=np.float32).reshape(length, 16)
    problem = difference(copy(x, jnp.full_like(x, -1)), np.where(np.arange(length)[:, None] < 2 * size, x, -1))
    if problem:
        print(f"{length} rows in {size} programs differ: {problem}")
# CHECK: all done
print("all done")
