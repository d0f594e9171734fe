// RUN: gridir-opt %s --split-input-file --convert-grid-to-warpgroup=chip=sm_80 --canonicalize | FileCheck %s

// Two consumers copy: a block of the left operand each, and half of the rows of the right one. Each turn starts the
// copies for the turn after the next, computes, and waits for the next stage. MMAs of warps add to values.
// CHECK-LABEL: grid.kernel @product grid(%i = 2, %j = 2 named "warpgroup" thread)
// CHECK: %[[W:.*]] = grid.program_id "warpgroup"
// CHECK: grid.scoped (%[[X:.*]]: memref<3x2x64x64xbf16, #warpgroup.space<smem>> origin "x", %[[Y:.*]]: memref<3x64x128xbf16, #warpgroup.space<smem>> origin "y")
// CHECK-SAME: collective = ["warpgroup"]
// CHECK-NOT: set_max_registers
// CHECK: grid.scoped (%[[ACC:.*]]: memref<64x128xf32, #grid.space<default>>)
// CHECK: warpgroup.cp_async %x [%{{.*}} : i32, %c0_i32 : i32] [64, 64] to %{{.*}} in_bounds
// CHECK: %[[ROW:.*]] = arith.muli %[[W]], %c32_i32
// CHECK: warpgroup.cp_async %y [%[[ROW]] : i32, 0] [32, 128] to %{{.*}} in_bounds
// CHECK-NEXT: warpgroup.cp_async_commit
// CHECK: warpgroup.cp_async %x
// CHECK: warpgroup.cp_async %y
// CHECK-NEXT: warpgroup.cp_async_commit
// CHECK-NEXT: warpgroup.cp_async_wait 1
// CHECK-NEXT: warpgroup.named_barrier %c3_i32 of 256
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c8 step %c1
// CHECK: %[[NEXT:.*]] = arith.addi %[[STEP]], %c2
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %c8
// CHECK: scf.if %[[EXISTS]] {
// CHECK: warpgroup.cp_async %x
// CHECK: warpgroup.cp_async %y
// CHECK: }
// CHECK: warpgroup.cp_async_commit
// CHECK: %[[A:.*]] = grid.slice_ref %[[X]][%{{.*}}, %[[W]], 0, 0] [1, 1, 64, 64]
// CHECK: %[[B:.*]] = grid.slice_ref %[[Y]][%{{.*}}, 0, 0] [1, 64, 128]
// CHECK: %[[OLD:.*]] = grid.load %[[ACC]]
// CHECK: %[[SUM:.*]] = warpgroup.mma_sync %[[OLD]], %[[A]], %[[B]]
// CHECK: grid.store %[[SUM]], %[[ACC]]
// CHECK: warpgroup.cp_async_wait 1
// CHECK: warpgroup.named_barrier %c3_i32 of 256
grid.kernel @product grid(%i = 2, %w = 2 thread, %k = 8)
    inputs(%x: bf16 [256, 512] block [64, 64] at (%i * 2 + %w, %k) origin "x", %y: bf16 [512, 128] block [64, 128] at (%k, 0) origin "y")
    outputs(%o: f32 [256, 128] block [64, 128] at (%i * 2 + %w, 0) origin "o")
    scratch(%acc: memref<64x128xf32, #grid.space<default>>)
    semantics [parallel, parallel, arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1], stages = 3, producers = 0>} {
  %a = grid.load %x : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %b = grid.load %y : memref<64x128xbf16, #grid.space<default>> -> tensor<64x128xbf16>
  %c = grid.load %acc : memref<64x128xf32, #grid.space<default>> -> tensor<64x128xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  %e = arith.addf %c, %d : tensor<64x128xf32>
  grid.store %e, %acc : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
  grid.store %e, %o : tensor<64x128xf32>, memref<64x128xf32, #grid.space<default>>
}

// -----

// One stage: each iteration of the author's loop fills it, waits, computes and synchronizes. A block may overhang.
// CHECK-LABEL: grid.kernel @loop
// CHECK-NOT: warpgroup.cp_async
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[END:.*]] step %{{.*}} iter_args
// CHECK: warpgroup.cp_async %[[X:[^ ]*]] [%{{.*}} : i32, %{{.*}} : i32] [64, 64] to %{{[^ ]*}} :
// CHECK: warpgroup.cp_async %{{[^ ]*}} [%{{.*}} : i32, 0] [64, 64] to %{{.*}} in_bounds
// CHECK: warpgroup.cp_async_commit
// CHECK-NEXT: warpgroup.cp_async_wait 0
// CHECK-NEXT: warpgroup.named_barrier %c2_i32 of 128
// CHECK: warpgroup.mma_sync
// CHECK: warpgroup.named_barrier %c2_i32 of 128
// CHECK-NEXT: scf.yield
grid.kernel @loop grid(%i = 4)
    inputs(%x: bf16 [200, 256] block [64, 256] at (%i, 0), %y: bf16 [256, 64])
    outputs(%o: f32 [200, 64] block [64, 64] at (%i, 0))
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0, 1], stages = 1, producers = 0>} {
  %i = grid.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %size = arith.constant 64 : i32
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %zero to %four step %one iter_args(%acc = %init) -> (tensor<64x64xf32>) : i32 {
    %offset = arith.muli %k, %size : i32
    %u = grid.slice_ref %x[0, %offset] [64, 64] [1, 1]
        : memref<64x256xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %v = grid.slice_ref %y[%offset, 0] [64, 64] [1, 1]
        : memref<256x64xbf16, #grid.space<default>>, i32 -> memref<64x64xbf16, #grid.space<default>>
    %a = grid.load %u : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %b = grid.load %v : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
    %d = grid.dot %a, %b acc %acc contract [1] x [0]
        : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  grid.store %sum, %o : tensor<64x64xf32>, memref<64x64xf32, #grid.space<default>>
}
