# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax import lax
from show import array, show_value

i, u = array(jnp.int32), array(jnp.uint32)

# Upstream division by 0 and of INT_MIN by -1 is undefined: both divisors are replaced, and so are the results.
# CHECK-LABEL: // divide_signed
# CHECK: %[[X:.*]] = grid.load
# CHECK: %[[Y:.*]] = grid.load
# CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]]
# CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[Y]]
# CHECK: %[[SPECIAL:.*]] = arith.ori %[[ZERO]], %[[MINUS]]
# CHECK: %[[SAFE:.*]] = arith.select %[[SPECIAL]], {{.*}}, %[[Y]]
# CHECK: %[[NEGATED:.*]] = arith.subi {{.*}}, %[[X]]
# CHECK: %[[QUOTIENT:.*]] = arith.divsi %[[X]], %[[SAFE]]
# CHECK: %[[RESULT:.*]] = arith.select %[[MINUS]], %[[NEGATED]], %[[QUOTIENT]]
# CHECK: arith.select %[[ZERO]], {{.*}}, %[[RESULT]]
show_value("divide_signed", lax.div, i, i)

# A divisor that is known and harmless needs none of it.
# CHECK-LABEL: // divide_by_three
# CHECK-NOT: arith.select
# CHECK: arith.divsi
# CHECK-NOT: arith.select
show_value("divide_by_three", lambda a: lax.div(a, 3), i)

# CHECK-LABEL: // remainder_unsigned
# CHECK: arith.remui
show_value("remainder_unsigned", lax.rem, u, u)

# CHECK-LABEL: // shift_by_value
# CHECK: %[[X:.*]] = grid.load
# CHECK: %[[N:.*]] = grid.load
# CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[N]]
# CHECK: %[[SAFE:.*]] = arith.select %[[FITS]], %[[N]]
# CHECK: %[[SHIFTED:.*]] = arith.shli %[[X]], %[[SAFE]]
# CHECK: arith.select %[[FITS]], %[[SHIFTED]]
show_value("shift_by_value", lax.shift_left, i, i)

# Beyond the width an arithmetic shift leaves the sign in every bit.
# CHECK-LABEL: // shift_right
# CHECK: arith.constant dense<31>
# CHECK: arith.shrsi
show_value("shift_right", lax.shift_right_arithmetic, i, i)

# A number below the width needs no comparison.
# CHECK-LABEL: // shift_by_number
# CHECK-NOT: arith.cmpi
# CHECK: arith.shli
# CHECK-NOT: arith.select
# CHECK: grid.store
show_value("shift_by_number", lambda a: a << 3, i)
# One as large as the width gives 0.
# CHECK-LABEL: // shift_by_width
# CHECK: arith.cmpi ult
show_value("shift_by_width", lambda a: a << 32, i)
