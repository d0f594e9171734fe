# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A weighted sum of each element and its neighbours; the blocks overlap by one element on each side."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 256


def stencil_kernel(x_ref, o_ref):
    left, centre, right = x_ref[0:BLOCK], x_ref[1 : BLOCK + 1], x_ref[2 : BLOCK + 2]
    o_ref[...] = 0.25 * left + 0.5 * centre + 0.25 * right


def stencil(x):
    # The array is extended by its end values, so that every element has both neighbours.
    padded = jnp.pad(x, 1, mode="edge")
    return pl.pallas_call(
        stencil_kernel,
        grid=(x.shape[0] // BLOCK,),
        in_specs=[pl.BlockSpec((pl.Element(BLOCK + 2),), lambda i: (i * BLOCK,))],
        out_specs=pl.BlockSpec((BLOCK,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="stencil",
    )(padded)


def reference(x):
    padded = jnp.pad(x, 1, mode="edge")
    return 0.25 * padded[:-2] + 0.5 * x + 0.25 * padded[2:]


def example_args():
    return (jax.random.normal(jax.random.key(0), (65536,), jnp.float32),)
