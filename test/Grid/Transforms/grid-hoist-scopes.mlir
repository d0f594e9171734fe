// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-hoist-scopes))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-hoist-scopes))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 2 num-hoisted
// STATS: 0 num-hoisted

// Nested scopes, in a loop: a scope gives a value, and the kernel has scratch already. Refs of unsigned integers remain
// marked.
// CHECK-LABEL: grid.kernel @nested
// CHECK: scratch(%[[OLD:.*]]: memref<8xf32, #grid.space<default>>, %[[INNER:.*]]: memref<8xi32, #grid.space<default>> origin "b", %[[OUTER:.*]]: memref<8xf32, #grid.space<default>> origin "a")
// CHECK-SAME: attributes {grid.unsigned = array<i64: 3>}
// CHECK-NOT: grid.scoped
// CHECK: scf.for
// CHECK: grid.store %{{.*}}, %[[OUTER]]
// CHECK: grid.store %{{.*}}, %[[INNER]]
// CHECK: %[[V:.*]] = grid.load %[[OUTER]]
// CHECK: grid.store %[[V]], %[[OLD]]
grid.kernel @nested grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
    scratch(%s: memref<8xf32, #grid.space<default>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant dense<1> : tensor<8xi32>
  scf.for %k = %c0 to %c4 step %c1 {
    %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    %r = grid.scoped (%a: memref<8xf32, #grid.space<default>> origin "a") -> tensor<8xf32> {
      grid.store %v, %a : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      grid.scoped (%b: memref<8xi32, #grid.space<default>> origin "b") attributes {grid.unsigned = array<i64: 0>} {
        grid.store %n, %b : tensor<8xi32>, memref<8xi32, #grid.space<default>>
        grid.yield
      }
      %w = grid.load %a : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.yield %w : tensor<8xf32>
    }
    grid.store %r, %s : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// Semaphores are zero at the entry of each scope.
// CHECK-LABEL: grid.kernel @semaphores
// CHECK: grid.scoped
grid.kernel @semaphores grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i)) {
  grid.scoped (%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
    grid.yield
  }
}

// -----

// A program of warpgroups names its memory.
// CHECK-LABEL: grid.kernel @warpgroups
// CHECK: grid.scoped
grid.kernel @warpgroups grid(%i = 4) outputs(%o: f32 [32] space #warpgroup.space<gmem>) {
  grid.scoped (%s: memref<8xf32, #warpgroup.space<smem>>) {
    grid.yield
  }
}
