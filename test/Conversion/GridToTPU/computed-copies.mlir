// RUN: gridir-opt %s --convert-grid-to-tpu --split-input-file | FileCheck %s

// Loops over the elements of a copy of whole tiles are one copy, whose size is what the loops have steps; what stands in
// for the padding behind an array is not needed, as a TPU has that memory.

// CHECK-LABEL: func.func @whole_tiles(
// CHECK-SAME: %[[X:[^ :]*]]: memref<300x300xf32, #tpu.memory_space<any>>, %{{[^ :]*}}: memref<1xf32, #tpu.memory_space<smem>>, %[[W:[^ :]*]]: memref<2x128x128xf32,
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
// CHECK: %[[ROWS:.*]] = tpu.assume_multiple %{{.*}}, 8 : i32
// CHECK: %[[LANES:.*]] = tpu.assume_multiple %{{.*}}, 128 : i32
// CHECK: %[[FROM:.*]] = tpu.memref_slice %[[X]][%c256{{.*}}, %{{.*}}] <%{{.*}}, %{{.*}}> : memref<300x300xf32, #tpu.memory_space<any>> -> memref<?x?xf32, #tpu.memory_space<any>>
// CHECK: %[[SLOT:.*]] = tpu.memref_slice %[[W]][%{{.*}}, %{{.*}}, %{{.*}}] <%{{.*}}, %{{.*}}> : {{.*}} -> memref<1x?x?xf32, #tpu.memory_space<vmem>>
// CHECK: %[[TO:.*]] = tpu.memref_squeeze %[[SLOT]]
// CHECK: tpu.enqueue_dma source(%[[FROM]] : memref<?x?xf32, #tpu.memory_space<any>>) target(%[[TO]] : memref<?x?xf32, #tpu.memory_space<vmem>>)
// CHECK-NOT: tpu.enqueue_dma
// CHECK: return
grid.kernel @whole_tiles grid()
    inputs(%n: i32 [1] space #tpu.memory_space<smem>, %x: f32 [300, 300] space any)
    outputs(%o: f32 [1] space #tpu.memory_space<smem>)
    scratch(%w: memref<2x128x128xf32, #tpu.memory_space<vmem>>,
            %sem: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %at = grid.slice_ref %n[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %size = grid.load %at : memref<i32, #tpu.memory_space<smem>> -> i32
  %rows = grid.assume_multiple %size, 8 : i32
  %lanes = grid.assume_multiple %size, 128 : i32
  %num_rows = arith.index_cast %rows : i32 to index
  %num_lanes = arith.index_cast %lanes : i32 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 256 : i32
  %extent = arith.constant 300 : i32
  scf.for %i = %c0 to %num_rows step %c1 {
    %row = arith.index_cast %i : index to i32
    %from = arith.addi %first, %row : i32
    scf.for %j = %c0 to %num_lanes step %c1 {
      %lane = arith.index_cast %j : index to i32
      %padding = arith.cmpi sge, %from, %extent : i32
      scf.if %padding {
        %2 = grid.slice_ref %w[1, %row, %lane] [1, 1, 1] [1, 1, 1] drop [0] : memref<2x128x128xf32, #tpu.memory_space<vmem>>, i32, i32 -> memref<1x1xf32, #tpu.memory_space<vmem>>
        grid.copy_start %2, %2 sem %sem : memref<1x1xf32, #tpu.memory_space<vmem>>, memref<1x1xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
      } else {
        %1 = grid.slice_ref %x[%from, %lane] [1, 1] [1, 1] : memref<300x300xf32, #grid.space<any>>, i32, i32 -> memref<1x1xf32, #grid.space<any>>
        %2 = grid.slice_ref %w[1, %row, %lane] [1, 1, 1] [1, 1, 1] drop [0] : memref<2x128x128xf32, #tpu.memory_space<vmem>>, i32, i32 -> memref<1x1xf32, #tpu.memory_space<vmem>>
        grid.copy_start %1, %2 sem %sem : memref<1x1xf32, #grid.space<any>>, memref<1x1xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
      }
    } {grid.copied_dims = array<i64: 1, 2>}
  } {grid.copied_dims = array<i64: 0, 1>}
}

// -----

// A size that is no multiple of a tile stays a loop, and so does a copy of elements that the attribute does not name.

// CHECK-LABEL: func.func @any_size(
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[FROM:.*]] = tpu.memref_slice %{{.*}}[%[[ROW]], %{{.*}}] : {{.*}} -> memref<1x128xf32
// CHECK: tpu.enqueue_dma source(%[[FROM]]
// CHECK: scf.for
// CHECK: tpu.memref_slice {{.*}} -> memref<1x128xf32
// CHECK: tpu.wait_dma2
grid.kernel @any_size grid()
    inputs(%n: i32 [1] space #tpu.memory_space<smem>, %x: f32 [64, 128] space any)
    outputs(%o: f32 [64, 128] space any)
    scratch(%sem: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %at = grid.slice_ref %n[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %size = grid.load %at : memref<i32, #tpu.memory_space<smem>> -> i32
  %rows = arith.index_cast %size : i32 to index
  %tiles = grid.assume_multiple %size, 8 : i32
  %rows_of_tiles = arith.index_cast %tiles : i32 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    %row = arith.index_cast %i : index to i32
    %1 = grid.slice_ref %x[%row, 0] [1, 128] [1, 1] : memref<64x128xf32, #grid.space<any>>, i32 -> memref<1x128xf32, #grid.space<any>>
    %2 = grid.slice_ref %o[%row, 0] [1, 128] [1, 1] : memref<64x128xf32, #grid.space<any>>, i32 -> memref<1x128xf32, #grid.space<any>>
    grid.copy_start %1, %2 sem %sem : memref<1x128xf32, #grid.space<any>>, memref<1x128xf32, #grid.space<any>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  } {grid.copied_dims = array<i64: 0, 0>}
  scf.for %i = %c0 to %rows_of_tiles step %c1 {
    %row = arith.index_cast %i : index to i32
    %1 = grid.slice_ref %x[%row, 0] [1, 128] [1, 1] : memref<64x128xf32, #grid.space<any>>, i32 -> memref<1x128xf32, #grid.space<any>>
    grid.copy_wait %1, %1 sem %sem : memref<1x128xf32, #grid.space<any>>, memref<1x128xf32, #grid.space<any>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  }
}

// -----

// The step of the loop may be an index of the window itself.

// CHECK-LABEL: func.func @leading(
// CHECK-NOT: scf.for
// CHECK: tpu.memref_slice {{.*}} : memref<4x8x128xf32, #tpu.memory_space<any>> -> memref<?x8x128xf32, #tpu.memory_space<any>>
// CHECK: tpu.enqueue_dma
grid.kernel @leading grid()
    inputs(%n: i32 [1] space #tpu.memory_space<smem>, %x: f32 [4, 8, 128] space any)
    outputs(%o: f32 [4, 8, 128] space any)
    scratch(%sem: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %at = grid.slice_ref %n[0] [1] [1] drop [0] : memref<1xi32, #tpu.memory_space<smem>> -> memref<i32, #tpu.memory_space<smem>>
  %size = grid.load %at : memref<i32, #tpu.memory_space<smem>> -> i32
  %count = arith.index_cast %size : i32 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %1 = grid.slice_ref %x[%i, 0, 0] [1, 8, 128] [1, 1, 1] : memref<4x8x128xf32, #grid.space<any>>, index -> memref<1x8x128xf32, #grid.space<any>>
    %2 = grid.slice_ref %o[%i, 0, 0] [1, 8, 128] [1, 1, 1] : memref<4x8x128xf32, #grid.space<any>>, index -> memref<1x8x128xf32, #grid.space<any>>
    grid.copy_start %1, %2 sem %sem : memref<1x8x128xf32, #grid.space<any>>, memref<1x8x128xf32, #grid.space<any>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  } {grid.copied_dims = array<i64: 0, 0>}
}
