// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-pad-blocks))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-pad-blocks))' --mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: not gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(warpgroup-pad-blocks{chip=sm_1}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: expected a chip ({{.*}}), got sm_1

// Rows of 1000 elements become rows of 1024, in which each thread accesses 16 bytes. The sum has the neutral element
// after the row; the other input and the output extend with it.
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @scale
// CHECK: inputs(%{{.+}}: f32 [64, 1000] block [8, 1024] at (%{{.+}}, 0),
// CHECK-NEXT: %{{.+}}: f32 [1000] block [1024] at (0))
// CHECK: outputs(%{{.+}}: f32 [64, 1000] block [8, 1024] at (%{{.+}}, 0))
// CHECK: %[[V:.+]] = grid.load {{.*}} -> tensor<8x1024xf32>
// CHECK: %[[ZERO:.+]] = arith.constant dense<{{.*}}0.000000e+00> : tensor<8x1024xf32>
// CHECK: %[[INSIDE:.+]] = linalg.generic
// CHECK: %[[I:.+]] = linalg.index 1
// CHECK: arith.cmpi slt, %[[I]], %c1000
// CHECK: %[[W:.+]] = arith.select %[[INSIDE]], %[[V]], %[[ZERO]]
// CHECK: linalg.reduce {{.*}} ins(%[[W]] : tensor<8x1024xf32>) outs({{.*}}) dimensions = [1]
// CHECK: linalg.broadcast {{.*}} outs({{.*}} : tensor<8x1024xf32>) dimensions = [1]
// CHECK: grid.store {{.*}} : tensor<8x1024xf32>
grid.kernel @scale grid(%i = 8)
    inputs(%x: f32 [64, 1000] block [8, 1000] at (%i, 0), %y: f32 [1000] block [1000] at (0))
    outputs(%o: f32 [64, 1000] block [8, 1000] at (%i, 0)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %empty = tensor.empty() : tensor<8x1000xf32>
  %v = grid.load %x : memref<8x1000xf32, #grid.space<default>> -> tensor<8x1000xf32>
  %y1 = grid.load %y : memref<1000xf32, #grid.space<default>> -> tensor<1000xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<8x1000xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
  %sums = linalg.broadcast ins(%sum : tensor<8xf32>) outs(%empty : tensor<8x1000xf32>) dimensions = [1]
  %factors = linalg.broadcast ins(%y1 : tensor<1000xf32>) outs(%empty : tensor<8x1000xf32>) dimensions = [0]
  %a = arith.mulf %v, %factors : tensor<8x1000xf32>
  %b = arith.divf %a, %sums : tensor<8x1000xf32>
  grid.store %b, %o : tensor<8x1000xf32>, memref<8x1000xf32, #grid.space<default>>
}

// -----

// Few columns become a power of two. 1100 elements of 4 bytes are extended by less than a quarter, to 8 bytes for each
// thread.
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @short
// CHECK: block [3, 64] at
// STATS: 1 num-padded
// CHECK-LABEL: grid.kernel @long
// CHECK: block [1, 1280] at
grid.kernel @short grid(%i = 8) inputs(%x: f32 [24, 50] block [3, 50] at (%i, 0)) outputs(%o: f32 [24] block [3] at (%i)) semantics [parallel] {
  %low = arith.constant dense<0xFF800000> : tensor<3xf32>
  %v = grid.load %x : memref<3x50xf32, #grid.space<default>> -> tensor<3x50xf32>
  %max = linalg.reduce {arith.maximumf} ins(%v : tensor<3x50xf32>) outs(%low : tensor<3xf32>) dimensions = [1]
  grid.store %max, %o : tensor<3xf32>, memref<3xf32, #grid.space<default>>
}

// -----

grid.kernel @long grid(%i = 24) inputs(%x: f32 [24, 1100] block [1, 1100] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1100xf32, #grid.space<default>> -> tensor<1x1100xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1100xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// Nothing is extended: rows that 128 threads divide, blocks that are a part of a row, rows that registers do not hold,
// columns of which threads have whole rows, values of which a slice is used, and results of contractions.
// STATS-NOT: {{[1-9][0-9]*}} num-padded
// CHECK-LABEL: grid.kernel @even
// CHECK: block [1, 1152] at
grid.kernel @even grid(%i = 24) inputs(%x: f32 [24, 1152] block [1, 1152] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1152xf32, #grid.space<default>> -> tensor<1x1152xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1152xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @part
// CHECK: block [1, 1000] at
grid.kernel @part grid(%i = 24, %j = 2) inputs(%x: f32 [24, 2000] block [1, 1000] at (%i, %j)) outputs(%o: f32 [24, 2] block [1, 1] at (%i, %j)) semantics [parallel, parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1000xf32, #grid.space<default>> -> tensor<1x1000xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1000xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  %e = tensor.expand_shape %sum [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  grid.store %e, %o : tensor<1x1xf32>, memref<1x1xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @large
// CHECK: block [1, 50257] at
grid.kernel @large grid(%i = 24) inputs(%x: f32 [24, 50257] block [1, 50257] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x50257xf32, #grid.space<default>> -> tensor<1x50257xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x50257xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @rows
// CHECK: block [128, 10] at
grid.kernel @rows grid(%i = 8) inputs(%x: f32 [1024, 10] block [128, 10] at (%i, 0)) outputs(%o: f32 [1024] block [128] at (%i)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %v = grid.load %x : memref<128x10xf32, #grid.space<default>> -> tensor<128x10xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<128x10xf32>) outs(%zero : tensor<128xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @slice
// CHECK: block [1, 1000] at
grid.kernel @slice grid(%i = 24) inputs(%x: f32 [24, 1000] block [1, 1000] at (%i, 0)) outputs(%o: f32 [24] block [1] at (%i), %p: f32 [24, 500] block [1, 500] at (%i, 0)) semantics [parallel] {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %v = grid.load %x : memref<1x1000xf32, #grid.space<default>> -> tensor<1x1000xf32>
  %half = tensor.extract_slice %v[0, 0] [1, 500] [1, 1] : tensor<1x1000xf32> to tensor<1x500xf32>
  %sum = linalg.reduce {arith.addf} ins(%v : tensor<1x1000xf32>) outs(%zero : tensor<1xf32>) dimensions = [1]
  grid.store %sum, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  grid.store %half, %p : tensor<1x500xf32>, memref<1x500xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @product
// CHECK: block [1000, 64] at
grid.kernel @product grid(%i = 2) inputs(%x: bf16 [128, 64] block [64, 64] at (%i, 0), %y: bf16 [1000, 64] block [1000, 64] at (0, 0))
    outputs(%o: f32 [128] block [64] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %w = grid.load %y : memref<1000x64xbf16, #grid.space<default>> -> tensor<1000x64xbf16>
  %d = grid.dot %v, %w contract [1] x [1] : tensor<64x64xbf16>, tensor<1000x64xbf16> -> tensor<64x1000xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %max = linalg.reduce {arith.maximumf} ins(%d : tensor<64x1000xf32>) outs(%low : tensor<64xf32>) dimensions = [1]
  grid.store %max, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
}
