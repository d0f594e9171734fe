// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-rematerialize-positions))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-rematerialize-positions{max-copies=2}))' | FileCheck %s --check-prefix=LIMIT
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-rematerialize-positions))' -o /dev/null \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS

// Rows and columns get positions, and what these are computed from, of their own.
// STATISTICS: 3 num-copies
// CHECK-LABEL: grid.kernel @causal
// CHECK-COUNT-2: tensor.empty() : tensor<64xi32>
// CHECK: %[[FIRST:.+]] = linalg.generic
// CHECK: %[[SECOND:.+]] = linalg.generic
// CHECK: %[[ROWS:.+]] = linalg.broadcast ins(%[[A:.+]] : tensor<64xi32>) outs(%[[ALL:[a-z0-9_]+]] : tensor<64x64xi32>) dimensions = [1]
// CHECK: %[[COLUMNS:.+]] = linalg.broadcast ins(%[[B:.+]] : tensor<64xi32>) outs(%[[REST:[a-z0-9_]+]] : tensor<64x64xi32>) dimensions = [0]
// CHECK: arith.cmpi sge, %[[ROWS]], %[[COLUMNS]]
// LIMIT-LABEL: grid.kernel @causal
// LIMIT-COUNT-2: linalg.generic
// LIMIT-NOT: linalg.generic
grid.kernel @causal grid()
    inputs(%x: f32 [64, 64]) outputs(%o: f32 [64, 64]) {
  %none = tensor.empty() : tensor<64xi32>
  %position = linalg.generic
      {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%none : tensor<64xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<64xi32>
  %all = tensor.empty() : tensor<64x64xi32>
  %rows = linalg.broadcast ins(%position : tensor<64xi32>) outs(%all : tensor<64x64xi32>) dimensions = [1]
  %columns = linalg.broadcast ins(%position : tensor<64xi32>) outs(%all : tensor<64x64xi32>) dimensions = [0]
  %mask = arith.cmpi sge, %rows, %columns : tensor<64x64xi32>
  %v = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %w = arith.addf %v, %v : tensor<64x64xf32>
  %r = arith.select %mask, %v, %w : tensor<64x64xi1>, tensor<64x64xf32>
  grid.store %r, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// -----

// Loaded values, and what depends on them, remain. Two operands of one op are one use.
// CHECK-LABEL: grid.kernel @loaded
// CHECK-COUNT-1: grid.load
// CHECK-NOT: grid.load
// CHECK-COUNT-1: arith.constant dense<1>
// CHECK-NOT: arith.constant
// CHECK: %[[TWO:.+]] = arith.addi
// CHECK: %[[SUM:.+]] = arith.addi %{{.+}}, %[[TWO]]
// CHECK: arith.muli %[[SUM]], %[[SUM]]
// CHECK: arith.subi %[[SUM]]
// STATISTICS: 0 num-copies
grid.kernel @loaded grid()
    inputs(%x: i32 [64]) outputs(%o: i32 [64]) {
  %v = grid.load %x : memref<64xi32, #grid.space<default>> -> tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %two = arith.addi %one, %one : tensor<64xi32>
  %s = arith.addi %v, %two : tensor<64xi32>
  %p = arith.muli %s, %s : tensor<64xi32>
  %r = arith.subi %s, %p : tensor<64xi32>
  grid.store %r, %o : tensor<64xi32>, memref<64xi32, #grid.space<default>>
}
