// RUN: gridir-opt %s --warpgroup-plan-memory | FileCheck %s
// RUN: not gridir-opt %s --warpgroup-plan-memory=chip=sm_86 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not gridir-opt %s --warpgroup-plan-memory=chip=sm_12 2>&1 | FileCheck %s --check-prefix=CHIP

// Arrays begin at multiples of 1024 bytes, consecutive scopes share memory, and barriers are after all arrays. Refs
// outside of shared memory have no offset there.
// CHECK: grid.kernel @k
// CHECK-SAME: warpgroup.shared_bytes = 118040
// CHECK: grid.scoped (%a: {{.*}}, %b: {{.*}}, %c: {{.*}}) attributes {warpgroup.offsets = array<i64: 0, 118016, 1024>}
// CHECK: grid.scoped (%d: {{.*}}) attributes {warpgroup.offsets = array<i64: 3072>}
// CHECK: grid.scoped (%e: {{.*}}) attributes {warpgroup.offsets = array<i64: 118032>}
// CHECK: grid.scoped (%f: {{.*}}, %g: {{.*}}) attributes {warpgroup.offsets = array<i64: 3072, -1>}
// SMALL: error: expected at most 101376 bytes of shared memory on sm_86, got 118040, most of them for d (114944), c (2048), f (256){{$}}
// CHIP: error: expected a chip (sm_80, {{.*}}), got sm_12
grid.kernel @k grid() {
  grid.scoped (%a: memref<64xi8, #warpgroup.space<smem>> origin "a",
               %b: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "b",
               %c: memref<16x64xbf16, #warpgroup.space<smem>> origin "c") {
    %n = arith.constant 4 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      grid.scoped (%d: memref<28736xf32, #warpgroup.space<smem>> origin "d") {
        grid.scoped (%e: memref<!warpgroup.barrier<3>, #warpgroup.space<smem>> origin "e") {
        }
      }
    }
    grid.scoped (%f: memref<256xi1, #warpgroup.space<smem>> origin "f",
                 %g: memref<64x64xf32, #warpgroup.space<regs>> origin "g") {
    }
  }
}
