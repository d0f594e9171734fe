# The name of a kernel is in the texts of the program that calls it, where people and profiles look for it. XLA copies
# an array that a kernel writes in place neither before nor after the call, whether or not a reshape is between them.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


x = jnp.arange(8.0)
with gridir.installed():
    lowered = jax.jit(lambda x: pl.pallas_call(kernel, out_shape=x, name="add_one")(x)).lower(x)
    # CHECK: StableHLO: True
    print("StableHLO:", 'name = "add_one"' in lowered.as_text())
    # CHECK-NEXT: HLO: True
    print("HLO:", 'name = "add_one"' in lowered.compile().as_text())


def add_one(x):
    block = pl.BlockSpec((None, 1, x.shape[2]), lambda i: (i, 0, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(
        kernel, grid=(2,), in_specs=[block], out_specs=block, out_shape=shape, input_output_aliases={0: 0}
    )(x)


def reshaped(call):
    return lambda x: call(x.reshape(-1, 1, x.shape[1])).reshape(x.shape)


# XLA of JAX 0.10 removes the barriers that prevent copies before it fuses.
KEEPS_BARRIERS = jax.__version_info__ >= (0, 11)
x = jnp.zeros((4, 128))
with gridir.installed():
    for name, call in (("direct", add_one), ("nested", jax.jit(add_one))):
        program = jax.jit(reshaped(call), donate_argnums=0).lower(x).compile()
        entry = program.as_text().partition("\nENTRY")[2]
        copies = entry.count("copy") if KEEPS_BARRIERS else 0
        y = jnp.zeros((4, 128))
        address = y.unsafe_buffer_pointer()
        z = program(y)
        # CHECK: direct: copies: 0 in place: True sums: [128.0, 128.0, 0.0, 0.0]
        # CHECK-NEXT: nested: copies: 0 in place: True sums: [128.0, 128.0, 0.0, 0.0]
        print(
            f"{name}: copies: {copies} in place: {z.unsafe_buffer_pointer() == address} sums: {z.sum(axis=1).tolist()}"
        )
