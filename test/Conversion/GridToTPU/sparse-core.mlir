// A kernel for a SparseCore says some of Mosaic's ops itself: they get vectors and memrefs.
//
// RUN: gridir-opt %s --split-input-file --verify-diagnostics --convert-grid-to-tpu | FileCheck %s

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!rows = memref<16x8xi32, #tpu.memory_space<vmem>>
!lanes = memref<8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!shared = memref<16x8xi32, #tpu.memory_space<vmem_shared>>
!dma = memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>

// CHECK:      func.func @gathers(%{{.*}}: i32, %[[SUBCORE:[a-z0-9]+]]: i32, %[[X:[a-z0-9]+]]: memref<64x8xi32, #tpu.memory_space<hbm>>
// CHECK-SAME:   memref<16x8xi32, #tpu.memory_space<vmem_shared>>
// CHECK-SAME:   tpu.core_type = #tpu.core_type<sc_vector_subcore>
// CHECK:        tpu.enqueue_indirect_dma source(%[[X]] : {{.*}}) target(%[[ROWS:[a-z0-9]+]] : {{.*}}) offsets(%{{.*}} : memref<16xi32, #tpu.memory_space<vmem>>) semaphore(%[[SEM:[a-z0-9]+]] : {{.*}}) {add = true}
// CHECK:        tpu.wait_indirect_dma semaphore(%[[SEM]] : {{.*}}) src(%[[X]] : {{.*}}) dst(%[[ROWS]] :
// CHECK:        tpu.barrier
// CHECK:        %[[INDICES:.*]] = vector.load
// The Ref is one row of the memref.
// CHECK:        %[[SLICE:.*]] = tpu.memref_slice %[[ROWS]][%[[SUBCORE]],
// CHECK:        %[[ROW:.*]] = tpu.memref_squeeze %[[SLICE]]
// CHECK:        %[[FOUND:.*]] = tpu.vector_load_idx %[[ROW]][%[[INDICES]]] : memref<8xi32, #tpu.memory_space<vmem>>, vector<8xi32> -> vector<8xi32>
// CHECK:        %[[MASK:.*]], %[[KEYS:.*]], %{{.*}} = tpu.sort %[[FOUND]], %[[INDICES]], %{{.*}} {descending = true} : vector<8xi32>, vector<8xi32>, vector<8xi1>
// CHECK:        %[[SUMS:.*]] = tpu.scan %[[KEYS]], %[[MASK]] {kind = #tpu.reduction_kind<sum>}
// CHECK:        tpu.vector_store_idx %[[SUMS]], %{{.*}}[%[[INDICES]]] masked %[[MASK]] : vector<8xi1> :
grid.kernel @gathers grid(%c = 2 named "core" core, %s = 16 named "subcore" subcore)
    inputs(%x: i32 [64, 8] space #tpu.memory_space<hbm>) outputs(%o: i32 [64, 8] space #tpu.memory_space<hbm>)
    scratch(%rows: !rows, %lanes: !lanes, %offsets: !offsets, %shared: !shared, %q: !dma)
    semantics [core_parallel, subcore_parallel] attributes {grid.core_type = "sc_vector_subcore"} {
  "tpu.enqueue_indirect_dma"(%x, %rows, %offsets, %q) {add = true} : (!hbm, !rows, !offsets, !dma) -> ()
  "tpu.wait_indirect_dma"(%q, %x, %rows) : (!dma, !hbm, !rows) -> ()
  %zero = arith.constant 0 : index
  tpu.barrier %zero
  %id = grid.program_id "subcore"
  %row = grid.slice_ref %rows[%id, 0] [1, 8] [1, 1] drop [0] : !rows, i32 -> !lanes
  %i = grid.load %lanes : !lanes -> tensor<8xi32>
  %v = "tpu.vector_load_idx"(%row, %i) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!lanes, tensor<8xi32>) -> tensor<8xi32>
  %all = arith.constant dense<true> : tensor<8xi1>
  %m, %k, %w = tpu.sort %v, %i, %all {descending = true}
      : tensor<8xi32>, tensor<8xi32>, tensor<8xi1> -> tensor<8xi1>, tensor<8xi32>, tensor<8xi32>
  %sums = tpu.scan %k, %m {kind = #tpu.reduction_kind<sum>} : tensor<8xi32>, tensor<8xi1> -> tensor<8xi32>
  "tpu.vector_store_idx"(%sums, %lanes, %i, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 1>, add = false}
      : (tensor<8xi32>, !lanes, tensor<8xi32>, tensor<8xi1>) -> ()
}

// -----

// Several meshes would be several functions.
// expected-error@+1 {{expected a kernel with one body on the tpu target, got a body for each of several meshes}}
grid.kernel @meshes grid(%c = 8 core) outputs(%o: f32 [8, 8] space any)
    semantics [core_parallel] attributes {grid.meshes = [array<i64: 2, 3>, array<i64: 2>]} {
}

// -----

// expected-error@+1 {{expected a core of a TPU, got "sc"}}
grid.kernel @core grid(%c = 8 core) outputs(%o: f32 [8, 8] space any)
    semantics [core_parallel] attributes {grid.core_type = "sc"} {
}
