# A kernel that asks for JAX's interpreter of TPU kernels and runs natively gets what its parameters ask for, field by
# field; what would change its result is refused. test/Integration/races.py and uninitialized.py have the checks.
#
# RUN: %python %s | FileCheck %s

import dataclasses
from typing import Any

import gridir
import jax.numpy as jnp
import numpy as np
from gridir.frontend import fields
from gridir.frontend.fields import Effect
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = jnp.arange(8.0)


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def run(replace_interpret: bool = True, **params: Any) -> Any:
    call = pl.pallas_call(kernel, out_shape=X, interpret=pltpu.InterpretParams(**params))
    with gridir.installed(replace_interpret=replace_interpret):
        return call(X)


def options_of(checks: tuple[str, ...] = (), **params: Any) -> gridir.CpuOptions:
    """What the kernel of a call with these parameters is compiled with."""
    call = pl.pallas_call(kernel, out_shape=X, interpret=pltpu.InterpretParams(**params))
    (lowered,) = gridir.lower(call, X, options=gridir.CpuOptions(checks=checks)).kernels
    return lowered.options


# Every value that changes nothing in a right kernel.
ACCEPTED = {
    "detect_races": True,
    "uninitialized_memory": "zero",
    "num_cores_or_threads": 2,
    "vector_clock_size": 8,
    "logging_mode": None,
    "dma_execution_mode": "eager",
    "random_seed": 7,
    "allow_hbm_allocation_in_run_scoped": True,
}
REFUSED = {
    "out_of_bounds_reads": "uninitialized",
    "skip_floating_point_ops": True,
    "grid_point_recorder": print,
    "buffer_bounds": "padded",
}
table = {field.name: field.cpu for field in fields.INTERPRET_PARAMS}
assert set(table) == {field.name for field in dataclasses.fields(pltpu.InterpretParams)}
assert set(ACCEPTED) == {name for name, effect in table.items() if effect is not Effect.ERROR}

for name, value in ACCEPTED.items():
    np.testing.assert_array_equal(run(**{name: value}), X + 1, err_msg=name)
# CHECK: out_of_bounds_reads='uninitialized' of InterpretParams is set, which the CPU target cannot honour
# CHECK: skip_floating_point_ops=True of InterpretParams
# CHECK: grid_point_recorder=<built-in function print> of InterpretParams
# CHECK: buffer_bounds='padded' of InterpretParams
for name, value in REFUSED.items():
    try:
        run(**{name: value})
    except gridir.UnsupportedError as error:
        print(error.message)
# CHECK: left to JAX: True
print("left to JAX:", bool((run(replace_interpret=False, out_of_bounds_reads="uninitialized") == X + 1).all()))

# CHECK: by default: () None nan
# CHECK: all asked: ('races',) 7 nan
# CHECK: zeros: ('uninitialized', 'races') None zero
for name, options in (
    ("by default", options_of()),
    ("all asked", options_of(detect_races=True, random_seed=7)),
    ("zeros", options_of(("races", "uninitialized"), uninitialized_memory="zero")),
):
    print(f"{name}:", options.checks, options.schedule_seed, options.fill_memory)
