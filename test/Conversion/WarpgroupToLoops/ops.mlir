// RUN: gridir-opt %s --split-input-file --convert-warpgroup-to-grid --convert-grid-to-loops | FileCheck %s

// A barrier is known by where it is; who waits for it, or arrives, is a task. A copy inside of its array is one call.
// CHECK-LABEL: kernel.abi @copy
// CHECK-SAME:    diagnostics = ["the kernel waits for phase {1} of barrier, which has completed {0}, and nothing can complete it ({{[^)]*}})"]
// CHECK-SAME:    accesses = ["copy to tile ({{[^)]*}})", "wait for barrier ({{[^)]*}})"]
// CHECK:       func.func @copy(
// CHECK-DAG:     %[[TILE:.*]] = memref.alloca() {{.*}}kernel.buffer = #kernel.buffer<>{{.*}} : memref<8x64xf32>
// CHECK-DAG:     %[[BARRIER:.*]] = memref.alloca() {{.*}}kernel.buffer = #kernel.buffer<>{{.*}} : memref<i64>
// CHECK-NOT:     linalg.fill
// CHECK:         call @gridirTaskBulkCopy(
// CHECK:         call @gridirTaskBarrierWait(
// CHECK:         call @gridirTaskBulkCopy(
// CHECK:         call @gridirTaskCloseGroup()
// CHECK:         call @gridirTaskWaitGroups(
grid.kernel @copy grid(%i = 4)
    inputs(%x: f32 [32, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [32, 64] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8x64xf32, #warpgroup.space<smem>> origin "tile",
            %barrier: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "barrier")
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.program_id 0
  %c8 = arith.constant 8 : i32
  %row = arith.muli %p, %c8 : i32
  warpgroup.tma_load %x[%row : i32, 0] [8, 64] to %tile barrier %barrier
      : memref<32x64xf32, #warpgroup.space<gmem>>, memref<8x64xf32, #warpgroup.space<smem>>,
        memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  warpgroup.commit_smem
  warpgroup.commit_gmem
  warpgroup.tma_store %tile to %o[%row : i32, 0] [8, 64]
      : memref<8x64xf32, #warpgroup.space<smem>>, memref<32x64xf32, #warpgroup.space<gmem>>
  warpgroup.commit_group
  warpgroup.wait_group 0
}

// -----

// Of a window that may leave its array the part inside is copied, and the tile is zero first where there is another.
// CHECK-LABEL: func.func @clipped(
// CHECK:         arith.minsi
// CHECK:         %[[PARTIAL:.*]] = arith.cmpi ne
// CHECK:         memref.subview %{{.*}}[%{{.*}}] [%[[INSIDE:.*]]] [1] : memref<30xf32> to memref<?xf32
// CHECK:         memref.subview %{{.*}}[%{{.*}}] [%[[INSIDE]]] [1] : memref<8xf32> to memref<?xf32
// CHECK:         scf.if %[[PARTIAL]] {
// CHECK:           linalg.fill
// CHECK:         call @gridirTaskBulkCopy(
grid.kernel @clipped grid(%i = 4)
    inputs(%x: f32 [30] space #warpgroup.space<gmem>) outputs(%o: f32 [32] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8xf32, #warpgroup.space<smem>>,
            %barrier: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.program_id 0
  %c8 = arith.constant 8 : i32
  %at = arith.muli %p, %c8 : i32
  warpgroup.tma_load %x[%at : i32] [8] to %tile barrier %barrier
      : memref<30xf32, #warpgroup.space<gmem>>, memref<8xf32, #warpgroup.space<smem>>,
        memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}

// -----

// The warpgroups of a block share what is allocated for them, the accumulator is each one's own. A product is one of
// grid, and hints are gone.
// CHECK-LABEL: func.func @products(
// CHECK-DAG:     memref.alloca() {{.*}}kernel.buffer = #kernel.buffer<members = 2>{{.*}} : memref<64x16xf16>
// CHECK-DAG:     memref.alloca() {{.*}}kernel.buffer = #kernel.buffer<members = 2>{{.*}} : memref<2xi64>
// CHECK-DAG:     memref.alloca() {{.*}}kernel.buffer = #kernel.buffer<>{{.*}} : memref<64x64xf32>
// CHECK:         call @gridirTaskArrive(
// CHECK:         call @gridirTaskBarrierTest(
// CHECK:         linalg.contract
// CHECK-NOT:     warpgroup.
grid.kernel @products grid(%i = 4, %t = 2 named "wg" thread)
    inputs() outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>)
    semantics [parallel, core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  grid.scoped (%a: memref<64x16xf16, #warpgroup.space<smem>>, %b: memref<16x64xf16, #warpgroup.space<smem>>,
               %barriers: memref<2x!warpgroup.barrier<2>, #warpgroup.space<smem>>) attributes {collective = ["wg"]} {
    %first = grid.slice_ref %barriers[0] [1] [1] drop [0]
        : memref<2x!warpgroup.barrier<2>, #warpgroup.space<smem>> -> memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %first : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    %done = warpgroup.barrier_test %first : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    warpgroup.set_max_registers 40
    grid.scoped (%acc: memref<64x64xf32, #warpgroup.space<regs>>) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      grid.store %zero, %acc : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<regs>>
      warpgroup.mma %acc, %a, %b : memref<64x64xf32, #warpgroup.space<regs>>, memref<64x16xf16, #warpgroup.space<smem>>,
                                   memref<16x64xf16, #warpgroup.space<smem>>
      warpgroup.mma_wait 0
      %v = grid.load %acc : memref<64x64xf32, #warpgroup.space<regs>> -> tensor<64x64xf32>
      %w = warpgroup.layout_cast %v "WGMMA" : tensor<64x64xf32>
      grid.store %w, %o : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<gmem>>
    }
  }
}

