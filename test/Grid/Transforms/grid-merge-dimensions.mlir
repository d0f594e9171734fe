// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-merge-dimensions))' \
// RUN:   | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-merge-dimensions))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 2 num-merged
// STATS: 2 num-merged
// STATS: 1 num-merged
// STATS: 0 num-merged
// STATS: 0 num-merged
// STATS: 0 num-merged
// STATS: 0 num-merged

// Grouped heads, of which a window drops the batch; a constant that others use, too, has two shapes.
// CHECK-LABEL: grid.kernel @heads
// CHECK-SAME: grid(%i = 2)
// CHECK: inputs(%{{.*}}: bf16 [2, 256, 64] block [1, 256, 64] at (%i, 0, 0),
// CHECK: outputs(%{{.*}}: f32 [2, 256, 64] block [squeezed, 256, 64] at (%i, 0, 0),
// CHECK: %[[WINDOW:.*]] = grid.slice_ref %{{.*}}[0, 0, 0] [1, 256, 64] [1, 1, 1] drop [0]
// CHECK: %[[ROWS:.*]] = grid.load %[[WINDOW]] : {{.*}} -> tensor<256x64xbf16>
// CHECK: %[[S:.*]] = grid.dot %[[ROWS]]
// CHECK: %[[SCALE:.*]] = arith.constant dense<2.000000e+00> : tensor<256x64xf32>
// CHECK: %[[R:.*]] = arith.mulf %[[S]], %[[SCALE]] : tensor<256x64xf32>
// CHECK: grid.store %[[R]], %{{.*}} : tensor<256x64xf32>
grid.kernel @heads grid(%i = 2)
    inputs(%q: bf16 [2, 4, 64, 64] block [1, 4, 64, 64] at (%i, 0, 0, 0), %k: bf16 [64, 64])
    outputs(%o: f32 [2, 4, 64, 64] block [squeezed, 4, 64, 64] at (%i, 0, 0, 0), %p: f32 [4, 64, 64]) {
  %two = arith.constant dense<2.0> : tensor<4x64x64xf32>
  grid.store %two, %p : tensor<4x64x64xf32>, memref<4x64x64xf32, #grid.space<default>>
  %w = grid.slice_ref %q[0, 0, 0, 0] [1, 4, 64, 64] [1, 1, 1, 1] drop [0]
      : memref<1x4x64x64xbf16, #grid.space<default>> -> memref<4x64x64xbf16, #grid.space<default>>
  %v = grid.load %w : memref<4x64x64xbf16, #grid.space<default>> -> tensor<4x64x64xbf16>
  %c = tensor.collapse_shape %v [[0, 1], [2]] : tensor<4x64x64xbf16> into tensor<256x64xbf16>
  %l = grid.load %k : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %s = grid.dot %c, %l contract [1] x [0] : tensor<256x64xbf16>, tensor<64x64xbf16> -> tensor<256x64xf32>
  %e = tensor.expand_shape %s [[0, 1], [2]] output_shape [4, 64, 64] : tensor<256x64xf32> into tensor<4x64x64xf32>
  %r = arith.mulf %e, %two : tensor<4x64x64xf32>
  grid.store %r, %o : tensor<4x64x64xf32>, memref<4x64x64xf32, #grid.space<default>>
}

// -----

// Three dimensions become one, step by step; another one in the reshape remains.
// CHECK-LABEL: grid.kernel @three
// CHECK: inputs(%{{.*}}: f32 [48, 5, 8] block [24, 5, 8] at (%i, 0, 0))
// CHECK: %[[V:.*]] = grid.load %{{.*}} : {{.*}} -> tensor<24x5x8xf32>
// CHECK: grid.store %[[V]], %{{.*}}
grid.kernel @three grid(%i = 2)
    inputs(%x: f32 [4, 3, 4, 5, 8] block [2, 3, 4, 5, 8] at (%i, 0, 0, 0, 0))
    outputs(%o: f32 [48, 5, 8] block [24, 5, 8] at (%i, 0, 0)) {
  %v = grid.load %x : memref<2x3x4x5x8xf32, #grid.space<default>> -> tensor<2x3x4x5x8xf32>
  %c = tensor.collapse_shape %v [[0, 1, 2], [3], [4]] : tensor<2x3x4x5x8xf32> into tensor<24x5x8xf32>
  grid.store %c, %o : tensor<24x5x8xf32>, memref<24x5x8xf32, #grid.space<default>>
}

// -----

