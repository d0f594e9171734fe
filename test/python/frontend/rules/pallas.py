# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from show import array, show

x = array()


# CHECK-LABEL: // ids
# CHECK: grid.program_id 1
# CHECK: arith.constant 3 : i32
def ids(x_ref, o_ref):
    o_ref[...] = x_ref[...] + (pl.program_id(1) + pl.num_programs(1)).astype(jnp.float32)


show(ids, x, grid=(2, 3))


# `jax.vmap` adds a dimension before the grid that the author does not count.
# CHECK-LABEL: // mapped
# CHECK: grid.program_id 1
def mapped(x_ref, o_ref):
    o_ref[...] = x_ref[...] * pl.program_id(0).astype(jnp.float32)


show(mapped, array(jnp.float32, 4, 8, 128), grid=(3,), out_shape=x, transform=jax.vmap)


# CHECK-LABEL: // aligned
# CHECK: %[[I:.*]] = arith.muli
# CHECK: %[[J:.*]] = grid.assume_multiple %[[I]], 8 : i32
# CHECK: grid.slice_ref {{.*}}[%[[J]], 0]
def aligned(x_ref, o_ref):
    start = pl.multiple_of(pl.program_id(0) * 8, 8)
    o_ref[...] = x_ref[pl.ds(start, 8), :]


show(aligned, array(jnp.float32, 64, 128), grid=(8,), out_shape=x)


# The placeholders of the format become `{}`, in the order in which they name the values.
# CHECK-LABEL: // prints
# CHECK: grid.print "y = {}, x = {}" %[[Y:.*]], %[[X:.*]] : tensor<8x128xf32>, i32
# CHECK: grid.print "total {}" {{.*}} : f32
# Where JAX sees no placeholder, braces are text; it looks at the beginning of a format only.
# CHECK: grid.print "{{[{][{]+}}}}}} of {{[{][{]}}}} {} {{[{][{]}}k}}" {{.*}} : i32
def prints(x_ref, o_ref):
    jax.debug.print("y = {y}, x = {x}", x=pl.program_id(0), y=x_ref[...])
    pl.debug_print("total", jnp.sum(x_ref[...]))
    pl.debug_print("{{}} of {}", pl.program_id(0), "{k}")
    o_ref[...] = x_ref[...]


show(prints, x, grid=(2,))


# A Python function is called by a print that names it.
# CHECK-LABEL: // calls_back
# CHECK: grid.callback "{{[0-9a-f]+}}" %{{.*}}, %{{.*}} : i32, tensor<8x128xf32>
def calls_back(x_ref, o_ref):
    jax.debug.callback(lambda i, x: None, pl.program_id(0), x_ref[...])
    o_ref[...] = x_ref[...]


show(calls_back, x, grid=(2,))


# The branch for the platform that is compiled for.
# CHECK-LABEL: // platform
# CHECK: math.sin
# CHECK-NOT: math.cos
def platform(x_ref, o_ref):
    o_ref[...] = lax.platform_dependent(x_ref[...], cpu=jnp.sin, default=jnp.cos)


show(platform, x)


# All programs share what the body asks for itself.
# CHECK-LABEL: // shares
# CHECK: scratch(%[[TURN:.*]]: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "global[0]")
# CHECK: grid.semaphore_signal %[[TURN]]
def shares(x_ref, o_ref):
    pl.semaphore_signal(pl.get_global(pltpu.SemaphoreType.REGULAR), 1)
    o_ref[...] = x_ref[...]


show(shares, x, grid=(2,))


# Dimensions count from the end, too.
# CHECK-LABEL: // last
# CHECK: grid.program_id 1
def last(x_ref, o_ref):
    o_ref[...] = x_ref[...] + pl.program_id(-1).astype(jnp.float32)


show(last, x, grid=(2, 3))


# A dimension with a name answers to that.
# CHECK-LABEL: // named
# CHECK: grid.program_id "rows"
def named(x_ref, o_ref):
    o_ref[...] = x_ref[...] * lax.axis_index("rows").astype(jnp.float32)


show(named, x, grid=(("rows", 2),))


# A wait that looks leaves the semaphore as it is.
# CHECK-LABEL: // waits
# CHECK: grid.semaphore_wait %[[TURN:.*]], %{{[a-z0-9_]+}} keep :
# CHECK: grid.semaphore_wait %[[TURN]], %{{[a-z0-9_]+}} :
def waits(x_ref, o_ref, turn):
    pl.semaphore_wait(turn, 1, decrement=False)
    pl.semaphore_wait(turn, 1)
    o_ref[...] = x_ref[...]


show(waits, x, scratch_shapes=[pltpu.SemaphoreType.REGULAR])


# A check of the author's is one where such checks are on.
# CHECK-LABEL: // checked
# CHECK: arith.cmpf ogt
# CHECK: grid.assert %{{.*}}, "expected a positive number"
def checked(x_ref, o_ref):
    pl.debug_check(x_ref[0, 0] > 0, "expected a positive number")
    o_ref[...] = x_ref[...]


with pl.enable_debug_checks():
    show(checked, x)
