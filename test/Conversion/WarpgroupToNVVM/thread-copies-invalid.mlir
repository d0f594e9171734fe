// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_80 \
// RUN:   --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_80 --verify-diagnostics

grid.kernel @unaligned grid() inputs(%x: f16 [256, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf16, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a copy by threads of rows of a multiple of 16 bytes, aligned to 16 bytes, got one of}}
    warpgroup.cp_async %x[0, 4] [64, 64] to %t : memref<256x128xf16, #warpgroup.space<gmem>>, memref<64x64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @vector grid() inputs(%x: f16 [256] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64xf16, #warpgroup.space<smem>>) {
    // expected-error @below {{expected a copy by threads of a matrix, got one of}}
    warpgroup.cp_async %x[0] [64] to %t : memref<256xf16, #warpgroup.space<gmem>>, memref<64xf16, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @registers grid() inputs(%x: f16 [256, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf16, #grid.space<default>>) {
    // expected-error @below {{expected a copy by threads between an operand and shared memory, got one of}}
    warpgroup.cp_async %x[0, 0] [64, 64] to %t : memref<256x128xf16, #warpgroup.space<gmem>>, memref<64x64xf16, #grid.space<default>>
  }
}
