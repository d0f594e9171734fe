// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Each warp adds a tile of 16 x 8 elements, step by step along k: the second step adds to what the first one gave.
// CHECK-LABEL: gpu.module @halves
// CHECK: %[[SUM:.+]] = llvm.inline_asm asm_dialect = att "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
// CHECK: %[[FIRST:.+]] = llvm.extractvalue %[[SUM]][0]
// CHECK: llvm.inline_asm asm_dialect = att "mma.sync{{.*}} %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[FIRST]], %
// CHECK-NOT: mma.sync
grid.kernel @halves grid() inputs(%x: bf16 [64, 32] space #warpgroup.space<gmem>, %y: bf16 [32, 8] space #warpgroup.space<gmem>)
    outputs(%o: f32 [64, 8] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %a = grid.load %x : memref<64x32xbf16, #warpgroup.space<gmem>> -> tensor<64x32xbf16>
  %b = grid.load %y : memref<32x8xbf16, #warpgroup.space<gmem>> -> tensor<32x8xbf16>
  %sum = warpgroup.mma_sync %zero, %a, %b : tensor<64x8xf32>, tensor<64x32xbf16>, tensor<32x8xbf16>
  grid.store %sum, %o : tensor<64x8xf32>, memref<64x8xf32, #warpgroup.space<gmem>>
}

// -----

// Integers of 4 bits become ones of 8, each by its own sign, and one step along k two.
// CHECK-LABEL: gpu.module @nibbles
// CHECK-DAG: arith.extsi %{{.+}} : i4 to i8
// CHECK-DAG: arith.extui %{{.+}} : i4 to i8
// CHECK-COUNT-2: "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {{.*}}"=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r"
// CHECK-NOT: mma.sync
grid.kernel @nibbles grid() inputs(%x: i4 [64, 64] space #warpgroup.space<gmem>, %y: i4 [64, 8] space #warpgroup.space<gmem>)
    outputs(%o: i32 [64, 8] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0> : tensor<64x8xi32>
  %a = grid.load %x : memref<64x64xi4, #warpgroup.space<gmem>> -> tensor<64x64xi4>
  %b = grid.load %y : memref<64x8xi4, #warpgroup.space<gmem>> -> tensor<64x8xi4>
  %sum = warpgroup.mma_sync %zero, %a, %b {unsigned_rhs} : tensor<64x8xi32>, tensor<64x64xi4>, tensor<64x8xi4>
  grid.store %sum, %o : tensor<64x8xi32>, memref<64x8xi32, #warpgroup.space<gmem>>
}

// -----

// Floats of a byte become ones of 16 bits, in pairs.
// CHECK-LABEL: gpu.module @bytes
// CHECK: nvvm.convert.f8x2.to.f16x2
// CHECK-COUNT-2: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
grid.kernel @bytes grid() inputs(%x: f8E4M3FN [64, 32] space #warpgroup.space<gmem>, %y: f8E4M3FN [32, 8] space #warpgroup.space<gmem>)
    outputs(%o: f32 [64, 8] space #warpgroup.space<gmem>) {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %a = grid.load %x : memref<64x32xf8E4M3FN, #warpgroup.space<gmem>> -> tensor<64x32xf8E4M3FN>
  %b = grid.load %y : memref<32x8xf8E4M3FN, #warpgroup.space<gmem>> -> tensor<32x8xf8E4M3FN>
  %sum = warpgroup.mma_sync %zero, %a, %b : tensor<64x8xf32>, tensor<64x32xf8E4M3FN>, tensor<32x8xf8E4M3FN>
  grid.store %sum, %o : tensor<64x8xf32>, memref<64x8xf32, #warpgroup.space<gmem>>
}
