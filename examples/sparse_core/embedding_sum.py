# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums the rows of a table that each bag of a batch names: every vector subcore gathers for bags of its own."""

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

with gridir.tpu.chip("v6e"):  # where there is no TPU that can be asked
    MESH = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
LANES = 8


def embedding_sum(table, bags):
    num_bags, bag_size = bags.shape
    columns = table.shape[1]
    bags_each = num_bags // MESH.size

    def kernel(table_ref, bags_ref, o_ref, indices, rows, sums):
        worker = jax.lax.axis_index("core") * MESH.num_subcores + jax.lax.axis_index("subcore")

        @pl.loop(0, bags_each)
        def _(number):
            bag = worker * bags_each + number
            pltpu.sync_copy(bags_ref.at[bag], indices)
            pltpu.sync_copy(table_ref.at[indices], rows)  # the rows that the bag names

            @plsc.parallel_loop(0, columns, LANES)
            def _(column):
                lanes = pl.ds(column, LANES)
                sums[lanes] = sum(rows[i, lanes] for i in range(bag_size))

            pltpu.sync_copy(sums, o_ref.at[bag])

    return pl.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((num_bags, columns), table.dtype),
        mesh=MESH,
        scratch_types=[
            pltpu.VMEM((bag_size,), bags.dtype),
            pltpu.VMEM((bag_size, columns), table.dtype),
            pltpu.VMEM((columns,), table.dtype),
        ],
        compiler_params=pltpu.CompilerParams(use_tc_tiling_on_sc=False),
        name="embedding_sum",
    )(table, bags)


def reference(table, bags):
    return table[bags].sum(1)


def example_args():
    keys = jax.random.split(jax.random.key(0))
    table = jax.random.normal(keys[0], (1000, 128), jnp.float32)
    return table, jax.random.randint(keys[1], (MESH.size * 4, 8), 0, 1000, jnp.int32)
