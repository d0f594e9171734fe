# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton
from show import array, show

x, n = array(), array(jnp.int32, 4)


# The value that a store replaces is not read.
# CHECK-LABEL: // whole
# CHECK: %[[X:.*]] = grid.load
# CHECK-NOT: grid.load
# CHECK: grid.store %[[X]], {{.*}} : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
def whole(x_ref, o_ref):
    o_ref[...] = x_ref[...]


show(whole, x)


# An index without a sign may be higher than any of its width that has one.
# CHECK-LABEL: // by_bytes
# CHECK: %[[I:.*]] = grid.load {{.*}} -> i8
# CHECK: %[[WIDE:.*]] = arith.extui %[[I]] : i8 to i32
# CHECK: grid.slice_ref {{.*}}[%[[WIDE]], 0]
def by_bytes(x_ref, n_ref, o_ref):
    o_ref[0] = x_ref[n_ref[0]]


show(by_bytes, x, array(jnp.uint8, 4))


# CHECK-LABEL: // masked_by_bytes
# CHECK: %[[I:.*]] = grid.load {{.*}} -> i8
# CHECK: %[[WIDE:.*]] = arith.extui %[[I]] : i8 to i32
# CHECK: grid.slice_ref {{.*}}[%[[WIDE]], 0]
def masked_by_bytes(x_ref, n_ref, o_ref):
    row = pltriton.load(x_ref.at[n_ref[0]], mask=jnp.arange(128) < 5, other=0.0)
    o_ref[0] = row


show(masked_by_bytes, x, array(jnp.uint8, 4))


# CHECK-LABEL: // windows
# CHECK: %[[I:.*]] = grid.load {{.*}} : memref<i32
# CHECK: grid.slice_ref {{.*}}[%[[I]], 0] [2, 64] [1, 2] : {{.*}} -> memref<2x64xf32
# CHECK: grid.slice_ref {{.*}}[7, 0] [1, 64] [1, 1] drop [0] : {{.*}} -> memref<64xf32
def windows(x_ref, n_ref, o_ref):
    rows = x_ref[pl.ds(n_ref[0], 2), pl.ds(0, 64, 2)]
    o_ref[-1, :64] = rows[0]


show(windows, x, n)


# CHECK-LABEL: // views
# CHECK: grid.bitcast_ref {{.*}} : memref<8x128xf32, #grid.space<default>> -> memref<16x128xbf16, #grid.space<default>>
# CHECK: grid.reshape_ref {{.*}} -> memref<4x256xf32
def views(x_ref, o_ref, p_ref):
    o_ref[...] = x_ref.bitcast(jnp.bfloat16)[...]
    p_ref[...] = x_ref.reshape(4, 256)[...]


show(views, x, out_shape=[array(jnp.bfloat16, 16, 128), array(jnp.float32, 4, 256)])


# CHECK-LABEL: // update
# CHECK: grid.accumulate
def update(x_ref, o_ref):
    jax.ref.addupdate(o_ref, ..., x_ref[...])


show(update, x)


# An array of indices makes a gather. Negative ones count from the end, and reads by them are clamped, as in JAX. With a
# slice before the array the result is transposed to JAX's order.
# CHECK-LABEL: // gathers
# CHECK: %[[N:.*]] = grid.load {{.*}} -> tensor<4xi32>
# CHECK: %[[FROM_END:.*]] = arith.addi %[[N]], {{.*}} : tensor<4xi32>
# CHECK: %[[INDEX:.*]] = arith.select {{.*}}, %[[FROM_END]], %[[N]]
# CHECK: %[[LOW:.*]] = arith.maxsi %[[INDEX]],
# CHECK: %[[I:.*]] = arith.minsi %[[LOW]],
# CHECK: grid.gather {{.*}}[%[[I]]] dims [0] : {{.*}} -> tensor<4x128xf32>
# CHECK: %[[COLUMNS:.*]] = grid.gather {{.*}} dims [1] : {{.*}} -> tensor<4x8xf32>
# CHECK: linalg.transpose ins(%[[COLUMNS]] : tensor<4x8xf32>) outs({{.*}} : tensor<8x4xf32>) permutation = [1, 0]
# CHECK: grid.scatter {{.*}} dims [0]
def gathers(x_ref, n_ref, o_ref, p_ref):
    rows = x_ref[n_ref[...], :]
    p_ref[...] = x_ref[:, n_ref[...]]
    o_ref[n_ref[...], :] = rows


