# RUN: %python %s | FileCheck %s

# An index of a byte without a sign is a number of up to 255: in loads and stores, masked or not, of one row, of a slice
# and of several rows, in copies, and of semaphores.

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton

gridir.install(replace_interpret=True)
x = jnp.arange(256 * 128, dtype=jnp.float32).reshape(256, 128)
rows = jnp.array([200], jnp.uint8)


def of_row(x_ref, n_ref, o_ref):
    o_ref[...] = x_ref[n_ref[0]]


def of_slice(x_ref, n_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(n_ref[0], 1), :].reshape(128)


def of_several(x_ref, n_ref, o_ref):
    o_ref[...] = x_ref[n_ref[...], :].reshape(128)


def masked(x_ref, n_ref, o_ref):
    o_ref[...] = pltriton.load(x_ref.at[n_ref[0]], mask=jnp.arange(128) < 128, other=0.0)


def stored(x_ref, n_ref, o_ref):
    def body(all_ref):
        pltriton.store(all_ref.at[n_ref[0]], x_ref[200], mask=jnp.arange(128) < 128)
        o_ref[...] = all_ref[200]

    pl.run_scoped(body, pltpu.VMEM((256, 128), jnp.float32))


def copied(x_ref, n_ref, o_ref):
    def body(semaphores):
        copy = pltpu.make_async_copy(x_ref.at[n_ref[0]], o_ref, semaphores.at[n_ref[0]])
        copy.start()
        copy.wait()

    pl.run_scoped(body, pltpu.SemaphoreType.DMA((256,)))


for kernel in (of_row, of_slice, of_several, masked, stored, copied):
    out = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x, rows)
    np.testing.assert_array_equal(out, x[200])
    print(kernel.__name__)
# CHECK: of_row
# CHECK-NEXT: of_slice
# CHECK-NEXT: of_several
# CHECK-NEXT: masked
# CHECK-NEXT: stored
# CHECK-NEXT: copied
