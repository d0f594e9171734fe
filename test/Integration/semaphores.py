# With the check "semaphores", a call fails that leaves a semaphore at another number than zero: the next kernel on a
# TPU would find it there. The error says which one, what it holds, and in which program its core ended.
#
# RUN: %python %s | FileCheck %s

import functools
import re
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = np.arange(32 * 128, dtype=np.float32).reshape(32, 128)
DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
WHOLE = pl.BlockSpec(memory_space=pl.ANY)


def look(name: str, kernel: Any, scratch: Any = (), checks: Any = ("semaphores",), **options: Any) -> None:
    """Runs a kernel that copies its input with the check; prints its error, or "right"."""
    call = pl.pallas_call(
        kernel,
        out_shape=jax.typeof(jnp.asarray(X)),
        in_specs=[WHOLE],
        out_specs=WHOLE,
        scratch_shapes=scratch,
        **{"grid": (4,)} | options,
    )
    with gridir.installed(checks=checks):
        try:
            print(f"{name}:", difference(call(X), X) or "right")
        except jax.errors.JaxRuntimeError as error:
            text = re.search(r"kernel `\w+`: (.*)", str(error))[1]
            print(f"{name}:", re.sub(r" \(\S*semaphores\.py:\d+:\d+\)", "", text))


def rows():
    return pl.ds(pl.program_id(0) * 8, 8)


def copies(x_ref, o_ref, sem):
    pltpu.async_copy(x_ref.at[rows()], o_ref.at[rows()], sem).wait()


def forgets(x_ref, o_ref, sem):
    copy = pltpu.async_copy(x_ref.at[rows()], o_ref.at[rows()], sem)

    @pl.when(pl.program_id(0) < 3)
    def _():
        copy.wait()


def signals(x_ref, o_ref, sem, counts):
    copies(x_ref, o_ref, sem)
    pl.semaphore_signal(counts.at[1], 2)

    @pl.when(pl.program_id(0) != 1)
    def _():
        pl.semaphore_wait(counts.at[1], 2)


def scoped(x_ref, o_ref, sem):
    copies(x_ref, o_ref, sem)
    pl.run_scoped(lambda count: pl.semaphore_signal(count, 1), REGULAR)


# CHECK: copies: right
look("copies", copies, [DMA])
# CHECK: forgets: sem in program (3): it holds 4096 when the kernel ends, expected 0
look("forgets", forgets, [DMA])
# CHECK: signals: element (1) of counts in program (3): it holds 2 when the kernel ends, expected 0
look("signals", signals, [DMA, REGULAR((3,))])
# CHECK: scoped: count in program (3): it holds 4 when the kernel ends, expected 0
look("scoped", scoped, [DMA])
# Nobody asked.
# CHECK: unchecked: right
look("unchecked", forgets, [DMA], checks=())


# Each core has its own, and who signals another one may be the last to do something.
MESH = pltpu.create_tensorcore_mesh("core", num_cores=2)


def meet(awaited, x_ref, o_ref, sem):
    core = jax.lax.axis_index("core")

    @pl.when(core == 0)
    def _():
        pltpu.sync_copy(x_ref, o_ref)

    pl.semaphore_signal(sem, 1, core_index=1)

    @pl.when(core == 1)
    def _():
        pl.semaphore_wait(sem, awaited)


for awaited in (2, 1):
    # CHECK: two cores: right
    # CHECK: two cores: sem in program ({{[01]}}): it holds 1 when the kernel ends, expected 0
    try:
        with gridir.installed(checks=["semaphores"]):
            body = functools.partial(meet, awaited)
            kernel = pl.kernel(body, out_type=jax.typeof(jnp.asarray(X)), mesh=MESH, scratch_types=[REGULAR])
            print("two cores:", difference(jax.jit(kernel)(X), X) or "right")
    except jax.errors.JaxRuntimeError as error:
        text = re.search(r"kernel `\w+`: (.*)", str(error))[1]
        print("two cores:", re.sub(r" \(\S*semaphores\.py:\d+:\d+\)", "", text))
