// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-drop-masks))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-drop-masks))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 3 num-dropped
// STATS: 1 num-dropped
// STATS: 0 num-dropped
// STATS: 1 num-dropped

#id = affine_map<(d0) -> (d0)>

// Positions that are compared with the size of the array, through broadcasts and shapes.
// CHECK-LABEL: grid.kernel @positions
// CHECK-COUNT-2: grid.load %{{[a-z0-9]+}} : memref<8x64xf32
// CHECK: grid.store %{{.*}}, %{{[a-z0-9]+}} : tensor<8x64xf32>, memref
grid.kernel @positions grid()
    inputs(%x: f32 [8, 64]) outputs(%o: f32 [8, 64]) {
  %empty = tensor.empty() : tensor<64xi32>
  %position = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<64xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<64xi32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %less = arith.cmpi slt, %position, %size : tensor<64xi32>
  %row = tensor.expand_shape %less [[0, 1]] output_shape [1, 64] : tensor<64xi1> into tensor<1x64xi1>
  %again = tensor.collapse_shape %row [[0, 1]] : tensor<1x64xi1> into tensor<64xi1>
  %masks = tensor.empty() : tensor<8x64xi1>
  %mask = linalg.broadcast ins(%again : tensor<64xi1>) outs(%masks : tensor<8x64xi1>) dimensions = [0]
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %v = grid.load %x mask %mask other %zero
      : memref<8x64xf32, #grid.space<default>>, tensor<8x64xi1>, tensor<8x64xf32> -> tensor<8x64xf32>
  %true = arith.constant true
  %all = tensor.splat %true : tensor<8x64xi1>
  %w = grid.load %x mask %all : memref<8x64xf32, #grid.space<default>>, tensor<8x64xi1> -> tensor<8x64xf32>
  %sum = arith.addf %v, %w : tensor<8x64xf32>
  grid.store %sum, %o mask %mask : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>, tensor<8x64xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

// The number of the program bounds positions, too.
// CHECK-LABEL: grid.kernel @programs
// CHECK: grid.load %{{[a-z0-9]+}} : memref<64xi32
// CHECK: grid.store %{{.*}}, %{{[a-z0-9]+}} mask
grid.kernel @programs grid(%i = 4)
    inputs(%x: i32 [256] block [64] at (%i)) outputs(%o: i32 [256] block [64] at (%i)) semantics [parallel] {
  %i = grid.program_id 0
  %block = arith.constant 64 : i32
  %start = arith.muli %i, %block : i32
  %empty = tensor.empty() : tensor<64xi32>
  %position = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<64xi32>) {
  ^bb0(%out: i32):
    %n = linalg.index 0 : index
    %j = arith.index_cast %n : index to i32
    linalg.yield %j : i32
  } -> tensor<64xi32>
  %starts = linalg.fill ins(%start : i32) outs(%empty : tensor<64xi32>) -> tensor<64xi32>
  %global = arith.addi %starts, %position : tensor<64xi32>
  %size = arith.constant dense<256> : tensor<64xi32>
  %inside = arith.cmpi slt, %global, %size : tensor<64xi32>
  %v = grid.load %x mask %inside : memref<64xi32, #grid.space<default>>, tensor<64xi1> -> tensor<64xi32>
  // The last program has elements beyond this size.
  %less = arith.constant dense<255> : tensor<64xi32>
  %mask = arith.cmpi slt, %global, %less : tensor<64xi32>
  grid.store %v, %o mask %mask : tensor<64xi32>, memref<64xi32, #grid.space<default>>, tensor<64xi1>
}

// -----

// Masks that are data, or of several values.
// CHECK-LABEL: grid.kernel @data
// CHECK-COUNT-2: grid.load %{{[a-z0-9]+}} mask
grid.kernel @data grid()
    inputs(%x: i32 [4]) outputs(%o: i32 [4]) {
  %some = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
  %v = grid.load %x mask %some : memref<4xi32, #grid.space<default>>, tensor<4xi1> -> tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %positive = arith.cmpi sgt, %v, %zero : tensor<4xi32>
  %w = grid.load %x mask %positive : memref<4xi32, #grid.space<default>>, tensor<4xi1> -> tensor<4xi32>
  grid.store %w, %o : tensor<4xi32>, memref<4xi32, #grid.space<default>>
}

// -----

// A block outside of its array, which a program accesses with a mask only. Scratch memory has no blocks.
// CHECK-LABEL: grid.kernel @outside
// CHECK: grid.load %{{[a-z0-9]+}} mask
// CHECK: grid.store %{{.*}}, %{{[a-z0-9]+}} : tensor
// CHECK: grid.store %{{.*}}, %{{[a-z0-9]+}} mask
grid.kernel @outside grid(%i = 5)
    inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
    scratch(%s: memref<8xf32, #grid.space<default>>) semantics [parallel] {
  %all = arith.constant dense<true> : tensor<8xi1>
  %v = grid.load %x mask %all : memref<8xf32, #grid.space<default>>, tensor<8xi1> -> tensor<8xf32>
  grid.store %v, %s mask %all : tensor<8xf32>, memref<8xf32, #grid.space<default>>, tensor<8xi1>
  grid.store %v, %o mask %all : tensor<8xf32>, memref<8xf32, #grid.space<default>>, tensor<8xi1>
}
