// RUN: gridir-opt %s --split-input-file --warpgroup-spill-accumulators=chip=sm_90a --verify-diagnostics --mlir-pass-statistics --mlir-pass-statistics-display=list 2> %t.statistics | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATISTICS < %t.statistics
// RUN: not gridir-opt %s --split-input-file --warpgroup-spill-accumulators=chip=sm_12 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: error: {{.*}}sm_12

// STATISTICS: (S) 1 num-spilled
// CHECK-LABEL: grid.kernel @wide
// CHECK:       warpgroup.held_registers = array<i64: -1, -1, 160, -1>
grid.kernel @wide grid() outputs(%o: f32 [256, 128] space #warpgroup.space<gmem>) {
  // expected-remark @below {{accumulator scoped[2] takes 256 of 255 registers of a thread: 160 hold it, and local memory the rest}}
  grid.scoped (%a: memref<256x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
               %acc: memref<256x128xf32, #warpgroup.space<regs>>, %other: memref<256x128xf32, #warpgroup.space<regs>>) {
    warpgroup.mma %acc, %a, %b : memref<256x128xf32, #warpgroup.space<regs>>, memref<256x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
  }
}

// -----

// Elements of 16 bits share registers.
// STATISTICS: (S) 0 num-spilled
// CHECK-LABEL: grid.kernel @halves
// CHECK-NOT:   held_registers
grid.kernel @halves grid() outputs(%o: f16 [256, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<256x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
               %acc: memref<256x128xf16, #warpgroup.space<regs>>) {
    warpgroup.mma %acc, %a, %b : memref<256x128xf16, #warpgroup.space<regs>>, memref<256x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
  }
}

// -----

// A number that was written by hand stays.
// STATISTICS: (S) 0 num-spilled
// CHECK-LABEL: grid.kernel @kept
// CHECK:       warpgroup.held_registers = array<i64: -1, -1, 64>
grid.kernel @kept grid() outputs(%o: f32 [256, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<256x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
               %acc: memref<256x128xf32, #warpgroup.space<regs>>) attributes {warpgroup.held_registers = array<i64: -1, -1, 64>} {
    warpgroup.mma %acc, %a, %b : memref<256x128xf32, #warpgroup.space<regs>>, memref<256x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
  }
}
