// What is proved, refuted and left unknown, with the reason and the program or element that shows it.
//
// RUN: gridir-opt %s --grid-check | FileCheck %s
// RUN: gridir-opt %s --grid-check='checks=no-revisit' | FileCheck %s --check-prefix=ONLY
// RUN: gridir-opt %s --grid-check --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --grid-check='record-locations=true' | FileCheck %s --check-prefix=PLACE
// RUN: gridir-opt %s --grid-check -o /dev/null 2>&1 --remarks-filter=grid-check --remark-format=emitRemark \
// RUN:   | FileCheck %s --check-prefix=REMARK

// STATS: num-proved
// STATS: num-refuted
// STATS: num-unknown

// REMARK: [Failure] check | Category:grid-check | Remark="written of o_ref: refuted, no program writes element (384)"

// Three programs of 128 elements leave the fourth block alone.
// CHECK-LABEL: grid.kernel @short
// CHECK: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
// CHECK: {check = "written", reason = "no program writes element (384)", subject = "o_ref", verdict = "refuted"}
// CHECK: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
// ONLY-LABEL: grid.kernel @short
// ONLY: {grid.checks = [{check = "no-revisit", subject = "o_ref", verdict = "proved"}]}
// PLACE-LABEL: grid.kernel @short
// PLACE: {check = "in-bounds", loc = #loc{{[0-9]*}}, subject = "x_ref", verdict = "proved"}
grid.kernel @short grid(%i = 3)
    inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// The fifth block lies outside; the fourth overhangs, which is no fault.
// CHECK-LABEL: grid.kernel @outside
// CHECK: {check = "in-bounds", program = array<i64: 4>
// CHECK-SAME: reason = "the block of program (4) lies outside of dimension 0, which has 500 elements"
// CHECK-SAME: subject = "x_ref", verdict = "refuted"}
// CHECK-SAME: {check = "in-bounds", reason = "the block of program (3) overhangs dimension 0 and is padded"
// CHECK-SAME: subject = "o_ref", verdict = "proved"}
grid.kernel @outside grid(%i = 5)
    inputs(%x: f32 [500] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [500] block [128] at (%i mod 4) origin "o_ref") {
}

// The last of the sequential programs writes the block: a matmul.
// CHECK-LABEL: grid.kernel @accumulated
// CHECK: {check = "written", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "disjoint", subject = "dimension 0", verdict = "proved"}
grid.kernel @accumulated grid(%i = 4, %k = 8)
    outputs(%o: f32 [512, 128] block [128, 128] at (%i, 0) origin "o_ref")
    scratch(%sum: memref<128x128xf32>)
    semantics [parallel, arbitrary] {
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %first = arith.cmpi eq, %k0, %c0 : i32
  scf.if %first {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    grid.store %zero, %sum : tensor<128x128xf32>, memref<128x128xf32>
  }
  %last = arith.cmpi eq, %k0, %c7 : i32
  scf.if %last {
    %v = grid.load %sum : memref<128x128xf32> -> tensor<128x128xf32>
    grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
  }
}

