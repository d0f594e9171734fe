# Grids whose sizes are arguments: warpgroup programs give what interpret mode gives, as tasks on the CPU, and as PTX
# with checks that must find nothing. JAX's grouped products are such kernels.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import column_sums, report, small

floats = functools.partial(small, dtype=jnp.float32)


def rows(n, x):
    """The first blocks of rows."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + pl.program_id(0) + pl.num_programs(0)

    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    out = pl.pallas_call(kernel, grid=(n,), in_specs=[block], out_specs=block, out_shape=x)(x)
    return jnp.where(jnp.arange(x.shape[0])[:, None] < n * 8, out, 0)


def updated(n, m, x):
    """The first blocks of rows and of columns, in place."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + pl.program_id(0) - pl.program_id(1) * pl.num_programs(1)

    block = pl.BlockSpec((64, 128), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel, grid=(n, m), in_specs=[block], out_specs=block, out_shape=x, input_output_aliases={0: 0}
    )(x)


def sums(n, x):
    """Sums of columns over the first blocks of rows."""
    return column_sums(x, block=16, blocks=n)


def product(n, depth, x, y):
    """The first blocks of rows of a product over the first blocks of the depth."""

    def kernel(x_ref, y_ref, _, o_ref, acc_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
        def _():
            o_ref[...] = acc_ref[...]

    block = pl.BlockSpec((128, y.shape[1]), lambda i, k: (i, 0))
    shape = (x.shape[0], y.shape[1])
    return pl.pallas_call(
        kernel,
        grid=(n, depth),
        in_specs=[
            pl.BlockSpec((128, 64), lambda i, k: (i, k)),
            pl.BlockSpec((64, y.shape[1]), lambda i, k: (k, 0)),
            block,
        ],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(shape, jnp.float32),
        scratch_shapes=[pltpu.VMEM((128, y.shape[1]), jnp.float32)],
        input_output_aliases={2: 0},
    )(x, y, jnp.full(shape, 7.0))


GROUPS = jnp.asarray([30, 0, 100, 62], jnp.int32)


def grouped(lhs, rhs, tiling=(64, 64, 128), **options):
    return gmm(lhs, rhs, GROUPS, tiling=tiling, **options)


def grouped_into(lhs, rhs, out):
    """Adds groups 1 and 2 to a result."""
    return gmm(lhs, rhs, GROUPS, tiling=(64, 64, 128), group_offset=jnp.asarray(1, jnp.int32), existing_out=out)


def grouped_rows(lhs, rhs):
    return tgmm(lhs, rhs, GROUPS, tiling=(64, 128, 128))


PROGRAMS = {
    **{f"{n} blocks of rows": (rows, np.int32(n), floats(64, 128)) for n in (-1, 0, 1, 3, 8)},
    "blocks in place": (updated, np.int32(2), np.int32(1), floats(192, 256)),
    "sums": (sums, np.int32(3), floats(64, 256)),
    **{
        f"product of {n} x {k} blocks": (product, np.int32(n), np.int32(k), small(256, 256), small(256, 128))
        for n, k in ((1, 1), (2, 3), (1, 0), (0, 4))
    },
    "groups": (grouped, small(192, 128), small(4, 128, 256)),
    "groups, transposed": (
        functools.partial(grouped, transpose_rhs=True),
        small(192, 128),
        small(4, 256, 128),
    ),
    "groups of f32": (grouped, floats(192, 128), floats(4, 128, 256)),
    "two of the groups": (grouped_into, small(192, 128), small(2, 128, 256), floats(192, 256)),
    "rows of groups": (grouped_rows, small(128, 192), small(192, 256)),
    "rows of groups of f32": (grouped_rows, floats(128, 192), floats(192, 256)),
}

if __name__ == "__main__":
    # CHECK: 17 of 17 programs are right
    report("programs", PROGRAMS, programs=True)
    for chip in "sm_80", "sm_100a":
        # CHECK: 2 of 2 programs of sm_80 are right
        # CHECK: 2 of 2 programs of sm_100a are right
        some = {name: PROGRAMS[name] for name in ("groups", "rows of groups")}
        report(f"programs of {chip}", some, programs=True, chip=chip)

    # A block outside of its array is the same error as on the CPU.
    # CHECK: block index 8 of dimension 0 of {{.*}} is outside the array, which has 64 elements there and blocks of 8
    errors = set()
    for target, how in ("cpu", {}), ("gpu:sm_90a", {"stage": "program"}), ("gpu:sm_90a", {}):
        try:
            args = np.int32(9), floats(64, 128)
            execute(rows, args, get_target(target), **how).function(*args)
        except Exception as error:
            errors.add(re.search("block index .*?(?= [(]/)", str(error)).group())
    print(*errors)
