# Arrays that loops carry through branches: a branch that hands on another carried array must not share its memory.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

SIZE = 6


def _switch(i, x, y):
    x = lax.switch(i % 3, [lambda: x.at[i].set(3.0), lambda: x, lambda: y])
    return x, y.at[i].set(y[0] + 1)


def _branch(i, x, y):
    x = lax.cond(i % 2 == 0, lambda: x.at[0].set(3.0), lambda: y)
    return x, y.at[i].set(y[1] + 1)


def _exchange(i, x, y):
    row = x[i]
    return y.at[i].set(row), lax.cond(row[0] > 0, lambda: x * 2, lambda: x)


def _old(i, x, y):
    new = y.at[i].add(x[0])
    return lax.cond(x[i, 0] > 0, lambda: new * 2, lambda: y), new


def _skip(i, x, y):
    return lax.cond(i % 2 == 0, lambda: (x, y), lambda: (x * 0.5 + y, y + 1))


def _collect(i, x, y):
    last = x[i] * 0.5 + y[0]
    return x.at[i].set(last), y.at[0].set(last)


def _captured(i, x, y):
    new = lax.fori_loop(0, 2, lambda j, z: lax.cond(z[j, 0] > 0, lambda: x, lambda: z * 2), y)
    return new, x.at[i].set(0.5)


def _inner(i, x, y):
    inner = lambda: lax.fori_loop(0, 3, lambda j, z: z.at[j].add(1.0), x)  # noqa: E731
    return lax.cond(x[i, 0] > 0, lambda: (inner(), y), lambda: (y, x))


x, y = (jax.random.normal(jax.random.key(i), (SIZE, 8)) for i in range(2))
for step in (_switch, _branch, _exchange, _old, _skip, _collect, _captured, _inner):

    def carried(x, y, step=step):
        return lax.fori_loop(0, SIZE, lambda i, both: step(i, *both), (x, y))

    def scanned(x, y, step=step):
        def body(both, i):
            both = step(i, *both)
            return both, both[0][i]

        return lax.scan(body, (x, y), jnp.arange(SIZE))[1], y

    for function in (carried, scanned):

        def kernel(x_ref, y_ref, a_ref, b_ref, function=function):
            a_ref[...], b_ref[...] = function(x_ref[...], y_ref[...])

        call = pl.pallas_call(kernel, out_shape=(x, y))
        result = gridir.lower(jax.jit(call), x, y, target="cpu").compile()(x, y)
        for part, other in zip(result, function(x, y), strict=True):
            np.testing.assert_allclose(part, other, rtol=1e-5, err_msg=f"{step.__name__} {function.__name__}")

# CHECK: all are right
print("all are right")
