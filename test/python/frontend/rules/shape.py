# RUN: %python %s | FileCheck %s

import jax.numpy as jnp
import numpy as np
from gridir import emit
from gridir.mlir import ir
from jax import lax
from show import array, show_value

x, n = array(), array(jnp.int32, 1)

# CHECK-LABEL: // broadcast
# CHECK: linalg.broadcast ins({{.*}} : tensor<8x128xf32>) outs({{.*}} : tensor<8x4x128xf32>) dimensions = [1]
show_value("broadcast", lambda a: lax.broadcast_in_dim(a, (8, 4, 128), (0, 2)), x)
# CHECK-LABEL: // collapse
# CHECK: tensor.collapse_shape {{.*}} {{\[\[}}0, 1]] : tensor<8x128xf32> into tensor<1024xf32>
show_value("collapse", lambda a: a.reshape(1024), x)
# CHECK-LABEL: // expand
# CHECK: tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2, 3]]
show_value("expand", lambda a: a.reshape(2, 4, 16, 8), x)
# Any other reshape goes through a vector.
# CHECK-LABEL: // reshape
# CHECK: tensor.collapse_shape {{.*}} into tensor<1024xf32>
# CHECK: tensor.expand_shape {{.*}} into tensor<16x64xf32>
show_value("reshape", lambda a: a.reshape(16, 64), x)
# CHECK-LABEL: // to_scalar
# CHECK: tensor.extract {{.*}} : tensor<1x1xf32>
show_value("to_scalar", lambda a: a + a[:1, :1].reshape(()), x)
# CHECK-LABEL: // transpose
# CHECK: linalg.transpose ins({{.*}} : tensor<8x128xf32>) outs({{.*}} : tensor<128x8xf32>) permutation = [1, 0]
show_value("transpose", jnp.transpose, x)
# CHECK-LABEL: // strided_slice
# CHECK: tensor.extract_slice {{.*}}[1, 0] [3, 64] [2, 2] : tensor<8x128xf32> to tensor<3x64xf32>
show_value("strided_slice", lambda a: a[1:7:2, ::2], x)

# The start is moved so that the window lies inside.
# CHECK-LABEL: // dynamic_slice
# CHECK: %[[START:.*]] = arith.index_cast
# CHECK: %[[LOW:.*]] = arith.maxsi %[[START]], %c0
# CHECK: %[[IN:.*]] = arith.minsi %[[LOW]], %c4
# CHECK: tensor.extract_slice {{.*}}[%[[IN]], 0] [4, 128] [1, 1]
show_value("dynamic_slice", lambda a, i: lax.dynamic_slice(a, (i[0], 5), (4, 128)), x, n)
# CHECK-LABEL: // dynamic_update_slice
# CHECK: tensor.insert_slice {{.*}} [4, 128] [1, 1] : tensor<4x128xf32> into tensor<8x128xf32>
show_value("dynamic_update_slice", lambda a, i: lax.dynamic_update_slice(a, a[:4], (i[0], 0)), x, n)

# CHECK-LABEL: // concatenate
# CHECK: tensor.insert_slice {{.*}}[0, 0] [8, 128]
# CHECK: tensor.insert_slice {{.*}}[0, 128] [8, 128]
show_value("concatenate", lambda a: jnp.concatenate([a, a], 1), x)

# Interior padding is a stride; negative padding cuts.
# CHECK-LABEL: // pad
# CHECK: %[[KEPT:.*]] = tensor.extract_slice {{.*}}[0, 1] [8, 127] [1, 1]
# CHECK: tensor.insert_slice %[[KEPT]] into {{.*}}[2, 0] [8, 127] [2, 1] : tensor<8x127xf32> into tensor<17x127xf32>
show_value("pad", lambda a: lax.pad(a, 0.0, [(2, 0, 1), (-1, 0, 0)]), x)

# jnp.pad says it in NumPy's integers.
# CHECK-LABEL: // pad_numpy
# CHECK: tensor.insert_slice {{.*}}[5, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<21x128xf32>
show_value("pad_numpy", lambda a: jnp.pad(a, ((5, 8), (0, 0))), x)

# 0.0 equals -0.0, and is yet another number.
# CHECK: arith.constant dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>
with ir.Context(), ir.Location.unknown(), ir.InsertionPoint(ir.Module.create().body):
    print(emit.array_constant(np.array([0.0, -0.0], np.float32), ir.RankedTensorType.get([2], ir.F32Type.get())))

# CHECK-LABEL: // iota
# CHECK: linalg.generic
# CHECK: %[[I:.*]] = linalg.index 1
# CHECK: arith.index_cast %[[I]] : index to i32
show_value("iota", lambda a: a + lax.broadcasted_iota(jnp.int32, a.shape, 1), array(jnp.int32))

# CHECK-LABEL: // gather
# CHECK: linalg.generic
# CHECK: tensor.extract
show_value("gather", lambda a, i: a[i], x, array(jnp.int32, 4))

# The last element comes first.
# CHECK-LABEL: // reverse
# CHECK: %[[I:.*]] = linalg.index 0
# CHECK: %[[J:.*]] = linalg.index 1
# CHECK: %[[LAST:.*]] = arith.constant 127 : index
# CHECK: %[[FROM:.*]] = arith.subi %[[LAST]], %[[J]]
# CHECK: tensor.extract %{{.*}}[%[[I]], %[[FROM]]]
show_value("reverse", lambda a: lax.rev(a, (1,)), x)

# CHECK-LABEL: // stack
# CHECK: tensor.insert_slice %[[X:.*]] into %{{.*}}[0, 0, 0] [8, 1, 128] [1, 1, 1]
# CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [8, 1, 128] [1, 1, 1]
show_value("stack", lambda a: jnp.stack([a, -a], 1), x)

# CHECK-LABEL: // unstack
# CHECK: tensor.extract_slice %[[X:.*]][0, 0, 0] [8, 1, 128] [1, 1, 1] : tensor<8x2x128xf32> to tensor<8x128xf32>
# CHECK: tensor.extract_slice %[[X]][0, 1, 0] [8, 1, 128] [1, 1, 1] : tensor<8x2x128xf32> to tensor<8x128xf32>
show_value("unstack", lambda a: jnp.unstack(a, axis=1), array(jnp.float32, 8, 2, 128))

# The elements of a vector are numbers.
# CHECK-LABEL: // unstack_vector
# CHECK: tensor.extract %[[X:.*]][%{{.*}}] : tensor<2xf32>
# CHECK: tensor.extract %[[X]][%{{.*}}] : tensor<2xf32>
show_value("unstack_vector", jnp.unstack, array(jnp.float32, 2))
