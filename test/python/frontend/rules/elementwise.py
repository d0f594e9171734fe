# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax import lax
from show import array, show_value

x, i, u, b = array(), array(jnp.int32), array(jnp.uint32), array(jnp.bool_)

# The element type chooses the op.
# CHECK-LABEL: // add_float
# CHECK: arith.addf {{.*}} : tensor<8x128xf32>
show_value("add_float", lax.add, x, x)
# CHECK-LABEL: // add_integer
# CHECK: arith.addi {{.*}} : tensor<8x128xi32>
show_value("add_integer", lax.add, i, i)
# CHECK-LABEL: // max_signed
# CHECK: arith.maxsi
show_value("max_signed", lax.max, i, i)
# CHECK-LABEL: // max_unsigned
# CHECK: arith.maxui
show_value("max_unsigned", lax.max, u, u)
# A NaN on either side is the result.
# CHECK-LABEL: // max_float
# CHECK: arith.maximumf
show_value("max_float", lax.max, x, x)

# The sign of the operands chooses the predicate; != holds for NaN.
# CHECK-LABEL: // less_signed
# CHECK: arith.cmpi slt
show_value("less_signed", lambda a, b: jnp.where(a < b, a, b), i, i)
# CHECK-LABEL: // less_unsigned
# CHECK: arith.cmpi ult
show_value("less_unsigned", lambda a, b: jnp.where(a < b, a, b), u, u)
# CHECK-LABEL: // not_equal_float
# CHECK: arith.cmpf une
show_value("not_equal_float", lambda a, b: jnp.where(a != b, a, b), x, x)

# A constant scalar is a splat, without a separate constant.
# CHECK-LABEL: // scalar_operand
# CHECK: %[[X:.*]] = grid.load
# CHECK-NEXT: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<8x128xf32>
# CHECK-NEXT: arith.mulf %[[X]], %[[TWO]]
show_value("scalar_operand", lambda a: a * 2.0, x)

# A unit dimension stands for all elements along it.
# CHECK-LABEL: // unit_dimension
# CHECK: %[[COLUMN:.*]] = tensor.collapse_shape {{.*}} : tensor<8x1xf32> into tensor<8xf32>
# CHECK: linalg.broadcast ins(%[[COLUMN]] : tensor<8xf32>) outs({{.*}} : tensor<8x128xf32>) dimensions = [1]
show_value("unit_dimension", lax.add, x, array(jnp.float32, 8, 1))

# NaN and both zeros are their own signs.
# CHECK-LABEL: // sign_float
# CHECK: %[[X:.*]] = grid.load
# CHECK: %[[ONE:.*]] = math.copysign {{.*}}, %[[X]]
# CHECK: %[[NONZERO:.*]] = arith.cmpf one, %[[X]]
# CHECK: arith.select %[[NONZERO]], %[[ONE]], %[[X]]
show_value("sign_float", lax.sign, x)

# Case 0 is the last operand of the select.
# CHECK-LABEL: // select
# CHECK: %[[WHICH:.*]] = grid.load
# CHECK: %[[CASE0:.*]] = grid.load
# CHECK: %[[CASE1:.*]] = grid.load
# CHECK: arith.select %[[WHICH]], %[[CASE1]], %[[CASE0]]
show_value("select", lax.select_n, b, x, x)

# Three squarings and two products make the ninth power.
# CHECK-LABEL: // power
# CHECK-COUNT-4: arith.mulf
# CHECK-NOT: arith.mulf
show_value("power", lambda a: lax.integer_pow(a, 9), x)

# CHECK-LABEL: // round_even
# CHECK: math.roundeven
show_value("round_even", jnp.round, x)

# A function that JAX says in simpler ones is walked like any jaxpr.
# CHECK-LABEL: // logistic
# CHECK: arith.negf
# CHECK: math.exp
# CHECK: arith.addf
# CHECK: arith.divf
show_value("logistic", lax.logistic, x)

# Of three cases the last is what no number below chooses.
# CHECK-LABEL: // three_cases
# CHECK: %[[ONE:.*]] = arith.constant {{.*}}1{{.*}} : tensor<8x128xi32>
# CHECK: %[[SECOND:.*]] = arith.cmpi ule, %{{.*}}, %[[ONE]]
# CHECK: %[[REST:.*]] = arith.select %[[SECOND]], %[[Y:.*]], %[[Z:.*]] :
# CHECK: %[[ZERO:.*]] = arith.constant {{.*}}0{{.*}} : tensor<8x128xi32>
# CHECK: %[[FIRST:.*]] = arith.cmpi ule, %{{.*}}, %[[ZERO]]
# CHECK: arith.select %[[FIRST]], %{{.*}}, %[[REST]] :
# CHECK-NOT: arith.select
show_value("three_cases", lambda i, a, b, c: lax.select_n(i, a, b, c), array(jnp.int32), array(), array(), array())
