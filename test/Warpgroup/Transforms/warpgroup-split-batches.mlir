// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-batches))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-split-batches))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS

// The heads of both products are one axis. A program has one of them, and contractions of matrices; values between them
// keep the dimension.
// STATISTICS: (S) 2 num-matrices
// STATISTICS: (S) 1 num-split
// CHECK-LABEL: grid.kernel @heads grid(%i = 2, %{{.*}} = 4)
// CHECK:       inputs(%{{.*}}: bf16 [64, 8, 64] block [64, 1, 64] at (0, (%i * 4) + %{{.*}}, 0),
// CHECK:       outputs(%{{.*}}: f32 [64, 8, 64] block [64, 1, 64] at
// CHECK:       semantics [parallel, parallel]
// CHECK:       %[[Q:.*]] = tensor.collapse_shape %{{.*}} : tensor<64x1x64xbf16> into tensor<64x64xbf16>
// CHECK:       %[[K:.*]] = tensor.collapse_shape
// CHECK:       %[[S:.*]] = grid.dot %[[Q]], %[[K]] contract [1] x [1] : {{.*}} -> tensor<64x32xf32>
// CHECK:       tensor.expand_shape %[[S]] {{.*}} into tensor<1x64x32xf32>
// CHECK:       %[[P:.*]] = tensor.collapse_shape
// CHECK:       %[[O:.*]] = grid.dot %[[P]], %{{.*}} contract [1] x [0]
// CHECK:       linalg.transpose
grid.kernel @heads grid(%i = 2)
    inputs(%q: bf16 [64, 8, 64] block [64, 4, 64] at (0, %i, 0), %k: bf16 [32, 8, 64] block [32, 4, 64] at (0, %i, 0))
    outputs(%o: f32 [64, 8, 64] block [64, 4, 64] at (0, %i, 0)) semantics [parallel] {
  %a = grid.load %q : memref<64x4x64xbf16, #grid.space<default>> -> tensor<64x4x64xbf16>
  %b = grid.load %k : memref<32x4x64xbf16, #grid.space<default>> -> tensor<32x4x64xbf16>
  %s = grid.dot %a, %b contract [2] x [2] batch [1] x [1] : tensor<64x4x64xbf16>, tensor<32x4x64xbf16> -> tensor<4x64x32xf32>
  %p = arith.truncf %s : tensor<4x64x32xf32> to tensor<4x64x32xbf16>
  %d = grid.dot %p, %b contract [2] x [0] batch [0] x [1] : tensor<4x64x32xbf16>, tensor<32x4x64xbf16> -> tensor<4x64x64xf32>
  %e = tensor.empty() : tensor<64x4x64xf32>
  %t = linalg.transpose ins(%d : tensor<4x64x64xf32>) outs(%e : tensor<64x4x64xf32>) permutation = [1, 0, 2]
  grid.store %t, %o : tensor<64x4x64xf32>, memref<64x4x64xf32, #grid.space<default>>
}

// -----

// A batch of one element, and an accumulator.
// STATISTICS: (S) 1 num-matrices
// STATISTICS: (S) 0 num-split
// CHECK-LABEL: grid.kernel @single grid(%i = 4)
// CHECK:       %[[C:.*]] = tensor.collapse_shape %{{.*}} : tensor<1x64x64xf32> into tensor<64x64xf32>
// CHECK:       grid.dot %{{.*}}, %{{.*}} acc %[[C]] contract [1] x [0]
grid.kernel @single grid(%i = 4)
    inputs(%x: bf16 [4, 64, 64] block [1, 64, 64] at (%i, 0, 0), %c: f32 [4, 64, 64] block [1, 64, 64] at (%i, 0, 0))
    outputs(%o: f32 [4, 64, 64] block [1, 64, 64] at (%i, 0, 0)) semantics [parallel] {
  %a = grid.load %x : memref<1x64x64xbf16, #grid.space<default>> -> tensor<1x64x64xbf16>
  %b = grid.load %c : memref<1x64x64xf32, #grid.space<default>> -> tensor<1x64x64xf32>
  %d = grid.dot %a, %a acc %b contract [2] x [1] batch [0] x [0] : tensor<1x64x64xbf16>, tensor<1x64x64xbf16>, tensor<1x64x64xf32> -> tensor<1x64x64xf32>
  grid.store %d, %o : tensor<1x64x64xf32>, memref<1x64x64xf32, #grid.space<default>>
}

