# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers rows of a table; the row numbers are prefetched scalars that the index map reads."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy_row_kernel(rows_ref, table_ref, o_ref):
    del rows_ref
    o_ref[...] = table_ref[...]


def row_gather(table, rows):
    columns = table.shape[1]
    # Each row is a block of an array with a unit dimension, because a TPU wants the last two block dimensions whole.
    table = table.reshape(-1, 1, columns)
    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(rows.shape[0],),
        in_specs=[pl.BlockSpec((None, 1, columns), lambda i, rows: (rows[i], 0, 0))],
        out_specs=pl.BlockSpec((None, 1, columns), lambda i, rows: (i, 0, 0)),
    )
    out = pl.pallas_call(
        copy_row_kernel,
        grid_spec=grid_spec,
        out_shape=jax.ShapeDtypeStruct((rows.shape[0], 1, columns), table.dtype),
        name="row_gather",
    )(rows, table)
    return out.reshape(-1, columns)


def reference(table, rows):
    return table[rows]


def example_args():
    table = jax.random.normal(jax.random.key(0), (1000, 512), jnp.float32)
    rows = jax.random.randint(jax.random.key(1), (64,), 0, 1000, jnp.int32)
    return table, rows
