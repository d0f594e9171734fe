// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// A product widens its operands inside the contraction and starts from zero.
// CHECK-LABEL: func.func @widening(
// CHECK:         %[[Z:[a-z0-9]*]] = linalg.fill
// CHECK:         linalg.contract
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<8x16xbf16>, tensor<16x4xbf16>) outs(%[[Z]] : tensor<8x4xf32>)
grid.kernel @widening grid()
    inputs(%x: bf16 [8, 16], %y: bf16 [16, 4]) outputs(%o: f32 [8, 4]) {
  %a = grid.load %x : memref<8x16xbf16, #grid.space<default>> -> tensor<8x16xbf16>
  %b = grid.load %y : memref<16x4xbf16, #grid.space<default>> -> tensor<16x4xbf16>
  %c = grid.dot %a, %b contract [1] x [0] : tensor<8x16xbf16>, tensor<16x4xbf16> -> tensor<8x4xf32>
  grid.store %c, %o : tensor<8x4xf32>, memref<8x4xf32, #grid.space<default>>
}

// -----

// Batches come first; an accumulator is where the sum starts.
// CHECK-LABEL: func.func @batched(
// CHECK:         %[[ACC:[a-z0-9]*]] = bufferization.to_tensor %{{[a-z0-9]*}} restrict : memref<2x8x4xf32> to
// CHECK:         linalg.contract
// CHECK-SAME:      outs(%[[ACC]] : tensor<2x8x4xf32>)
grid.kernel @batched grid()
    inputs(%x: f32 [2, 8, 16], %y: f32 [2, 4, 16], %z: f32 [2, 8, 4]) outputs(%o: f32 [2, 8, 4]) {
  %a = grid.load %x : memref<2x8x16xf32, #grid.space<default>> -> tensor<2x8x16xf32>
  %b = grid.load %y : memref<2x4x16xf32, #grid.space<default>> -> tensor<2x4x16xf32>
  %s = grid.load %z : memref<2x8x4xf32, #grid.space<default>> -> tensor<2x8x4xf32>
  %c = grid.dot %a, %b acc %s contract [2] x [2] batch [0] x [0]
      : tensor<2x8x16xf32>, tensor<2x4x16xf32>, tensor<2x8x4xf32> -> tensor<2x8x4xf32>
  grid.store %c, %o : tensor<2x8x4xf32>, memref<2x8x4xf32, #grid.space<default>>
}

// -----

// Without a contracted dimension the product is a generic op: linalg.contract cannot say it.
// CHECK-LABEL: func.func @outer(
// CHECK-NOT:     linalg.contract
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK:           arith.mulf
grid.kernel @outer grid()
    inputs(%x: f32 [8], %y: f32 [4]) outputs(%o: f32 [8, 4]) {
  %a = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %b = grid.load %y : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  %c = grid.dot %a, %b contract [] x [] : tensor<8xf32>, tensor<4xf32> -> tensor<8x4xf32>
  grid.store %c, %o : tensor<8x4xf32>, memref<8x4xf32, #grid.space<default>>
}

// -----

// A signed times an unsigned operand: each is widened by its own rule.
// CHECK-LABEL: func.func @mixed_signs(
// CHECK:         linalg.generic
// CHECK:           arith.extsi %{{.*}} : i8 to i32
// CHECK:           arith.extui %{{.*}} : i8 to i32
grid.kernel @mixed_signs grid()
    inputs(%x: si8 [8, 16], %y: ui8 [16, 4]) outputs(%o: si32 [8, 4]) {
  %a = grid.load %x : memref<8x16xi8, #grid.space<default>> -> tensor<8x16xi8>
  %b = grid.load %y : memref<16x4xi8, #grid.space<default>> -> tensor<16x4xi8>
  %c = grid.dot %a, %b contract [1] x [0] {unsigned_rhs} : tensor<8x16xi8>, tensor<16x4xi8> -> tensor<8x4xi32>
  grid.store %c, %o : tensor<8x4xi32>, memref<8x4xi32, #grid.space<default>>
}

// -----

// Narrow floats are summed in f32 and rounded once. An algorithm says how far operands may be rounded, not that they
// must be: XLA's CPU backend does not.
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT:     arith.truncf %{{.*}} : f32 to bf16
// CHECK:         linalg.contract
// CHECK-SAME:      tensor<8x16xf32>, tensor<16x4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK:         arith.truncf %{{.*}} : f32 to f16
grid.kernel @rounded grid()
    inputs(%x: f32 [8, 16], %y: f32 [16, 4]) outputs(%o: f16 [8, 4]) {
  %a = grid.load %x : memref<8x16xf32, #grid.space<default>> -> tensor<8x16xf32>
  %b = grid.load %y : memref<16x4xf32, #grid.space<default>> -> tensor<16x4xf32>
  %c = grid.dot %a, %b contract [1] x [0] {algorithm = "BF16_BF16_F32"} : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf16>
  grid.store %c, %o : tensor<8x4xf16>, memref<8x4xf16, #grid.space<default>>
}
