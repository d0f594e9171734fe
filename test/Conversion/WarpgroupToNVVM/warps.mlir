// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// All of the warpgroup meet before and behind the code of its warps; there the threads of one warp meet, and one of
// them is elected to act for it.
// CHECK-LABEL: gpu.module @warps
// CHECK: %[[NUMBER:.+]] = arith.shrui %{{.+}}, %c5_i32
// CHECK: nvvm.shfl.sync idx %{{.+}}, %[[NUMBER]]
// CHECK: nvvm.barrier
// CHECK: nvvm.elect.sync
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.barrier
// CHECK: llvm.return
grid.kernel @warps grid() {
  grid.scoped (%b: memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    %full = grid.slice_ref %b[0] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>> -> memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
    %empty = grid.slice_ref %b[1] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>> -> memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
    warpgroup.warps {
    ^bb0(%warp: i32):
      %c1 = arith.constant 1 : i32
      %is = arith.cmpi eq, %warp, %c1 : i32
      scf.if %is {
        warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
        warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
      }
    }
  }
}

// -----

// Whether a phase is complete all threads of a warp say together, or of the warpgroup.
// CHECK-LABEL: gpu.module @test
// CHECK: %[[DONE:.+]] = nvvm.mbarrier.test.wait
// CHECK: nvvm.vote.sync all %{{.+}}, %[[DONE]]
// CHECK: %[[ALL:.+]] = nvvm.mbarrier.test.wait
// CHECK: arith.extui %[[ALL]] : i1 to i8
// CHECK: nvvm.barrier
grid.kernel @test grid() outputs(%o: i32 [] space gpu.gmem) {
  grid.scoped (%b: memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    warpgroup.warps {
    ^bb0(%warp: i32):
      %done = warpgroup.barrier_test %b : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
      %n = arith.extui %done : i1 to i32
      grid.store %n, %o : i32, memref<i32, #grid.space<gpu.gmem>>
    }
    %all = warpgroup.barrier_test %b : memref<!warpgroup.barrier<1>, #grid.space<gpu.smem>>
    %m = arith.extui %all : i1 to i32
    grid.store %m, %o : i32, memref<i32, #grid.space<gpu.gmem>>
  }
}

// -----

// Warpgroups meet at a barrier with a number as its author says.
// CHECK-LABEL: gpu.module @named
// CHECK-DAG: %[[THREADS:.+]] = arith.constant 256 : i32
// CHECK-DAG: %[[NUMBER:.+]] = arith.constant 9 : i32
// CHECK: nvvm.barrier.arrive id = %[[NUMBER]] number_of_threads = %[[THREADS]]
// CHECK: nvvm.barrier id = %[[NUMBER]] number_of_threads = %[[THREADS]]
grid.kernel @named grid(%t = 2 named "wg" thread) outputs(%o: i32 [] space gpu.gmem) {
  %n = arith.constant 9 : i32
  warpgroup.named_barrier %n of 256 arrive
  warpgroup.named_barrier %n of 256
  grid.store %n, %o : i32, memref<i32, #grid.space<gpu.gmem>>
}
