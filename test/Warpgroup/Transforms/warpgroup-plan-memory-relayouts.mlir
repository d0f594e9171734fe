// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory --verify-diagnostics | FileCheck %s

#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>

// Each of two warpgroups has what a round likes to have.
// CHECK-LABEL: grid.kernel @roomy
// CHECK:       warpgroup.scratch_bytes = 32768 : i64, warpgroup.shared_bytes = 0
grid.kernel @roomy grid(%w = 2 thread) inputs(%x: f32 [128, 128] space gpu.gmem) outputs() {
  %v = grid.load %x : memref<128x128xf32, #grid.space<gpu.gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
}

// -----

#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>

// Or what is left.
// CHECK-LABEL: grid.kernel @crowded
// CHECK:       warpgroup.scratch_bytes = 19456
grid.kernel @crowded grid() inputs(%x: f32 [128, 128] space gpu.gmem) outputs() semantics [] {
  grid.scoped (%tile: memref<416x128xf32, #grid.space<gpu.smem>>) {
  }
  %v = grid.load %x : memref<128x128xf32, #grid.space<gpu.gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
}

// -----

#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>

// expected-error @below {{expected at most 232448 bytes of shared memory on sm_90a, got 237568, most of them for scoped[0] (229376), relayouts (8192)}}
grid.kernel @full grid() inputs(%x: f32 [128, 128] space gpu.gmem) outputs() semantics [] {
  grid.scoped (%tile: memref<448x128xf32, #grid.space<gpu.smem>>) {
  }
  %v = grid.load %x : memref<128x128xf32, #grid.space<gpu.gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
}

// -----

// An array that threads do not divide evenly passes as a whole, a byte for each bit.
// CHECK-LABEL: grid.kernel @bits
// CHECK:       warpgroup.scratch_bytes = 384
grid.kernel @bits grid() inputs(%x: i1 [6, 64] space gpu.gmem) outputs() semantics [] {
  %v = grid.load %x : memref<6x64xi1, #grid.space<gpu.gmem>> -> tensor<6x64xi1, #warpgroup.layout<strided(1)>>
  %w = warpgroup.relayout %v : tensor<6x64xi1, #warpgroup.layout<strided(1)>> to tensor<6x64xi1, #warpgroup.layout<strided(2)>>
}
