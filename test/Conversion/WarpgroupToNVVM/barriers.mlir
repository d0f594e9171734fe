// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Where nothing but warpgroups arrives at a barrier, each warp does for itself, so that a barrier of two arrivals expects
// eight. Its lanes meet where one of them may still wait, and the warps of the warpgroup never do.
// CHECK-LABEL: gpu.module @of_warps
// CHECK: %[[LEADER:.+]] = nvvm.elect.sync -> i1
// CHECK-DAG: nvvm.mbarrier.init %{{.+}}, %c8_i32
// CHECK-DAG: nvvm.mbarrier.init %{{.+}}, %c4_i32
// CHECK: nvvm.barrier
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.bar.warp.sync %c-1_i32
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3> -> i64
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3> -> i64
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
grid.kernel @of_warps grid() {
  grid.scoped (%full: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>,
               %empty: memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>) {
    warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
    warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>
    warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<2>, #grid.space<gpu.smem>>
  }
}

// -----

// The code of a single warp arrives for the four of its warpgroup.
// CHECK-LABEL: gpu.module @by_one_warp
// CHECK: nvvm.mbarrier.init %{{.+}}, %c4_i32
// CHECK: nvvm.mbarrier.arrive %{{.+}}, %c4_i32 : !llvm.ptr<3> -> i64
grid.kernel @by_one_warp grid() {
  grid.scoped (%empty: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    warpgroup.warps {
    ^bb0(%warp: i32):
      %c1 = arith.constant 1 : i32
      %is = arith.cmpi eq, %warp, %c1 : i32
      scf.if %is {
        warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
      }
    }
    warpgroup.barrier_wait %empty : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
  }
}

// -----

// Copies arrive at the first barrier, too, so that one thread arrives for its warpgroup, once all have come.
// CHECK-LABEL: gpu.module @of_copies
// CHECK: nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.mbarrier.arrive.expect_tx
grid.kernel @of_copies grid() inputs(%x: f32 [64, 32] space gpu.gmem) {
  grid.scoped (%a: memref<64x32xf32, #grid.space<gpu.smem>>, %b: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
    warpgroup.tma_load %x[0, 0] [64, 32] to %a barrier %b
        : memref<64x32xf32, #grid.space<gpu.gmem>>, memref<64x32xf32, #grid.space<gpu.smem>>, memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
  }
}

// -----

// In a loop that reads shared memory, writes none, and arrives by warps only, nobody meets: what the next iteration
// depends on are copies that wait for all warps.
// CHECK-LABEL: gpu.module @reader
// CHECK: scf.for
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.load %{{.+}} : !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive
// CHECK-NOT: nvvm.barrier
// CHECK: scf.yield
grid.kernel @reader grid() outputs(%o: f32 [64, 32] space gpu.gmem) {
  grid.scoped (%a: memref<64x32xf32, #grid.space<gpu.smem>>,
               %full: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>,
               %empty: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %sum = scf.for %k = %begin to %end step %one iter_args(%s = %zero) -> (tensor<64x32xf32>) : i32 {
      warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
      %v = grid.load %a : memref<64x32xf32, #grid.space<gpu.smem>> -> tensor<64x32xf32>
      warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
      %t = arith.addf %s, %v : tensor<64x32xf32>
      scf.yield %t : tensor<64x32xf32>
    }
    grid.store %sum, %o : tensor<64x32xf32>, memref<64x32xf32, #grid.space<gpu.gmem>>
  }
}

// -----

// Where the loop writes what it reads, all meet.
// CHECK-LABEL: gpu.module @writer
// CHECK: scf.for
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.barrier
// CHECK: llvm.store %{{.+}}, %{{.+}} : {{.*}}!llvm.ptr<3>
grid.kernel @writer grid() {
  grid.scoped (%a: memref<64x32xf32, #grid.space<gpu.smem>>,
               %empty: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %begin to %end step %one : i32 {
      %v = grid.load %a : memref<64x32xf32, #grid.space<gpu.smem>> -> tensor<64x32xf32>
      warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
      %t = arith.addf %v, %v : tensor<64x32xf32>
      grid.store %t, %a : tensor<64x32xf32>, memref<64x32xf32, #grid.space<gpu.smem>>
    }
  }
}
