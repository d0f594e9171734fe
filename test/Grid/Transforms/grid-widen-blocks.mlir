// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-widen-blocks))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-widen-blocks{least-row-bytes=128}))' | FileCheck %s --check-prefix=SHORT
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-widen-blocks))' --remarks-filter=grid-widen-blocks --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-widen-blocks))' --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// The array has eight blocks in a row: 8 of the 32 parts into which rows can be divided.
// REMARK:       remark: [Passed] widen
// REMARK-SAME:  blocks have ", Remark=8, Remark=" times as many columns, and their rows are divided by ", Remark=8
// STATS:        (S) 0 num-kept
// STATS-NEXT:   (S) 1 num-widened
// CHECK-LABEL: grid.kernel @outer grid(%i = 4, %j = 1, %k = 8)
// CHECK-NEXT:      inputs(%{{.*}}: f32 [128, 1] block [4, 1] at ((%i * 8) + %k, 0),
// CHECK-NEXT:             %{{.*}}: f32 [1, 512] block [1, 512] at (0, %j))
// CHECK-NEXT:      outputs(%{{.*}}: f32 [128, 512] block [4, 512] at ((%i * 8) + %k, %j))
// CHECK-NEXT:      semantics [parallel, parallel, parallel]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<4x1xf32>, tensor<1x512xf32>) outs(%{{.*}} : tensor<4x512xf32>)
// SHORT-LABEL: grid.kernel @outer grid(%i = 4, %j = 8)
#left = affine_map<(d0, d1) -> (d0, 0)>
#right = affine_map<(d0, d1) -> (0, d1)>
#both = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @outer grid(%i = 4, %j = 8)
    inputs(%x: f32 [128, 1] block [32, 1] at (%i, 0), %y: f32 [1, 512] block [1, 64] at (0, %j))
    outputs(%o: f32 [128, 512] block [32, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<32x1xf32, #grid.space<default>> -> tensor<32x1xf32>
  %b = grid.load %y : memref<1x64xf32, #grid.space<default>> -> tensor<1x64xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %c = linalg.generic {indexing_maps = [#left, #right, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<32x1xf32>, tensor<1x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %p = arith.mulf %u, %v : f32
    linalg.yield %p : f32
  } -> tensor<32x64xf32>
  grid.store %c, %o : tensor<32x64xf32>, memref<32x64xf32, #grid.space<default>>
}

// -----

// The last of three blocks overhangs its array; the only one does not. Rows have no third part, so that they have a
// quarter.
// REMARK:       blocks have ", Remark=3, Remark=" times as many columns, and their rows are divided by ", Remark=4
// CHECK-LABEL: grid.kernel @overhang grid(%i = 2, %j = 1, %k = 4)
// CHECK-NEXT:      inputs(%{{.*}}: f32 [32, 300] block [4, 300] at ((%i * 4) + %k, %j),
// CHECK-NEXT:             %{{.*}}: f32 [300] block [300] at (%j))
// CHECK-NEXT:      outputs(%{{.*}}: f32 [32, 300] block [4, 300] at ((%i * 4) + %k, %j))
// CHECK:         arith.constant dense<2.000000e+00> : tensor<4x300xf32>
grid.kernel @overhang grid(%i = 2, %j = 3)
    inputs(%x: f32 [32, 300] block [16, 128] at (%i, %j), %s: f32 [300] block [128] at (%j))
    outputs(%o: f32 [32, 300] block [16, 128] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<16x128xf32, #grid.space<default>> -> tensor<16x128xf32>
  %b = grid.load %s : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %e = tensor.empty() : tensor<16x128xf32>
  %c = linalg.broadcast ins(%b : tensor<128xf32>) outs(%e : tensor<16x128xf32>) dimensions = [0]
  %two = arith.constant dense<2.0> : tensor<16x128xf32>
  %d = arith.mulf %a, %two : tensor<16x128xf32>
  %f = arith.addf %d, %c : tensor<16x128xf32>
  grid.store %f, %o : tensor<16x128xf32>, memref<16x128xf32, #grid.space<default>>
}

// -----

// More blocks of columns than rows: each row becomes a block of its own. Another dimension may be reduced.
// CHECK-LABEL: grid.kernel @reduced grid(%i = 2, %j = 1, %k = 4, %l = 4)
// CHECK-NEXT:      inputs(%{{.*}}: f32 [2, 3, 4, 256] block [squeezed, 3, 1, 64] at (%i, 0, (%j * 4) + %l, %k))
// CHECK-NEXT:      outputs(%{{.*}}: f32 [2, 4, 256] block [squeezed, 1, 64] at (%i, (%j * 4) + %l, %k))
grid.kernel @reduced grid(%b = 2, %i = 1, %j = 16)
    inputs(%x: f32 [2, 3, 4, 256] block [squeezed, 3, 4, 16] at (%b, 0, %i, %j))
    outputs(%o: f32 [2, 4, 256] block [squeezed, 4, 16] at (%b, %i, %j))
    semantics [parallel, parallel, parallel] {
  %a = grid.load %x : memref<3x4x16xf32, #grid.space<default>> -> tensor<3x4x16xf32>
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<3x4x16xf32>) outs(%zero : tensor<4x16xf32>) dimensions = [0]
  grid.store %r, %o : tensor<4x16xf32>, memref<4x16xf32, #grid.space<default>>
}

