// RUN: gridir-opt %s --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_80 --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_80 --canonicalize --cse | FileCheck %s

// Chips before Hopper elect the first lane, have one proxy, and store no matrices, though they load them.
// CHECK-LABEL: gpu.module @older
// CHECK-NOT: nvvm.elect.sync
// CHECK-NOT: nvvm.fence.proxy
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.ldmatrix
// CHECK: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
grid.kernel @older grid() inputs(%x: f16 [64, 64] space #warpgroup.space<gmem>, %y: f16 [64, 8] space #warpgroup.space<gmem>)
    outputs(%o: f32 [64, 8] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf16, #warpgroup.space<smem>>) {
    %a = grid.load %x : memref<64x64xf16, #warpgroup.space<gmem>> -> tensor<64x64xf16>
    %b = grid.load %y : memref<64x8xf16, #warpgroup.space<gmem>> -> tensor<64x8xf16>
    %w = warpgroup.layout_cast %a "WGMMA"(#warpgroup.layout<wgmma>) : tensor<64x64xf16>
    grid.store %w, %t : tensor<64x64xf16>, memref<64x64xf16, #warpgroup.space<smem>>
    warpgroup.commit_smem
    warpgroup.commit_gmem
    %l = grid.load %t : memref<64x64xf16, #warpgroup.space<smem>> -> tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x8xf32>
    %sum = warpgroup.mma_sync %zero, %l, %b : tensor<64x8xf32>, tensor<64x64xf16>, tensor<64x8xf16>
    grid.store %sum, %o : tensor<64x8xf32>, memref<64x8xf32, #warpgroup.space<gmem>>
  }
}
