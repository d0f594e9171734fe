// RUN: gridir-opt %s --warpgroup-plan-memory --split-input-file | FileCheck %s

// Members begin at the declared offsets, later Refs begin after all of them, and so do columns.
// CHECK-LABEL: grid.kernel @shared
// CHECK-SAME: warpgroup.shared_bytes = 4352
// CHECK: warpgroup.offsets = array<i64: 0, 1024, 3072, 1024, 4096>
grid.kernel @shared grid() {
  grid.scoped (%a: memref<16xf32, #warpgroup.space<smem>>, %b: memref<256xf32, #warpgroup.space<smem>>,
               %c: memref<256xf32, #warpgroup.space<smem>>, %d: memref<768xi32, #warpgroup.space<smem>>,
               %e: memref<64xf32, #warpgroup.space<smem>>)
      attributes {warpgroup.unions = array<i64: -1, 0, 0, 0, 0, 1024, 0, 2048, 1024, 0, 0, 3072, -1, 0, 0>} {
  }
}

// -----

// CHECK-LABEL: grid.kernel @columns
// CHECK-SAME: warpgroup.tensor_columns = 128
// CHECK: warpgroup.offsets = array<i64: 0, 32, 0, 64>
grid.kernel @columns grid() {
  grid.scoped (%a: memref<128x32xf32, #warpgroup.space<tmem>>, %b: memref<128x32xf32, #warpgroup.space<tmem>>,
               %c: memref<128x64xf32, #warpgroup.space<tmem>>, %d: memref<128x64xf32, #warpgroup.space<tmem>>)
      attributes {warpgroup.unions = array<i64: 1, 0, 32, 1, 32, 32, 1, 0, 64, -1, 0, 0>} {
  }
}

// -----

// Elements of half a byte take a whole one where threads touch them: no member is where the author has it.
// CHECK-LABEL: grid.kernel @apart
// CHECK-SAME: warpgroup.shared_bytes = 4096
// CHECK: warpgroup.offsets = array<i64: 0, 2048, 3072>
grid.kernel @apart grid() {
  grid.scoped (%a: memref<2048xi4, #warpgroup.space<smem>>, %b: memref<256xf32, #warpgroup.space<smem>>,
               %c: memref<1024xi8, #warpgroup.space<smem>>)
      attributes {warpgroup.unions = array<i64: 0, 0, 1024, 0, 1024, 1024, 0, 0, 1024>} {
    %v = grid.load %a : memref<2048xi4, #warpgroup.space<smem>> -> tensor<2048xi4>
  }
}
