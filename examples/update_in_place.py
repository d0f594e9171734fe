# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds one to the rows that a list of scalars names and leaves the rest of the array as it is.

The output shares the memory of the input, so the rows that no block visits keep their values.
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def increment_kernel(rows_ref, x_ref, o_ref):
    del rows_ref
    o_ref[...] = x_ref[...] + 1.0


def update_in_place(rows, x):
    columns = x.shape[1]
    spec = pl.BlockSpec((None, 1, columns), lambda i, rows: (rows[i], 0, 0))
    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(rows.shape[0],), in_specs=[spec], out_specs=spec
    )
    x = x.reshape(-1, 1, columns)
    out = pl.pallas_call(
        increment_kernel,
        grid_spec=grid_spec,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        # Operand 0 is `rows`.
        input_output_aliases={1: 0},
        name="update_in_place",
    )(rows, x)
    return out.reshape(-1, columns)


def example_args():
    rows = jax.random.permutation(jax.random.key(0), 1024)[:128].astype(jnp.int32)
    x = jax.random.normal(jax.random.key(1), (1024, 512), jnp.float32)
    return rows, x
