# Cores of a mesh that wait for one another run as tasks: what they compute, and the errors of those that cannot go on.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

gridir.install()

ROWS, COLUMNS = 16, 128
X = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)


def on_cores(body: Callable[..., None], num_cores: int, *scratch: Any) -> np.ndarray:
    """Runs `body(x_ref, o_ref, *scratch)` on the cores of one chip."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=num_cores)
    kernel = pl.kernel(body, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype), mesh=mesh, scratch_types=scratch)
    return np.asarray(jax.jit(kernel)(X))


def report(name: str, equal: Any) -> None:
    print(f"{name}: {'equal' if equal else 'DIFFERENT'}")


# All cores are there before any goes on.
def barrier(x_ref, o_ref, x_vmem, copied, arrived):
    num_cores = lax.axis_size("core")
    for core in range(num_cores):
        pl.semaphore_signal(arrived, 1, core_index=core)
    pl.semaphore_wait(arrived, num_cores)
    rows = pl.ds(lax.axis_index("core") * (ROWS // num_cores), ROWS // num_cores)
    pltpu.async_copy(x_ref.at[rows], x_vmem, copied).wait()
    x_vmem[...] += lax.axis_index("core")
    pltpu.async_copy(x_vmem, o_ref.at[rows], copied).wait()


for num_cores in (1, 2, 4):
    part = pltpu.VMEM((ROWS // num_cores, COLUMNS), X.dtype)
    y = on_cores(barrier, num_cores, part, pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR)
    core_of_row = np.repeat(np.arange(num_cores), ROWS // num_cores)
    report(f"barrier of {num_cores}", np.array_equal(y, X + core_of_row[:, None]))
# CHECK: barrier of 1: equal
# CHECK: barrier of 2: equal
# CHECK: barrier of 4: equal


# A value goes round all cores, and each adds to it: core 0 starts, and ends, every round.
def ring(x_ref, o_ref, value, sent, arrived):
    core, num_cores = lax.axis_index("core"), lax.axis_size("core")
    following = lax.rem(core + 1, num_cores)

    def copy_on():
        copy = pltpu.make_async_remote_copy(
            value.at[0], value.at[1], sent, arrived, device_id={"core": following}, device_id_type=pl.DeviceIdType.MESH
        )
        copy.start()
        copy.wait_send()

    def take():
        pltpu.make_async_copy(value.at[0], value.at[1], arrived).wait()
        value[0] = value[1] + 1

    @pl.when(core == 0)
    def _():
        pltpu.sync_copy(x_ref, value.at[0])

    @pl.loop(0, 3)
    def _(_):
        @pl.when(core == 0)
        def _():
            copy_on()
            take()

        @pl.when(core != 0)
        def _():
            take()
            copy_on()

    @pl.when(core == 0)
    def _():
        pltpu.sync_copy(value.at[0], o_ref)


DMA = pltpu.SemaphoreType.DMA
report("ring", np.array_equal(on_cores(ring, 4, pltpu.VMEM((2, *X.shape), X.dtype), DMA, DMA), X + 12))
# CHECK: ring: equal


# One buffer of the chip's memory for both cores, who take turns.
def turns(x_ref, o_ref, turn):
    core = lax.axis_index("core")

    def body(shared):
        @pl.when(core == 1)
        def _():
            pl.semaphore_wait(turn, 1)
            pltpu.sync_copy(shared, o_ref)

        @pl.when(core == 0)
        def _():
            pltpu.sync_copy(x_ref, shared)
            pl.semaphore_signal(turn, 1, core_index=1)

    pl.run_scoped(body, pltpu.HBM(X.shape, X.dtype))


report("shared memory", np.array_equal(on_cores(turns, 2, pltpu.SemaphoreType.REGULAR), X))
# CHECK: shared memory: equal


# Looking at a semaphore lets the other core run.
def polling(x_ref, o_ref, flag):
    @pl.when(lax.axis_index("core") == 0)
    def _():
        looks = lax.while_loop(lambda n: pl.semaphore_read(flag) < 2, lambda n: n + 1, 0)
        pl.semaphore_wait(flag, 2)

        @pl.when(looks >= 0)
        def _():
            pltpu.sync_copy(x_ref, o_ref)

    @pl.when(lax.axis_index("core") == 1)
    def _():
        pl.semaphore_signal(flag, 1, core_index=0)
        pl.delay(10)
        pl.semaphore_signal(flag, 1, device_id={"core": 0})


report("polling", np.array_equal(on_cores(polling, 2, pltpu.SemaphoreType.REGULAR), X))
# CHECK: polling: equal


# A signal before the next step of a loop counts there.
def ahead(x_ref, o_ref, counts):
    core = lax.axis_index("core")

    @pl.loop(0, 5)
    def _(_):
        def body(sem):
            @pl.when(core == 0)
            def _():
                pl.semaphore_signal(sem, 2, core_index=1)

            @pl.when(core == 1)
            def _():
                pl.semaphore_wait(sem, 2)
                counts[0] += 1

        pl.run_scoped(body, pltpu.SemaphoreType.REGULAR)

    @pl.when(core == 1)
    def _():
        @pl.when(counts[0] == 5)
        def _():
            pltpu.sync_copy(x_ref, o_ref)


def count_steps(x_ref, o_ref, counts):
    counts[0] = 0
    ahead(x_ref, o_ref, counts)


report("ahead", np.array_equal(on_cores(count_steps, 2, pltpu.SMEM((1,), jnp.int32)), X))
# CHECK: ahead: equal


def error_of(body: Callable[..., None], *scratch: Any) -> str:
    try:
        on_cores(body, 2, *scratch)
    except jax.errors.JaxRuntimeError as error:
        return str(error).splitlines()[0]
    return "no error"


# Each waits for the other, who signals afterwards.
def crossed(x_ref, o_ref, sem):
    pl.semaphore_wait(sem, 1)
    pl.semaphore_signal(sem, 1, core_index=1 - lax.axis_index("core"))


print(error_of(crossed, pltpu.SemaphoreType.REGULAR))
# CHECK: kernel `crossed`: the kernel waits for 1 on a semaphore that holds 0, and nothing can signal it
# CHECK-SAME: tasks.py
# CHECK-SAME: 2 of 2 programs wait


def never(x_ref, o_ref, dma):
    pltpu.make_async_copy(x_ref, o_ref, dma).wait()


print(error_of(never, pltpu.SemaphoreType.DMA))
# CHECK: kernel `never`: a copy to {{.*}} waits for 8192 on a semaphore that holds 0


def forever(x_ref, o_ref, sem):
    looks = lax.while_loop(lambda n: pl.semaphore_read(sem) < 1, lambda n: n + 1, 0)
    pl.semaphore_signal(sem, looks, core_index=1 - lax.axis_index("core"))


print(error_of(forever, pltpu.SemaphoreType.REGULAR))
# CHECK: kernel `forever` looks at a semaphore that nothing can signal; 2 of 2 programs wait


# A failed check is told rather than that others wait for who failed it.
def failing(x_ref, o_ref, buffer, sem):
    @pl.when(lax.axis_index("core") == 1)
    def _():
        buffer[0, 0] = buffer[x_ref.shape[0] + lax.axis_index("core"), 0]
        pl.semaphore_signal(sem, buffer[0, 0] * 0, core_index=0)

    @pl.when(lax.axis_index("core") == 0)
    def _():
        pl.semaphore_wait(sem, 1)


print(error_of(failing, pltpu.VMEM((8, 128), jnp.int32), pltpu.SemaphoreType.REGULAR))
# CHECK: kernel `failing`: index 17 is out of bounds [0, 8) in dimension 0 of buffer


def outside(x_ref, o_ref, sem):
    pl.semaphore_signal(sem, 1, core_index=lax.axis_index("core") + 1)


print(error_of(outside, pltpu.SemaphoreType.REGULAR))
# CHECK: kernel `outside`: core 2 is out of bounds [0, 2)
