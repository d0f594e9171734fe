// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// A window that starts inside its array for all programs is cut at its end alone: here, where the last one starts at the
// end,
// CHECK-LABEL: func.func @inside(
// CHECK:         arith.minsi
// CHECK-NOT:     arith.maxsi
// CHECK:         return
grid.kernel @inside grid(%i = 4)
    inputs(%x: f32 [384] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// but not here, where it starts one element later,
// CHECK-LABEL: func.func @behind(
// CHECK:         arith.maxsi
// CHECK:         return
grid.kernel @behind grid(%i = 4)
    inputs(%x: f32 [383] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// nor where the first one starts before the array.
// CHECK-LABEL: func.func @before(
// CHECK:         arith.maxsi
// CHECK:         return
grid.kernel @before grid(%i = 4)
    inputs(%x: f32 [500] block [128] at (%i - 1))
    outputs(%o: f32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}
