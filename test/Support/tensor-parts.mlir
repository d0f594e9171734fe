// RUN: gridir-opt %s --test-support | FileCheck %s

// A part of the result of an op needs the same part of its operands, and none if elements depend on their position alone;
// a transpose permutes it. A constant of several values, elements that depend on another array, and reshapes of longer
// dimensions have no parts.
// CHECK-LABEL: func.func @parts(
// CHECK: arith.constant {test.parts = []} dense<1.0
// CHECK: arith.constant dense<[
// CHECK: arith.addf {{.*}} {test.parts = [array<i64: 0, 1>, array<i64: 0, 1>]}
// CHECK: linalg.broadcast {{.*}} {test.parts = [array<i64: 1>]}
// CHECK: linalg.generic {{.*}} attrs = {{.*}}test.parts = []
// CHECK: linalg.index 0
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xf32>) {
// CHECK: linalg.transpose {{.*}} {test.parts = [array<i64: 2, 0, 1>]}
// CHECK: tensor.expand_shape {{.*}}test.parts = [array<i64: 1>]
// CHECK: tensor.collapse_shape {{.*}}test.parts = [array<i64: -1, 0>]
// CHECK: tensor.collapse_shape
// CHECK-NOT: test.parts
// CHECK: return
func.func @parts(%x: tensor<2x4xf32>, %row: tensor<4xf32>, %cube: tensor<3x4x2xf32>, %turned: tensor<4x2x3xf32>) -> tensor<2x4xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x4xf32>
  %1 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %2 = arith.addf %x, %0 : tensor<2x4xf32>
  %3 = linalg.broadcast ins(%row : tensor<4xf32>) outs(%x : tensor<2x4xf32>) dimensions = [0]
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : tensor<2x4xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      linalg.yield %f : f32
  } -> tensor<2x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : tensor<2x4xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 1 : index
      %f = tensor.extract %row[%i] : tensor<4xf32>
      linalg.yield %f : f32
  } -> tensor<2x4xf32>
  %9 = linalg.transpose ins(%cube : tensor<3x4x2xf32>) outs(%turned : tensor<4x2x3xf32>) permutation = [1, 2, 0]
  %6 = tensor.expand_shape %row [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  %7 = tensor.collapse_shape %6 [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
  %8 = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %2 : tensor<2x4xf32>
}
