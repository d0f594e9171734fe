# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax import lax
from show import array, show_value

x, h, b = array(), array(jnp.bfloat16), array(jnp.int8)

# CHECK-LABEL: // matmul
# CHECK: grid.dot {{.*}} contract [1] x [0] : tensor<8x128xf32>, tensor<128x8xf32> -> tensor<8x8xf32>
show_value("matmul", jnp.matmul, x, array(jnp.float32, 128, 8))

# CHECK-LABEL: // batched
# CHECK: grid.dot {{.*}} contract [2] x [2] batch [0] x [0]
show_value(
    "batched", lambda a, c: jnp.einsum("bij,bkj->bik", a, c), array(jnp.float32, 2, 8, 16), array(jnp.float32, 2, 4, 16)
)

# The requested precision is kept.
# CHECK-LABEL: // precise
# CHECK: grid.dot {{.*}} precision ["HIGHEST", "HIGHEST"]
show_value("precise", lambda a: jnp.dot(a, a.T, precision="highest"), x)

# CHECK-LABEL: // wide_result
# CHECK: grid.dot {{.*}} : tensor<8x128xbf16>, tensor<128x8xbf16> -> tensor<8x8xf32>
# CHECK-NOT: arith.truncf
show_value("wide_result", lambda a: jnp.dot(a, a.T, preferred_element_type=jnp.float32), h)

# Narrow floats are summed in f32 and rounded once.
# CHECK-LABEL: // narrow_result
# CHECK: %[[WIDE:.*]] = grid.dot {{.*}} -> tensor<8x8xf32>
# CHECK: arith.truncf %[[WIDE]] : tensor<8x8xf32> to tensor<8x8xbf16>
show_value("narrow_result", lambda a: jnp.dot(a, a.T), h)

# CHECK-LABEL: // integers
# CHECK: grid.dot {{.*}} : tensor<8x128xi8>, tensor<128x8xi8> -> tensor<8x8xi32>
show_value("integers", lambda a: lax.dot(a, a.T, preferred_element_type=jnp.int32), b)

# Each side has a sign of its own.
# CHECK-LABEL: // unsigned_left
# CHECK: grid.dot {{.*}}unsigned_lhs
# CHECK-NOT: unsigned_rhs
# CHECK: grid.store
show_value(
    "unsigned_left",
    lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32),
    array(jnp.uint8),
    array(jnp.int8),
)
# CHECK-LABEL: // unsigned_right
# CHECK-NOT: unsigned_lhs
# CHECK: grid.dot {{.*}}unsigned_rhs
# CHECK: grid.store
show_value(
    "unsigned_right",
    lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32),
    array(jnp.int8),
    array(jnp.uint8),
)

# A scalar has no dimension to contract. The product is rounded once.
# CHECK-LABEL: // scalar
# CHECK-NOT: grid.dot
# CHECK: %[[WIDE:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<8x128xf32>
# CHECK: arith.truncf %[[WIDE]] : tensor<8x128xf32> to tensor<8x128xbf16>
show_value("scalar", lambda a: lax.dot_general(jnp.max(a), a, (((), ()), ((), ()))), h)

# CHECK-LABEL: // unsigned_scalars
# CHECK: %[[X:.*]] = arith.extsi %{{.*}} : i8 to i32
# CHECK: arith.muli %{{.*}}, %[[X]] : i32
show_value(
    "unsigned_scalars",
    lambda a: lax.dot_general(
        a[0, 0].astype(jnp.uint8), a[0, 1], (((), ()), ((), ())), preferred_element_type=jnp.int32
    ),
    b,
)