// Arrays of many dimensions.
// CHECK-LABEL: grid.kernel @many
// CHECK: inputs(%{{.*}}: f32 [2, 2, 2, 2, 2, 256] block [squeezed, squeezed, squeezed, squeezed, squeezed, 256] at (%m, %l, %k, %j, %i, 0))
grid.kernel @many grid(%i = 2, %j = 2, %k = 2, %l = 2, %m = 2)
    inputs(%x: f32 [2, 2, 2, 2, 2, 8, 32] block [squeezed, squeezed, squeezed, squeezed, squeezed, 8, 32] at (%m, %l, %k, %j, %i, 0, 0))
    outputs(%o: f32 [2, 2, 2, 2, 2, 256] block [squeezed, squeezed, squeezed, squeezed, squeezed, 256] at (%m, %l, %k, %j, %i, 0)) {
  %v = grid.load %x : memref<8x32xf32, #grid.space<default>> -> tensor<8x32xf32>
  %c = tensor.collapse_shape %v [[0, 1]] : tensor<8x32xf32> into tensor<256xf32>
  grid.store %c, %o : tensor<256xf32>, memref<256xf32, #grid.space<default>>
}

// -----

// The elements of a block do not follow each other.
// CHECK-LABEL: grid.kernel @parts
// CHECK: inputs(%{{.*}}: f32 [4, 128, 8] block [4, 64, 8]
grid.kernel @parts grid(%i = 2)
    inputs(%x: f32 [4, 128, 8] block [4, 64, 8] at (0, %i, 0))
    outputs(%o: f32 [512, 8] block [256, 8] at (%i, 0)) {
  %v = grid.load %x : memref<4x64x8xf32, #grid.space<default>> -> tensor<4x64x8xf32>
  %c = tensor.collapse_shape %v [[0, 1], [2]] : tensor<4x64x8xf32> into tensor<256x8xf32>
  grid.store %c, %o : tensor<256x8xf32>, memref<256x8xf32, #grid.space<default>>
}

// -----

// A reduction needs one of the dimensions.
// CHECK-LABEL: grid.kernel @reduced
// CHECK: inputs(%{{.*}}: f32 [4, 64, 8])
grid.kernel @reduced grid()
    inputs(%x: f32 [4, 64, 8]) outputs(%o: f32 [256, 8], %p: f32 [64, 8]) {
  %v = grid.load %x : memref<4x64x8xf32, #grid.space<default>> -> tensor<4x64x8xf32>
  %c = tensor.collapse_shape %v [[0, 1], [2]] : tensor<4x64x8xf32> into tensor<256x8xf32>
  grid.store %c, %o : tensor<256x8xf32>, memref<256x8xf32, #grid.space<default>>
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %s = linalg.reduce { arith.addf } ins(%v : tensor<4x64x8xf32>) outs(%zero : tensor<64x8xf32>) dimensions = [0]
  grid.store %s, %p : tensor<64x8xf32>, memref<64x8xf32, #grid.space<default>>
}

// -----

// Nothing reshapes the dimensions.
// CHECK-LABEL: grid.kernel @kept
// CHECK: inputs(%{{.*}}: f32 [4, 64, 8])
grid.kernel @kept grid()
    inputs(%x: f32 [4, 64, 8]) outputs(%o: f32 [4, 64, 8]) {
  %v = grid.load %x : memref<4x64x8xf32, #grid.space<default>> -> tensor<4x64x8xf32>
  grid.store %v, %o : tensor<4x64x8xf32>, memref<4x64x8xf32, #grid.space<default>>
}

// -----

// The output has the memory of an input of another shape.
// CHECK-LABEL: grid.kernel @shared
// CHECK: inputs(%{{.*}}: f32 [4, 64, 8])
grid.kernel @shared grid()
    inputs(%x: f32 [4, 64, 8]) outputs(%o: f32 [4, 64, 8]) aliases [0 -> 0] {
  %v = grid.load %x : memref<4x64x8xf32, #grid.space<default>> -> tensor<4x64x8xf32>
  %c = tensor.collapse_shape %v [[0, 1], [2]] : tensor<4x64x8xf32> into tensor<256x8xf32>
  %n = math.exp %c : tensor<256x8xf32>
  %e = tensor.expand_shape %n [[0, 1], [2]] output_shape [4, 64, 8] : tensor<256x8xf32> into tensor<4x64x8xf32>
  grid.store %e, %o : tensor<4x64x8xf32>, memref<4x64x8xf32, #grid.space<default>>
}
