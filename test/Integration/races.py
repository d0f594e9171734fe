# With the check "races", two unordered accesses are an error that names both;
# a kernel that orders them has none, whatever the schedule.
#
# RUN: %python %s | FileCheck %s

import functools
import linecache
import re
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton

X = np.arange(16 * 128, dtype=np.float32).reshape(16, 128)
DMA = pltpu.SemaphoreType.DMA
WHOLE = pl.BlockSpec(memory_space=pl.ANY)


def describe(error: Exception) -> tuple[str, ...]:
    """The two accesses that the error of a race names, each with the text of its line; another error as it is."""
    found = re.search(r"race between (.*) and (.*): the accesses are unordered", str(error))
    if found is None:
        return (str(error),)
    show = functools.partial(re.sub, r"\(\S*races\.py:(\d+):\d+\)", lambda location: f"`{line(int(location[1]))}`")
    # Which of the two comes first is a matter of the schedule.
    return tuple(sorted(show(access) for access in found.groups()))


def line(number: int) -> str:
    return linecache.getline(__file__, number).strip()


def look(name: str, function: Callable[..., Any], *args: Any, expected: Any = None) -> None:
    """Runs a function with schedules of several seeds; prints what each race is between, and "no race" for a result."""
    outcomes = []
    for seed in (None, 0, 1, 2, 3):
        with gridir.installed(checks=["races"], schedule_seed=seed, replace_interpret=True):
            try:
                result = np.asarray(jax.jit(function)(*args))
                outcomes.append(
                    ("no race" if expected is None or np.array_equal(result, expected) else "WRONG RESULT",)
                )
            except jax.errors.JaxRuntimeError as error:
                outcomes.append(describe(error))
    for outcome in dict.fromkeys(outcomes):
        print(f"{name}:", "\n    ".join(outcome))


# Copies ----------------------------------------------------------------------------------------------------------


def copies(kernel, grid=(1,), **options):
    """A call that copies from a whole array to scratch and on to its result."""
    return pl.pallas_call(
        kernel,
        out_shape=jax.typeof(jnp.asarray(X)),
        grid=grid,
        in_specs=[WHOLE],
        scratch_shapes=[pltpu.VMEM(X.shape, X.dtype), DMA],
        **options,
    )


def patient(x_ref, o_ref, t_ref, sem):
    copy = pltpu.make_async_copy(x_ref, t_ref, sem)
    copy.start()
    copy.wait()
    o_ref[...] = t_ref[...] + 1


def hasty(x_ref, o_ref, t_ref, sem):
    copy = pltpu.make_async_copy(x_ref, t_ref, sem)
    copy.start()
    o_ref[...] = t_ref[...] + 1
    copy.wait()


def overwriting(x_ref, o_ref, t_ref, sem):
    t_ref[...] = jnp.ones_like(t_ref)
    copy = pltpu.make_async_copy(t_ref, o_ref, sem)
    copy.start()
    t_ref[...] = jnp.zeros_like(t_ref)
    copy.wait()


def halves(x_ref, o_ref, t_ref, sem):
    first = pltpu.make_async_copy(x_ref.at[:8], t_ref.at[:8], sem)
    first.start()
    t_ref[8:] = jnp.ones((8, 128), jnp.float32)
    first.wait()
    o_ref[...] = t_ref[...]


# CHECK: patient: no race
# CHECK-NOT: patient
look("patient", copies(patient), X, expected=X + 1)
# CHECK: hasty: copy to t_ref `copy.start()` in program (0)
# CHECK-NEXT: read of t_ref `o_ref[...] = t_ref[...] + 1` in program (0)
# CHECK-NOT: hasty
look("hasty", copies(hasty), X)
# CHECK: overwriting: copy from t_ref `copy.start()` in program (0)
# CHECK-NEXT: write of t_ref `t_ref[...] = jnp.zeros_like(t_ref)` in program (0)
# CHECK-NOT: overwriting
look("overwriting", copies(overwriting, out_specs=WHOLE), X)
# Other rows of the same buffer may be written meanwhile.
# CHECK: halves: no race
look("halves", copies(halves), X, expected=np.where(np.arange(16)[:, None] < 8, X, 1))
# Options for the interpreter also apply to native code.
with gridir.installed(replace_interpret=True):
    for kernel in (patient, hasty):
        asks = copies(kernel, interpret=pltpu.InterpretParams(detect_races=True, random_seed=5))
        # CHECK: patient asks: no race
        # CHECK: hasty asks: race
        try:
            jax.block_until_ready(asks(X))
            print(kernel.__name__, "asks: no race")
        except jax.errors.JaxRuntimeError as error:
            print(kernel.__name__, "asks: race" if "race between copy to t_ref" in str(error) else error)


