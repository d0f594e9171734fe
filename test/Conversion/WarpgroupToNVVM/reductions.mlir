// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Four lanes have the elements of a row: each adds its own, and exchanges the sum with the lanes whose numbers differ in
// the last bit, and in the one before. The first of the four stores the sum.
// CHECK-LABEL: gpu.module @rows
// CHECK: %[[ONE:.+]] = nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c1_i32, %c31_i32 : i32 -> i32
// CHECK: arith.bitcast %[[ONE]] : i32 to f32
// CHECK: %[[TWO:.+]] = nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c2_i32, %c31_i32 : i32 -> i32
// CHECK-NOT: nvvm.shfl.sync bfly {{.*}}, %c4_i32, %c31_i32
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0_i32
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: llvm.store %{{.+}} : f32, !llvm.ptr<1>
#wgmma = #warpgroup.layout<wgmma>
#row = #warpgroup.layout<wgmma_row>
grid.kernel @rows grid() inputs(%x: f32 [64, 16] space gpu.gmem) outputs(%o: f32 [64] space gpu.gmem) {
  %v = grid.load %x : memref<64x16xf32, #grid.space<gpu.gmem>> -> tensor<64x16xf32, #wgmma>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32, #wgmma>) outs(%zero : tensor<64xf32, #row>) dimensions = [1]
  grid.store %s, %o : tensor<64xf32, #row>, memref<64xf32, #grid.space<gpu.gmem>>
}