// -----

// A block that is transposed has its own best shape.
// CHECK-LABEL: grid.kernel @transposed grid(%i = 4, %j = 4)
grid.kernel @transposed grid(%i = 4, %j = 4)
    inputs(%x: f32 [256, 256] block [64, 64] at (%j, %i))
    outputs(%o: f32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %t = linalg.transpose ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  grid.store %t, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// The position along a row counts from the begin of its block.
// CHECK-LABEL: grid.kernel @positions grid(%i = 4, %j = 4)
#both = affine_map<(d0, d1) -> (d0, d1)>
grid.kernel @positions grid(%i = 4, %j = 4)
    outputs(%o: i32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %e = tensor.empty() : tensor<64x64xi32>
  %p = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x64xi32>) {
  ^bb0(%old: i32):
    %n = linalg.index 1 : index
    %v = arith.index_cast %n : index to i32
    linalg.yield %v : i32
  } -> tensor<64x64xi32>
  grid.store %p, %o : tensor<64x64xi32>, memref<64x64xi32, #grid.space<default>>
}

// -----

// STATS:        (S) 1 num-kept
// REMARK:       remark: [Missed] widen
// REMARK-SAME:  blocks are unchanged, since the effect of this op may depend on them
// CHECK-LABEL: grid.kernel @numbers grid(%i = 4, %j = 4)
grid.kernel @numbers grid(%i = 4, %j = 4)
    outputs(%o: i32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %n = grid.program_id 1
  %v = tensor.splat %n : tensor<64x64xi32>
  grid.store %v, %o : tensor<64x64xi32>, memref<64x64xi32, #grid.space<default>>
}

// -----

// Each of four parts of the rows would read a block of 64 times 256 elements again.
// CHECK-LABEL: grid.kernel @shared grid(%i = 4, %j = 4)
grid.kernel @shared grid(%i = 4, %j = 4)
    inputs(%x: f32 [64, 256] block [64, 64] at (0, %j), %y: f32 [256, 256] block [64, 64] at (%i, %j))
    outputs(%o: f32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %b = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<64x64xf32>) outs(%zero : tensor<64xf32>) dimensions = [0]
  %e = tensor.empty() : tensor<64x64xf32>
  %s = linalg.broadcast ins(%r : tensor<64xf32>) outs(%e : tensor<64x64xf32>) dimensions = [0]
  %c = arith.addf %s, %b : tensor<64x64xf32>
  grid.store %c, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Parts of the second block of rows would begin outside of the array.
// CHECK-LABEL: grid.kernel @overhanging_rows grid(%i = 2, %j = 4)
grid.kernel @overhanging_rows grid(%i = 2, %j = 4)
    inputs(%x: f32 [66, 256] block [64, 64] at (%i, %j))
    outputs(%o: f32 [66, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  grid.store %a, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// A dimension that is not parallel, a whole row, and a dimension that also numbers something else.
// CHECK-LABEL: grid.kernel @ordered grid(%i = 4, %j = 4)
grid.kernel @ordered grid(%i = 4, %j = 4)
    inputs(%x: f32 [256, 256] block [64, 64] at (%i, %j))
    outputs(%o: f32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, arbitrary] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  grid.store %a, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @whole grid(%i = 4)
grid.kernel @whole grid(%i = 4)
    inputs(%x: f32 [256, 64] block [64, 64] at (%i, 0))
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  grid.store %a, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @diagonal grid(%i = 4, %j = 4)
grid.kernel @diagonal grid(%i = 4, %j = 4)
    inputs(%x: f32 [1024, 256] block [64, 64] at (%i * 4 + %j, %j))
    outputs(%o: f32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  grid.store %a, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @product grid(%i = 4, %j = 4)
grid.kernel @product grid(%i = 4, %j = 4)
    inputs(%x: f32 [256, 8] block [64, 8] at (%i, 0), %y: f32 [8, 256] block [8, 64] at (0, %j))
    outputs(%o: f32 [256, 256] block [64, 64] at (%i, %j))
    semantics [parallel, parallel] {
  %a = grid.load %x : memref<64x8xf32, #grid.space<default>> -> tensor<64x8xf32>
  %b = grid.load %y : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %c = grid.dot %a, %b contract [1] x [0] : tensor<64x8xf32>, tensor<8x64xf32> -> tensor<64x64xf32>
  grid.store %c, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// A complex number has two parts.
// CHECK-LABEL: grid.kernel @complex_output
grid.kernel @complex_output grid(%i = 8, %j = 3)
    inputs(%x: f32 [1024, 80] block [128, 32] at (%i, %j)) outputs(%o: complex<f32> [1024, 96] block [128, 32] at (%i, %j)) {
}
