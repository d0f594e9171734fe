# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
from jax import lax
from show import array, show_value

# Each of the three elements of the window is a matrix product of a strided slice, and narrow floats are summed in f32.
# CHECK-LABEL: // strided
# CHECK: tensor.extract_slice {{.*}} [1, 1, 2, 2, 16] [1, 1, 1, 2, 1]
# CHECK: grid.dot {{.*}} contract [1] x [0] : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
# CHECK: grid.dot
# CHECK: grid.dot
# CHECK-NOT: grid.dot
# CHECK: arith.truncf {{.*}} : tensor<{{.*}}xf32> to tensor<{{.*}}xbf16>
show_value(
    "strided",
    lambda x, w: lax.conv_general_dilated(x, w, (1, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    array(jnp.bfloat16, 1, 2, 5, 16),
    array(jnp.bfloat16, 1, 3, 16, 8),
)

# Two groups of features are two products.
# CHECK-LABEL: // groups
# CHECK: grid.dot {{.*}} : tensor<8x2xf32>, tensor<2x3xf32> -> tensor<8x3xf32>
# CHECK: grid.dot {{.*}} : tensor<8x2xf32>, tensor<2x3xf32> -> tensor<8x3xf32>
# CHECK-NOT: grid.dot
show_value(
    "groups",
    lambda x, w: lax.conv_general_dilated(x, w, (1,), "VALID", feature_group_count=2),
    array(jnp.float32, 1, 4, 8),
    array(jnp.float32, 6, 2, 1),
)

# Of 7 elements a window of 3 finds 3 in steps of 2.
# CHECK-LABEL: // steps
# CHECK: tensor.extract_slice {{.*}} [1, 1, 2, 3, 16] [1, 1, 1, 2, 1]
# CHECK: grid.dot {{.*}} : tensor<6x16xf32>, tensor<16x8xf32> -> tensor<6x8xf32>
show_value(
    "steps",
    lambda x, w: lax.conv_general_dilated(x, w, (1, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    array(jnp.float32, 1, 2, 7, 16),
    array(jnp.float32, 1, 3, 16, 8),
)
