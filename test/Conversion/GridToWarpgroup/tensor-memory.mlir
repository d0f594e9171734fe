// RUN: gridir-opt %s --split-input-file --convert-grid-to-warpgroup=chip=sm_100a --canonicalize | FileCheck %s

// MMAs add to accumulators in tensor memory, one for each of two warpgroups. Their completion releases a stage of the
// ring, and the warpgroups wait for them only before they load the accumulators, and before tensor memory is freed.
// CHECK-LABEL: grid.kernel @product
// CHECK: %[[W:.*]] = grid.program_id "warpgroup"
// CHECK: grid.scoped (%[[ACC:.*]]: memref<2x128x64xf32, #warpgroup.space<tmem>> origin "accumulator", %[[DONE:.*]]: memref<2x!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>> origin "complete")
// CHECK: %[[FULL:.*]]: memref<2x!warpgroup.barrier<3>, #warpgroup.space<smem>> origin "full", %[[EMPTY:.*]]: memref<2x!warpgroup.barrier<2, tensor_core>, #warpgroup.space<smem>> origin "empty"
// CHECK: warpgroup.tma_load
// CHECK: %[[MINE:.*]] = grid.slice_ref %[[ACC]][%[[W]], 0, 0] [1, 128, 64]
// CHECK: %[[MINE_DONE:.*]] = grid.slice_ref %[[DONE]][%[[W]]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: warpgroup.tcgen05_commit %[[MINE_DONE]]
// CHECK-NEXT: warpgroup.barrier_wait %[[MINE_DONE]]
// CHECK-NEXT: grid.store %{{.*}}, %[[MINE]]
// CHECK-NEXT: warpgroup.commit_tmem
// CHECK: warpgroup.tcgen05_mma %[[MINE]], %{{.*}}, %{{.*}} accumulate %true
// CHECK-NOT: barrier_wait
// CHECK: %[[SLOT:.*]] = grid.slice_ref %[[EMPTY]]
// CHECK-NEXT: warpgroup.tcgen05_commit %[[SLOT]]
// CHECK: }
// CHECK: warpgroup.tcgen05_commit %[[MINE_DONE]]
// CHECK-NEXT: warpgroup.barrier_wait %[[MINE_DONE]]
// CHECK-NEXT: }
grid.kernel @product grid(%i = 2, %w = 2 thread, %k = 2)
    inputs(%x: bf16 [512, 128] block [128, 64] at (%i * 2 + %w, %k) origin "x", %y: bf16 [128, 64] block [64, 64] at (%k, 0) origin "y")
    outputs(%o: f32 [512, 64] block [128, 64] at (%i * 2 + %w, 0) origin "o")
    scratch(%acc: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator")
    semantics [parallel, parallel, arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [256, 64], warpgroup = [128, 64], shared = [0, 1], stages = 2>} {
  %step = grid.program_id 2
  %zero = arith.constant 0 : i32
  %isFirst = arith.cmpi eq, %step, %zero : i32
  scf.if %isFirst {
    %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
    grid.store %zeros, %acc : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
  }
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %c = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %e = arith.addf %c, %d : tensor<128x64xf32>
  grid.store %e, %acc : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
}

// -----

// A product without a sum replaces what the accumulator has. Threads read the block of the left operand, too: they wait
// for the MMA before they release it. The second load needs no wait.
// CHECK-LABEL: grid.kernel @replaced
// CHECK: %[[EMPTY:.*]]: memref<1x!warpgroup.barrier<1>, #warpgroup.space<smem>> origin "empty"
// CHECK: warpgroup.tcgen05_mma %[[ACC:.*]], %{{.*}}, %{{.*}} accumulate %false
// CHECK-NEXT: warpgroup.tcgen05_commit %[[DONE:.*]] :
// CHECK-NEXT: warpgroup.barrier_wait %[[DONE]]
// CHECK-NEXT: %[[R:.*]] = grid.load %[[ACC]]
// CHECK: grid.store
// CHECK-NEXT: %[[S:.*]] = grid.load %[[ACC]]
// CHECK: grid.store
// CHECK: warpgroup.barrier_wait %[[DONE]]
// CHECK: warpgroup.barrier_arrive
grid.kernel @replaced grid(%i = 2)
    inputs(%x: bf16 [256, 64] block [128, 64] at (%i, 0) origin "x", %y: bf16 [64, 64] origin "y")
    outputs(%o: f32 [256, 64] block [128, 64] at (%i, 0) origin "o", %p: f32 [256, 64] block [128, 64] at (%i, 0) origin "p")
    scratch(%acc: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator")
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0, 1]>} {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  grid.store %d, %acc : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
  %r = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
  %v = arith.extf %a : tensor<128x64xbf16> to tensor<128x64xf32>
  %w = arith.addf %r, %v : tensor<128x64xf32>
  grid.store %w, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
  %s = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
  grid.store %s, %p : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}

