// RUN: gridir-opt %s --grid-to-gpu=stop-after=program | FileCheck %s --check-prefix=PROGRAM
// RUN: gridir-opt %s --grid-to-gpu=stop-after=layouts | FileCheck %s --check-prefix=LAYOUTS
// RUN: gridir-opt %s --grid-to-gpu=stop-after=gpu > %t.gpu
// RUN: FileCheck %s --check-prefix=GPU < %t.gpu
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu=stop-after=grid-planned | gridir-opt --grid-to-gpu="start-after=grid-planned stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu=stop-after=layouts | gridir-opt --grid-to-gpu="start-after=layouts stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu=stop-after=memory | gridir-opt --grid-to-gpu="start-after=memory stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu=stop-after=loops | gridir-opt --grid-to-gpu="start-after=loops stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu | FileCheck %s --check-prefix=PTX

// A kernel that is a warpgroup program passes the stages of other kernels. Those that map blocks leave it as it is, and
// `path` does not matter.
// PROGRAM:      grid.load %{{.*}} -> tensor<8x128xf32>
// PROGRAM-NEXT: arith.mulf
// PROGRAM-NEXT: grid.store

// Layouts are chosen before memory is planned, and the code of a thread holds arrays as they say: of the two vectors that
// each thread loads at once, four elements each.
// LAYOUTS:     grid.load %{{.*}} -> tensor<8x128xf32, #warpgroup.layout<[4, 128], registers = {{\[\[}}0, 1], [0, 2]],
// LAYOUTS-NOT: warpgroup.shared_bytes
// An index has 32 bits.
// GPU: gpu.module @scale attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
// GPU-COUNT-2: llvm.load %{{.*}} -> vector<4xf32>
// GPU-NOT:     llvm.load
// PTX: .entry scale
grid.kernel @scale grid() inputs(%x: f32 [8, 128] space #warpgroup.space<gmem>) outputs(%o: f32 [8, 128] space #warpgroup.space<gmem>) semantics [] {
  %two = arith.constant dense<2.0> : tensor<8x128xf32>
  %v = grid.load %x : memref<8x128xf32, #warpgroup.space<gmem>> -> tensor<8x128xf32>
  %w = arith.mulf %v, %two : tensor<8x128xf32>
  grid.store %w, %o : tensor<8x128xf32>, memref<8x128xf32, #warpgroup.space<gmem>>
}