// -----

// The sum over the batch depends on all of its positions.
// STATISTICS: (S) 0 num-matrices
// STATISTICS: (S) 0 num-split
// CHECK-LABEL: grid.kernel @sum grid(%i = 1)
// CHECK:       grid.dot {{.*}} batch [0] x [0]
grid.kernel @sum grid(%i = 1) inputs(%x: bf16 [4, 64, 64]) outputs(%o: f32 [64, 64]) {
  %a = grid.load %x : memref<4x64x64xbf16, #grid.space<default>> -> tensor<4x64x64xbf16>
  %d = grid.dot %a, %a contract [2] x [1] batch [0] x [0] : tensor<4x64x64xbf16>, tensor<4x64x64xbf16> -> tensor<4x64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = linalg.reduce {arith.addf} ins(%d : tensor<4x64x64xf32>) outs(%z : tensor<64x64xf32>) dimensions = [0]
  grid.store %s, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// A kernel whose grid is dynamic is mapped to threads as it is.
// STATISTICS: (S) 0 num-matrices
// STATISTICS: (S) 0 num-split
// CHECK-LABEL: grid.kernel @dynamic
// CHECK:       grid.dot {{.*}} batch [0] x [0]
grid.kernel @dynamic grid(%i = ?) inputs(%x: bf16 [4, 64, 64]) outputs(%o: f32 [4, 64, 64]) {
  %a = grid.load %x : memref<4x64x64xbf16, #grid.space<default>> -> tensor<4x64x64xbf16>
  %d = grid.dot %a, %a contract [2] x [1] batch [0] x [0] : tensor<4x64x64xbf16>, tensor<4x64x64xbf16> -> tensor<4x64x64xf32>
  grid.store %d, %o : tensor<4x64x64xf32>, memref<4x64x64xf32, #grid.space<default>>
}

// -----

// Of the free dimensions of the left operand, a program has the longest one, and one position of the other. Both
// contracted dimensions become one.
// STATISTICS: (S) 1 num-matrices
// STATISTICS: (S) 1 num-split
// CHECK-LABEL: grid.kernel @dimensions grid(%i = 1, %{{.*}} = 4)
// CHECK:       inputs(%{{.*}}: bf16 [32, 4, 2, 32] block [32, 1, 2, 32] at
// CHECK:       %[[L:.*]] = tensor.collapse_shape %{{.*}} : tensor<32x1x2x32xbf16> into tensor<32x64xbf16>
// CHECK:       %[[R:.*]] = tensor.collapse_shape %{{.*}} : tensor<2x32x64xbf16> into tensor<64x64xbf16>
// CHECK:       %[[D:.*]] = grid.dot %[[L]], %[[R]] contract [1] x [0] : {{.*}} -> tensor<32x64xf32>
// CHECK:       tensor.expand_shape %[[D]] {{.*}} into tensor<32x1x64xf32>
grid.kernel @dimensions grid(%i = 1) inputs(%x: bf16 [32, 4, 2, 32], %y: bf16 [2, 32, 64]) outputs(%o: f32 [32, 4, 64]) {
  %a = grid.load %x : memref<32x4x2x32xbf16, #grid.space<default>> -> tensor<32x4x2x32xbf16>
  %b = grid.load %y : memref<2x32x64xbf16, #grid.space<default>> -> tensor<2x32x64xbf16>
  %d = grid.dot %a, %b contract [2, 3] x [0, 1] : tensor<32x4x2x32xbf16>, tensor<2x32x64xbf16> -> tensor<32x4x64xf32>
  grid.store %d, %o : tensor<32x4x64xf32>, memref<32x4x64xf32, #grid.space<default>>
}

// -----

// The contracted dimension is between free ones that all outputs need.
// STATISTICS: (S) 0 num-matrices
// CHECK-LABEL: grid.kernel @between
// CHECK:       grid.dot {{.*}} contract [1] x [0]
grid.kernel @between grid(%i = 1) inputs(%x: bf16 [4, 64, 8], %y: bf16 [64, 64]) outputs(%o: f32 [64]) {
  %a = grid.load %x : memref<4x64x8xbf16, #grid.space<default>> -> tensor<4x64x8xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<4x64x8xbf16>, tensor<64x64xbf16> -> tensor<4x8x64xf32>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %s = linalg.reduce {arith.addf} ins(%d : tensor<4x8x64xf32>) outs(%z : tensor<64xf32>) dimensions = [0, 1]
  grid.store %s, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
}

// -----

// A product of all elements of both operands is a scalar, and stays.
// STATISTICS: (S) 0 num-matrices
// CHECK-LABEL: grid.kernel @scalar
// CHECK:       grid.dot {{.*}} contract [0, 1] x [0, 1] : {{.*}} -> f32
grid.kernel @scalar grid(%i = 1) inputs(%x: f32 [16, 8]) outputs(%o: f32 [1]) {
  %a = grid.load %x : memref<16x8xf32, #grid.space<default>> -> tensor<16x8xf32>
  %d = grid.dot %a, %a contract [0, 1] x [0, 1] : tensor<16x8xf32>, tensor<16x8xf32> -> f32
  %v = tensor.from_elements %d : tensor<1xf32>
  grid.store %v, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// The matrices of vectors have the order of the operands' dimensions.
// STATISTICS: (S) 1 num-matrices
// CHECK-LABEL: grid.kernel @units
// CHECK:       tensor.collapse_shape %{{.*}} : tensor<4x16x1xbf16> into tensor<64x1xbf16>
// CHECK:       tensor.collapse_shape %{{.*}} : tensor<1x4x16xbf16> into tensor<1x64xbf16>
// CHECK:       grid.dot {{.*}} contract [0] x [1] : tensor<64x1xbf16>, tensor<1x64xbf16> -> tensor<1x1xf32>
grid.kernel @units grid(%i = 1) inputs(%x: bf16 [4, 16, 1], %y: bf16 [1, 4, 16]) outputs(%o: f32 [1, 1]) {
  %a = grid.load %x : memref<4x16x1xbf16, #grid.space<default>> -> tensor<4x16x1xbf16>
  %b = grid.load %y : memref<1x4x16xbf16, #grid.space<default>> -> tensor<1x4x16xbf16>
  %d = grid.dot %a, %b contract [0, 1] x [1, 2] : tensor<4x16x1xbf16>, tensor<1x4x16xbf16> -> tensor<1x1xf32>
  grid.store %d, %o : tensor<1x1xf32>, memref<1x1xf32, #grid.space<default>>
}

// -----

// Parts of the last block along the batch would be outside of the array.
// STATISTICS: (S) 0 num-matrices
// STATISTICS: (S) 0 num-split
// CHECK-LABEL: grid.kernel @overhang grid(%i = 2)
// CHECK:       grid.dot {{.*}} batch [0] x [0]
grid.kernel @overhang grid(%i = 2) inputs(%x: bf16 [6, 64, 64] block [4, 64, 64] at (%i, 0, 0))
    outputs(%o: f32 [6, 64, 64] block [4, 64, 64] at (%i, 0, 0)) semantics [parallel] {
  %a = grid.load %x : memref<4x64x64xbf16, #grid.space<default>> -> tensor<4x64x64xbf16>
  %d = grid.dot %a, %a contract [2] x [1] batch [0] x [0] : tensor<4x64x64xbf16>, tensor<4x64x64xbf16> -> tensor<4x64x64xf32>
  grid.store %d, %o : tensor<4x64x64xf32>, memref<4x64x64xf32, #grid.space<default>>
}

// -----

// Rows of the contraction are those of two heads: a program has one. Positions count the rows of both.
// STATISTICS: (S) 0 num-matrices
// STATISTICS: (S) 1 num-split
// CHECK-LABEL: grid.kernel @groups grid(%i = 4, %{{.*}} = 2)
// CHECK:       inputs(%{{.*}}: bf16 [2, 256, 64] block [1, 64, 64] at (%{{.*}}, %i, 0)
// CHECK:       outputs(%{{.*}}: f32 [2, 256, 64] block [1, 64, 64] at (%{{.*}}, %i, 0))
// CHECK:       tensor.collapse_shape %{{.*}} : tensor<1x64x64xbf16> into tensor<64x64xbf16>
// CHECK:       grid.dot {{.*}} -> tensor<64x64xf32>
// CHECK:       arith.muli %{{.*}}, %c64{{.*}} : index
// CHECK:       tensor.expand_shape %{{.*}} : tensor<64x64xf32> into tensor<1x64x64xf32>
grid.kernel @groups grid(%i = 4)
    inputs(%q: bf16 [2, 256, 64] block [2, 64, 64] at (0, %i, 0), %k: bf16 [64, 64])
    outputs(%o: f32 [2, 256, 64] block [2, 64, 64] at (0, %i, 0)) semantics [parallel] {
  %a = grid.load %q : memref<2x64x64xbf16, #grid.space<default>> -> tensor<2x64x64xbf16>
  %b = grid.load %k : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x64x64xbf16> into tensor<128x64xbf16>
  %s = grid.dot %c, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %empty = tensor.empty() : tensor<128x64xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<128x64xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %number = arith.index_cast %row : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  } -> tensor<128x64xf32>
  %r = arith.addf %s, %rows : tensor<128x64xf32>
  %e = tensor.expand_shape %r [[0, 1], [2]] output_shape [2, 64, 64] : tensor<128x64xf32> into tensor<2x64x64xf32>
  grid.store %e, %o : tensor<2x64x64xf32>, memref<2x64x64xf32, #grid.space<default>>
}

// -----

// Three rows of a contraction are not whole groups.
// STATISTICS: (S) 0 num-matrices
// STATISTICS: (S) 0 num-split
// CHECK-LABEL: grid.kernel @uneven grid(%i = 1)
grid.kernel @uneven grid(%i = 1)
    inputs(%q: bf16 [3, 64, 64], %k: bf16 [64, 64], %m: f32 [2, 96, 64]) outputs(%o: f32 [3, 64, 64]) semantics [parallel] {
  %a = grid.load %q : memref<3x64x64xbf16, #grid.space<default>> -> tensor<3x64x64xbf16>
  %b = grid.load %k : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.load %m : memref<2x96x64xf32, #grid.space<default>> -> tensor<2x96x64xf32>
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<3x64x64xbf16> into tensor<192x64xbf16>
  %f = tensor.collapse_shape %d [[0, 1], [2]] : tensor<2x96x64xf32> into tensor<192x64xf32>
  %s = grid.dot %c, %b acc %f contract [1] x [0] : tensor<192x64xbf16>, tensor<64x64xbf16>, tensor<192x64xf32> -> tensor<192x64xf32>
  %e = tensor.expand_shape %s [[0, 1], [2]] output_shape [3, 64, 64] : tensor<192x64xf32> into tensor<3x64x64xf32>
  grid.store %e, %o : tensor<3x64x64xf32>, memref<3x64x64xf32, #grid.space<default>>
}
