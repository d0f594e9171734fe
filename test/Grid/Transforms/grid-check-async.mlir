// Writes of asynchronous ops count from the wait that completes them, and an MMA that does not accumulate reads nothing.
//
// RUN: gridir-opt %s --grid-check=checks=initialized | FileCheck %s

!bar = memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
!pair = memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
!tensor = memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
!gmem = memref<128x128xf16, #warpgroup.space<gmem>>
!tile = memref<128x128xf16, #warpgroup.space<smem>>
!acc = memref<128x128xf32, #warpgroup.space<tmem>>

// A ring of two tiles: the first product replaces the accumulator. Each wait follows all loads of its barrier.
// CHECK-LABEL: grid.kernel @ring
// CHECK-NOT: verdict = "unknown"
// CHECK: subject = "acc", verdict = "proved"
// CHECK: subject = "a", verdict = "proved"
grid.kernel @ring grid(%i = 2 named "i")
    inputs(%x: f16 [512, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c128 = arith.constant 128 : i32
  grid.scoped (%acc: !acc origin "acc", %a: memref<2x128x128xf16, #warpgroup.space<smem>> origin "a",
               %loaded: memref<2x!warpgroup.barrier<2>, #warpgroup.space<smem>>, %done: !tensor) {
    scf.for %step = %c0 to %c2 step %c1 : i32 {
      %row = arith.muli %step, %c128 : i32
      %tile = grid.slice_ref %a[%step, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : memref<2x128x128xf16, #warpgroup.space<smem>>, i32 -> !tile
      %b = grid.slice_ref %loaded[%step] [1] [1] drop [0] : memref<2x!warpgroup.barrier<2>, #warpgroup.space<smem>>, i32 -> !pair
      %half = grid.slice_ref %tile[0, 0] [64, 128] [1, 1] : !tile -> memref<64x128xf16, #warpgroup.space<smem>>
      %other = grid.slice_ref %tile[64, 0] [64, 128] [1, 1] : !tile -> memref<64x128xf16, #warpgroup.space<smem>>
      warpgroup.tma_load %x[%row : i32, 0] [64, 128] to %half barrier %b : memref<512x128xf16, #warpgroup.space<gmem>>, memref<64x128xf16, #warpgroup.space<smem>>, !pair
      warpgroup.tma_load %x[%row : i32, 0] [64, 128] to %other barrier %b : memref<512x128xf16, #warpgroup.space<gmem>>, memref<64x128xf16, #warpgroup.space<smem>>, !pair
    }
    scf.for %step = %c0 to %c4 step %c1 : i32 {
      %slot = arith.remsi %step, %c2 : i32
      %tile = grid.slice_ref %a[%slot, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : memref<2x128x128xf16, #warpgroup.space<smem>>, i32 -> !tile
      %b = grid.slice_ref %loaded[%slot] [1] [1] drop [0] : memref<2x!warpgroup.barrier<2>, #warpgroup.space<smem>>, i32 -> !pair
      warpgroup.barrier_wait %b : !pair
      %more = arith.cmpi sgt, %step, %c0 : i32
      warpgroup.tcgen05_mma %acc, %tile, %tile accumulate %more barrier %done : !acc, !tile, !tile barrier !tensor
      warpgroup.barrier_wait %done : !tensor
      %next = arith.addi %step, %c2 : i32
      %is = arith.cmpi slt, %next, %c4 : i32
      scf.if %is {
        %row = arith.muli %next, %c128 : i32
        %half = grid.slice_ref %tile[0, 0] [64, 128] [1, 1] : !tile -> memref<64x128xf16, #warpgroup.space<smem>>
        %other = grid.slice_ref %tile[64, 0] [64, 128] [1, 1] : !tile -> memref<64x128xf16, #warpgroup.space<smem>>
        warpgroup.tma_load %x[%row : i32, 0] [64, 128] to %half barrier %b : memref<512x128xf16, #warpgroup.space<gmem>>, memref<64x128xf16, #warpgroup.space<smem>>, !pair
        warpgroup.tma_load %x[%row : i32, 0] [64, 128] to %other barrier %b : memref<512x128xf16, #warpgroup.space<gmem>>, memref<64x128xf16, #warpgroup.space<smem>>, !pair
      }
    }
    %v = grid.load %acc : !acc -> tensor<128x128xf32>
    %h = arith.truncf %v : tensor<128x128xf32> to tensor<128x128xf16>
    grid.store %h, %o : tensor<128x128xf16>, !gmem
  }
}

// Of two copies in flight, one arrival does not tell which has ended.
// CHECK-LABEL: grid.kernel @one_of_two
// CHECK: reason = "it may be read before it is written", subject = "a", verdict = "unknown"
grid.kernel @one_of_two grid()
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  grid.scoped (%a: !tile origin "a", %c: !tile origin "c", %b: !bar) {
    warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
    warpgroup.tma_load %x[0, 0] [128, 128] to %c barrier %b : !gmem, !tile, !bar
    warpgroup.barrier_wait %b : !bar
    %v = grid.load %a : !tile -> tensor<128x128xf16>
    grid.store %v, %o : tensor<128x128xf16>, !gmem
  }
}

// CHECK-LABEL: grid.kernel @both
// CHECK: subject = "a", verdict = "proved"
// CHECK: subject = "c", verdict = "proved"
grid.kernel @both grid()
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %rows = arith.constant dense<0> : tensor<128xi32>
  grid.scoped (%a: !tile origin "a", %c: !tile origin "c", %b: !bar) {
    warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
    warpgroup.barrier_wait %b : !bar
    warpgroup.tma_gather %x[%rows] to %c barrier %b : !gmem, tensor<128xi32>, !tile, !bar
    warpgroup.barrier_wait %b : !bar
    %v = grid.load %a : !tile -> tensor<128x128xf16>
    %w = grid.load %c : !tile -> tensor<128x128xf16>
    %s = arith.addf %v, %w : tensor<128x128xf16>
    grid.store %s, %o : tensor<128x128xf16>, !gmem
  }
}

// CHECK-LABEL: grid.kernel @without_wait
// CHECK: reason = "program () reads it before it waits for the asynchronous write of its elements", subject = "a", verdict = "refuted"
grid.kernel @without_wait grid()
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  grid.scoped (%a: !tile origin "a", %b: !bar) {
    warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
    %v = grid.load %a : !tile -> tensor<128x128xf16>
    warpgroup.barrier_wait %b : !bar
    grid.store %v, %o : tensor<128x128xf16>, !gmem
  }
}