// -----

// MMAs that read an operand are complete before threads store to it in the next step.
// CHECK-LABEL: grid.kernel @staged
// CHECK: %[[STAGED:.*]]: memref<64x64xbf16, #warpgroup.space<smem>> origin "staged"
// CHECK: scf.for
// CHECK: warpgroup.tcgen05_commit %[[DONE:[a-z0-9_]+]] :
// CHECK-NEXT: warpgroup.barrier_wait %[[DONE]]
// CHECK-NEXT: grid.store %{{.*}}, %[[STAGED]]
// CHECK-NEXT: warpgroup.tcgen05_mma %{{.*}}, %{{.*}}, %[[STAGED]] accumulate %true
grid.kernel @staged grid(%k = 2)
    inputs(%x: bf16 [128, 128] block [128, 64] at (0, %k) origin "x", %y: bf16 [128, 64] block [64, 64] at (%k, 0) origin "y")
    outputs(%o: f32 [128, 64] origin "o")
    scratch(%acc: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator", %s: memref<64x64xbf16, #warpgroup.space<smem>> origin "staged")
    semantics [arbitrary]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [0], stages = 2>} {
  %a = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %v = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %n = arith.negf %v : tensor<64x64xbf16>
  grid.store %n, %s : tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
  %b = grid.load %s : memref<64x64xbf16, #warpgroup.space<smem>> -> tensor<64x64xbf16>
  %c = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
  %d = grid.dot %a, %b acc %c contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32> -> tensor<128x64xf32>
  grid.store %d, %acc : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
}

// -----

// An MMA reads a left operand in tensor memory once the stores of all threads are complete.
// CHECK-LABEL: grid.kernel @operand
// CHECK: grid.scoped (%[[ACC:.*]]: memref<128x64xf32, #warpgroup.space<tmem>> origin "accumulator", %[[P:.*]]: memref<128x64xbf16, #warpgroup.space<tmem>> origin "operand"
// CHECK: grid.store %{{.*}}, %[[P]]
// CHECK-NEXT: warpgroup.commit_tmem
// CHECK: warpgroup.tcgen05_mma %[[ACC]], %[[P]], %{{.*}} accumulate %false
// CHECK-NOT: grid.load %[[P]]
grid.kernel @operand grid(%i = 2)
    inputs(%x: bf16 [256, 64] block [128, 64] at (%i, 0), %y: bf16 [64, 64])
    outputs(%o: f32 [256, 64] block [128, 64] at (%i, 0))
    scratch(%acc: memref<128x64xf32, #warpgroup.space<tmem>>, %p: memref<128x64xbf16, #warpgroup.space<tmem>>)
    semantics [parallel]
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [128, 64], warpgroup = [128, 64], shared = [1]>} {
  %v = grid.load %x : memref<128x64xbf16, #grid.space<default>> -> tensor<128x64xbf16>
  %n = arith.negf %v : tensor<128x64xbf16>
  grid.store %n, %p : tensor<128x64xbf16>, memref<128x64xbf16, #warpgroup.space<tmem>>
  %a = grid.load %p : memref<128x64xbf16, #warpgroup.space<tmem>> -> tensor<128x64xbf16>
  %b = grid.load %y : memref<64x64xbf16, #grid.space<default>> -> tensor<64x64xbf16>
  %d = grid.dot %a, %b contract [1] x [0] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  grid.store %d, %acc : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<tmem>>
  %r = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
  grid.store %r, %o : tensor<128x64xf32>, memref<128x64xf32, #grid.space<default>>
}
