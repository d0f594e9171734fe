// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-stage-operands))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-stage-operands))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 2 num-staged

// The right operand is stored where it is computed, once for two products. Registers hold the left one of the first
// product; that of the second is transposed, and is stored, too. Bulk copies can precede the operands of the third.
// CHECK-LABEL: grid.kernel @products
// CHECK:       scratch(%[[S:.*]]: memref<64x64xbf16, #warpgroup.space<smem>> origin "staged",
// CHECK-SAME:  %[[T:.*]]: memref<64x64xbf16, #warpgroup.space<smem>> origin "staged")
// CHECK:       %[[B:.*]] = arith.truncf %{{.*}} : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK-NEXT:  grid.store %[[B]], %{{.*}} : tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
// CHECK-NEXT:  %[[STAGED:.*]] = grid.load %{{.*}} : memref<64x64xbf16, #warpgroup.space<smem>>
// CHECK-NEXT:  %[[A:.*]] = arith.addf
// CHECK-NEXT:  grid.store %[[A]]
// CHECK-NEXT:  %[[LEFT:.*]] = grid.load %{{.*}} : memref<64x64xbf16, #warpgroup.space<smem>>
// CHECK-NEXT:  %[[P:.*]] = grid.dot %[[A]], %[[STAGED]] contract [1] x [0]
// CHECK-NEXT:  %[[Q:.*]] = grid.dot %[[LEFT]], %[[STAGED]] acc %[[P]] contract [0] x [1]
// CHECK-NEXT:  grid.dot %{{.*}}, %{{.*}} acc %[[Q]]
// CHECK-NOT:   warpgroup.space<smem>
grid.kernel @products grid(%i = 4)
    inputs(%x: bf16 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0]>} {
  %c = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %v = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %b = arith.truncf %v : tensor<64x64xf32> to tensor<64x64xbf16>
  %a = arith.addf %c, %c : tensor<64x64xbf16>
  %p = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %q = grid.dot %a, %b acc %p contract [0] x [1] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
  %r = grid.dot %c, %c acc %q contract [1] x [1] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
  grid.store %r, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// Without a schedule the kernel is no warpgroup program.
// CHECK-LABEL: grid.kernel @mapped
// CHECK-NOT:   scratch
grid.kernel @mapped grid(%i = 4)
    inputs(%y: bf16 [64, 64]) outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %c = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %a = arith.addf %c, %c : tensor<64x64xbf16>
  %p = grid.dot %a, %a contract [1] x [0] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  grid.store %p, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
