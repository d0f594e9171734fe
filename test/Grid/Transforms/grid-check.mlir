// Proved, refuted and unknown results, with the reason and the program or element as counterexample.
//
// RUN: gridir-opt %s --grid-check | FileCheck %s
// RUN: gridir-opt %s --grid-check='checks=no-revisit' | FileCheck %s --check-prefix=ONLY
// RUN: gridir-opt %s --grid-check --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --grid-check='record-locations=true' | FileCheck %s --check-prefix=LOC
// RUN: gridir-opt %s --grid-check -o /dev/null 2>&1 --remarks-filter=grid-check --remark-format=emitRemark \
// RUN:   | FileCheck %s --check-prefix=REMARK

// STATS: num-proved
// STATS: num-refuted
// STATS: num-unknown

// REMARK: [Failure] check | Category:grid-check | Remark="written of o_ref: refuted, no program writes element (384)"

// Three programs of 128 elements leave the fourth block alone.
// CHECK-LABEL: grid.kernel @short
// CHECK: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
// CHECK: {check = "written", element = array<i64: 384>, reason = "no program writes element (384)", subject = "o_ref", verdict = "refuted"}
// CHECK: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
// ONLY-LABEL: grid.kernel @short
// ONLY: {grid.checks = [{check = "no-revisit", subject = "o_ref", verdict = "proved"}]}
// LOC-LABEL: grid.kernel @short
// LOC: {check = "in-bounds", loc = #loc{{[0-9]*}}, subject = "x_ref", verdict = "proved"}
grid.kernel @short grid(%i = 3)
    inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// Fewer programs than blocks, and the last one wraps around.
