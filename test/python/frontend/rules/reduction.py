# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax import lax
from show import array, show_value

x = array()

# CHECK-LABEL: // sum_rows
# CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00
# CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs({{.*}} : tensor<8xf32>)
# CHECK: linalg.reduce ins({{.*}} : tensor<8x128xf32>) outs(%[[INIT]] : tensor<8xf32>) dimensions = [1]
# CHECK: arith.addf
show_value("sum_rows", lambda a: jnp.sum(a, 1), x)

# A reduction of every dimension gives a scalar.
# CHECK-LABEL: // max_all
# CHECK: arith.constant 0xFF800000 : f32
# CHECK: %[[R:.*]] = linalg.reduce {{.*}} dimensions = [0, 1]
# CHECK: arith.maximumf
# CHECK: tensor.extract %[[R]][] : tensor<f32>
show_value("max_all", lambda a: a + jnp.max(a), x)

# CHECK-LABEL: // min_unsigned
# CHECK: arith.constant -1 : i32
# CHECK: arith.minui
show_value("min_unsigned", lambda a: jnp.min(a, 0), array(jnp.uint32))

# CHECK-LABEL: // any_row
# CHECK: arith.ori
show_value("any_row", lambda a: jnp.any(a, 1), array(jnp.bool_))

# Of equal elements the first is meant, and a NaN is larger than any number.
# CHECK-LABEL: // argmax
# CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
# CHECK: arith.cmpf ogt
# CHECK: arith.cmpf uno
# CHECK: arith.cmpi slt
# CHECK: linalg.yield {{.*}} : f32, i32
show_value("argmax", lambda a: jnp.argmax(a, 1), x)

# Floats are rounded as by XLA on a CPU, which runs through 16 elements in order, then through the sums of 8 such runs.
# CHECK-LABEL: // cumsum
# CHECK: scf.for {{.*}} -> (tensor<8x8xf32>, tensor<16x8x8xf32>)
# CHECK: arith.addf {{.*}} : tensor<8x8xf32>
# CHECK: scf.for {{.*}} -> (tensor<8xf32>, tensor<8x8xf32>)
# CHECK: arith.addf {{.*}} : tensor<8xf32>
# CHECK: arith.addf {{.*}} : tensor<16x8x8xf32>
show_value("cumsum", lambda a: jnp.cumsum(a, 1), x)

# Integers take seven steps for 128 elements.
# CHECK-LABEL: // cumsum_integers
# CHECK-COUNT-7: arith.addi
# CHECK-NOT: arith.addi
show_value("cumsum_integers", lambda a: jnp.cumsum(a, 1), array(jnp.int32))

# CHECK-LABEL: // author_function
# CHECK: linalg.reduce
# CHECK: arith.mulf
# CHECK: arith.addf
show_value("author_function", lambda a: lax.reduce(a, 0.0, lambda p, q: p + q * 2.0, (1,)), x)

# The least of integers, with a sign or without one; of equals the lower index wins.
# CHECK-LABEL: // argmin_integers
# CHECK: ^bb0(%[[VALUE:.*]]: i32, %[[BEST:.*]]: i32, %[[INDEX:.*]]: i32):
# CHECK: %[[HERE:.*]] = arith.index_cast
# CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[VALUE]], %[[BEST]]
# CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[VALUE]], %[[BEST]]
# CHECK: %[[BEFORE:.*]] = arith.cmpi slt, %[[HERE]], %[[INDEX]]
# CHECK: %[[EARLIER:.*]] = arith.andi %[[EQUAL]], %[[BEFORE]]
# CHECK: %[[BETTER:.*]] = arith.ori %[[LESS]], %[[EARLIER]]
# CHECK: arith.select %[[BETTER]], %[[VALUE]], %[[BEST]]
# CHECK: arith.select %[[BETTER]], %[[HERE]], %[[INDEX]]
show_value("argmin_integers", lambda a: jnp.argmin(a, 1), array(jnp.int32))
# CHECK-LABEL: // argmax_unsigned
# CHECK: ^bb0(%[[VALUE:.*]]: i32, %[[BEST:.*]]: i32, %{{.*}}: i32):
# CHECK: arith.cmpi ugt, %[[VALUE]], %[[BEST]]
show_value("argmax_unsigned", lambda a: jnp.argmax(a, 0), array(jnp.uint32))
