// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_80 \
// RUN:   --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_80 --canonicalize --cse | FileCheck %s

// Each thread copies 16 bytes of a row at a time, four times here. What is read after the barrier needs no other one.
// CHECK-LABEL: gpu.module @whole
// CHECK-COUNT-4: nvvm.cp.async.shared.global %{{[^,]*}}, %{{[^,]*}}, 16, cache = cg :
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier id = %{{.*}} number_of_threads
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.ldmatrix
grid.kernel @whole grid(%i = 4) inputs(%x: f16 [256, 128] space #warpgroup.space<gmem>) outputs(%o: f16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x64xf16, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle[128]>, #grid.transform<untiling[8, 64]>]]} {
    %i = grid.program_id 0
    %size = arith.constant 64 : i32
    %row = arith.muli %i, %size : i32
    warpgroup.cp_async %x[%row : i32, 64] [64, 64] to %t in_bounds : memref<256x128xf16, #warpgroup.space<gmem>>, memref<64x64xf16, #warpgroup.space<smem>>
    warpgroup.cp_async_commit
    warpgroup.cp_async_wait 0
    %two = arith.constant 2 : i32
    warpgroup.named_barrier %two of 128
    %v = grid.load %t : memref<64x64xf16, #warpgroup.space<smem>> -> tensor<64x64xf16>
    %w = warpgroup.layout_cast %v "WGMMA"(#warpgroup.layout<wgmma>) : tensor<64x64xf16>
    grid.store %w, %o : tensor<64x64xf16>, memref<64x64xf16, #warpgroup.space<gmem>>
  }
}

// -----

// A window that may exceed the array reads no bytes of a row outside: they are zero. Half of the threads have no part of
// eight rows.
// CHECK-LABEL: gpu.module @outside
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c200_i32
// CHECK: %[[BYTES:.*]] = arith.select %[[INSIDE]], %c16_i32, %c0_i32
// CHECK: scf.if
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]]
grid.kernel @outside grid(%i = 30) inputs(%x: f16 [200, 128] space #warpgroup.space<gmem>) outputs(%o: f16 [8, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<8x64xf16, #warpgroup.space<smem>>) {
    %i = grid.program_id 0
    %size = arith.constant 8 : i32
    %row = arith.muli %i, %size : i32
    warpgroup.cp_async %x[%row : i32, 0] [8, 64] to %t : memref<200x128xf16, #warpgroup.space<gmem>>, memref<8x64xf16, #warpgroup.space<smem>>
    warpgroup.cp_async_commit
    warpgroup.cp_async_wait 0
    %two = arith.constant 2 : i32
    warpgroup.named_barrier %two of 128
    %v = grid.load %t : memref<8x64xf16, #warpgroup.space<smem>> -> tensor<8x64xf16>
    grid.store %v, %o : tensor<8x64xf16>, memref<8x64xf16, #warpgroup.space<gmem>>
  }
}
