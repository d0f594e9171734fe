// RUN: gridir-opt %s --test-warpgroup-layouts | FileCheck %s

// The pass of test/Warpgroup/Layout; a function without layouts is not changed.

// CHECK: func.func private @transposed(
// CHECK-SAME: test.result = tensor<8x64xf32, #warpgroup.layout<[8, 64], registers = {{\[\[}}1, 0], [0, 8]]
// CHECK-SAME: test.vector = 2
func.func private @transposed(tensor<64x8xf32, #warpgroup.layout<wgmma>>)
    attributes {test.transpose = array<i64: 1, 0>}

// CHECK: func.func private @none(tensor<64x8xf32>){{$}}
func.func private @none(tensor<64x8xf32>)
