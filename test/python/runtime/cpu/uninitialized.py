# Memory that nothing has written can be filled: with NaN or the highest integer, or with zero. A right kernel sees
# neither. test/Integration/uninitialized.py has the check.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.tpu import TpuOptions
from gridir.errors import OptionError
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.arange(32.0).reshape(4, 8)
row = pl.BlockSpec((1, 8), lambda i: (i, 0))


def careless(x_ref, o_ref, n_ref, partial_ref, scratch_ref):
    @pl.when(pl.program_id(0) == 2)
    def _():
        scratch_ref[...] = x_ref[...]

    def scope(count_ref):
        n_ref[...] = count_ref[...]

    o_ref[...] = scratch_ref[...]
    partial_ref[0, 3] = 1.0
    pl.run_scoped(scope, pltpu.VMEM((1, 8), jnp.int32))


def careful(x_ref, o_ref, n_ref, partial_ref, scratch_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        scratch_ref[...] = jnp.zeros_like(scratch_ref)

    scratch_ref[...] += x_ref[...]
    o_ref[...] = scratch_ref[...]
    n_ref[...] = jnp.ones_like(n_ref)
    partial_ref[...] = x_ref[...]


def call(kernel):
    return pl.pallas_call(
        kernel,
        out_shape=[jax.typeof(x), jax.ShapeDtypeStruct((4, 8), jnp.int32), jax.typeof(x)],
        grid=(4,),
        in_specs=[row],
        out_specs=[row, row, row],
        scratch_shapes=[pltpu.VMEM((1, 8), jnp.float32)],
    )(x)


with gridir.installed(options=gridir.CpuOptions(fill_memory="nan")):
    values, counts, partial = call(careless)
    # Scratch is written by the third program, and carried to the fourth.
    # CHECK: rows of NaN: [True, True, False, False]
    print("rows of NaN:", np.isnan(values).all(1).tolist())
    # CHECK: counts: [2147483647]
    print("counts:", np.unique(counts).tolist())
    # CHECK: written: [3]
    print("written:", np.flatnonzero(~np.isnan(partial).any(0)).tolist())
    # CHECK: careful: None None
    values, _, partial = call(careful)
    print("careful:", difference(values, np.cumsum(x, 0)), difference(partial, x))


# Each type has a highest value; what JAX's own interpreter of TPU kernels fills memory with.
def fresh(*refs):
    half = len(refs) // 2
    for o_ref, t_ref in zip(refs[:half], refs[half:], strict=True):
        o_ref[...] = t_ref[...]


dtypes = ["bfloat16", "float16", "int8", "int16", "bool"]
with gridir.installed(replace_interpret=True):
    for memory in ("nan", "zero"):
        results = pl.pallas_call(
            fresh,
            out_shape=[jax.ShapeDtypeStruct((8, 128), dtype) for dtype in dtypes],
            scratch_shapes=[pltpu.VMEM((8, 128), dtype) for dtype in dtypes],
            interpret=pltpu.InterpretParams(uninitialized_memory=memory),
        )()
        # CHECK: nan: [nan] [nan] [127.0] [32767.0] [1.0]
        # CHECK: zero: [0.0] [0.0] [0.0] [0.0] [0.0]
        print(f"{memory}:", *(np.unique(np.asarray(y, np.float32)).tolist() for y in results))

# CHECK: expected checks among uninitialized, races, semaphores, bounds, got 'heat'
# CHECK: expected checks with the CPU's own pipeline, got 'cse'
# CHECK: expected checks with the target cpu or gpu, got options TpuOptions
# CHECK: expected fill_memory among None, nan, poison, zero, got 'one'
# CHECK: expected schedule_seed from 0 to
for arguments in (
    {"checks": ["heat"]},
    {"checks": ["uninitialized"], "options": gridir.CpuOptions(pipeline="cse")},
    {"schedule_seed": 1, "options": TpuOptions()},
    {"fill": "one"},
    {"schedule_seed": -1},
):
    try:
        options = arguments.pop("fill", None)
        gridir.install(**arguments, **({"options": gridir.CpuOptions(fill_memory=options)} if options else {}))
    except OptionError as error:
        print(error)