# Parallel dimensions ---------------------------------------------------------------------------------------------


def double(x_ref, o_ref, t_ref):
    t_ref[...] = x_ref[...]
    o_ref[...] = x_ref[...] + t_ref[...]


def over_rows(kernel, in_map, out_map, semantics):
    """A call over two blocks of rows of X with scratch of one block."""
    return pl.pallas_call(
        kernel,
        out_shape=jax.typeof(jnp.asarray(X)),
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), in_map)],
        out_specs=pl.BlockSpec((8, 128), out_map),
        scratch_shapes=[pltpu.VMEM((8, 128), X.dtype)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=(semantics,)),
    )


# Each program has scratch of its own, and a block of its own.
# CHECK: blocks of their own: no race
look("blocks of their own", over_rows(double, lambda i: (i, 0), lambda i: (i, 0), "parallel"), X, expected=2 * X)
# CHECK: one block: write of o_ref `o_ref[...] = x_ref[...] + t_ref[...]` in program (0)
# CHECK-NEXT: write of o_ref `o_ref[...] = x_ref[...] + t_ref[...]` in program (1)
# CHECK-NOT: one block:
look("one block", over_rows(double, lambda i: (i, 0), lambda i: (0, 0), "parallel"), X)
# In the order of the grid there is nothing to race.
# CHECK: one block in order: no race
look("one block in order", over_rows(double, lambda i: (i, 0), lambda i: (0, 0), "arbitrary"), X)


# Scratch that programs hand on is right in the order of the grid only: each share of a parallel dimension has its own.
def running_sum(x_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    o_ref[...] = sum_ref[...] + x_ref[...]
    sum_ref[...] = o_ref[...]


def running_select(x_ref, o_ref, sum_ref):
    total = jnp.where(pl.program_id(0) == 0, 0.0, sum_ref[...]) + x_ref[...]
    sum_ref[...] = total
    o_ref[...] = total


def sums(kernel, semantics):
    return over_rows(kernel, lambda i: (i, 0), lambda i: (i, 0), semantics)


SUMS = np.concatenate([X[:8], X[:8] + X[8:]])
# CHECK: a running sum: read of element (0, 0) of sum_ref `o_ref[...] = sum_ref[...] + x_ref[...]` in program (1)
# CHECK-NEXT: write of sum_ref `sum_ref[...] = {{.*}}` in program (0)
look("a running sum", sums(running_sum, "parallel"), X)
# CHECK: a sum by select: read of element (0, 0) of sum_ref `total = jnp.where({{.*}}` in program (1)
# CHECK-NEXT: write of sum_ref `sum_ref[...] = total` in program (0)
# CHECK-NOT: a sum by select
look("a sum by select", sums(running_select, "parallel"), X)
# CHECK: sums in order: no race
# CHECK: sums in order: no race
look("sums in order", sums(running_sum, "arbitrary"), X, expected=SUMS)
look("sums in order", sums(running_select, "arbitrary"), X, expected=SUMS)


# Values that a select does not choose are not carried: the sums of columns start again in each row of programs.
def sum_of_columns(x_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(1) == 1)
    def _():
        o_ref[...] = sum_ref[...] + x_ref[...]

    sum_ref[...] = jnp.where(pl.program_id(1) == 0, 0.0, sum_ref[...]) + x_ref[...]


# CHECK: sums of columns: no race
look(
    "sums of columns",
    pl.pallas_call(
        sum_of_columns,
        out_shape=jax.ShapeDtypeStruct((16, 64), X.dtype),
        grid=(2, 2),
        in_specs=[pl.BlockSpec((8, 64), lambda i, k: (i, k))],
        out_specs=pl.BlockSpec((8, 64), lambda i, k: (i, 0)),
        scratch_shapes=[pltpu.VMEM((8, 64), X.dtype)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
    ),
    X,
    expected=X[:, :64] + X[:, 64:],
)


# Blocks that overhang their arrays are copies; what is copied is what is accessed.
def overhanging(x_ref, o_ref):
    o_ref[...] = jnp.flip(x_ref[...], axis=0)


def over(shape, step):
    return pl.pallas_call(
        overhanging,
        out_shape=jax.ShapeDtypeStruct(shape, X.dtype),
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((pl.Element(8, (0, 8)), pl.Element(128)), lambda i: (i * step, 0)),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    )


# CHECK: overhanging: no race
look("overhanging", over((13, 128), 8), X)
# CHECK: overlapping: write of o_ref `o_ref[...] = jnp.flip(x_ref[...], axis=0)` in program (0)
# CHECK-NEXT: write of o_ref `o_ref[...] = jnp.flip(x_ref[...], axis=0)` in program (1)
look("overlapping", over((13, 128), 7), X)


# Single elements -------------------------------------------------------------------------------------------------


def elementwise(kernel, inputs, out):
    """A call of four programs, in no order, on whole arrays."""
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(*out),
        grid=(4,),
        in_specs=[pl.no_block_spec] * inputs,
        out_specs=pl.no_block_spec,
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    )


def at_indices(i_ref, o_ref):
    mine = i_ref[pl.ds(pl.program_id(0) * 4, 4)]
    o_ref[mine] = jnp.full((4,), pl.program_id(0))


permuted = np.random.RandomState(0).permutation(16).astype(np.int32)
inverse = np.empty(16, np.int32)
inverse[permuted] = np.arange(16) // 4
# CHECK: a permutation: no race
look("a permutation", elementwise(at_indices, 1, ((16,), jnp.int32)), permuted, expected=inverse)
# CHECK: the same index: write of o_ref `o_ref[mine] = jnp.full((4,), pl.program_id(0))` in program ({{[0-3]}})
# CHECK-NEXT: write of o_ref `o_ref[mine] = jnp.full((4,), pl.program_id(0))` in program
look("the same index", elementwise(at_indices, 1, ((16,), jnp.int32)), np.concatenate([permuted[15:], permuted[1:]]))


def masked(x_ref, o_ref):
    start = pl.program_id(0) * 4
    mask = start + jnp.arange(4) < 14
    value = pltriton.load(x_ref.at[pl.ds(start, 4)], mask=mask, other=0.0)
    pltriton.store(o_ref.at[pl.ds(start, 4)], value + 1, mask=mask)


# CHECK: masked: no race
look("masked", elementwise(masked, 1, ((14,), X.dtype)), X[0, :14], expected=X[0, :14] + 1)


def counting(x_ref, o_ref):
    pltriton.atomic_add(o_ref, (0,), 1)


def counting_and_reading(x_ref, o_ref):
    pltriton.atomic_add(o_ref, (0,), 1)

    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[1] = o_ref[0]


# CHECK: counting: no race
look("counting", elementwise(counting, 1, ((2,), jnp.int32)), X)
# CHECK: counting and reading: atomic update of o_ref `pltriton.atomic_add(o_ref, (0,), 1)` in program ({{[1-3]}})
# CHECK-NEXT: read of o_ref `o_ref[1] = o_ref[0]` in program (0)
look("counting and reading", elementwise(counting_and_reading, 1, ((2,), jnp.int32)), X)


# Cores of a mesh -------------------------------------------------------------------------------------------------


def on_two_cores(body, *scratch):
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)
    return pl.kernel(body, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype), mesh=mesh, scratch_types=scratch)


