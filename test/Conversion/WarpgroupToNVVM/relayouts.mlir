// RUN: gridir-opt %s --split-input-file --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm | FileCheck %s

// A thread has what it needs already: nothing moves.
// CHECK-LABEL: llvm.func @registers
// CHECK:         nvvm.elect.sync
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier id
#vectors = #warpgroup.layout<tmem_native(4)>
#pairs = #warpgroup.layout<tmem_native(2)>
grid.kernel @registers grid() inputs(%x: f32 [128, 8] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 8] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<128x8xf32, #warpgroup.space<gmem>> -> tensor<128x8xf32, #vectors>
  %w = warpgroup.relayout %v : tensor<128x8xf32, #vectors> to tensor<128x8xf32, #pairs>
  grid.store %w, %o : tensor<128x8xf32, #pairs>, memref<128x8xf32, #warpgroup.space<gmem>>
}

// -----

// Two elements of 16 bits share a word, and of four words each thread keeps two: two shuffles.
// CHECK-LABEL: llvm.func @shuffles
// CHECK:         arith.select
// CHECK-COUNT-2: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     llvm.store %{{.*}} !llvm.ptr<3>
#upcast = #warpgroup.layout<wgmma_upcast_2x>
#wgmma = #warpgroup.layout<wgmma>
grid.kernel @shuffles grid() inputs(%x: f16 [64, 16] space #warpgroup.space<gmem>) outputs(%o: f16 [64, 16] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<64x16xf16, #warpgroup.space<gmem>> -> tensor<64x16xf16, #upcast>
  %w = warpgroup.relayout %v : tensor<64x16xf16, #upcast> to tensor<64x16xf16, #wgmma>
  grid.store %w, %o : tensor<64x16xf16, #wgmma>, memref<64x16xf16, #warpgroup.space<gmem>>
}

// -----

// Between warps: pairs are stored, quadruples are loaded, with the minimum number of bank conflicts.
// CHECK-LABEL: kernel.abi @shared shared_bytes = 16384
// CHECK:         arith.xori
// CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT:     nvvm.barrier
#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>
grid.kernel @shared grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [64, 64] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<64x64xf32, #warpgroup.space<gmem>> -> tensor<64x64xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<64x64xf32, #wgmma> to tensor<64x64xf32, #rows>
  grid.store %w, %o : tensor<64x64xf32, #rows>, memref<64x64xf32, #warpgroup.space<gmem>>
}

// -----

// An array of 64 KiB takes two rounds of 32 KiB, between which the threads synchronize.
// CHECK-LABEL: kernel.abi @rounds shared_bytes = 32768
// CHECK-COUNT-32: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:         nvvm.barrier
// CHECK-COUNT-32: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
#wgmma = #warpgroup.layout<wgmma>
#rows = #warpgroup.layout<strided(4)>
grid.kernel @rounds grid() inputs(%x: f32 [128, 128] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 128] space #warpgroup.space<gmem>) semantics [] {
  %v = grid.load %x : memref<128x128xf32, #warpgroup.space<gmem>> -> tensor<128x128xf32, #wgmma>
  %w = warpgroup.relayout %v : tensor<128x128xf32, #wgmma> to tensor<128x128xf32, #rows>
  grid.store %w, %o : tensor<128x128xf32, #rows>, memref<128x128xf32, #warpgroup.space<gmem>>
}
