# The inputs whose use explains wrong results: exchanged blocks, and ends that a kernel does not read.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
from gridir.report.suspects import find_suspects
from gridir.report.wrong import find_unwritten
from jax.experimental import pallas as pl

gridir.install()

X = jax.random.normal(jax.random.key(0), (32, 64))
Y = jax.random.normal(jax.random.key(1), (64, 64))


def product(x, y, y_map=lambda i, j: (0, j), first=0, last=4):
    def kernel(x_ref, y_ref, o_ref):
        def step(k, total):
            depth = pl.ds(k * 16, 16)
            return total + x_ref[:, depth] @ y_ref[depth, :]

        o_ref[...] = jax.lax.fori_loop(first, last, step, jnp.zeros(o_ref.shape, jnp.float32))

    rows, columns = pl.BlockSpec((16, 64), lambda i, j: (i, 0)), pl.BlockSpec((64, 16), y_map)
    return pl.pallas_call(
        kernel,
        grid=(2, 4),
        in_specs=[rows, columns],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((32, 64), jnp.float32),
    )(x, y)


def tiles(x, y):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...]

    tile = pl.BlockSpec((16, 16), lambda i, j: (i, j))
    turned = pl.BlockSpec((16, 16), lambda i, j: (j, i))
    return pl.pallas_call(kernel, grid=(4, 4), in_specs=[tile, turned], out_specs=tile, out_shape=y)(x, y)


def show(title, function, reference=jnp.dot, args=(X, Y)):
    results, calls = function(*args), find_unwritten(function, args).calls
    print(f"== {title}", *find_suspects(function, reference, args, results, calls), sep="\n")


# CHECK-LABEL: == exchanged
# CHECK-NEXT:  for y_ref with blocks whose indices of dimensions 0 and 1 are exchanged: is its index map right?
show("exchanged", tiles, jnp.add, (jnp.exp(Y), Y))
# CHECK-LABEL: == next
# CHECK-NEXT:  for y_ref with the block after it along dimension 1 in place of each: is its index map right?
show("next", lambda x, y: product(x, y, lambda i, j: (0, (j + 1) % 4)))
# CHECK-LABEL: == first
# CHECK-NEXT:  for y_ref with its first block along dimension 1 in place of all: is its index map right?
show("first", lambda x, y: product(x, y, lambda i, j: (0, 0)))
# CHECK-LABEL: == transposed
# CHECK-NEXT:  the results are those of reference() for y_ref with dimensions 0 and 1 transposed
show("transposed", lambda x, y: product(x, y), lambda x, y: x @ y.T)
# CHECK-LABEL: == starts late
# CHECK-NEXT:  the results do not depend on [0 to 31, 0 to 15] of x_ref, and those of reference() do
# CHECK-NEXT:  the results do not depend on [0 to 15, 0 to 63] of y_ref, and those of reference() do
show("starts late", lambda x, y: product(x, y, first=1))
# CHECK-LABEL: == ends early
# CHECK-NEXT:  the results do not depend on [0 to 31, 48 to 63] of x_ref, and those of reference() do
# CHECK-NEXT:  the results do not depend on [48 to 63, 0 to 63] of y_ref, and those of reference() do
show("ends early", lambda x, y: product(x, y, last=3))
# Nothing is said of faults that are not of inputs, or of an input that neither side uses.
# CHECK-LABEL: == twice
# CHECK-NEXT:  == unused
show("twice", lambda x, y: 2 * product(x, y))
show("unused", lambda x, y: product(x, y, last=3) + 1, lambda x, y: x[:, :48] @ y[:48])


def strict(x, y):
    if float(y[0, 0]) != float(Y[0, 0]):
        raise ValueError("expected the numbers of the example")
    return jnp.dot(x, y)


# A reference may reject other numbers.
# CHECK-LABEL: == strict
# CHECK-NOT: {{.}}
show("strict", lambda x, y: product(x, y, first=1), strict)
