// Counters that a loop carries and that begin again when they reach an end: their ranges hold before the loop, and each
// iteration keeps them.
//
// RUN: gridir-opt %s --grid-check='checks=in-bounds' | FileCheck %s

// Two indices, as of the blocks of a pipeline: the second one counts to 2, and then the first one goes on, to 4.
// CHECK-LABEL: grid.kernel @odometer
// CHECK: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
grid.kernel @odometer grid() inputs(%x: f32 [32, 256] origin "x_ref") outputs(%o: f32 [8, 128] origin "o_ref") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c128 = arith.constant 128 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 8 : index
  %last:2 = scf.for %n = %first to %end step %step iter_args(%i = %c0, %j = %c0) -> (i32, i32) {
    %row = arith.muli %i, %c8 : i32
    %column = arith.muli %j, %c128 : i32
    %block = grid.slice_ref %x[%row, %column] [8, 128] [1, 1] : memref<32x256xf32, #grid.space<default>>, i32, i32 -> memref<8x128xf32, #grid.space<default>>
    %value = grid.load %block : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
    grid.store %value, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
    %j1 = arith.addi %j, %c1 : i32
    %wraps = arith.cmpi eq, %j1, %c2 : i32
    %next_j = arith.select %wraps, %c0, %j1 : i32
    %i1 = arith.addi %i, %c1 : i32
    %carried = arith.select %wraps, %i1, %i : i32
    %ends = arith.cmpi eq, %carried, %c4 : i32
    %next_i = arith.select %ends, %c0, %carried : i32
    scf.yield %next_i, %next_j : i32, i32
  }
  // The results of the loop have the same ranges.
  %row = arith.muli %last#0, %c8 : i32
  %block = grid.slice_ref %x[%row, %c0] [8, 128] [1, 1] : memref<32x256xf32, #grid.space<default>>, i32, i32 -> memref<8x128xf32, #grid.space<default>>
  %value = grid.load %block : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
  grid.store %value, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
}

// One that goes down from the last block, and begins there again below 0.
// CHECK-LABEL: grid.kernel @down
// CHECK: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
grid.kernel @down grid() inputs(%x: f32 [32] origin "x_ref") outputs(%o: f32 [8] origin "o_ref") {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %minus = arith.constant -1 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 9 : index
  %last = scf.for %n = %first to %end step %step iter_args(%i = %c3) -> (i32) {
    %at = arith.muli %i, %c8 : i32
    %block = grid.slice_ref %x[%at] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
    %value = grid.load %block : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %value, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    %below = arith.subi %i, %c1 : i32
    %ends = arith.cmpi eq, %below, %minus : i32
    %next = arith.select %ends, %c3, %below : i32
    scf.yield %next : i32
  }
}

// One that is too far when it begins again.
// CHECK-LABEL: grid.kernel @late
// CHECK: {check = "in-bounds", reason = "a slice may exceed dimension 0, which has 32 elements", subject = "x_ref", verdict = "unknown"}
grid.kernel @late grid() inputs(%x: f32 [32] origin "x_ref") outputs(%o: f32 [8] origin "o_ref") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %c8 = arith.constant 8 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 9 : index
  %last = scf.for %n = %first to %end step %step iter_args(%i = %c0) -> (i32) {
    %at = arith.muli %i, %c8 : i32
    %block = grid.slice_ref %x[%at] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
    %value = grid.load %block : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %value, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    %up = arith.addi %i, %c1 : i32
    %ends = arith.cmpi eq, %up, %c5 : i32
    %next = arith.select %ends, %c0, %up : i32
    scf.yield %next : i32
  }
}

// One that steps over its end, and goes on.
// CHECK-LABEL: grid.kernel @past
// CHECK: {check = "in-bounds", reason = "a slice may exceed dimension 0, which has 32 elements", subject = "x_ref", verdict = "unknown"}
grid.kernel @past grid() inputs(%x: f32 [32] origin "x_ref") outputs(%o: f32 [8] origin "o_ref") {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 9 : index
  %last = scf.for %n = %first to %end step %step iter_args(%i = %c0) -> (i32) {
    %at = arith.muli %i, %c8 : i32
    %block = grid.slice_ref %x[%at] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
    %value = grid.load %block : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %value, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    %up = arith.addi %i, %c2 : i32
    %ends = arith.cmpi eq, %up, %c3 : i32
    %next = arith.select %ends, %c0, %up : i32
    scf.yield %next : i32
  }
}

// The condition of the branch excludes the last block, which is shorter.
// CHECK-LABEL: grid.kernel @last_block
// CHECK: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
grid.kernel @last_block grid(%i = 4) inputs(%x: f32 [28] origin "x_ref") outputs(%o: f32 [8] origin "o_ref") {
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %id = grid.program_id 0
  %at = arith.muli %id, %c8 : i32
  %is_last = arith.cmpi eq, %id, %c3 : i32
  scf.if %is_last {
    %block = grid.slice_ref %x[%at] [4] [1] : memref<28xf32, #grid.space<default>>, i32 -> memref<4xf32, #grid.space<default>>
    %value = grid.load %block : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
    %part = grid.slice_ref %o[0] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
    grid.store %value, %part : tensor<4xf32>, memref<4xf32, #grid.space<default>>
  } else {
    %block = grid.slice_ref %x[%at] [8] [1] : memref<28xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
    %value = grid.load %block : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %value, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}
