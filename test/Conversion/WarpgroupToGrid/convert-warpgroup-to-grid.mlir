// RUN: gridir-opt %s --split-input-file --convert-warpgroup-to-grid | FileCheck %s

// An operand in registers is what it is.
// CHECK-LABEL: grid.kernel @mma
// CHECK:         scratch(%[[ACC:[^:]*]]: {{[^,]*}}, #warpgroup.space<regs>>, %[[RHS:[^:]*]]:
// CHECK:         %[[A:.*]] = arith.constant dense<1.0{{.*}}> : tensor<64x16xf16>
// CHECK:         %[[B:.*]] = grid.load %[[RHS]] :
// CHECK:         %[[OLD:.*]] = grid.load %[[ACC]] :
// CHECK:         %[[SUM:.*]] = grid.dot %[[A]], %[[B]] acc %[[OLD]] contract [1] x [0]
// CHECK-NEXT:    grid.store %[[SUM]], %[[ACC]] :
// CHECK-NOT:     warpgroup.mma %
grid.kernel @mma grid()
    inputs() outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>)
    scratch(%acc: memref<64x64xf32, #warpgroup.space<regs>>, %b: memref<16x64xf16, #warpgroup.space<smem>>) semantics [] {
  %a = arith.constant dense<1.0> : tensor<64x16xf16>
  warpgroup.mma %acc, %a, %b
      : memref<64x64xf32, #warpgroup.space<regs>>, tensor<64x16xf16>, memref<16x64xf16, #warpgroup.space<smem>>
  warpgroup.mma_wait 0
}

// -----

// CHECK-LABEL: grid.kernel @registers
// CHECK:         grid.dot %[[A:.*]], %{{.*}} acc %{{.*}} contract [1] x [0] {unsigned_rhs}
// CHECK:         %[[RHS:.*]] = grid.load %{{.*}} : memref<32x8xi8, #warpgroup.space<smem>>
// CHECK:         grid.dot %[[A]], %[[RHS]] acc
// CHECK-NOT:     warpgroup.mma_sync
grid.kernel @registers grid() outputs(%o: i32 [64, 8] space #warpgroup.space<gmem>)
    scratch(%t: memref<32x8xi8, #warpgroup.space<smem>>) semantics [] {
  %acc = arith.constant dense<1> : tensor<64x8xi32>
  %a = arith.constant dense<2> : tensor<64x32xi8>
  %b = arith.constant dense<3> : tensor<32x8xi8>
  %part = warpgroup.mma_sync %acc, %a, %b {unsigned_rhs} : tensor<64x8xi32>, tensor<64x32xi8>, tensor<32x8xi8>
  %sum = warpgroup.mma_sync %part, %a, %t : tensor<64x8xi32>, tensor<64x32xi8>, memref<32x8xi8, #warpgroup.space<smem>>
  grid.store %sum, %o : tensor<64x8xi32>, memref<64x8xi32, #warpgroup.space<gmem>>
}

// -----

// A scalar condition selects the old accumulator, so that an unused accumulator does not count as read.
// CHECK-LABEL: grid.kernel @tensor_memory
// CHECK:         inputs(%[[FLAG:.*]]: i1
// CHECK:         scratch(%[[ACC:[^:]*]]: memref<128x128xf32
// CHECK:         %[[P:.*]] = grid.load %[[FLAG]] :
// CHECK:         %[[OLD:.*]] = grid.load %[[ACC]] :
// CHECK:         %[[ADDS:.*]] = tensor.splat %[[P]] :
// CHECK:         arith.select %[[ADDS]], %[[OLD]],
// CHECK:         grid.store %{{.*}}, %[[ACC]] :
// CHECK-NEXT:    warpgroup.tcgen05_commit
grid.kernel @tensor_memory grid()
    inputs(%flag: i1 [] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 128] space #warpgroup.space<gmem>)
    scratch(%acc: memref<128x128xf32, #warpgroup.space<tmem>>, %a: memref<128x64xf16, #warpgroup.space<smem>>,
            %b: memref<64x128xf16, #warpgroup.space<smem>>,
            %done: memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>) semantics [] {
  %p = grid.load %flag : memref<i1, #warpgroup.space<gmem>> -> i1
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p barrier %done
      : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>,
        memref<64x128xf16, #warpgroup.space<smem>> barrier memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
}

// -----

// Rows for an array are copies of one row each, which leave out what is not there.
// CHECK-LABEL: grid.kernel @scattered
// CHECK:         outputs(%[[X:.*]]: f32
// CHECK:         %[[ROWS:.*]] = grid.load %{{.*}} -> tensor<8xi32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8
// CHECK-DAG:       %[[ROW:.*]] = tensor.extract %[[ROWS]][%[[I]]]
// CHECK-DAG:       %[[PART:.*]] = grid.slice_ref %{{.*}}[%[[I]], 0] [1, 64] [1, 1] drop [0]
// CHECK:           warpgroup.tma_store %[[PART]] to %[[X]] [%[[ROW]] : i32, 0] [1, 64] drop [0]
grid.kernel @scattered grid()
    inputs(%n: i32 [8] space #warpgroup.space<gmem>) outputs(%x: f32 [32, 64] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8x64xf32, #warpgroup.space<smem>>) semantics [] {
  %rows = grid.load %n : memref<8xi32, #warpgroup.space<gmem>> -> tensor<8xi32>
  warpgroup.tma_scatter %tile to %x[%rows]
      : memref<8x64xf32, #warpgroup.space<smem>>, memref<32x64xf32, #warpgroup.space<gmem>>, tensor<8xi32>
}

// -----

// Rows that are not there are zero; other copies see what was copied.
// CHECK-LABEL: grid.kernel @rows
// CHECK:         inputs(%[[X:.*]]: f32
// CHECK:         %[[ROWS:.*]] = grid.load %{{.*}} -> tensor<8xi32>
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[ROWS]],
// CHECK:         %[[VALUE:.*]] = grid.gather %[[X]][%[[ROWS]]] dims [0] mask %[[INSIDE]] other
// CHECK:         grid.store %[[VALUE]], {{.*}} {grid.copied}
// CHECK-NEXT:    warpgroup.barrier_arrive
grid.kernel @rows grid()
    inputs(%x: f32 [32, 64] space #warpgroup.space<gmem>, %n: i32 [8] space #warpgroup.space<gmem>) outputs(%o: f32 [8, 64] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8x64xf32, #warpgroup.space<smem>>, %barrier: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [] {
  %rows = grid.load %n : memref<8xi32, #warpgroup.space<gmem>> -> tensor<8xi32>
  warpgroup.tma_gather %x[%rows] to %tile barrier %barrier
      : memref<32x64xf32, #warpgroup.space<gmem>>, tensor<8xi32>, memref<8x64xf32, #warpgroup.space<smem>>,
        memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}
