# A kernel that asks for JAX's interpreter of TPU or GPU kernels and runs natively gets what its parameters ask for,
# field by field; what would change its result is refused. test/Integration/races.py and uninitialized.py have the
# checks.
#
# RUN: %python %s | FileCheck %s

import dataclasses
import os
import tempfile
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend import fields
from gridir.frontend.fields import Effect
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as gpu_interpreter
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
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


# Every value that changes nothing in a right kernel. JAX asks what a race is since 0.12.
ON_RACE = {"on_race"} & {field.name for field in dataclasses.fields(pltpu.InterpretParams)}
ACCEPTED = {
    **dict.fromkeys(ON_RACE, "warn"),
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
    "grid_point_recorder": print,
    "buffer_bounds": "padded",
}
table = {field.name: field.cpu for field in fields.INTERPRET_PARAMS if jax.__version_info__ in field.releases}
assert set(table) == {field.name for field in dataclasses.fields(pltpu.InterpretParams)}
assert {*ACCEPTED, "skip_floating_point_ops"} == {name for name, effect in table.items() if effect is not Effect.ERROR}

np.testing.assert_array_equal(run(skip_floating_point_ops=True), np.full_like(X, np.inf))
for name, value in ACCEPTED.items():
    np.testing.assert_array_equal(run(**{name: value}), X + 1, err_msg=name)
# CHECK: out_of_bounds_reads='uninitialized' of InterpretParams is set, which the CPU target cannot honour
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


# Unwritten memory has, for each type, the value of JAX's interpreter; and the value of a TPU if JAX's setting requests
# poison.
TYPES = (jnp.float32, jnp.bfloat16, jnp.int8, jnp.uint8, jnp.int32, jnp.uint32, jnp.bool_)


def unwritten(*refs: Any) -> None:
    outputs, scratch = refs[: len(TYPES)], refs[len(TYPES) :]
    for o_ref, s_ref in zip(outputs, scratch, strict=True):
        o_ref[:8] = s_ref[...]

        def scope(t_ref: Any, o_ref: Any = o_ref) -> None:
            o_ref[8:] = t_ref[...]

        pl.run_scoped(scope, pltpu.VMEM((8, 128), o_ref.dtype))


def held(**params: Any) -> list[Any]:
    call = pl.pallas_call(
        unwritten,
        out_shape=[jax.ShapeDtypeStruct((16, 128), dtype) for dtype in TYPES],
        scratch_shapes=[pltpu.VMEM((8, 128), dtype) for dtype in TYPES],
        **params,
    )
    return [np.asarray(result) for result in jax.jit(call)()]


in_jax = held(interpret=pltpu.InterpretParams())
with gridir.installed(replace_interpret=True):
    for dtype, got, want in zip(TYPES, held(interpret=pltpu.InterpretParams()), in_jax, strict=True):
        np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64), err_msg=dtype.__name__)
# CHECK: poison: [nan, nan, -128, 128, -2147483648, 2147483648, True]
with gridir.installed(), pl.enable_poison_buffers(True):
    results = held()
    assert all(len(np.unique(result.astype(np.float64))) == 1 for result in results)
    print("poison:", [result.flat[0].item() for result in results])


# Asked to warn, which was all that it did until JAX 0.12, JAX's interpreter of GPU kernels finds races without failing,
# and says so when it is asked.
WARN: dict[str, Any] = dict.fromkeys(ON_RACE, "warn")


def shared_tile(waits: bool, **params: Any) -> Any:
    def kernel(o, tile, barrier):
        thread = jax.lax.axis_index("t")

        @pl.when(thread == 0)
        def _():
            tile[...] = jnp.full((8,), 1.0)
            plgpu.barrier_arrive(barrier)

        @pl.when(thread == 1)
        def _():
            if waits:
                plgpu.barrier_wait(barrier)
            o[...] = tile[...]
            if not waits:
                plgpu.barrier_wait(barrier)

    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((8,), jnp.float32),
        scratch_types=[plgpu.SMEM((8,), jnp.float32), plgpu.Barrier()],
        num_threads=2,
        thread_name="t",
        interpret=gpu_interpreter.InterpretGPUParams(detect_races=True, **params),
    )


# CHECK: waits True: False None
# CHECK: waits False: True kernel `kernel`: race between write of tile ({{.*}}) in program (0) and read of tile
# CHECK: waits True: False None
with gridir.installed(replace_interpret=True):
    for waits in (True, False, True):
        result = jax.jit(shared_tile(waits, **WARN))()
        races = gpu_interpreter.get_races()
        print(f"waits {waits}:", races.races_found, races.message)

# A race is an error where the author says so, on the CPU and as PTX, and by default since JAX 0.12.
errors = []
for emulate in (None, "gpu:sm_90a") if ON_RACE else ():
    for params in ({"on_race": "raise"}, {}):
        with gridir.installed(replace_interpret=True, emulate=emulate):
            try:
                jax.block_until_ready(jax.jit(shared_tile(waits=False, **params))())
            except jax.errors.JaxRuntimeError as error:
                errors.append("race between" in str(error))
assert errors == [True] * 4 * len(ON_RACE), errors


def hasty(x_ref: Any, o_ref: Any, t_ref: Any, sem: Any) -> None:
    copy = pltpu.make_async_copy(x_ref, t_ref, sem)
    copy.start()
    o_ref[...] = t_ref[...]
    copy.wait()


def races_on_tpu(**params: Any) -> tuple[str, str]:
    """What a kernel for a TPU with a race raises, and what it writes to the standard error stream."""
    call = pl.pallas_call(
        hasty,
        out_shape=X,
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM(X.shape, X.dtype), pltpu.SemaphoreType.DMA],
        interpret=pltpu.InterpretParams(detect_races=True, **params),
    )
    raised = ""
    with tempfile.TemporaryFile("w+") as file, gridir.installed(replace_interpret=True):
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            jax.block_until_ready(jax.jit(call)(X))
        except jax.errors.JaxRuntimeError as error:
            raised = str(error)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return raised, file.read()


# A kernel for a TPU warns of a race, too, and goes on; else a race is an error with every release.
raised, written = races_on_tpu()
assert "race between" in raised, raised
assert "race between" not in written, written
if ON_RACE:
    raised, written = races_on_tpu(on_race="warn")
    assert raised == "", raised
    assert "gridir: warning: kernel `hasty`: race between" in written, written


# As PTX it finds them, too, and the kernel has its result.
# CHECK: as PTX, waits True: False None
# CHECK: as PTX, waits False: True race between the {{read|write}} at line {{.*}} of shared memory
# CHECK: as PTX, waits True: False None
with gridir.installed(replace_interpret=True, emulate="gpu:sm_90a"):
    for waits in (True, False, True):
        result = jax.jit(shared_tile(waits, **WARN))()
        np.testing.assert_array_equal(result, np.ones(8))
        races = gpu_interpreter.get_races()
        print(f"as PTX, waits {waits}:", races.races_found, races.message)

# CHECK: no floats: [inf, inf] [1, 2]


def both(x_ref, n_ref, o_ref, m_ref):
    o_ref[...] = x_ref[...] * 2
    m_ref[...] = n_ref[...] + 1


no_floats = pl.pallas_call(
    both,
    out_shape=(jax.ShapeDtypeStruct((2,), jnp.float32), jax.ShapeDtypeStruct((2,), jnp.int32)),
    interpret=gpu_interpreter.InterpretGPUParams(skip_floating_point_ops=True),
)
with gridir.installed(replace_interpret=True):
    floats, integers = no_floats(jnp.ones(2), jnp.arange(2))
print("no floats:", floats.tolist(), integers.tolist())
