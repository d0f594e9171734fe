// RUN: gridir-opt %s --test-support | FileCheck %s

// A part of the result of an op needs the same part of its operands; a constant of several values has no parts.
// CHECK-LABEL: func.func @parts(
// CHECK: arith.constant {test.parts = []} dense<1.0
// CHECK: arith.constant dense<[
// CHECK: arith.addf {{.*}} {test.parts = [array<i64: 0, 1>, array<i64: 0, 1>]}
// CHECK: linalg.broadcast {{.*}} {test.parts = [array<i64: 1>]}
func.func @parts(%x: tensor<2x4xf32>, %row: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x4xf32>
  %1 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %2 = arith.addf %x, %0 : tensor<2x4xf32>
  %3 = linalg.broadcast ins(%row : tensor<4xf32>) outs(%x : tensor<2x4xf32>) dimensions = [0]
  return %2 : tensor<2x4xf32>
}
