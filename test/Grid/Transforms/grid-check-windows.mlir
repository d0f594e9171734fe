// A copy accesses the window that it names; a part of it may be outside of the array.
//
// RUN: gridir-opt %s --grid-check | FileCheck %s

// Every block has rows of its own, the last one fewer; together they have them all.
// CHECK-LABEL: grid.kernel @rows
// CHECK: {check = "written", subject = "o", verdict = "proved"}
// CHECK-SAME: {check = "disjoint", subject = "dimension 0 (i)", verdict = "proved"}
grid.kernel @rows grid(%i = 3 named "i")
    inputs(%x: f32 [90, 64] space #warpgroup.space<gmem> origin "x") outputs(%o: f32 [90, 64] space #warpgroup.space<gmem> origin "o")
    semantics [parallel] {
  grid.scoped (%tile: memref<40x64xf32, #warpgroup.space<smem>>,
               %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %p = grid.program_id 0
    %c40 = arith.constant 40 : i32
    %row = arith.muli %p, %c40 : i32
    warpgroup.tma_load %x[%row : i32, 0] [40, 64] to %tile barrier %b
        : memref<90x64xf32, #warpgroup.space<gmem>>, memref<40x64xf32, #warpgroup.space<smem>>,
          memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_store %tile to %o[%row : i32, 0] [40, 64]
        : memref<40x64xf32, #warpgroup.space<smem>>, memref<90x64xf32, #warpgroup.space<gmem>>
  }
}

// A window that is too small omits rows, one that is too large overlaps its neighbour's.
// CHECK-LABEL: grid.kernel @small
// CHECK: {check = "written", element = array<i64: 8>, reason = "no program writes element (8)", subject = "o", verdict = "refuted"}
grid.kernel @small grid()
    outputs(%o: f32 [20] space #warpgroup.space<gmem> origin "o") scratch(%tile: memref<8xf32, #warpgroup.space<smem>>)
    semantics [] {
  warpgroup.tma_store %tile to %o[0] [8]
      : memref<8xf32, #warpgroup.space<smem>>, memref<20xf32, #warpgroup.space<gmem>>
}

// CHECK-LABEL: grid.kernel @large
// CHECK: {check = "written", subject = "o", verdict = "proved"}
// CHECK: reason = "programs (0) and (1) touch the same elements of o", subject = "dimension 0 (i)", verdict = "refuted"}
grid.kernel @large grid(%i = 2 named "i")
    outputs(%o: f32 [20] space #warpgroup.space<gmem> origin "o") scratch(%tile: memref<12xf32, #warpgroup.space<smem>>)
    semantics [parallel] {
  %p = grid.program_id 0
  %c10 = arith.constant 10 : i32
  %row = arith.muli %p, %c10 : i32
  warpgroup.tma_store %tile to %o[%row : i32] [12]
      : memref<12xf32, #warpgroup.space<smem>>, memref<20xf32, #warpgroup.space<gmem>>
}

// Who knows whether it is copied.
// CHECK-LABEL: grid.kernel @perhaps
// CHECK: {check = "written", {{.*}}subject = "o", verdict = "unknown"}
grid.kernel @perhaps grid()
    inputs(%n: i32 [1] space #warpgroup.space<gmem> origin "n")
    outputs(%o: f32 [20] space #warpgroup.space<gmem> origin "o") scratch(%tile: memref<20xf32, #warpgroup.space<smem>>)
    semantics [] {
  %ref = grid.slice_ref %n[0] [1] [1] drop [0] : memref<1xi32, #warpgroup.space<gmem>> -> memref<i32, #warpgroup.space<gmem>>
  %v = grid.load %ref : memref<i32, #warpgroup.space<gmem>> -> i32
  %c0 = arith.constant 0 : i32
  %p = arith.cmpi sgt, %v, %c0 : i32
  warpgroup.tma_store %tile to %o[0] [20] if %p
      : memref<20xf32, #warpgroup.space<smem>>, memref<20xf32, #warpgroup.space<gmem>>
}
