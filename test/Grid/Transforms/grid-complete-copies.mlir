// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-complete-copies))' | FileCheck %s
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(grid.kernel(grid-complete-copies))' \
// RUN:   --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: 2 num-copies
// STATS: 2 num-semaphores
// STATS: 0 num-copies
// STATS: 0 num-semaphores

// Semaphores of the kernel, in an array, and of a scope. The numbers of Refs of unsigned integers change.
// CHECK-LABEL: grid.kernel @copies
// CHECK: scratch(%[[B:.*]]: memref<2x8xi32, #grid.space<default>> origin "b", %[[C:.*]]: memref<8xi32, #grid.space<default>> origin "c")
// CHECK-SAME: attributes {grid.unsigned = array<i64: 3>}
// CHECK: %[[SLOT:.*]] = grid.slice_ref %[[B]]
// CHECK: %[[U:.*]] = grid.load %{{.*}} : memref<8xi32
// CHECK: grid.store %[[U]], %[[SLOT]]
// CHECK: grid.scoped (%[[D:.*]]: memref<8xi32, #grid.space<default>> origin "d") {
// CHECK: %[[V:.*]] = grid.load %[[SLOT]]
// CHECK: grid.store %[[V]], %[[D]]
// CHECK-NOT: grid.copy
// CHECK-NOT: semaphore
grid.kernel @copies grid(%i = 4)
    inputs(%x: i32 [32] block [8] at (%i)) outputs(%o: i32 [32] block [8] at (%i))
    scratch(%b: memref<2x8xi32, #grid.space<default>> origin "b", %s: memref<2x!grid.semaphore<dma>> origin "s",
            %c: memref<8xi32, #grid.space<default>> origin "c")
    attributes {grid.unsigned = array<i64: 4>} {
  %i = grid.program_id 0
  %slot = grid.slice_ref %b[1, 0] [1, 8] [1, 1] drop [0]
      : memref<2x8xi32, #grid.space<default>> -> memref<8xi32, #grid.space<default>>
  %sem = grid.slice_ref %s[1] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>> -> memref<!grid.semaphore<dma>>
  grid.copy_start %x, %slot sem %sem
      : memref<8xi32, #grid.space<default>>, memref<8xi32, #grid.space<default>>, memref<!grid.semaphore<dma>>
  grid.copy_wait %x, %slot sem %sem
      : memref<8xi32, #grid.space<default>>, memref<8xi32, #grid.space<default>>, memref<!grid.semaphore<dma>>
  grid.scoped (%t: memref<!grid.semaphore<dma>> origin "t", %d: memref<8xi32, #grid.space<default>> origin "d") {
    grid.copy_start %slot, %d sem %t
        : memref<8xi32, #grid.space<default>>, memref<8xi32, #grid.space<default>>, memref<!grid.semaphore<dma>>
    grid.copy_wait %slot, %d sem %t
        : memref<8xi32, #grid.space<default>>, memref<8xi32, #grid.space<default>>, memref<!grid.semaphore<dma>>
    grid.yield
  }
}

// -----

// Semaphores that count something else remain: signals, the bytes that a remote copy has sent, and sums.
// CHECK-LABEL: grid.kernel @others
// CHECK: scratch({{.*}}semaphore<regular>{{.*}}semaphore<dma>{{.*}}semaphore<dma>
// CHECK: grid.semaphore_signal
// CHECK: grid.copy_start {{.*}} src_sem
// CHECK: grid.copy_start {{.*}} {add}
grid.kernel @others grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [32] block [8] at (%i))
    scratch(%b: memref<8xf32, #grid.space<default>>, %r: memref<!grid.semaphore<regular>>,
            %s: memref<!grid.semaphore<dma>>, %t: memref<!grid.semaphore<dma>>) {
  %n = arith.constant 1 : i32
  grid.semaphore_signal %r, %n : memref<!grid.semaphore<regular>>
  grid.copy_start %x, %b sem %s src_sem %s device(%n : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>,
        memref<!grid.semaphore<dma>>
  grid.copy_start %x, %b sem %t {add}
      : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
}
