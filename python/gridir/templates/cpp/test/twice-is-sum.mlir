// The pass on a kernel of `gridir lower --stage grid`.
//
// RUN: my-opt %s --my-twice-is-sum | FileCheck %s

// CHECK-LABEL: grid.kernel @double
// CHECK: %[[X:.*]] = grid.load
// CHECK: arith.addf %[[X]], %[[X]]
// CHECK-NOT: arith.mulf
grid.kernel @double grid(%i = 4)
    inputs(%x_ref: f32 [32] block [8] at (%i))
    outputs(%o_ref: f32 [32] block [8] at (%i)) {
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %x = grid.load %x_ref : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %y = arith.mulf %x, %two : tensor<8xf32>
  grid.store %y, %o_ref : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