def through_one_buffer(x_ref, o_ref):
    def copy(shared_ref):
        pltpu.sync_copy(x_ref, shared_ref)
        pltpu.sync_copy(shared_ref, o_ref)

    pl.run_scoped(copy, pltpu.HBM(X.shape, X.dtype))


def in_turns(x_ref, o_ref, turn):
    core = lax.axis_index("core")

    def copy(shared_ref):
        pltpu.sync_copy(x_ref, shared_ref)
        pltpu.sync_copy(shared_ref, o_ref)

    def body(shared_ref):
        @pl.when(core == 0)
        def _():
            pl.semaphore_wait(turn, 1)

        copy(shared_ref)

        @pl.when(core == 1)
        def _():
            pl.semaphore_signal(turn, 1, core_index=0)

    pl.run_scoped(body, pltpu.HBM(X.shape, X.dtype))


def on_own_rows(x_ref, o_ref, rows_ref, sem):
    rows = pl.ds(lax.axis_index("core") * 8, 8)
    pltpu.async_copy(x_ref.at[rows], rows_ref, sem).wait()
    rows_ref[...] = rows_ref[...] + 1
    pltpu.async_copy(rows_ref, o_ref.at[rows], sem).wait()


# CHECK: through one buffer: copy {{from|to}} shared_ref `pltpu.sync_copy({{.*}}` in program ({{[01]}})
# CHECK-NEXT: copy to shared_ref `pltpu.sync_copy(x_ref, shared_ref)` in program ({{[01]}})
look("through one buffer", on_two_cores(through_one_buffer), X)
# CHECK: in turns: no race
look("in turns", on_two_cores(in_turns, pltpu.SemaphoreType.REGULAR), X, expected=X)
# CHECK: on their own rows: no race
look("on their own rows", on_two_cores(on_own_rows, pltpu.VMEM((8, 128), X.dtype), DMA), X, expected=X + 1)