// A condition on the id that chooses the block leaves blocks out.
// CHECK-LABEL: grid.kernel @skipped
// CHECK: reason = "no program writes element (0)", subject = "o_ref", verdict = "refuted"}
grid.kernel @skipped grid(%i = 4)
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
  %id = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %later = arith.cmpi sgt, %id, %c0 : i32
  scf.if %later {
    %v = arith.constant dense<1.0> : tensor<8xf32>
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// The rows of a loop are all rows; the two halves of a row are all of it.
// CHECK-LABEL: grid.kernel @rows
// CHECK: {check = "in-bounds", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "written", subject = "o_ref", verdict = "proved"}
grid.kernel @rows grid(%i = 2)
    outputs(%o: f32 [16, 8] block [8, 8] at (%i, 0) origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<1x4xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %row = %c0 to %c8 step %c1 : i32 {
    %left = grid.slice_ref %o[%row, 0] [1, 4] [1, 1] : memref<8x8xf32, #grid.space<default>>, i32 -> memref<1x4xf32, #grid.space<default>>
    %right = grid.slice_ref %o[%row, 4] [1, 4] [1, 1] : memref<8x8xf32, #grid.space<default>>, i32 -> memref<1x4xf32, #grid.space<default>>
    grid.store %v, %left : tensor<1x4xf32>, memref<1x4xf32, #grid.space<default>>
    grid.store %v, %right : tensor<1x4xf32>, memref<1x4xf32, #grid.space<default>>
  }
}

// The window of the last program leaves the Ref; where a value decides, nobody knows.
// CHECK-LABEL: grid.kernel @slices
// CHECK: {check = "in-bounds", program = array<i64: 3>, reason = "program (3) slices beyond dimension 0, which has 32 elements", subject = "x_ref", verdict = "refuted"}
// CHECK-SAME: {check = "in-bounds", reason = "a slice may leave dimension 0, which has 32 elements", subject = "y_ref", verdict = "unknown"}
// CHECK-SAME: {check = "written", reason = "whether a store runs, or where to, is known at the call only", subject = "o_ref", verdict = "unknown"}
grid.kernel @slices grid(%i = 4)
    index(%n: i32 [1])
    inputs(%x: f32 [32] origin "x_ref", %y: f32 [32] origin "y_ref")
    outputs(%o: f32 [32] origin "o_ref") {
  %id = grid.program_id 0
  %c10 = arith.constant 10 : i32
  %start = arith.muli %id, %c10 : i32
  %a = grid.slice_ref %x[%start] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %va = grid.load %a : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %first = grid.load %n : memref<1xi32, #grid.space<default>> -> tensor<1xi32>
  %c0 = arith.constant 0 : index
  %at = tensor.extract %first[%c0] : tensor<1xi32>
  %b = grid.slice_ref %y[%at] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %vb = grid.load %b : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %v = arith.addf %va, %vb : tensor<8xf32>
  %c = grid.slice_ref %o[%at] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  grid.store %v, %c : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// The inner dimension chooses the block: each comes back with every step of the outer one.
// CHECK-LABEL: grid.kernel @revisited
// CHECK: {check = "no-revisit", program = array<i64: 1, 0>, reason = "program (1, 0) comes back to the block of program (0, 0)", subject = "o_ref", verdict = "refuted"}
// CHECK-SAME: {check = "disjoint", reason = "programs (0, 0) and (1, 0) touch the same elements of o_ref", subject = "dimension 0 (steps)", verdict = "refuted"}
grid.kernel @revisited grid(%k = 3 named "steps", %i = 4)
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref")
    semantics [parallel, arbitrary] {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// Blocks of the diagonal: two programs for each, one after the other; the rest is never written.
// CHECK-LABEL: grid.kernel @diagonal
// CHECK: {check = "written", reason = "no program writes element (0, 8)", subject = "o_ref", verdict = "refuted"}
// CHECK-SAME: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
grid.kernel @diagonal grid(%i = 8)
    outputs(%o: f32 [32, 32] block [8, 8] at (%i floordiv 2, %i floordiv 2) origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<8x8xf32>
  grid.store %v, %o : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
}

// Both halves of an array, each by its programs, in any order of blocks: the projection is exact.
// CHECK-LABEL: grid.kernel @swizzled
// CHECK: {check = "written", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
grid.kernel @swizzled grid(%i = 2, %j = 4)
    outputs(%o: f32 [64] block [8] at (%i * 4 + %j) origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// CHECK-LABEL: grid.kernel @aliased
// CHECK: {check = "written", reason = "what is not written is the aliased input's", subject = "o_ref", verdict = "proved"}
grid.kernel @aliased grid(%i = 2)
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref")
    aliases [0 -> 0] {
}

// A grid whose size the call gives: what holds for every size is proved all the same.
// CHECK-LABEL: grid.kernel @dynamic
// CHECK: reason = "the sizes of the array or the grid are known at the call only", subject = "o_ref", verdict = "unknown"}
// CHECK-SAME: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
grid.kernel @dynamic grid(%i = ?)
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
