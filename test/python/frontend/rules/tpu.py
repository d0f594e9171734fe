# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from show import array, show, show_value

x = array()
anywhere = pl.BlockSpec(memory_space=pl.ANY)


# CHECK-LABEL: // copies
# CHECK: scratch(%[[BUFFER:[a-z0-9]+]]: memref<8x128xf32, {{.*}}> origin "buffer",
# CHECK-SAME: %[[SEM:[a-z0-9]+]]: memref<!grid.semaphore<dma>
# CHECK: grid.copy_start %{{.*}}, %[[BUFFER]] sem %[[SEM]]
# CHECK: grid.copy_wait %{{.*}}, %[[BUFFER]] sem %[[SEM]]
def copies(x_ref, o_ref, buffer, sem):
    copy = pltpu.make_async_copy(x_ref, buffer, sem)
    copy.start()
    copy.wait()
    o_ref[...] = buffer[...]


show(
    copies,
    x,
    in_specs=[anywhere],
    scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
)


# CHECK-LABEL: // signals
# CHECK: %[[S:.*]] = grid.slice_ref {{.*}}[1] [1] [1] drop [0]
# CHECK: grid.semaphore_signal %[[S]], %{{.*}} : memref<!grid.semaphore<regular>
# CHECK: grid.semaphore_read
# CHECK: grid.semaphore_wait %{{.*}}, %{{.*}} : memref<!grid.semaphore<regular>
def signals(x_ref, o_ref, sems):
    pl.semaphore_signal(sems.at[1], 2)
    o_ref[...] = x_ref[...] * pl.semaphore_read(sems.at[1]).astype(jnp.float32)
    pl.semaphore_wait(sems.at[1], 2)


show(signals, x, scratch_shapes=[pltpu.SemaphoreType.REGULAR((2,))])


# CHECK-LABEL: // random
# CHECK: grid.prng_seed %{{.*}} : i32
# CHECK: grid.prng_bits : tensor<8x128xi32>
def random(x_ref, o_ref):
    pltpu.prng_seed(7)
    bits = lax.bitcast_convert_type(pltpu.prng_random_bits((8, 128)), jnp.float32)
    o_ref[...] = x_ref[...] + bits


show(random, x)

# Sublanes are packed: two rows of 16 bits make one of 32.
# CHECK-LABEL: // bitcast
# CHECK: grid.bitcast %{{.*}} : tensor<8x128xbf16> -> tensor<4x128xi32>
show_value("bitcast", lambda a: pltpu.bitcast(a, jnp.int32), array(jnp.bfloat16))

# CHECK-LABEL: // roll
# CHECK: grid.rotate %{{.*}} by %{{.*}} dim 1 : tensor<8x128xf32>, i32
show_value("roll", lambda a: pltpu.roll(a, 3, 1), x)


# A copy whose size is computed is one of each element of its slices, and so is the wait for it.
# CHECK-LABEL: // copies_some
# CHECK: %[[N:.*]] = arith.index_cast {{.*}} : i32 to index
# CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]]
# CHECK: %[[FROM:.*]] = grid.slice_ref %x_ref[%{{.*}}, 0] [1, 128] [1, 1]
# CHECK: %[[TO:.*]] = grid.slice_ref %{{.*}}[%{{.*}}, 0] [1, 128] [1, 1]
# CHECK: grid.copy_start %[[FROM]], %[[TO]]
# CHECK: grid.copied_dims = array<i64: 0, 0>
# CHECK: scf.for
# CHECK: grid.copy_wait
def copies_some(n_ref, x_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref.at[pl.ds(0, n_ref[0])], o_ref.at[pl.ds(2, n_ref[0])], sem)
    copy.start()
    copy.wait()


show(
    copies_some,
    array(jnp.int32, 1),
    x,
    out_shape=x,
    in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), anywhere],
    out_specs=anywhere,
    scratch_shapes=[pltpu.SemaphoreType.DMA],
)


# Rows after the end of an array exist only in the memory of a TPU: up to the end of its last tile, an element of the
# other end is copied to itself, and beyond that the copy is an error.
# CHECK-LABEL: // copies_rest
# CHECK: scf.for
# CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
# CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[ROW]], %{{.*}} : i32
# CHECK: %[[TILE:.*]] = arith.constant 16 : i32
# CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %[[TILE]] : i32
# CHECK: %[[PADDING:.*]] = arith.andi %[[BEHIND]], %[[INSIDE]]
# CHECK: scf.if %[[PADDING]] {
# CHECK: %[[SAME:.*]] = grid.slice_ref %o_ref
# CHECK: grid.copy_start %[[SAME]], %[[SAME]]
# CHECK: } else {
# CHECK: %[[FROM:.*]] = grid.slice_ref %x_ref
# CHECK: %[[TO:.*]] = grid.slice_ref %o_ref
# CHECK: grid.copy_start %[[FROM]], %[[TO]]
def copies_rest(n_ref, x_ref, o_ref, sem):
    rest = pl.ds(8, n_ref[0])
    pltpu.make_async_copy(x_ref.at[rest], o_ref.at[rest], sem).start()


show(
    copies_rest,
    array(jnp.int32, 1),
    array(jnp.float32, 12, 128),
    out_shape=array(jnp.float32, 16, 128),
    in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), anywhere],
    out_specs=anywhere,
    scratch_shapes=[pltpu.SemaphoreType.DMA],
)


# A pipeline that is one primitive is the loops and copies that JAX makes of it, with program ids of its own.
# CHECK-LABEL: // pipelined
# CHECK: grid.scoped
# CHECK: grid.copy_start
# CHECK: scf.for
# CHECK: arith.mulf
# CHECK: grid.copy_wait
def pipelined(x_ref, o_ref):
    def scale(a_ref, b_ref):
        b_ref[...] = a_ref[...] * (pl.program_id(0) + pl.num_programs(0)).astype(jnp.float32)

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    pltpu.emit_pipeline(scale, grid=(4,), in_specs=[rows], out_specs=[rows])(x_ref, o_ref)


jax.config.update("jax_use_emit_pipeline_primitive", True)
show(pipelined, array(jnp.float32, 32, 128), in_specs=[anywhere], out_specs=anywhere)

# On a SparseCore the last dimension takes the difference of the widths; the first element has the low bits.
# CHECK-LABEL: // narrower
# CHECK: %[[LOW:.*]] = arith.trunci {{.*}} : tensor<16xi32> to tensor<16xi16>
# CHECK: tensor.insert_slice %[[LOW]] into %{{.*}}[0, 0] [16, 1] [1, 1]
# CHECK: arith.shrui
# CHECK: tensor.collapse_shape {{.*}} : tensor<16x2xi16> into tensor<32xi16>
show_value("narrower", lambda a: plsc.bitcast(a, jnp.int16), array(jnp.int32, 16))
# CHECK-LABEL: // wider
# CHECK: tensor.expand_shape {{.*}} : tensor<32xi16> into tensor<16x2xi16>
# CHECK: arith.shli
show_value("wider", lambda a: plsc.bitcast(a, jnp.int32), array(jnp.int16, 32))
