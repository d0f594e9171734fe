# RUN: %python %s | FileCheck %s

# The work of a kernel by grid step: branches, loops and blocks depend on program ids, prefetched scalars and sizes of a
# dynamic grid.

import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.estimates.kernel_calls import find_calls
from gridir.frontend.estimates.step_form import alone
from gridir.frontend.estimates.step_work import count_work
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

f32 = jnp.float32


def work_of(function, *args):
    traced = jax.jit(function).trace(*args)
    calls = find_calls(traced.jaxpr, jax.tree.leaves(args)).kernels
    print(len(calls), "calls", [call.times for call in calls])
    return count_work(calls[0].request, calls[0].sizes, calls[0].scalars)


def call(kernel, x, **options):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    options = {"grid": (2, 3), "in_specs": [spec], "out_specs": spec, **options}
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), **options)(x)


def spread(kind, work):
    batch = alone(work)
    return batch.at_steps(batch.amount(kind)).tolist()


x = jax.ShapeDtypeStruct((16, 384), f32)


def branches(x_ref, o_ref):
    @pl.when((pl.program_id(1) == 0) & (pl.program_id(0) > 0))
    def _():
        o_ref[...] = jnp.exp(x_ref[...])

    def body(i, total):
        return total + x_ref[...] * i

    o_ref[...] = lax.fori_loop(0, pl.program_id(1), body, x_ref[...])


# CHECK: 1 calls [1]
work = work_of(lambda x: call(branches, x), x)
# CHECK-NEXT: functions [0.0, 0.0, 0.0, 1024.0, 0.0, 0.0]
print("functions", spread("functions", work))
# Of two operations in the loop.
# CHECK-NEXT: elements [0.0, 2048.0, 4096.0, 0.0, 2048.0, 4096.0]
print("elements", spread("elements", work))
# CHECK-NEXT: branch [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
# CHECK-NEXT: loop [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]
for is_loop, _, times in work.parts:
    print("loop" if is_loop else "branch", np.broadcast_to(times.array, (work.steps.count,)).tolist())
# CHECK-NEXT: True [] 2
print(all(part.lines for part in work.kernel_parts()), list(work.notes), len(work.transfers))


# A block that stays is not fetched again. Names are those of the kernel's parameters.
def rows(x_ref, o_ref):
    o_ref[...] = x_ref[...]


held = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
# CHECK-NEXT: 1 calls [1]
work = work_of(lambda x: call(rows, x, in_specs=[held]), x)
# CHECK-NEXT: x_ref [False, False, False, True, False, False]
# CHECK-NEXT: o_ref [False, True, True, True, True, True]
for transfer in alone(work).transfers:
    print(transfer.name, transfer.changes.tolist())


# Prefetched scalars choose blocks and branches where they are known.
def gathered(index_ref, x_ref, o_ref):
    @pl.when(index_ref[pl.program_id(0)] == 1)
    def _():
        o_ref[...] = jnp.exp(x_ref[...])


def gather(index, x):
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 384), lambda i, index_ref: (index_ref[i], 0))],
        out_specs=pl.BlockSpec((8, 384), lambda i, index_ref: (0, 0)),
    )
    return pl.pallas_call(gathered, grid_spec=spec, out_shape=jax.ShapeDtypeStruct((8, 384), f32))(index, x)


# CHECK-NEXT: 1 calls [1]
work = work_of(lambda index, x: gather(index - 1, x), np.array([1, 2, 2, 1], np.int32), x)
# CHECK-NEXT: [False, True, False, True] [0.0, 3072.0, 3072.0, 0.0]
print(alone(work).transfers[0].changes.tolist(), spread("functions", work))
# CHECK-NEXT: 1 calls [1]
work = work_of(gather, jax.ShapeDtypeStruct((4,), jnp.int32), x)
# CHECK-NEXT: None
# CHECK-NEXT: the blocks of x_ref depend on data and count at every step
# CHECK-NEXT: branches whose conditions depend on data count as taken
print(alone(work).transfers[0].changes, *work.notes, sep="\n")


# The sizes of a dynamic grid come from the arguments; a loop around a kernel calls it several times.
def dynamic_once(n, x):
    return call(rows, x, grid=(2, n[0] + 1))


# CHECK-NEXT: 1 calls [1]
# CHECK-NEXT: 6 6
work = work_of(dynamic_once, np.array([2], np.int32), x)
print(work.total, work.steps.count)
# CHECK-NEXT: 1 calls [1]
# CHECK-NEXT: 2 ['the size of grid dimension 1 depends on data and counts as 1']
work = work_of(dynamic_once, jax.ShapeDtypeStruct((1,), jnp.int32), x)
print(work.total, list(work.notes))
# CHECK-NEXT: 1 calls [3]
work_of(lambda x: lax.fori_loop(0, 3, lambda _, c: call(rows, c), x), x)


def product(x_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], x_ref[...].T)


square = pl.BlockSpec((128, 128), lambda i: (i, 0))
y = jax.ShapeDtypeStruct((256, 128), jnp.bfloat16)
# CHECK-NEXT: 1 calls [1]
# CHECK-NEXT: {16: [4194304.0, 4194304.0]}
work = work_of(lambda y: call(product, y, grid=(2,), in_specs=[square], out_specs=square), y)
print({bits: spread(bits, work) for bits in alone(work).products})
