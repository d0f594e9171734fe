// RUN: gridir-opt %s --warpgroup-to-gpu=stop-after=layouts | FileCheck %s --check-prefix=LAYOUTS
// RUN: gridir-opt %s --warpgroup-to-gpu=stop-after=gpu > %t.gpu
// RUN: FileCheck %s --check-prefix=GPU < %t.gpu
// RUN: gridir-opt %s --warpgroup-to-gpu=stop-after=layouts | gridir-opt --warpgroup-to-gpu="start-after=layouts stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --warpgroup-to-gpu=stop-after=grid-planned | gridir-opt --warpgroup-to-gpu="start-after=grid-planned stop-after=gpu" | diff %t.gpu -

// Layouts are chosen before memory is planned, and the code of a thread holds arrays as they say: of the two vectors that
// each thread loads at once, four elements each.
// LAYOUTS:     grid.load %{{.*}} -> tensor<8x128xf32, #warpgroup.layout<[4, 128], registers = {{\[\[}}0, 1], [0, 2]],
// LAYOUTS-NOT: warpgroup.shared_bytes
// GPU-COUNT-2: llvm.load %{{.*}} -> vector<4xf32>
// GPU-NOT:     llvm.load
grid.kernel @scale grid() inputs(%x: f32 [8, 128] space gpu.gmem) outputs(%o: f32 [8, 128] space gpu.gmem) semantics [] {
  %two = arith.constant dense<2.0> : tensor<8x128xf32>
  %v = grid.load %x : memref<8x128xf32, #grid.space<gpu.gmem>> -> tensor<8x128xf32>
  %w = arith.mulf %v, %two : tensor<8x128xf32>
  grid.store %w, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<gpu.gmem>>
}
