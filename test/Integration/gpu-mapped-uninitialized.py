# Padding of blocks that overhang their arrays is undefined, and accumulates over the steps of a mapped kernel. The
# check "uninitialized" of the executor reports it only where an output depends on it, with the author's line. Matrix
# units do not compute products with a depth of 25, so the kernels are mapped.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from gridir.compiler.targets import get_target
from gridir.errors import Error
from gridir.frontend.execute import execute
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import are_programs, matmul, small


def product(x, y, first=0, rows=24):
    """A product whose accumulator is zero from a step on."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(1) == first)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += x_ref[...].astype(jnp.float32) @ y_ref[...].astype(jnp.float32)
        o_ref[...] = acc_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(2, 3),
        in_specs=[pl.BlockSpec((rows, 25), lambda i, k: (i, k)), pl.BlockSpec((25, 128), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((rows, 128), lambda i, k: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], 128), jnp.float32),
        scratch_shapes=[pltpu.VMEM((rows, 128), jnp.float32)],
    )(x, y)


def report(name, function, *args):
    for chip in ("sm_80", "sm_90a"):
        assert not are_programs(function, args, chip)
        run = execute(function, args, get_target(f"gpu:{chip}"), checks=("races", "uninitialized"), schedule_seed=1)
        try:
            run.function(*args)
            print(f"{name} {chip}: nothing was found")
        except Error as error:
            line = next((line.strip() for line in str(error).splitlines() if "_ref[...] =" in line), "no line")
            print(f"{name} {chip}: {error.message.split(' for ')[0]}: {line}")


# CHECK: small blocks sm_80: nothing was found
# CHECK: small blocks sm_90a: nothing was found
report("small blocks", functools.partial(matmul, m=24, n=128, k=25), small(45, 75), small(75, 128))
# CHECK: scratch sm_80: nothing was found
# CHECK: scratch sm_90a: nothing was found
report("scratch", product, small(45, 75), small(75, 128))
# CHECK: late zeros sm_80: expected an initialized value: o_ref[...] = acc_ref[...]
# CHECK: late zeros sm_90a: expected an initialized value: o_ref[...] = acc_ref[...]
report("late zeros", functools.partial(product, first=1), small(45, 75), small(75, 128))
