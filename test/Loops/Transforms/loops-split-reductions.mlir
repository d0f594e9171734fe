// RUN: gridir-opt %s --loops-split-reductions | FileCheck %s
// RUN: gridir-opt %s --loops-split-reductions --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: (S) 2 num-split

// CHECK-LABEL: func.func @mean_pool
// CHECK-SAME:    %[[X:.*]]: tensor<8x4x512x4xf32>, %[[INIT:.*]]: tensor<8x512xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[ZERO]] : f32) {{.*}} -> tensor<8x512x4xf32>
// CHECK:         %[[ROWS:.*]] = linalg.reduce { arith.addf } ins(%[[X]] {{.*}} outs(%[[FILL]] {{.*}} dimensions = [1]
// CHECK:         %[[RESULT:.*]] = linalg.reduce { arith.addf } ins(%[[ROWS]] {{.*}} outs(%[[INIT]] {{.*}} dimensions = [2]
// CHECK:         return %[[RESULT]]
func.func @mean_pool(%x: tensor<8x4x512x4xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x4x512x4xf32>) outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
  return %0 : tensor<8x512xf32>
}

// CHECK-LABEL: func.func @several_rows
// CHECK:         arith.constant -2147483648 : i32
// CHECK:         linalg.reduce {{.*}} outs({{.*}} : tensor<16x2xi32>) dimensions = [0, 1]
// CHECK:         linalg.reduce {{.*}} dimensions = [1]
func.func @several_rows(%x: tensor<3x2x16x2xi32>, %init: tensor<16xi32>) -> tensor<16xi32> {
  %0 = linalg.reduce { arith.maxsi } ins(%x : tensor<3x2x16x2xi32>) outs(%init : tensor<16xi32>) dimensions = [0, 1, 3]
  return %0 : tensor<16xi32>
}

// Long parts of rows, few windows and a reduction of whole rows stay.
// CHECK-LABEL: func.func @long
// CHECK:         dimensions = [1, 3]
func.func @long(%x: tensor<8x4x512x5xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x4x512x5xf32>) outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
  return %0 : tensor<8x512xf32>
}

// CHECK-LABEL: func.func @few
// CHECK:         dimensions = [1, 3]
func.func @few(%x: tensor<8x4x15x4xf32>, %init: tensor<8x15xf32>) -> tensor<8x15xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x4x15x4xf32>) outs(%init : tensor<8x15xf32>) dimensions = [1, 3]
  return %0 : tensor<8x15xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK:         dimensions = [2]
func.func @rows(%x: tensor<8x512x4xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x512x4xf32>) outs(%init : tensor<8x512xf32>) dimensions = [2]
  return %0 : tensor<8x512xf32>
}

// A sum of squares is not squared again.
// CHECK-LABEL: func.func @squares
// CHECK:         dimensions = [1, 3]
func.func @squares(%x: tensor<8x4x512x4xf32>, %init: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = linalg.reduce ins(%x : tensor<8x4x512x4xf32>) outs(%init : tensor<8x512xf32>) dimensions = [1, 3]
    (%in: f32, %out: f32) {
      %1 = arith.mulf %in, %in : f32
      %2 = arith.addf %1, %out : f32
      linalg.yield %2 : f32
    }
  return %0 : tensor<8x512xf32>
}
