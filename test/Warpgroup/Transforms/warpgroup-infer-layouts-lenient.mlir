// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --verify-diagnostics | FileCheck %s

// Requests that no layout satisfies are ignored, with a warning: any layout computes the same.
// CHECK-LABEL: grid.kernel @not_linear
// CHECK:         warpgroup.layout_cast {{.*}} : tensor<64x96xf16, #warpgroup.layout<
grid.kernel @not_linear grid() inputs() outputs() scratch(%a: memref<64x96xf16, #warpgroup.space<smem>>) semantics [] {
  %v = grid.load %a : memref<64x96xf16, #warpgroup.space<smem>> -> tensor<64x96xf16>
  // expected-warning @below {{expected a layout that is linear in the bits of register, lane and warp; another one is used for TCGEN05_M64_COLLECTIVE(96)}}
  %w = warpgroup.layout_cast %v "TCGEN05_M64_COLLECTIVE(96)" : tensor<64x96xf16>
}

// -----

// CHECK-LABEL: grid.kernel @tile
// CHECK:         warpgroup.layout_cast {{.*}} : tensor<32x64xf16, #warpgroup.layout<
grid.kernel @tile grid() inputs() outputs() scratch(%a: memref<32x64xf16, #warpgroup.space<smem>>) semantics [] {
  %v = grid.load %a : memref<32x64xf16, #warpgroup.space<smem>> -> tensor<32x64xf16>
  // expected-warning @below {{expected a layout whose tile divides the shape; another one is used for #warpgroup.layout<wgmma> of 'tensor<32x64xf16>'}}
  %w = warpgroup.layout_cast %v "WGMMA" (#warpgroup.layout<wgmma>) : tensor<32x64xf16>
}

// -----

// Elements that may differ are no splat, and one that is asked for is none that anybody sees.
// CHECK-LABEL: grid.kernel @splat
// CHECK:         warpgroup.layout_cast {{.*}} : tensor<64x64xf32, #warpgroup.layout<[8, 64],
// CHECK:         warpgroup.layout_cast {{.*}} : tensor<64x64xf32, #warpgroup.layout<splat>>
grid.kernel @splat grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) outputs() semantics [] {
  %v = grid.load %x : memref<64x64xf32, #warpgroup.space<gmem>> -> tensor<64x64xf32>
  %w = warpgroup.layout_cast %v "WG_SPLAT" (#warpgroup.layout<splat>) : tensor<64x64xf32>
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %u = warpgroup.layout_cast %one "WG_SPLAT" (#warpgroup.layout<splat>) : tensor<64x64xf32>
}

// -----

// Nor are the numbers of rows, though no tensor is read to make them.
// CHECK-LABEL: grid.kernel @numbers
// CHECK:         linalg.index 0
// CHECK:         warpgroup.layout_cast {{.*}} : tensor<64xindex, #warpgroup.layout<[64],
#same = affine_map<(i) -> (i)>
grid.kernel @numbers grid() inputs() outputs() semantics [] {
  %e = tensor.empty() : tensor<64xindex>
  %v = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%e : tensor<64xindex>) {
  ^bb0(%b: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<64xindex>
  %w = warpgroup.layout_cast %v "WG_SPLAT" (#warpgroup.layout<splat>) : tensor<64xindex>
}

// -----

// Copies of all of an array in each thread are more than it holds.
// CHECK-LABEL: grid.kernel @copies
// CHECK:         warpgroup.layout_cast {{.*}} : tensor<64x128xf32, #warpgroup.layout<[4, 128],
grid.kernel @copies grid() inputs(%x: f32 [64, 128] space #warpgroup.space<gmem>) outputs() semantics [] {
  %v = grid.load %x : memref<64x128xf32, #warpgroup.space<gmem>> -> tensor<64x128xf32>
  %w = warpgroup.layout_cast %v "TMA_INDICES_4" (#warpgroup.layout<tma_indices_4>) : tensor<64x128xf32>
}

// -----

// Values that are not accumulators have the layout that their users prefer.
// CHECK-LABEL: grid.kernel @registers
// CHECK:         grid.load {{.*}} -> tensor<32x8xf32, #warpgroup.layout<[32, 8],
grid.kernel @registers grid() inputs() outputs() scratch(%acc: memref<32x8xf32, #warpgroup.space<regs>>) semantics [] {
  %v = grid.load %acc : memref<32x8xf32, #warpgroup.space<regs>> -> tensor<32x8xf32>
}
