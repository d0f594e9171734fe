// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-expand-contractions))' | FileCheck %s
// RUN: gridir-opt %s --pass-pipeline='builtin.module(grid.kernel(warpgroup-expand-contractions))' -o /dev/null --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 6 num-expanded

// The first part is truncated, and holds the infinities and NaN; the others are rounded. Both products have the same parts
// of %a.
// CHECK-LABEL: grid.kernel @products
// CHECK:       %[[A:.*]] = grid.load %{{.*}} : memref<64x64xf32
// CHECK:       %[[BITS:.*]] = arith.bitcast %[[A]] : tensor<64x64xf32> to tensor<64x64xi32>
// CHECK:       %[[MASK:.*]] = arith.constant dense<-65536> : tensor<64x64xi32>
// CHECK:       %[[LEADING:.*]] = arith.andi %[[BITS]], %[[MASK]]
// CHECK:       %[[TRUNCATED:.*]] = arith.bitcast %[[LEADING]] : tensor<64x64xi32> to tensor<64x64xf32>
// CHECK:       %[[FINITE:.*]] = arith.cmpf olt
// CHECK:       %[[DIFFERENCE:.*]] = arith.subf %[[A]], %[[TRUNCATED]]
// CHECK:       %[[FIRST:.*]] = arith.select %[[FINITE]], %[[TRUNCATED]], %[[A]]
// CHECK:       %[[REST:.*]] = arith.select %[[FINITE]], %[[DIFFERENCE]], %{{.*}}
// CHECK:       %[[MIDDLE:.*]] = arith.truncf %[[REST]] : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK:       %[[HIGH:.*]] = arith.truncf %[[FIRST]] : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK:       %[[WIDE:.*]] = arith.extf %[[MIDDLE]]
// CHECK:       %[[LAST:.*]] = arith.subf %[[REST]], %[[WIDE]]
// CHECK:       %[[LOW:.*]] = arith.truncf %[[LAST]]
// CHECK-NOT:   arith.bitcast %[[A]]
// The least products first, without those of two parts below the precision of f32. A sum that is not finite is dropped.
// CHECK:       %[[P0:.*]] = grid.dot %[[LOW]], %[[BHIGH:.*]] contract [1] x [0]
// CHECK-SAME:    tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
// CHECK-NEXT:  %[[P1:.*]] = grid.dot %[[HIGH]], %{{.*}} acc %[[P0]]
// CHECK-NEXT:  %[[P2:.*]] = grid.dot %[[MIDDLE]], %[[BMIDDLE:.*]] acc %[[P1]]
// CHECK-NEXT:  %[[P3:.*]] = grid.dot %[[MIDDLE]], %[[BHIGH]] acc %[[P2]]
// CHECK-NEXT:  %[[P4:.*]] = grid.dot %[[HIGH]], %[[BMIDDLE]] acc %[[P3]]
// CHECK:       %[[SUM:.*]] = arith.select %{{.*}}, %[[P4]], %{{.*}}
// CHECK-NEXT:  grid.dot %[[HIGH]], %[[BHIGH]] acc %[[SUM]]
// The accumulator is added to the least products.
// CHECK:       %[[REST2:.*]] = arith.select
// CHECK-NEXT:  %[[SUM2:.*]] = arith.addf %{{.*}}, %[[REST2]]
// CHECK-NEXT:  grid.dot %[[HIGH]], %{{.*}} acc %[[SUM2]] contract [1] x [1]
// CHECK:       grid.dot {{.*}} : tensor<64x64xf16>
grid.kernel @products grid(%i = 4)
    inputs(%x: f32 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64], %h: f16 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64]>} {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %b = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %p = grid.dot %a, %b contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %q = grid.dot %a, %b acc %p contract [1] x [1] precision ["HIGHEST", "HIGHEST"]
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %c = grid.load %h : memref<64x64xf16, #grid.space<default>> -> tensor<64x64xf16>
  %r = grid.dot %c, %c acc %q contract [1] x [1] : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
  grid.store %r, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// Without a schedule the kernel is no warpgroup program.
// CHECK-LABEL: grid.kernel @mapped
// CHECK:       grid.dot {{.*}} : tensor<64x64xf32>, tensor<64x64xf32>
grid.kernel @mapped grid(%i = 4)
    inputs(%x: f32 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %b = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %p = grid.dot %a, %b contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  grid.store %p, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}

// An author who requests less precision gets fewer products: three of two parts for 'HIGH' and tf32, and one of rounded
// operands for bf16. Each number of parts is computed once.
// CHECK-LABEL: grid.kernel @precisions
// CHECK:       %[[P0:.*]] = grid.dot %[[MIDDLE:.*]], %[[BHIGH:[a-z0-9_]*]] contract [1] x [0] : tensor<64x64xbf16>
// CHECK-NEXT:  %[[P1:.*]] = grid.dot %[[HIGH:.*]], %[[BMIDDLE:[a-z0-9_]*]] acc %[[P0]] contract
// CHECK:       %[[SUM:.*]] = arith.select %{{.*}}, %[[P1]]
// CHECK-NEXT:  %[[P:.*]] = grid.dot %[[HIGH]], %[[BHIGH]] acc %[[SUM]] contract
// CHECK:       %[[Q0:.*]] = grid.dot %[[MIDDLE]], %[[BHIGH]] contract
// CHECK-NEXT:  grid.dot %[[HIGH]], %[[BMIDDLE]] acc %[[Q0]] contract
// CHECK:       %[[Q:.*]] = grid.dot %[[HIGH]], %[[BHIGH]] acc
// CHECK-NEXT:  %[[R:.*]] = grid.dot %{{.*}}, %{{.*}} acc %[[Q]] contract [1] x [0] : tensor<64x64xbf16>
// CHECK-COUNT-6: grid.dot
// CHECK-NOT:   grid.dot
grid.kernel @precisions grid(%i = 4)
    inputs(%x: f32 [256, 64] block [64, 64] at (%i, 0), %y: f32 [64, 64])
    outputs(%o: f32 [256, 64] block [64, 64] at (%i, 0)) semantics [parallel] attributes {
      warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64]>} {
  %a = grid.load %x : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %b = grid.load %y : memref<64x64xf32, #grid.space<default>> -> tensor<64x64xf32>
  %p = grid.dot %a, %b contract [1] x [0] precision ["HIGH", "HIGH"] : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %q = grid.dot %a, %b acc %p contract [1] x [0] {algorithm = "TF32_TF32_F32"}
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %r = grid.dot %a, %b acc %q contract [1] x [0] {algorithm = "BF16_BF16_F32"}
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %s = grid.dot %a, %b acc %r contract [1] x [0] precision ["HIGH", "HIGHEST"]
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  grid.store %s, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
