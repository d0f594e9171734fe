// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-limit-discarded-loads{gathers}))' | FileCheck %s

// Rows from a position that is data, a part of which may lie outside: each element is read at the nearest position.

// CHECK-LABEL: grid.kernel @rows
// CHECK:         %[[START:.*]] = grid.load {{.*}} -> i32
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -16 : i32
// CHECK-DAG:     %[[LOW:.*]] = arith.maxsi %[[START]], %[[LEAST]] : i32
// CHECK-DAG:     %[[MOST:.*]] = arith.constant 48 : i32
// CHECK-DAG:     %[[FIRST:.*]] = arith.minsi %[[LOW]], %[[MOST]] : i32
// CHECK:         %[[STARTS:.*]] = linalg.fill ins(%[[FIRST]] : i32)
// CHECK:         %[[ROWS:.*]] = arith.addi %[[STARTS]], {{.*}} : tensor<16x32xi32>
// CHECK:         arith.maxsi %[[ROWS]], {{.*}} : tensor<16x32xi32>
// CHECK:         grid.gather %{{.*}}[{{.*}}] dims [0, 1] : memref<48x32xf32, #grid.space<default>>, tensor<16x32xi32>, tensor<16x32xi32> -> tensor<16x32xf32>
grid.kernel @rows grid() inputs(%i: i32 [1], %x: f32 [48, 32], %w: f32 [32, 64], %m: i1 [16, 32]) outputs(%o: f32 [16, 64]) {
  %at = grid.slice_ref %i[0] [1] [1] drop [0] : memref<1xi32, #grid.space<default>> -> memref<i32, #grid.space<default>>
  %start = grid.load %at : memref<i32, #grid.space<default>> -> i32
  %window = grid.slice_ref %x[%start, 0] [16, 32] [1, 1] : memref<48x32xf32, #grid.space<default>>, i32 -> memref<16x32xf32, #grid.space<default>>
  %rows = grid.load %window : memref<16x32xf32, #grid.space<default>> -> tensor<16x32xf32>
  %mask = grid.load %m : memref<16x32xi1, #grid.space<default>> -> tensor<16x32xi1>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %chosen = arith.select %mask, %rows, %zero : tensor<16x32xi1>, tensor<16x32xf32>
  %weights = grid.load %w : memref<32x64xf32, #grid.space<default>> -> tensor<32x64xf32>
  %y = grid.dot %chosen, %weights contract [1] x [0] : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x64xf32>
  grid.store %y, %o : tensor<16x64xf32>, memref<16x64xf32, #grid.space<default>>
}

// All of these elements are used, so that a part outside is an error.

// CHECK-LABEL: grid.kernel @used
// CHECK-NOT:     grid.gather
// CHECK:         grid.slice_ref %{{.*}}[%{{.*}}, 0] [16, 32]
grid.kernel @used grid() inputs(%i: i32 [1], %x: f32 [48, 32], %w: f32 [32, 64]) outputs(%o: f32 [16, 64]) {
  %at = grid.slice_ref %i[0] [1] [1] drop [0] : memref<1xi32, #grid.space<default>> -> memref<i32, #grid.space<default>>
  %start = grid.load %at : memref<i32, #grid.space<default>> -> i32
  %window = grid.slice_ref %x[%start, 0] [16, 32] [1, 1] : memref<48x32xf32, #grid.space<default>>, i32 -> memref<16x32xf32, #grid.space<default>>
  %rows = grid.load %window : memref<16x32xf32, #grid.space<default>> -> tensor<16x32xf32>
  %weights = grid.load %w : memref<32x64xf32, #grid.space<default>> -> tensor<32x64xf32>
  %y = grid.dot %rows, %weights contract [1] x [0] : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x64xf32>
  grid.store %y, %o : tensor<16x64xf32>, memref<16x64xf32, #grid.space<default>>
}

// A kernel without products is mapped to threads, which check each element.

// CHECK-LABEL: grid.kernel @without_products
// CHECK-NOT:     grid.gather
// CHECK:         grid.slice_ref
grid.kernel @without_products grid() inputs(%i: i32 [1], %x: f32 [48], %m: i1 [16]) outputs(%o: f32 [16]) {
  %at = grid.slice_ref %i[0] [1] [1] drop [0] : memref<1xi32, #grid.space<default>> -> memref<i32, #grid.space<default>>
  %start = grid.load %at : memref<i32, #grid.space<default>> -> i32
  %window = grid.slice_ref %x[%start] [16] [1] : memref<48xf32, #grid.space<default>>, i32 -> memref<16xf32, #grid.space<default>>
  %part = grid.load %window : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  %mask = grid.load %m : memref<16xi1, #grid.space<default>> -> tensor<16xi1>
  grid.store %part, %o mask %mask : tensor<16xf32>, memref<16xf32, #grid.space<default>>, tensor<16xi1>
}