// -----

// A product in tensor memory is added to zero where it does not accumulate, and its end is an arrival.
// CHECK-LABEL: func.func @tensor_memory(
// CHECK:         arith.select %{{.*}} : tensor<128x128xi1>, tensor<128x128xf32>
// CHECK:         linalg.contract
// CHECK:         call @gridirTaskArrive(
// CHECK:         call @gridirTaskArrive(
// CHECK-NOT:     warpgroup.
grid.kernel @tensor_memory grid()
    inputs(%flag: i1 [] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 128] space #warpgroup.space<gmem>)
    scratch(%acc: memref<128x128xf32, #warpgroup.space<tmem>>, %a: memref<128x64xf16, #warpgroup.space<smem>>,
            %t: memref<128x64xf16, #warpgroup.space<tmem>>, %b: memref<64x128xf16, #warpgroup.space<smem>>,
            %done: memref<!warpgroup.barrier<2, tensor_core>, #warpgroup.space<smem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.load %flag : memref<i1, #warpgroup.space<gmem>> -> i1
  warpgroup.tmem_copy %a to %t : memref<128x64xf16, #warpgroup.space<smem>>, memref<128x64xf16, #warpgroup.space<tmem>>
  warpgroup.tcgen05_mma %acc, %t, %b accumulate %p barrier %done
      : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<tmem>>,
        memref<64x128xf16, #warpgroup.space<smem>>
      barrier memref<!warpgroup.barrier<2, tensor_core>, #warpgroup.space<smem>>
  warpgroup.tcgen05_commit %done : memref<!warpgroup.barrier<2, tensor_core>, #warpgroup.space<smem>>
  warpgroup.commit_tmem
  warpgroup.wait_tmem_load
  %v = grid.load %acc : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32>
  grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
}

// -----

// A copy of rows reads those that are there, and arrives.
// CHECK-LABEL: func.func @rows(
// CHECK:         arith.cmpi ult
// CHECK:         call @gridirTaskArrive(
grid.kernel @rows grid()
    inputs(%x: f32 [32, 64] space #warpgroup.space<gmem>, %n: i32 [8] space #warpgroup.space<gmem>) outputs(%o: f32 [8, 64] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8x64xf32, #warpgroup.space<smem>> origin "tile",
            %barrier: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "barrier")
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  %rows = grid.load %n : memref<8xi32, #warpgroup.space<gmem>> -> tensor<8xi32>
  warpgroup.tma_gather %x[%rows] to %tile barrier %barrier
      : memref<32x64xf32, #warpgroup.space<gmem>>, tensor<8xi32>, memref<8x64xf32, #warpgroup.space<smem>>,
        memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}

// -----

