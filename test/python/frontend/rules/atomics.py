# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from show import array, show


# The kind follows the dtype, and only elements under the mask are touched.
# CHECK-LABEL: // updates
# CHECK: %[[ROW:.*]] = grid.slice_ref %o_ref[2, 0] [1, 128] [1, 1] drop [0]
# CHECK: grid.atomic_rmw {{ *}}add {{.*}}, %[[ROW]] : tensor<128xf32>
# CHECK: grid.atomic_rmw {{ *}}maxf {{.*}} : f32
# CHECK: grid.atomic_rmw {{ *}}xchg {{.*}} mask {{.*}} : tensor<128xf32>
# CHECK: grid.atomic_rmw {{ *}}minu {{.*}} : tensor<128xi32>
def updates(x_ref, o_ref, n_ref):
    triton.atomic_add(o_ref, (2,), x_ref[0])
    triton.atomic_max(o_ref, (0, 1), 1.0)
    triton.atomic_xchg(o_ref, (3,), x_ref[1], mask=x_ref[1] > 0)
    triton.atomic_min(n_ref, (0,), jnp.ones(128, jnp.uint32))


show(updates, array(), out_shape=[array(), array(jnp.uint32)])


# An array of indices is a loop of updates; what they give fills a tensor only where something reads it.
# CHECK-LABEL: // scattered
# CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[OLD:.*]] = {{.*}}) -> (tensor<4x128xf32>)
# CHECK: %[[ROW:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<4xi32>
# CHECK: %[[SLICE:.*]] = grid.slice_ref %o_ref[%[[ROW]], 0] [1, 128] [1, 1] drop [0]
# CHECK: grid.atomic_rmw {{ *}}add {{.*}}, %[[SLICE]] : tensor<128xf32>
# CHECK: tensor.insert_slice {{.*}} into %[[OLD]]
# CHECK: scf.for
# CHECK-NOT: iter_args
# CHECK: scf.if
# CHECK: grid.atomic_rmw {{ *}}maxs {{.*}} : i32
def scattered(x_ref, i_ref, o_ref, old_ref, n_ref):
    old_ref[...] = triton.atomic_add(o_ref, (i_ref[...],), x_ref[:4])
    triton.atomic_max(n_ref, (i_ref[...],), i_ref[...], mask=i_ref[...] > 1)


show(
    scattered,
    array(),
    array(jnp.int32, 4),
    out_shape=[array(), array(jnp.float32, 4, 128), array(jnp.int32, 8)],
)


# CHECK-LABEL: // lock
# CHECK-DAG: %[[OLD:.*]] = arith.constant 0 : i32
# CHECK-DAG: %[[NEW:.*]] = arith.constant 1 : i32
# CHECK: grid.atomic_cas %[[OLD]], %[[NEW]], %{{.*}} : i32, memref<i32
def lock(n_ref, o_ref):
    o_ref[...] = triton.atomic_cas(n_ref, 0, 1)


show(
    lock,
    array(jnp.int32, 1),
    in_specs=[pl.BlockSpec((None,), lambda: (0,))],
    out_specs=pl.BlockSpec((None,), lambda: (0,)),
)