// The copy may not have been started: the condition is in memory.
// CHECK-LABEL: grid.kernel @perhaps
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @perhaps grid()
    inputs(%n: i1 [] space #warpgroup.space<gmem> origin "n", %x: f16 [128, 128] space #warpgroup.space<gmem> origin "x")
    outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  grid.scoped (%a: !tile origin "a", %b: !bar) {
    %p = grid.load %n : memref<i1, #warpgroup.space<gmem>> -> i1
    scf.if %p {
      warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
    } else {
      warpgroup.barrier_arrive %b : !bar
    }
    warpgroup.barrier_wait %b : !bar
    %v = grid.load %a : !tile -> tensor<128x128xf16>
    grid.store %v, %o : tensor<128x128xf16>, !gmem
  }
}

// Each warpgroup has a barrier and a tile of its own.
// CHECK-LABEL: grid.kernel @own_barriers
// CHECK: subject = "a", verdict = "proved"
grid.kernel @own_barriers grid(%wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [2, 128, 128] space #warpgroup.space<gmem> origin "o") {
  %w = grid.program_id 0
  grid.scoped (%a: memref<2x128x128xf16, #warpgroup.space<smem>> origin "a",
               %b: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>) attributes {collective = ["wg"]} {
    %mine = grid.slice_ref %a[%w, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : memref<2x128x128xf16, #warpgroup.space<smem>>, i32 -> !tile
    %out = grid.slice_ref %o[%w, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : memref<2x128x128xf16, #warpgroup.space<gmem>>, i32 -> !gmem
    %bar = grid.slice_ref %b[%w] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> !bar
    warpgroup.tma_load %x[0, 0] [128, 128] to %mine barrier %bar : !gmem, !tile, !bar
    warpgroup.barrier_wait %bar : !bar
    %v = grid.load %mine : !tile -> tensor<128x128xf16>
    grid.store %v, %out : tensor<128x128xf16>, !gmem
  }
}

// The arrival that completes the phase may be the other warpgroup's.
// CHECK-LABEL: grid.kernel @one_barrier
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @one_barrier grid(%wg = 2 named "wg" thread)
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [2, 128, 128] space #warpgroup.space<gmem> origin "o") {
  %w = grid.program_id 0
  grid.scoped (%a: memref<2x128x128xf16, #warpgroup.space<smem>> origin "a", %b: !bar) attributes {collective = ["wg"]} {
    %mine = grid.slice_ref %a[%w, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : memref<2x128x128xf16, #warpgroup.space<smem>>, i32 -> !tile
    %out = grid.slice_ref %o[%w, 0, 0] [1, 128, 128] [1, 1, 1] drop [0] : memref<2x128x128xf16, #warpgroup.space<gmem>>, i32 -> !gmem
    warpgroup.tma_load %x[0, 0] [128, 128] to %mine barrier %b : !gmem, !tile, !bar
    warpgroup.barrier_wait %b : !bar
    %v = grid.load %mine : !tile -> tensor<128x128xf16>
    grid.store %v, %out : tensor<128x128xf16>, !gmem
  }
}

// The accumulator is never written: the MMA adds to it.
// CHECK-LABEL: grid.kernel @accumulates
// CHECK: reason = "program () reads it before it is written", subject = "acc", verdict = "refuted"
grid.kernel @accumulates grid() outputs(%o: f32 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  grid.scoped (%acc: !acc origin "acc", %a: !tile origin "a", %done: !tensor) {
    grid.store %zero, %a : tensor<128x128xf16>, !tile
    warpgroup.tcgen05_mma %acc, %a, %a accumulate %true barrier %done : !acc, !tile, !tile barrier !tensor
    warpgroup.barrier_wait %done : !tensor
    %v = grid.load %acc : !acc -> tensor<128x128xf32>
    grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
  }
}

// The second MMA adds to the first one, in order; the commit announces both.
// CHECK-LABEL: grid.kernel @in_order
// CHECK: subject = "acc", verdict = "proved"
grid.kernel @in_order grid() outputs(%o: f32 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  grid.scoped (%acc: !acc origin "acc", %a: !tile origin "a", %done: !tensor) {
    grid.store %zero, %a : tensor<128x128xf16>, !tile
    warpgroup.tcgen05_mma %acc, %a, %a accumulate %false : !acc, !tile, !tile
    warpgroup.tcgen05_mma %acc, %a, %a accumulate %true : !acc, !tile, !tile
    warpgroup.tcgen05_commit %done : !tensor
    warpgroup.barrier_wait %done : !tensor
    %v = grid.load %acc : !acc -> tensor<128x128xf32>
    grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
  }
}

// The load does not wait for the MMA.
// CHECK-LABEL: grid.kernel @early_load
// CHECK: subject = "acc", verdict = "refuted"
grid.kernel @early_load grid() outputs(%o: f32 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %false = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  grid.scoped (%acc: !acc origin "acc", %a: !tile origin "a", %done: !tensor) {
    grid.store %zero, %a : tensor<128x128xf16>, !tile
    warpgroup.tcgen05_mma %acc, %a, %a accumulate %false barrier %done : !acc, !tile, !tile barrier !tensor
    %v = grid.load %acc : !acc -> tensor<128x128xf32>
    warpgroup.barrier_wait %done : !tensor
    grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
  }
}

// A later MMA sees what a copy has put into tensor memory.
// CHECK-LABEL: grid.kernel @copied
// CHECK: subject = "acc", verdict = "proved"
// CHECK: subject = "lhs", verdict = "proved"
grid.kernel @copied grid() outputs(%o: f32 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %false = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  grid.scoped (%acc: !acc origin "acc", %lhs: memref<128x128xf16, #warpgroup.space<tmem>> origin "lhs",
               %a: !tile origin "a", %done: !tensor) {
    grid.store %zero, %a : tensor<128x128xf16>, !tile
    warpgroup.tmem_copy %a to %lhs : !tile, memref<128x128xf16, #warpgroup.space<tmem>>
    warpgroup.tcgen05_mma %acc, %lhs, %a accumulate %false barrier %done : !acc, memref<128x128xf16, #warpgroup.space<tmem>>, !tile barrier !tensor
    warpgroup.barrier_wait %done : !tensor
    %v = grid.load %acc : !acc -> tensor<128x128xf32>
    grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
  }
}

// A thread's load of tensor memory is not in order with the copy.
// CHECK-LABEL: grid.kernel @copied_late
// CHECK: subject = "lhs", verdict = "unknown"
grid.kernel @copied_late grid() outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  grid.scoped (%lhs: memref<128x128xf16, #warpgroup.space<tmem>> origin "lhs", %a: !tile origin "a", %done: !tensor) {
    grid.store %zero, %a : tensor<128x128xf16>, !tile
    warpgroup.tmem_copy %a to %lhs : !tile, memref<128x128xf16, #warpgroup.space<tmem>>
    %v = grid.load %lhs : memref<128x128xf16, #warpgroup.space<tmem>> -> tensor<128x128xf16>
    grid.store %v, %o : tensor<128x128xf16>, !gmem
  }
}

// Whether the barrier's phase is complete is only tested.
// CHECK-LABEL: grid.kernel @tested
// CHECK: subject = "a", verdict = "unknown"
grid.kernel @tested grid()
    inputs(%x: f16 [128, 128] space #warpgroup.space<gmem> origin "x") outputs(%o: f16 [128, 128] space #warpgroup.space<gmem> origin "o") {
  grid.scoped (%a: !tile origin "a", %b: !bar) {
    warpgroup.tma_load %x[0, 0] [128, 128] to %a barrier %b : !gmem, !tile, !bar
    %done = warpgroup.barrier_test %b : !bar
    %v = grid.load %a : !tile -> tensor<128x128xf16>
    grid.store %v, %o : tensor<128x128xf16>, !gmem
  }
}

// CHECK-LABEL: grid.kernel @cancelled
// CHECK: subject = "answer", verdict = "proved"
grid.kernel @cancelled grid(%i = 4 named "i") outputs(%o: i32 [4] space #warpgroup.space<gmem> origin "o") {
  %p = grid.program_id 0
  grid.scoped (%answer: memref<16xi8, #warpgroup.space<smem>> origin "answer", %b: !bar) {
    warpgroup.try_cluster_cancel %answer barrier %b : memref<16xi8, #warpgroup.space<smem>>, !bar
    warpgroup.barrier_wait %b : !bar
    %n, %found = warpgroup.query_cluster_cancel %answer ["i"] : memref<16xi8, #warpgroup.space<smem>> -> i32
    %at = grid.slice_ref %o[%p] [1] [1] drop [0] : memref<4xi32, #warpgroup.space<gmem>>, i32 -> memref<i32, #warpgroup.space<gmem>>
    grid.store %n, %at : i32, memref<i32, #warpgroup.space<gmem>>
  }
}
