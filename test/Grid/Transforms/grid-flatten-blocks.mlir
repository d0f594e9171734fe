// RUN: gridir-opt %s --split-input-file --pass-pipeline="builtin.module(grid.kernel(grid-flatten-blocks{block-elements=256}))" | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline="builtin.module(grid.kernel(grid-flatten-blocks{block-elements=256}))" --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --split-input-file --pass-pipeline="builtin.module(grid.kernel(grid-flatten-blocks))" | FileCheck %s --check-prefix=DEFAULT
// RUN: gridir-opt %s --split-input-file --pass-pipeline="builtin.module(grid.kernel(grid-flatten-blocks{block-elements=256}))" -o /dev/null 2>&1 --remarks-filter=grid-flatten-blocks --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// Blocks of a few columns, where the last ones overhang. Conditions and constants have the new shape, too; a scalar is
// unchanged.
// STATS:      (S) 1 num-flattened
// STATS-NEXT: (S) 0 num-kept
// REMARK: Remark="blocks are ", Remark=256, Remark=" consecutive elements"
// CHECK-LABEL: grid.kernel @columns grid(%{{.*}} = 117)
// CHECK:         inputs(%{{.*}}: f32 [29700] block [256] at (%{{.*}}) origin "x_ref"
// DEFAULT-LABEL: grid.kernel @columns grid(%{{.*}} = 8)
// DEFAULT:         block [4096]
grid.kernel @columns grid(%i = 5, %j = 4)
    inputs(%x: f32 [297, 100] block [64, 32] at (%i, %j) origin "x_ref")
    outputs(%o: f32 [297, 100] block [64, 32] at (%i, %j) origin "o_ref", %p: i32 [297, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %seven = arith.constant 7 : i32
  %positive = arith.cmpf ogt, %v, %zero : tensor<64x32xf32>
  %w = arith.select %positive, %v, %zero : tensor<64x32xi1>, tensor<64x32xf32>
  %sevens = tensor.splat %seven : tensor<64x32xi32>
  grid.store %w, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
  grid.store %sevens, %p : tensor<64x32xi32>, memref<64x32xi32, #grid.space<default>>
}

// -----

// Squeezed dimensions, in another order than those of the grid. An array of fewer elements is one block.
// STATS:      (S) 1 num-flattened
// CHECK-LABEL: grid.kernel @squeezed grid(%{{.*}} = 1)
// CHECK:         block [120] at (%{{.*}})
grid.kernel @squeezed grid(%i = 5, %j = 4)
    inputs(%x: f32 [4, 5, 6] block [squeezed, squeezed, 8] at (%j, %i, 0))
    outputs(%o: f32 [4, 5, 6] block [squeezed, squeezed, 8] at (%j, %i, 0))
    semantics [parallel, parallel] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Whole rows are already contiguous.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @rows grid(%{{.*}} = 5)
grid.kernel @rows grid(%i = 5)
    inputs(%x: f32 [320, 100] block [64, 100] at (%i, 0))
    outputs(%o: f32 [320, 100] block [64, 100] at (%i, 0))
    semantics [parallel] {
  %v = grid.load %x : memref<64x100xf32, #grid.space<default>> -> tensor<64x100xf32>
  grid.store %v, %o : tensor<64x100xf32>, memref<64x100xf32, #grid.space<default>>
}

// -----

// The programs of a dimension whose order counts.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @order grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @order grid(%i = 5, %j = 4)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, arbitrary] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  grid.store %v, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// The arrays are cut in different ways.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @transposed grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @transposed grid(%i = 5, %j = 4)
    inputs(%x: f32 [100, 300] block [32, 64] at (%j, %i))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel] {
  %v = grid.load %x : memref<32x64xf32, #grid.space<default>> -> tensor<32x64xf32>
  %e = tensor.empty() : tensor<64x32xf32>
  %t = linalg.transpose ins(%v : tensor<32x64xf32>) outs(%e : tensor<64x32xf32>) permutation = [1, 0]
  grid.store %t, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// Two programs have the same block.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @again grid(%{{.*}} = 5, %{{.*}} = 4, %{{.*}} = 2)
grid.kernel @again grid(%i = 5, %j = 4, %k = 2)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel, parallel] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  grid.store %v, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// Some blocks have no program.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @fewer grid(%{{.*}} = 4, %{{.*}} = 4)
grid.kernel @fewer grid(%i = 4, %j = 4)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  grid.store %v, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// Elements computed twice in place would be wrong.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @aliased grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @aliased grid(%i = 5, %j = 4)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel] aliases [0 -> 0] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  grid.store %v, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// A buffer has the shape of a block.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 0 num-kept
// CHECK-LABEL: grid.kernel @scratch grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @scratch grid(%i = 5, %j = 4)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    scratch(%s: memref<64x32xf32>) semantics [parallel, parallel] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  grid.store %v, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// The body asks which program it is.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 1 num-kept
// REMARK: blocks are unchanged, since this op does not compute each element from the same element of the inputs
// CHECK-LABEL: grid.kernel @indexed grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @indexed grid(%i = 5, %j = 4)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel] {
  %id = grid.program_id 0
  %n = tensor.splat %id : tensor<64x32xi32>
  %f = arith.sitofp %n : tensor<64x32xi32> to tensor<64x32xf32>
  grid.store %f, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}

// -----

// A constant with elements of its own.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 1 num-kept
// CHECK-LABEL: grid.kernel @table grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @table grid(%i = 5, %j = 4)
    inputs(%x: f32 [9, 8] block [2, 2] at (%i, %j))
    outputs(%o: f32 [9, 8] block [2, 2] at (%i, %j))
    semantics [parallel, parallel] {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  grid.store %c, %o : tensor<2x2xf32>, memref<2x2xf32, #grid.space<default>>
}

// -----

// Sums along rows, and what is made of them again.
// STATS:      (S) 0 num-flattened
// STATS-NEXT: (S) 1 num-kept
// CHECK-LABEL: grid.kernel @summed grid(%{{.*}} = 5, %{{.*}} = 4)
grid.kernel @summed grid(%i = 5, %j = 4)
    inputs(%x: f32 [300, 100] block [64, 32] at (%i, %j))
    outputs(%o: f32 [300, 100] block [64, 32] at (%i, %j))
    semantics [parallel, parallel] {
  %v = grid.load %x : memref<64x32xf32, #grid.space<default>> -> tensor<64x32xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%v : tensor<64x32xf32>) outs(%zero : tensor<64xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<64x32xf32>
  %w = linalg.broadcast ins(%sum : tensor<64xf32>) outs(%e : tensor<64x32xf32>) dimensions = [1]
  grid.store %w, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<default>>
}