show(gathers, x, n, out_shape=[x, array(jnp.float32, 8, 4)])


# CHECK-LABEL: // masks
# CHECK: %[[MASK:.*]] = linalg.broadcast {{.*}} : tensor<8x128xi1>
# CHECK: %[[V:.*]] = grid.load {{.*}} mask %[[MASK]] :
# CHECK: grid.store %[[V]], {{.*}} mask %[[MASK]]
def masks(x_ref, n_ref, o_ref):
    mask = jnp.arange(128)[None, :] < n_ref[0]
    mask = jnp.broadcast_to(mask, (8, 128))
    value = pltpu.load(x_ref, mask=mask)
    pltpu.store(o_ref, value, mask=mask)


show(masks, x, n)


# CHECK-LABEL: // scoped
# CHECK: grid.scoped (%[[TMP:.*]]: memref<8x128xf32, #tpu.memory_space<vmem>> origin "tmp")
# CHECK: grid.store {{.*}}, %[[TMP]]
# CHECK: grid.load %[[TMP]]
def scoped(x_ref, o_ref):
    def body(tmp):
        tmp[...] = x_ref[...]
        o_ref[...] = tmp[...] * 2.0

    pl.run_scoped(body, pltpu.VMEM((8, 128), jnp.float32))


show(scoped, x)


# A Ref that a function makes lives in a scope around all of the function.
# CHECK-LABEL: // made
# CHECK: grid.scoped (%[[REF:.*]]: memref<8x128xf32, #grid.space<default>>, %{{.*}}: memref<4xi32
# CHECK: %[[X:.*]] = grid.load
# CHECK: grid.store %[[X]], %[[REF]]
# CHECK: grid.accumulate {{.*}}, %[[REF]]
# CHECK: grid.load %[[REF]]
def made(x_ref, o_ref):
    ref = jax.new_ref(x_ref[...])
    count = jax.empty_ref(jax.ShapeDtypeStruct((4,), jnp.int32))
    count[...] = jnp.ones(4, jnp.int32)
    jax.ref.addupdate(ref, ..., x_ref[...])
    # JAX removes an unused Ref.
    o_ref[...] = jax.ref.freeze(ref) + count[0].astype(jnp.float32)


show(made, x)


# A number of the closure that `run_state` only reads is no Ref: what is known of it stays known.
# CHECK-LABEL: // closure
# CHECK: %[[ROW:.*]] = arith.muli
# CHECK: grid.scoped (%[[REF:[^:]*]]: memref<64xf32, {{[^,]*}}>) -> tensor<64xf32> {
# CHECK: grid.slice_ref %{{.*}}[%[[ROW]], 0] [1, 64]
# CHECK: grid.store {{.*}}, %[[REF]]
def closure(x_ref, n_ref, o_ref):
    row = n_ref[0] * 2

    def body(ref):
        ref[...] += x_ref[row, :64]

    o_ref[...] = pl.run_state(body)(jnp.zeros(64))


show(closure, x, n, out_shape=array(jnp.float32, 64))


# One that it writes is a Ref of its own.
# CHECK-LABEL: // counted
# CHECK: grid.scoped (%[[COUNT:[^:]*]]: memref<i32, {{[^,]*}}>) -> i32 {
# CHECK: grid.store {{.*}}, %[[COUNT]]
def counted(n_ref, o_ref):
    def body(count_ref):
        count_ref[...] = count_ref[...] + n_ref[1]

    o_ref[0] = pl.run_state(body)(n_ref[0])


show(counted, n, out_shape=array(jnp.int32, 4))


# A window with a computed start may leave the Ref where the mask is false, and is one all the same.
# CHECK-LABEL: // tail
# CHECK-NOT: scf.if
# CHECK: grid.load {{.*}} mask
# CHECK-NOT: grid.gather
# CHECK: grid.store
def tail(x_ref, n_ref, o_ref):
    o_ref[...] = pltpu.load(x_ref.at[0, pl.ds(n_ref[0], 64)], mask=jnp.arange(64) < n_ref[1])


show(tail, x, n, out_shape=array(jnp.float32, 64))