// A reduction combines what lies inside of the array at once; the checks are told of an atomic update.
// CHECK-LABEL: kernel.abi @reduce
// CHECK-SAME:    accesses = ["read of tile ({{[^)]*}})", "atomic update of o ({{[^)]*}})"]
// CHECK:       func.func @reduce(
// CHECK:         call @gridirTaskAccess(
// CHECK:         call @gridirTaskAccess(
// CHECK:         linalg.generic
// CHECK:           arith.maximumf
// CHECK-NOT:     call @gridirTaskBulkCopy(
grid.kernel @reduce grid()
    outputs(%o: f32 [32, 64] space #warpgroup.space<gmem> origin "o")
    scratch(%tile: memref<8x64xf32, #warpgroup.space<smem>> origin "tile")
    semantics [] attributes {grid.tasks = #kernel.tasks<races = true>} {
  warpgroup.tma_store %tile to %o[28, 0] [8, 64] reduce maxf
      : memref<8x64xf32, #warpgroup.space<smem>>, memref<32x64xf32, #warpgroup.space<gmem>>
}

// -----

// A numbered barrier belongs to the CTA: the runtime gets the number of warpgroups, the number of warps that arrive, and
// a flag that is set if this one waits.
// CHECK-LABEL: func.func @named(
// CHECK-DAG:     %[[MEMBERS:.+]] = arith.constant 3 : i64
// CHECK-DAG:     %[[ARRIVALS:.+]] = arith.constant 8 : i64
// CHECK:         call @gridirTaskNamedBarrier(%[[MEMBERS]], %{{[^,]+}}, %[[ARRIVALS]], %{{.+}}, %{{.+}}, %{{.+}})
// CHECK:         call @gridirTaskNamedBarrier(%{{.+}}, %{{[^,]+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}})
// CHECK-NOT:     warpgroup.
grid.kernel @named grid(%i = 4, %t = 3 named "wg" thread) inputs() outputs(%o: i32 [] space #warpgroup.space<gmem>)
    semantics [parallel, core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %n = grid.program_id 0
  warpgroup.named_barrier %n of 256 arrive
  warpgroup.named_barrier %n of 256
  grid.store %n, %o : i32, memref<i32, #warpgroup.space<gmem>>
}

// -----

// The code of the warps of a warpgroup runs as a task for each, which has the warp's number, until all have come to its end.
// CHECK-LABEL: func.func @warps(
// CHECK:         %[[NUMBER:.*]] = func.call @gridirTaskStartWarps() : () -> i64
// CHECK:         %[[WARP:.*]] = arith.trunci %[[NUMBER]] : i64 to i32
// CHECK:         memref.store %[[WARP]]
// CHECK:         call @gridirTaskJoinWarps()
// CHECK-NOT:     warpgroup.
grid.kernel @warps grid() inputs() outputs(%o: i32 [4] space #warpgroup.space<gmem>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.warps {
  ^bb0(%warp: i32):
    %w = grid.slice_ref %o[%warp] [1] [1] drop [0] : memref<4xi32, #warpgroup.space<gmem>>, i32 -> memref<i32, #warpgroup.space<gmem>>
    grid.store %warp, %w : i32, memref<i32, #warpgroup.space<gmem>>
  }
}

// -----

// A row after the last one is omitted: the view is the last row, and no column is copied.
// CHECK-LABEL: func.func @row_behind(
// CHECK:         %[[OUTSIDE:.*]] = arith.cmpi ne
// CHECK:         %[[ROW:.*]] = arith.minsi %{{.*}}, %[[LAST:c29[_0-9]*]]
// CHECK:         %[[COLUMNS:.*]] = arith.select %[[OUTSIDE]], %c0{{[_0-9]*}}, %c64{{[_0-9]*}} : index
// CHECK:         memref.subview %{{.*}}[%[[ROW]], 0] [1, %[[COLUMNS]]] [1, 1] : memref<30x64xf32>
// CHECK:         scf.if %[[OUTSIDE]]
// CHECK:           linalg.fill
grid.kernel @row_behind grid(%i = 8)
    inputs(%x: f32 [30, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [32] space #warpgroup.space<gmem>)
    scratch(%tile: memref<64xf32, #warpgroup.space<smem>>,
            %barrier: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.program_id 0
  %c8 = arith.constant 8 : i32
  %at = arith.muli %p, %c8 : i32
  warpgroup.tma_load %x[%at : i32, 0] [1, 64] drop [0] to %tile barrier %barrier
      : memref<30x64xf32, #warpgroup.space<gmem>>, memref<64xf32, #warpgroup.space<smem>>,
        memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}

// -----

// Blocks of 128 rows and 64 columns of metadata become a matrix.
// CHECK-LABEL: func.func @metadata(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<256x64xi2>)
// CHECK:           %[[ROW:.*]] = linalg.index 0
// CHECK:           %[[COLUMN:.*]] = linalg.index 1
// CHECK:           %[[A:.*]] = arith.divui %[[ROW]], %c128
// CHECK:           %[[B:.*]] = arith.divui %[[COLUMN]], %c64
// CHECK:           %[[C:.*]] = arith.remui %[[ROW]], %c128
// CHECK:           %[[D:.*]] = arith.remui %[[COLUMN]], %c64
// CHECK:           tensor.extract %{{.*}}[%[[A]], %[[B]], %[[C]], %[[D]]] : tensor<2x1x128x64xi2>
grid.kernel @metadata grid() inputs() outputs()
    scratch(%a: memref<2x1x128x64xi2, #warpgroup.space<smem>>, %x: memref<256x64xi2, #warpgroup.space<tmem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.tmem_copy %a to %x as_metadata : memref<2x1x128x64xi2, #warpgroup.space<smem>>, memref<256x64xi2, #warpgroup.space<tmem>>
}

// -----

// Factors lie in blocks of 32 rows of four pieces of four: the four groups of 32 rows of the matrix are beside one another.
// CHECK-LABEL: func.func @factors(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<128x4xf8E8M0FNU>)
// CHECK:           %[[INNER:.*]] = arith.remui %{{.*}}, %c128
// CHECK:           arith.divui %[[INNER]], %c128
// CHECK:           %[[LINE:.*]] = arith.addi
// CHECK:           arith.divui %{{.*}}, %c32
// CHECK:           tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %[[LINE]], %{{.*}}] : tensor<1x1x32x16xf8E8M0FNU>
grid.kernel @factors grid() inputs() outputs()
    scratch(%a: memref<1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>>, %x: memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.tmem_copy %a to %x as_scales : memref<1x1x32x16xf8E8M0FNU, #warpgroup.space<smem>>, memref<128x4xf8E8M0FNU, #warpgroup.space<tmem>>
}
