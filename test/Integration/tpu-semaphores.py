# The interpreter of Mosaic modules names a semaphore that is not zero at the end of its kernel or scope as the author
# does, and the element of an array.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
from gridir.testing import mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = jnp.ones((8, 128))
DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR


def look(name, kernel, *scratch):
    call = pl.pallas_call(
        kernel, in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_shape=jax.typeof(X), scratch_shapes=scratch
    )
    with gridir.installed(), mosaic_interpreted():
        try:
            jax.block_until_ready(jax.jit(call)(X))
            print(f"{name}: no error")
        except Exception as error:
            [line] = [line for line in str(error).splitlines() if "at the end of" in line]
            print(f"{name}: {line.partition('Error: ')[2] or line}")


def balanced(x_ref, o_ref, buffer, arrived, ready):
    pltpu.async_copy(x_ref, buffer, arrived.at[1]).wait()
    pl.semaphore_signal(ready, 2)
    pl.semaphore_wait(ready, 2)
    o_ref[...] = buffer[...]


def signalled(x_ref, o_ref, buffer, arrived, ready):
    pltpu.async_copy(x_ref, buffer, arrived.at[1]).wait()
    pl.semaphore_signal(ready, 2)
    pl.semaphore_wait(ready, 1)
    o_ref[...] = buffer[...]


def not_waited_for(x_ref, o_ref, buffer, arrived, ready):
    pltpu.async_copy(x_ref, buffer, arrived.at[0]).wait()
    pltpu.async_copy(x_ref, o_ref, arrived.at[1])


def in_scope(x_ref, o_ref, buffer, arrived, ready):
    pltpu.async_copy(x_ref, o_ref, arrived.at[0]).wait()
    pl.run_scoped(lambda own: pl.semaphore_signal(own, 3), REGULAR)


SCRATCH = (pltpu.VMEM(X.shape, X.dtype), DMA((2,)), REGULAR)
# CHECK: balanced: no error
look("balanced", balanced, *SCRATCH)
# CHECK: signalled: ready holds 1 at the end of the kernel, expected 0
look("signalled", signalled, *SCRATCH)
# CHECK: not waited for: element (1) of arrived holds {{[0-9]+}} at the end of the kernel, expected 0
look("not waited for", not_waited_for, *SCRATCH)
# CHECK: in a scope: a semaphore holds 3 at the end of its scope, expected 0
look("in a scope", in_scope, *SCRATCH)
