# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax import lax
from show import array, show_value

x, i, b = array(), array(jnp.int32), array(jnp.bool_)

# Numbers out of range become the nearest integer, and NaN becomes 0.
# CHECK-LABEL: // float_to_signed
# CHECK: %[[X:.*]] = grid.load
# CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[X]]
# CHECK: %[[ABOVE:.*]] = arith.cmpf oge, %[[X]]
# CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
# CHECK: %[[SAFE:.*]] = arith.select {{.*}}, {{.*}}, %[[X]]
# CHECK: %[[INT:.*]] = arith.fptosi %[[SAFE]]
# CHECK: %[[LOW:.*]] = arith.select %[[BELOW]], {{.*}}, %[[INT]]
# CHECK: arith.select %[[ABOVE]], {{.*}}, %[[LOW]]
show_value("float_to_signed", lambda a: a.astype(jnp.int32), x)

# CHECK-LABEL: // unsigned_to_float
# CHECK: arith.uitofp
show_value("unsigned_to_float", lambda a: a.astype(jnp.float32), array(jnp.uint8))
# CHECK-LABEL: // bool_to_float
# CHECK: arith.uitofp {{.*}} : tensor<8x128xi1> to tensor<8x128xf32>
show_value("bool_to_float", lambda a: a.astype(jnp.float32), b)
# CHECK-LABEL: // integer_to_bool
# CHECK: arith.cmpi ne
show_value("integer_to_bool", lambda a: a.astype(jnp.bool_), i)
# Arithmetic takes the smallest bfloat16 for zero, and so it is false.
# CHECK-LABEL: // bfloat16_to_bool
# CHECK: arith.cmpf une
show_value("bfloat16_to_bool", lambda a: a.astype(jnp.bool_), array(jnp.bfloat16))
# CHECK-LABEL: // sign_extension
# CHECK: arith.extsi {{.*}} : tensor<8x128xi8> to tensor<8x128xi32>
show_value("sign_extension", lambda a: a.astype(jnp.int32), array(jnp.int8))
# CHECK-LABEL: // zero_extension
# CHECK: arith.extui {{.*}} : tensor<8x128xi8> to tensor<8x128xi32>
show_value("zero_extension", lambda a: a.astype(jnp.int32), array(jnp.uint8))

# Signedness is no part of a value: nothing is left to do.
# CHECK-LABEL: // same_width
# CHECK: %[[X:.*]] = grid.load
# CHECK-NEXT: grid.store %[[X]]
show_value("same_width", lambda a: a.astype(jnp.uint32), i)

# Two floats of one width are combined in f32.
# CHECK-LABEL: // half_to_bfloat
# CHECK: arith.extf {{.*}} : tensor<8x128xf16> to tensor<8x128xf32>
# CHECK: arith.truncf {{.*}} : tensor<8x128xf32> to tensor<8x128xbf16>
show_value("half_to_bfloat", lambda a: a.astype(jnp.bfloat16), array(jnp.float16))

# CHECK-LABEL: // bitcast
# CHECK: arith.bitcast {{.*}} : tensor<8x128xf32> to tensor<8x128xi32>
show_value("bitcast", lambda a: lax.bitcast_convert_type(a, jnp.uint32), x)

# Wider elements are cut into narrower ones, the lowest bits first.
# CHECK-LABEL: // bitcast_narrower
# CHECK: arith.trunci {{.*}} : tensor<8x128xi32> to tensor<8x128xi16>
# CHECK: tensor.insert_slice {{.*}}[0, 0, 0] [8, 128, 1]
# CHECK: arith.shrui
# CHECK: tensor.insert_slice {{.*}}[0, 0, 1] [8, 128, 1]
show_value("bitcast_narrower", lambda a: lax.bitcast_convert_type(a, jnp.int16), x)

# The op that makes a complex number takes scalars.
# CHECK-LABEL: // real_to_complex
# CHECK: linalg.generic
# CHECK: complex.create {{.*}} : complex<f32>
# CHECK: complex.constant [1.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
show_value("real_to_complex", lambda a: (a.astype(jnp.complex64) + 1).real, x)

# Rounding to a narrower format, by the bits: half of the last bit that stays, less one where that bit is even; what is
# too large is infinite, what is too small zero with its sign, and NaN stays.
# CHECK-LABEL: // reduce_precision
# CHECK: %[[X:.*]] = grid.load
# CHECK: %[[BITS:.*]] = arith.bitcast %[[X]]
# CHECK: %[[LAST:.*]] = arith.constant dense<8192>
# CHECK: %[[BIT:.*]] = arith.andi %[[BITS]], %[[LAST]]
# CHECK: %[[SHIFT:.*]] = arith.constant dense<13>
# CHECK: %[[ODD:.*]] = arith.shrui %[[BIT]], %[[SHIFT]]
# CHECK: %[[SUM:.*]] = arith.addi %[[BITS]], %[[ODD]]
# CHECK: %[[HALF:.*]] = arith.constant dense<4095>
# CHECK: %[[UP:.*]] = arith.addi %[[SUM]], %[[HALF]]
# CHECK: %[[MASK:.*]] = arith.constant dense<-8192>
# CHECK: %[[CUT:.*]] = arith.andi %[[UP]], %[[MASK]]
# CHECK: %[[FIELD:.*]] = arith.constant dense<2139095040>
# CHECK: %[[SIZE:.*]] = arith.andi %[[CUT]], %[[FIELD]]
# CHECK: %[[LARGEST:.*]] = arith.constant dense<1191182336>
# CHECK: %[[INFINITE:.*]] = arith.cmpi ugt, %[[SIZE]], %[[LARGEST]]
# CHECK: %[[LEAST:.*]] = arith.constant dense<939524096>
# CHECK: %[[ZERO:.*]] = arith.cmpi ule, %[[SIZE]], %[[LEAST]]
# CHECK: %[[SMALL:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[CUT]]
# CHECK: %[[ROUNDED:.*]] = arith.select %[[INFINITE]], %{{.*}}, %[[SMALL]]
# CHECK: %[[NAN:.*]] = arith.cmpf une, %[[X]], %[[X]]
# CHECK: %[[Y:.*]] = arith.bitcast %[[ROUNDED]]
# CHECK: arith.select %[[NAN]], %[[X]], %[[Y]]
show_value("reduce_precision", lambda a: lax.reduce_precision(a, 5, 10), x)
# CHECK-LABEL: // as_bfloat16
# CHECK: arith.truncf {{.*}} to tensor<8x128xbf16>
# CHECK-NEXT: arith.extf
show_value("as_bfloat16", lambda a: lax.reduce_precision(a, 8, 7), x)
