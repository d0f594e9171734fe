// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{chip=sm_80}))' -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-choose-schedule{chip=sm_90a}))' -o /dev/null 2>&1 \
// RUN:   --remarks-filter=warpgroup-choose-schedule --remark-format=emitRemark | FileCheck %s --check-prefix=BULK

// Bulk copies begin at any element, and copies by threads at multiples of 16 bytes.
// CHECK: [Missed] schedule {{.*}}threads do not copy rows of inputs[1] that begin at other bytes than multiples of 16
// BULK: [Passed] schedule
grid.kernel @unaligned grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: bf16 [64, 72])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0))
    semantics [parallel] {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %window = grid.slice_ref %y[0, 4] [64, 64] [1, 1]
      : memref<64x72xbf16, #grid.space<default>> -> memref<64x64xbf16, #grid.space<default>>
  %b = grid.load %window : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %d, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
