// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-expand-scatters))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(grid-expand-scatters))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 2 num-expanded

// Elements at a matrix of indices of two dimensions, where a mask is true, are added.
// CHECK-LABEL: grid.kernel @elements
// CHECK: %[[V:.*]] = math.exp
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c8
// CHECK: %[[WINDOW:.*]] = grid.slice_ref %{{.*}}[%[[I]], %[[J]]] [1, 1] [1, 1] drop [0, 1] : memref<4x8xi1
// CHECK: %[[MASK:.*]] = grid.load %[[WINDOW]] : {{.*}} -> i1
// CHECK: scf.if %[[MASK]]
// CHECK: %[[TO:.*]] = grid.slice_ref %{{.*}}[%{{.*}}, 0, %{{.*}}] [1, 1, 1] [1, 1, 1] drop [0, 2] : memref<16x1x16xf32
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[V]][%[[I]], %[[J]], 0] [1, 1, 1] [1, 1, 1] : tensor<4x8x1xf32> to tensor<1xf32>
// CHECK: %[[OLD:.*]] = grid.load %[[TO]] : {{.*}} -> tensor<1xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[PART]]
// CHECK: grid.store %[[SUM]], %[[TO]]
grid.kernel @elements grid()
    inputs(%i: i32 [4, 8], %m: i1 [4, 8], %x: f32 [4, 8, 1]) outputs(%o: f32 [16, 1, 16]) {
  %j = grid.load %i : memref<4x8xi32, #grid.space<default>> -> tensor<4x8xi32>
  %k = grid.load %m : memref<4x8xi1, #grid.space<default>> -> tensor<4x8xi1>
  %v = grid.load %x : memref<4x8x1xf32, #grid.space<default>> -> tensor<4x8x1xf32>
  %w = math.exp %v : tensor<4x8x1xf32>
  grid.scatter %w, %o[%j, %j] dims [0, 2] mask %k add
      : tensor<4x8x1xf32>, memref<16x1x16xf32, #grid.space<default>>, tensor<4x8xi32>, tensor<4x8xi32> mask tensor<4x8xi1>
}

// Indices that are computed are read from the array; an input that an output overwrites is read as before.
// CHECK-LABEL: grid.kernel @computed
// CHECK: %[[V:.*]] = grid.load
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[INDEX:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<8xi32>
// CHECK: arith.index_cast %[[INDEX]]
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[V]][%[[I]]] : tensor<8xf32>
// CHECK: grid.store %[[ELEMENT]], %{{.*}} : f32
grid.kernel @computed grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8]) aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %i = arith.fptosi %v : tensor<8xf32> to tensor<8xi32>
  grid.scatter %v, %o[%i] dims [0] : tensor<8xf32>, memref<8xf32, #grid.space<default>>, tensor<8xi32>
}
