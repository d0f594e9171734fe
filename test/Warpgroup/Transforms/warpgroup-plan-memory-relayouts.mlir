// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory --verify-diagnostics | FileCheck %s

#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>

// Each of two warpgroups has what a round likes to have.
// CHECK-LABEL: grid.kernel @roomy
// CHECK:       warpgroup.scratch_bytes = 32768 : i64, warpgroup.shared_bytes = 0
grid.kernel @roomy grid(%w = 2 thread) inputs(%x: f32 [128, 128] space #warpgroup.space<gmem>) outputs() {
  %v = grid.load %x : memref<128x128xf32, #warpgroup.space<gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
}

// -----

#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>

// Or what is left.
// CHECK-LABEL: grid.kernel @crowded
// CHECK:       warpgroup.scratch_bytes = 19456
grid.kernel @crowded grid() inputs(%x: f32 [128, 128] space #warpgroup.space<gmem>) outputs() semantics [] {
  grid.scoped (%tile: memref<416x128xf32, #warpgroup.space<smem>>) {
  }
  %v = grid.load %x : memref<128x128xf32, #warpgroup.space<gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
}

// -----

#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>

// expected-error @below {{expected at most 232448 bytes of shared memory on sm_90a, got 237568, most of them for scoped[0] (229376), exchanges (8192)}}
grid.kernel @full grid() inputs(%x: f32 [128, 128] space #warpgroup.space<gmem>) outputs() semantics [] {
  grid.scoped (%tile: memref<448x128xf32, #warpgroup.space<smem>>) {
  }
  %v = grid.load %x : memref<128x128xf32, #warpgroup.space<gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
}

// -----

// An array that threads do not divide evenly passes as a whole, a byte for each bit.
// CHECK-LABEL: grid.kernel @bits
// CHECK:       warpgroup.scratch_bytes = 384
grid.kernel @bits grid() inputs(%x: i1 [6, 64] space #warpgroup.space<gmem>) outputs() semantics [] {
  %v = grid.load %x : memref<6x64xi1, #warpgroup.space<gmem>> -> tensor<6x64xi1, #warpgroup.layout<strided(1)>>
  %w = warpgroup.relayout %v : tensor<6x64xi1, #warpgroup.layout<strided(1)>> to tensor<6x64xi1, #warpgroup.layout<strided(2)>>
}

// -----

#vector = #warpgroup.layout<strided(1)>

// Of all exchanges the largest counts: an array from which an element is read, before the sum of each warp. A single
// element needs none.
// CHECK-LABEL: grid.kernel @exchanges
// CHECK:       warpgroup.scratch_bytes = 1024 : i64
grid.kernel @exchanges grid() {
  %i = arith.constant 0 : index
  %v = arith.constant dense<1.0> : tensor<256xf32, #vector>
  %z = arith.constant dense<0.0> : tensor<f32, #warpgroup.layout<splat>>
  %a = tensor.extract %v[%i] : tensor<256xf32, #vector>
  %b = linalg.reduce { arith.addf } ins(%v : tensor<256xf32, #vector>)
      outs(%z : tensor<f32, #warpgroup.layout<splat>>) dimensions = [0]
}

// -----

#vector = #warpgroup.layout<strided(1)>

// The sum of each thread.
// CHECK-LABEL: grid.kernel @sums
// CHECK:       warpgroup.scratch_bytes = 512 : i64
grid.kernel @sums grid() {
  %v = arith.constant dense<1.0> : tensor<256xf32, #vector>
  %z = arith.constant dense<0.0> : tensor<f32, #warpgroup.layout<splat>>
  %b = linalg.reduce { arith.addf } ins(%v : tensor<256xf32, #vector>)
      outs(%z : tensor<f32, #warpgroup.layout<splat>>) dimensions = [0]
}

// -----

#rows = #warpgroup.layout<[8, 64], registers = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
#vector = #warpgroup.layout<[64], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [0]]>

// The whole array whose first column is read, before an error that names what takes the memory.
// expected-error @below {{expected at most 232448 bytes of shared memory on sm_90a, got 245760, most of them for scoped[0] (229376), exchanges (16384)}}
grid.kernel @column grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) outputs() semantics [] {
  grid.scoped (%tile: memref<224x256xf32, #warpgroup.space<smem>>) {
    %v = grid.load %x : memref<64x64xf32, #warpgroup.space<gmem>> -> tensor<64x64xf32, #rows>
    %e = tensor.empty() : tensor<64xf32, #vector>
    %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%v : tensor<64x64xf32, #rows>) outs(%e : tensor<64xf32, #vector>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<64xf32, #vector>
  }
}
