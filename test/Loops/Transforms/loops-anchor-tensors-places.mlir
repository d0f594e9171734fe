// RUN: gridir-opt %s --loops-anchor-tensors | FileCheck %s

// A result of an inner loop that is none of the values that the loop carries is in another buffer.
// CHECK-LABEL: func.func @not_carried
// CHECK:         scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
// CHECK:           %[[R:.*]]:2 = scf.while
// CHECK:           %[[KEPT:.*]] = bufferization.materialize_in_destination %[[R]]#1 in %[[OUTER]]
// CHECK:           scf.yield %[[KEPT]]
func.func @not_carried(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %w:2 = scf.while (%y = %x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %v = tensor.extract %y[%c0] : tensor<8xf32>
      %more = arith.cmpf olt, %v, %one : f32
      %new = linalg.exp ins(%y : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
      scf.condition(%more) %y, %new : tensor<8xf32>, tensor<8xf32>
    } do {
    ^bb0(%y: tensor<8xf32>, %z: tensor<8xf32>):
      scf.yield %z : tensor<8xf32>
    }
    scf.yield %w#1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
