// RUN: gridir-opt %s --split-input-file --warpgroup-assign-phases --mlir-pass-statistics --mlir-pass-statistics-display=list 2> %t.statistics | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATISTICS < %t.statistics

// In each iteration two waits go round rings of one size. A wait for the first barrier of the second ring was before the
// loop, which waits for the next barrier in each iteration.
// STATISTICS: (S) 2 num-assigned
// CHECK-LABEL: grid.kernel @rings
// CHECK:       warpgroup.barrier_wait %{{.+}} : memref
// CHECK:       scf.for
// CHECK:       warpgroup.barrier_wait %{{.+}} phase <size = 3, distance = 0> : memref
// CHECK:       scf.if
// CHECK:       warpgroup.barrier_wait %{{.+}} phase <size = 3, distance = 1> : memref
#smem = #warpgroup.space<smem>
grid.kernel @rings grid() {
  grid.scoped (%now: memref<3x!warpgroup.barrier<1>, #smem>, %ahead: memref<3x!warpgroup.barrier<1>, #smem>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %size = arith.constant 3 : i32
    %first = grid.slice_ref %ahead[0] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem> -> memref<!warpgroup.barrier<1>, #smem>
    warpgroup.barrier_wait %first : memref<!warpgroup.barrier<1>, #smem>
    scf.for %i = %begin to %end step %one : i32 {
      %place = arith.remsi %i, %size : i32
      %a = grid.slice_ref %now[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
      %next = arith.addi %i, %one : i32
      %more = arith.cmpi slt, %next, %end : i32
      scf.if %more {
        %behind = arith.remsi %next, %size : i32
        %b = grid.slice_ref %ahead[%behind] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
        warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #smem>
      }
    }
  }
}

// -----

// The loop begins in the second round, and no barrier has completed a phase: the parity is the other one. A second loop
// over the ring begins with phases that depend on the first one.
// STATISTICS: (S) 1 num-assigned
// CHECK-LABEL: grid.kernel @late
// CHECK:       warpgroup.barrier_wait %{{.+}} phase <size = 2, distance = 0, inverted = true> : memref
// CHECK:       warpgroup.barrier_wait %{{.+}} : memref
#smem = #warpgroup.space<smem>
grid.kernel @late grid() {
  grid.scoped (%ring: memref<2x!warpgroup.barrier<1>, #smem>) {
    %begin = arith.constant 2 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %begin to %end step %one : i32 {
      %place = arith.remsi %i, %begin : i32
      %a = grid.slice_ref %ring[%place] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
    }
    scf.for %i = %begin to %end step %one : i32 {
      %place = arith.remsi %i, %begin : i32
      %a = grid.slice_ref %ring[%place] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
    }
  }
}

// -----

// Waits before the loop are known in each branch, and in views of views. A wait after the branch would have another phase
// for each of them.
// STATISTICS: (S) 1 num-assigned
// CHECK-LABEL: grid.kernel @branches
// CHECK:       scf.if
// CHECK:       scf.for
// CHECK:       warpgroup.barrier_wait %{{.+}} phase <size = 2, distance = 0, inverted = true> : memref
// CHECK:       scf.for
// CHECK:       warpgroup.barrier_wait %{{.+}} : memref
#smem = #warpgroup.space<smem>
grid.kernel @branches grid() inputs(%x: i32 [] space #warpgroup.space<gmem>) {
  grid.scoped (%ring: memref<2x!warpgroup.barrier<1>, #smem>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %n = grid.load %x : memref<i32, #warpgroup.space<gmem>> -> i32
    %is = arith.cmpi eq, %n, %one : i32
    scf.if %is {
      %whole = grid.slice_ref %ring[0] [2] [1] : memref<2x!warpgroup.barrier<1>, #smem> -> memref<2x!warpgroup.barrier<1>, #smem>
      %a = grid.slice_ref %whole[0] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #smem> -> memref<!warpgroup.barrier<1>, #smem>
      %b = grid.slice_ref %whole[1] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #smem> -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #smem>
      scf.for %i = %begin to %end step %one : i32 {
        %place = arith.remsi %i, %two : i32
        %c = grid.slice_ref %ring[%place] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
        warpgroup.barrier_wait %c : memref<!warpgroup.barrier<1>, #smem>
      }
    }
    scf.for %i = %begin to %end step %one : i32 {
      %place = arith.remsi %i, %two : i32
      %d = grid.slice_ref %ring[%place] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %d : memref<!warpgroup.barrier<1>, #smem>
    }
  }
}

// -----

// There is no phase where a second op waits in the loop, where another condition may leave iterations out, where an
// earlier one may have waited, for another divisor than the size, for another step, and after a test or a wait for a
// barrier that is not known.
// STATISTICS: (S) 0 num-assigned
// CHECK-LABEL: grid.kernel @others
// CHECK-NOT:   phase
#smem = #warpgroup.space<smem>
grid.kernel @others grid() inputs(%x: i32 [] space #warpgroup.space<gmem>) {
  grid.scoped (%twice: memref<3x!warpgroup.barrier<1>, #smem>, %some: memref<3x!warpgroup.barrier<1>, #smem>,
               %before: memref<3x!warpgroup.barrier<1>, #smem>, %part: memref<3x!warpgroup.barrier<1>, #smem>,
               %steps: memref<3x!warpgroup.barrier<1>, #smem>, %tested: memref<3x!warpgroup.barrier<1>, #smem>,
               %unknown: memref<3x!warpgroup.barrier<1>, #smem>, %first: memref<3x!warpgroup.barrier<1>, #smem>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %size = arith.constant 3 : i32
    %n = grid.load %x : memref<i32, #warpgroup.space<gmem>> -> i32
    %t = grid.slice_ref %tested[0] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem> -> memref<!warpgroup.barrier<1>, #smem>
    %done = warpgroup.barrier_test %t : memref<!warpgroup.barrier<1>, #smem>
    %u = grid.slice_ref %unknown[%n] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
    warpgroup.barrier_wait %u : memref<!warpgroup.barrier<1>, #smem>
    %o = grid.slice_ref %first[0] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem> -> memref<!warpgroup.barrier<1>, #smem>
    warpgroup.barrier_wait %o : memref<!warpgroup.barrier<1>, #smem>
    scf.for %k = %begin to %end step %one : i32 {
      scf.for %i = %begin to %end step %one : i32 {
        %place = arith.remsi %i, %size : i32
        %c = grid.slice_ref %before[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
        warpgroup.barrier_wait %c : memref<!warpgroup.barrier<1>, #smem>
      }
    }
    scf.for %i = %begin to %end step %one : i32 {
      %place = arith.remsi %i, %size : i32
      %a = grid.slice_ref %twice[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
      %is = arith.cmpi ne, %i, %one : i32
      scf.if %is {
        %b = grid.slice_ref %some[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
        warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #smem>
      }
      %half = arith.remsi %i, %two : i32
      %d = grid.slice_ref %part[%half] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %d : memref<!warpgroup.barrier<1>, #smem>
      %f = grid.slice_ref %tested[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %f : memref<!warpgroup.barrier<1>, #smem>
      %g = grid.slice_ref %unknown[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %g : memref<!warpgroup.barrier<1>, #smem>
      %h = grid.slice_ref %first[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %h : memref<!warpgroup.barrier<1>, #smem>
    }
    scf.for %i = %begin to %end step %two : i32 {
      %place = arith.remsi %i, %size : i32
      %e = grid.slice_ref %steps[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %e : memref<!warpgroup.barrier<1>, #smem>
    }
  }
}

// -----

// An allocation may have no barriers, or more than are followed.
// STATISTICS: (S) 0 num-assigned
// CHECK-LABEL: grid.kernel @sizes
// CHECK-NOT:   phase
#smem = #warpgroup.space<smem>
grid.kernel @sizes grid() {
  grid.scoped (%none: memref<0x!warpgroup.barrier<1>, #smem>, %many: memref<64x!warpgroup.barrier<1>, #smem>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %size = arith.constant 64 : i32
    scf.for %i = %begin to %end step %one : i32 {
      %nowhere = arith.remsi %i, %begin : i32
      %a = grid.slice_ref %none[%nowhere] [1] [1] drop [0] : memref<0x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #smem>
      %place = arith.remsi %i, %size : i32
      %b = grid.slice_ref %many[%place] [1] [1] drop [0] : memref<64x!warpgroup.barrier<1>, #smem>, i32 -> memref<!warpgroup.barrier<1>, #smem>
      warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #smem>
    }
  }
}
