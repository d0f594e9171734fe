// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// What the author does not say of operands in shared memory their products do: panels of as many columns as copies and
// the products allow, without a swizzle where these are 16 bytes. There the distances of pieces along the columns and
// along the depth change places.
// CHECK: kernel.abi @unsaid
// CHECK-SAME: #kernel.tensor_map<0, tensor<64x64xf16>, box = [64, 64], swizzle = 128>
// CHECK-SAME: #kernel.tensor_map<1, tensor<64x24xf16>, box = [64, 8], swizzle = 0>
// CHECK: %[[LEADING:.+]] = arith.ori %{{.+}}, %c524288_i32
// CHECK: llvm.insertelement %[[LEADING]], %{{.+}}[%c0_i32 : i32]
// CHECK: %[[WORDS:.+]] = llvm.insertelement %c64_i32, %{{.+}}[%c1_i32 : i32]
// CHECK: %[[B:.+]] = llvm.bitcast %[[WORDS]] : vector<2xi32> to i64
// CHECK: nvvm.wgmma.mma_async %{{.+}}, %[[B]], %{{.+}}, <m = 64, n = 24, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
// CHECK: arith.addi %[[LEADING]], %c16_i32
grid.kernel @unsaid grid() inputs(%x: f16 [64, 64] space gpu.gmem, %y: f16 [64, 24] space gpu.gmem) {
  grid.scoped (%a: memref<64x64xf16, #grid.space<gpu.smem>>, %b: memref<2x64x24xf16, #grid.space<gpu.smem>>,
               %acc: memref<64x24xf32, #grid.space<gpu.regs>>, %barrier: memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>) {
    warpgroup.tma_load %x[0, 0] [64, 64] to %a barrier %barrier
        : memref<64x64xf16, #grid.space<gpu.gmem>>, memref<64x64xf16, #grid.space<gpu.smem>>, memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>
    %w = grid.slice_ref %b[0, 0, 0] [1, 64, 24] [1, 1, 1] drop [0] : memref<2x64x24xf16, #grid.space<gpu.smem>> -> memref<64x24xf16, #grid.space<gpu.smem>>
    warpgroup.tma_load %y[0, 0] [64, 24] to %w barrier %barrier
        : memref<64x24xf16, #grid.space<gpu.gmem>>, memref<64x24xf16, #grid.space<gpu.smem>>, memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>
    warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>
    warpgroup.mma %acc, %a, %w
        : memref<64x24xf32, #grid.space<gpu.regs>>, memref<64x64xf16, #grid.space<gpu.smem>>, memref<64x24xf16, #grid.space<gpu.smem>>
    warpgroup.mma_wait 0
  }
}