// CHECK-LABEL: grid.kernel @wraps
// CHECK: {check = "in-bounds", subject = "x_ref", verdict = "proved"}
// CHECK-SAME: {check = "in-bounds", program = array<i64: 1>
// CHECK-SAME: subject = "y_ref", verdict = "refuted"}
// CHECK-SAME: {check = "in-bounds", subject = "o_ref", verdict = "proved"}
grid.kernel @wraps grid(%i = 4)
    inputs(%x: f32 [512] block [128] at ((%i + 1) mod 4) origin "x_ref",
           %y: f32 [256] block [128] at ((%i + 1) mod 5) origin "y_ref")
    outputs(%o: f32 [512] block [128] at ((%i + 3) mod 4) origin "o_ref") {
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
// CHECK: element = array<i64: 0>, reason = "no program writes element (0)", subject = "o_ref", verdict = "refuted"}
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

// The window of the last program exceeds the Ref; if a value decides, it is unknown.
// CHECK-LABEL: grid.kernel @slices
// CHECK: {check = "in-bounds", program = array<i64: 3>, reason = "program (3) slices beyond dimension 0, which has 32 elements", subject = "x_ref", verdict = "refuted"}
// CHECK-SAME: {check = "in-bounds", reason = "a slice may exceed dimension 0, which has 32 elements", subject = "y_ref", verdict = "unknown"}
// CHECK-SAME: {check = "written", reason = "the condition or the indices of a store are known only at run time", subject = "o_ref", verdict = "unknown"}
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

// Masked elements may be outside; an empty mask changes nothing.
// CHECK-LABEL: grid.kernel @masked_slices
// CHECK: {check = "in-bounds", reason = "a slice may exceed dimension 0, which has 32 elements", subject = "x_ref", verdict = "unknown"}
// CHECK-SAME: {check = "in-bounds", program = array<i64: 3>, reason = "program (3) slices beyond dimension 0, which has 32 elements", subject = "y_ref", verdict = "refuted"}
grid.kernel @masked_slices grid(%i = 4)
    inputs(%x: f32 [32] origin "x_ref", %y: f32 [32] origin "y_ref", %m: i1 [8])
    outputs(%o: f32 [8] origin "o_ref") {
  %id = grid.program_id 0
  %c10 = arith.constant 10 : i32
  %start = arith.muli %id, %c10 : i32
  %some = grid.load %m : memref<8xi1, #grid.space<default>> -> tensor<8xi1>
  %all = arith.constant dense<true> : tensor<8xi1>
  %a = grid.slice_ref %x[%start] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %va = grid.load %a mask %some : memref<8xf32, #grid.space<default>>, tensor<8xi1> -> tensor<8xf32>
  %b = grid.slice_ref %y[%start] [8] [1] : memref<32xf32, #grid.space<default>>, i32 -> memref<8xf32, #grid.space<default>>
  %vb = grid.load %b mask %all : memref<8xf32, #grid.space<default>>, tensor<8xi1> -> tensor<8xf32>
  %v = arith.addf %va, %vb : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// The inner dimension chooses the block: each comes back with every step of the outer one.
// CHECK-LABEL: grid.kernel @revisited
// CHECK: {check = "no-revisit", program = array<i64: 1, 0>, reason = "program (1, 0) revisits the block of program (0, 0)", subject = "o_ref", verdict = "refuted"}
// CHECK-SAME: {check = "disjoint", reason = "programs (0, 0) and (1, 0) touch the same elements of o_ref", subject = "dimension 0 (steps)", verdict = "refuted"}
grid.kernel @revisited grid(%k = 3 named "steps", %i = 4)
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref")
    semantics [parallel, arbitrary] {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// Blocks of the diagonal: two programs for each, one after the other; the rest is never written.
// CHECK-LABEL: grid.kernel @diagonal
// CHECK: {check = "written", element = array<i64: 0, 8>, reason = "no program writes element (0, 8)", subject = "o_ref", verdict = "refuted"}
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
// CHECK: {check = "written", reason = "on a tpu, where its block is initially undefined, a program may write only a part of it", subject = "o_ref", targets = ["cpu", "gpu"], verdict = "unknown"}
grid.kernel @aliased grid(%i = 2)
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref")
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref")
    aliases [0 -> 0] {
}

// A grid whose size the call gives: what holds for every size is proved all the same.
// CHECK-LABEL: grid.kernel @dynamic
// CHECK: reason = "the sizes of the array or the grid are known only at run time", subject = "o_ref", verdict = "unknown"}
// CHECK-SAME: {check = "no-revisit", subject = "o_ref", verdict = "proved"}
grid.kernel @dynamic grid(%i = ?)
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// Scratch that flows along a dimension that is called parallel: the last program of one share, and the first of the next.
// CHECK-LABEL: grid.kernel @carried
// CHECK: {check = "disjoint", reason = "program (1, 0) reads elements that program (0, 1) has written to sum_ref", subject = "dimension 0", verdict = "refuted"}
// CHECK-SAME: {check = "initialized", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "initialized", subject = "sum_ref", verdict = "proved"}
// LOC-LABEL: grid.kernel @carried
// LOC: {check = "disjoint", loc = #loc{{[0-9]*}}, reason = {{.*}}, subject = "dimension 0", verdict = "refuted", written_at = #loc{{[0-9]*}}}
grid.kernel @carried grid(%i = 4, %k = 2)
    outputs(%o: f32 [32, 2] block [8, squeezed] at (%i, %k) origin "o_ref")
    scratch(%sum: memref<8xf32> origin "sum_ref")
    semantics [parallel, arbitrary] {
  %i0 = grid.program_id 0
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %row = arith.cmpi eq, %i0, %c0 : i32
  %column = arith.cmpi eq, %k0, %c0 : i32
  %first = arith.andi %row, %column : i1
  %one = arith.constant dense<1.0> : tensor<8xf32>
  scf.if %first {
    grid.store %one, %sum : tensor<8xf32>, memref<8xf32>
  }
  %s = grid.load %sum : memref<8xf32> -> tensor<8xf32>
  %t = arith.addf %s, %one : tensor<8xf32>
  grid.store %t, %sum : tensor<8xf32>, memref<8xf32>
  grid.store %t, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// Values that a select does not choose are not read: each partition starts again.
// CHECK-LABEL: grid.kernel @selected
// CHECK: {check = "disjoint", subject = "dimension 0", verdict = "proved"}
// CHECK-SAME: {check = "initialized", subject = "sum_ref", verdict = "proved"}
grid.kernel @selected grid(%i = 4, %k = 2)
    outputs(%o: f32 [32, 2] block [8, squeezed] at (%i, %k) origin "o_ref")
    scratch(%sum: memref<8xf32> origin "sum_ref")
    semantics [parallel, arbitrary] {
  %k0 = grid.program_id 1
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %k0, %c0 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %s = grid.load %sum : memref<8xf32> -> tensor<8xf32>
  %u = arith.select %first, %one, %s : tensor<8xf32>
  grid.store %u, %sum : tensor<8xf32>, memref<8xf32>
  grid.store %u, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// Scratch, scopes and outputs are initially uninitialized; if a value decides, it is unknown.
// CHECK-LABEL: grid.kernel @fresh
// CHECK: {check = "initialized", program = array<i64: 0>, reason = "program (0) reads it before it is written", subject = "o_ref", verdict = "refuted"}
// CHECK-SAME: {check = "initialized", reason = "it may be read before it is written", subject = "s_ref", verdict = "unknown"}
// CHECK-SAME: {check = "initialized", program = array<i64: 0>, reason = "program (0) reads it before it is written", subject = "t_ref", verdict = "refuted"}
grid.kernel @fresh grid(%i = 4)
    inputs(%m: i1 [4] block [squeezed] at (%i))
    outputs(%o: f32 [32] block [8] at (%i) origin "o_ref")
    scratch(%s: memref<8xf32> origin "s_ref") {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  grid.accumulate %one, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  %bit = grid.load %m : memref<i1, #grid.space<default>> -> i1
  scf.if %bit {
    grid.store %one, %s : tensor<8xf32>, memref<8xf32>
  }
  %v = grid.load %s : memref<8xf32> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  grid.scoped (%t: memref<8xf32> origin "t_ref") {
    %w = grid.load %t : memref<8xf32> -> tensor<8xf32>
    grid.store %w, %s : tensor<8xf32>, memref<8xf32>
  }
}

// The cases at both ends of what a number may be are among those that may run.
// CHECK-LABEL: grid.kernel @first_case
// CHECK: {check = "initialized", program = array<i64: 0>, reason = "program (0) reads it before it is written", subject = "s_ref", verdict = "refuted"}
grid.kernel @first_case grid(%i = 2) outputs(%o: f32 [16] block [8] at (%i)) scratch(%s: memref<8xf32> origin "s_ref") {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %p = grid.program_id 0
  %which = arith.index_cast %p : i32 to index
  scf.index_switch %which
  case 0 {
    scf.yield
  }
  case 1 {
    grid.store %one, %s : tensor<8xf32>, memref<8xf32>
    scf.yield
  }
  default {
    grid.store %one, %s : tensor<8xf32>, memref<8xf32>
  }
  %v = grid.load %s : memref<8xf32> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

!sem = memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
!one = memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
!any = memref<32xf32, #grid.space<any>>
!row = memref<8xf32, #grid.space<any>>
!tile = memref<8xf32>

// Each program starts the copy that the next one waits for, but the last, or one too many.
// CHECK-LABEL: grid.kernel @prefetch
// CHECK: {check = "balanced", subject = "good", verdict = "proved"}
// CHECK-SAME: {check = "balanced", program = array<i64: 3>, reason = "nothing waits for the copy of program (3)", subject = "bad", verdict = "refuted"}
// CHECK-SAME: {check = "balanced", program = array<i64: 1>, reason = "program (1) waits for a copy, but none is in flight", subject = "late", verdict = "refuted"}
grid.kernel @prefetch grid(%i = 4)
    inputs(%x: f32 [32] space any)
    scratch(%t: !tile, %good: !sem origin "good", %bad: !sem origin "bad", %late: !sem origin "late") {
  %id = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %x0 = grid.slice_ref %x[0] [8] [1] : !any -> !row
  %slot = arith.remsi %id, %c2 : i32
  %next = arith.addi %id, %c1 : i32
  %other = arith.remsi %next, %c2 : i32
  %good0 = grid.slice_ref %good[%slot] [1] [1] drop [0] : !sem, i32 -> !one
  %good1 = grid.slice_ref %good[%other] [1] [1] drop [0] : !sem, i32 -> !one
  %bad0 = grid.slice_ref %bad[%slot] [1] [1] drop [0] : !sem, i32 -> !one
  %bad1 = grid.slice_ref %bad[%other] [1] [1] drop [0] : !sem, i32 -> !one
  %late0 = grid.slice_ref %late[%slot] [1] [1] drop [0] : !sem, i32 -> !one
  %first = arith.cmpi eq, %id, %c0 : i32
  scf.if %first {
    grid.copy_start %x0, %t sem %good0 : !row, !tile, !one
    grid.copy_start %x0, %t sem %bad0 : !row, !tile, !one
    grid.copy_start %x0, %t sem %late0 : !row, !tile, !one
  }
  %more = arith.cmpi slt, %id, %c3 : i32
  scf.if %more {
    grid.copy_start %x0, %t sem %good1 : !row, !tile, !one
  }
  grid.copy_start %x0, %t sem %bad1 : !row, !tile, !one
  grid.copy_wait %x0, %t sem %good0 : !row, !tile, !one
  grid.copy_wait %x0, %t sem %bad0 : !row, !tile, !one
  grid.copy_wait %x0, %t sem %late0 : !row, !tile, !one
}

// Signals of a loop, and one that a value decides.
!regular = memref<!grid.semaphore<regular>>
// CHECK-LABEL: grid.kernel @signals
// CHECK: {check = "balanced", subject = "a", verdict = "proved"}
// CHECK-SAME: {check = "balanced", reason = "its use depends on values that are known only at run time", subject = "b", verdict = "unknown"}
grid.kernel @signals grid(%i = 2)
    inputs(%m: i1 [2] block [squeezed] at (%i))
    scratch(%a: !regular origin "a", %b: !regular origin "b") {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %j = %c0 to %c4 step %c1 : i32 {
    grid.semaphore_signal %a, %c1 : !regular
  }
  grid.semaphore_wait %a, %c4 : !regular
  %bit = grid.load %m : memref<i1, #grid.space<default>> -> i1
  scf.if %bit {
    grid.semaphore_signal %b, %c1 : !regular
  }
  grid.semaphore_wait %b, %c1 : !regular
}

// The amount of the signal is computed from the id of the program: each sum is that of the programs.
// CHECK-LABEL: grid.kernel @sums
// CHECK: {check = "balanced", subject = "scratch[0]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[1]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[2]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[3]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[4]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[5]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[6]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[7]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[8]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[9]", verdict = "proved"}
// CHECK-SAME: {check = "balanced", subject = "scratch[10]", verdict = "proved"}
grid.kernel @sums grid(%i = 4)
    scratch(%s0: !regular, %s1: !regular, %s2: !regular, %s3: !regular, %s4: !regular, %s5: !regular, %s6: !regular, %s7: !regular, %s8: !regular, %s9: !regular, %s10: !regular) {
  %p = grid.program_id 0
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %d = arith.addi %p, %c2 : i32
  %r0 = arith.muli %p, %c5 : i32
  grid.semaphore_signal %s0, %r0 : !regular
  %r1 = arith.subi %c7, %p : i32
  grid.semaphore_signal %s1, %r1 : !regular
  %r2 = arith.divsi %c7, %d : i32
  grid.semaphore_signal %s2, %r2 : !regular
  %r3 = arith.remsi %c7, %d : i32
  grid.semaphore_signal %s3, %r3 : !regular
  %r4 = arith.minsi %p, %c2 : i32
  grid.semaphore_signal %s4, %r4 : !regular
  %r5 = arith.maxsi %p, %c2 : i32
  grid.semaphore_signal %s5, %r5 : !regular
  %r6 = arith.andi %c6, %p : i32
  grid.semaphore_signal %s6, %r6 : !regular
  %r7 = arith.ori %c5, %p : i32
  grid.semaphore_signal %s7, %r7 : !regular
  %r8 = arith.xori %c5, %p : i32
  grid.semaphore_signal %s8, %r8 : !regular
  %r9 = arith.ceildivsi %c7, %d : i32
  grid.semaphore_signal %s9, %r9 : !regular
  %r10 = arith.floordivsi %c7, %d : i32
  grid.semaphore_signal %s10, %r10 : !regular
  %c3 = arith.constant 3 : i32
  %last = arith.cmpi eq, %p, %c3 : i32
  scf.if %last {
    %t0 = arith.constant 30 : i32
    grid.semaphore_wait %s0, %t0 : !regular
    %t1 = arith.constant 22 : i32
    grid.semaphore_wait %s1, %t1 : !regular
    %t2 = arith.constant 7 : i32
    grid.semaphore_wait %s2, %t2 : !regular
    %t3 = arith.constant 7 : i32
    grid.semaphore_wait %s3, %t3 : !regular
    %t4 = arith.constant 5 : i32
    grid.semaphore_wait %s4, %t4 : !regular
    %t5 = arith.constant 9 : i32
    grid.semaphore_wait %s5, %t5 : !regular
    %t6 = arith.constant 4 : i32
    grid.semaphore_wait %s6, %t6 : !regular
    %t7 = arith.constant 24 : i32
    grid.semaphore_wait %s7, %t7 : !regular
    %t8 = arith.constant 22 : i32
    grid.semaphore_wait %s8, %t8 : !regular
    %t9 = arith.constant 11 : i32
    grid.semaphore_wait %s9, %t9 : !regular
    %t10 = arith.constant 7 : i32
    grid.semaphore_wait %s10, %t10 : !regular
  }
}

// The one element of a scalar, where programs choose to write it: one that does for certain, one that may, none.
// CHECK-LABEL: grid.kernel @scalar_written
// CHECK: {check = "written", subject = "o_ref", verdict = "proved"}
grid.kernel @scalar_written grid(%i = 4)
    outputs(%o: f32 [] space any origin "o_ref")
    semantics [arbitrary] {
  %p = grid.program_id 0
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %late = arith.cmpi sgt, %p, %c2 : i32
  scf.if %late {
    grid.store %zero, %o : f32, memref<f32, #grid.space<any>>
  }
}

// CHECK-LABEL: grid.kernel @scalar_maybe
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @scalar_maybe grid(%i = 4)
    inputs(%x: f32 [] space any origin "x_ref") outputs(%o: f32 [] space any origin "o_ref")
    semantics [arbitrary] {
  %zero = arith.constant 0.0 : f32
  %v = grid.load %x : memref<f32, #grid.space<any>> -> f32
  %positive = arith.cmpf ogt, %v, %zero : f32
  scf.if %positive {
    grid.store %v, %o : f32, memref<f32, #grid.space<any>>
  }
}

// CHECK-LABEL: grid.kernel @scalar_never
// CHECK: {check = "written", element = array<i64>, reason = "no program writes element ()", subject = "o_ref", verdict = "refuted"}
grid.kernel @scalar_never grid(%i = 4)
    outputs(%o: f32 [] space any origin "o_ref")
    semantics [arbitrary] {
  %p = grid.program_id 0
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %late = arith.cmpi sgt, %p, %c3 : i32
  scf.if %late {
    grid.store %zero, %o : f32, memref<f32, #grid.space<any>>
  }
}
