// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// The warpgroup synchronizes before and after the code of its warps; inside, the threads of one warp synchronize, and
// one of them is elected to act for it.
// CHECK-LABEL: gpu.module @warps
// CHECK: %[[NUMBER:.+]] = arith.shrui %{{.+}}, %c5_i32
// CHECK: nvvm.shfl.sync idx %{{.+}}, %[[NUMBER]]
// CHECK: nvvm.barrier
// CHECK: nvvm.elect.sync
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.barrier
// CHECK: llvm.return
grid.kernel @warps grid() {
  grid.scoped (%b: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %full = grid.slice_ref %b[0] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>> -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %empty = grid.slice_ref %b[1] [1] [1] drop [0] : memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>> -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.warps {
    ^bb0(%warp: i32):
      %c1 = arith.constant 1 : i32
      %is = arith.cmpi eq, %warp, %c1 : i32
      scf.if %is {
        warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      }
    }
  }
}

// -----

// All threads of a warp, or of the warpgroup, agree on the completion of a phase.
// CHECK-LABEL: gpu.module @test
// CHECK: %[[DONE:.+]] = nvvm.mbarrier.test.wait
// CHECK: nvvm.vote.sync all %{{.+}}, %[[DONE]]
// CHECK: %[[ALL:.+]] = nvvm.mbarrier.test.wait
// CHECK: arith.extui %[[ALL]] : i1 to i8
// CHECK: nvvm.barrier
grid.kernel @test grid() outputs(%o: i32 [] space #warpgroup.space<gmem>) {
  grid.scoped (%b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.warps {
    ^bb0(%warp: i32):
      %done = warpgroup.barrier_test %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %n = arith.extui %done : i1 to i32
      grid.store %n, %o : i32, memref<i32, #warpgroup.space<gmem>>
    }
    %all = warpgroup.barrier_test %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %m = arith.extui %all : i1 to i32
    grid.store %m, %o : i32, memref<i32, #warpgroup.space<gmem>>
  }
}

// -----

// Warpgroups synchronize at a barrier with the number that the kernel specifies.
// CHECK-LABEL: gpu.module @named
// CHECK-DAG: %[[THREADS:.+]] = arith.constant 256 : i32
// CHECK-DAG: %[[NUMBER:.+]] = arith.constant 9 : i32
// CHECK: nvvm.barrier.arrive id = %[[NUMBER]] number_of_threads = %[[THREADS]]
// CHECK: nvvm.barrier id = %[[NUMBER]] number_of_threads = %[[THREADS]]
grid.kernel @named grid(%t = 2 named "wg" thread) outputs(%o: i32 [] space #warpgroup.space<gmem>) {
  %n = arith.constant 9 : i32
  warpgroup.named_barrier %n of 256 arrive
  warpgroup.named_barrier %n of 256
  grid.store %n, %o : i32, memref<i32, #warpgroup.space<gmem>>
}

// -----

// Where only one warpgroup goes, the number of its barrier is known.
// CHECK-LABEL: gpu.module @branches
// CHECK-DAG: %[[OF_FIRST:.+]] = arith.constant 1 : i32
// CHECK-DAG: %[[OF_LAST:.+]] = arith.constant 3 : i32
// CHECK: scf.if
// CHECK: nvvm.barrier id = %[[OF_LAST]] number_of_threads
// CHECK: } else {
// CHECK: %[[NUMBER:.+]] = arith.addi %{{.+}}, %[[OF_FIRST]]
// CHECK: nvvm.barrier id = %[[NUMBER]] number_of_threads
// CHECK: scf.if
// CHECK: } else {
// CHECK: nvvm.barrier id = %[[OF_FIRST]] number_of_threads
grid.kernel @branches grid(%t = 3 named "wg" thread) outputs(%o: f32 [64] space #warpgroup.space<gmem>) {
  grid.scoped (%s: memref<3x64xf32, #warpgroup.space<smem>>) attributes {collective = ["wg"]} {
    %wg = grid.program_id 0
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %n = grid.load %o : memref<64xf32, #warpgroup.space<gmem>> -> tensor<64xf32>
    %w = grid.slice_ref %s[%wg, 0] [1, 64] [1, 1] drop [0] : memref<3x64xf32, #warpgroup.space<smem>>, i32 -> memref<64xf32, #warpgroup.space<smem>>
    %last = arith.cmpi eq, %wg, %c2 : i32
    %other = arith.cmpi ne, %wg, %c0 : i32
    scf.if %last {
      grid.store %n, %w : tensor<64xf32>, memref<64xf32, #warpgroup.space<smem>>
      warpgroup.tma_store %w to %o[0] [64] : memref<64xf32, #warpgroup.space<smem>>, memref<64xf32, #warpgroup.space<gmem>>
    } else {
      grid.store %n, %w : tensor<64xf32>, memref<64xf32, #warpgroup.space<smem>>
      warpgroup.tma_store %w to %o[0] [64] : memref<64xf32, #warpgroup.space<smem>>, memref<64xf32, #warpgroup.space<gmem>>
    }
    scf.if %other {
    } else {
      grid.store %n, %w : tensor<64xf32>, memref<64xf32, #warpgroup.space<smem>>
      warpgroup.tma_store %w to %o[0] [64] : memref<64xf32, #warpgroup.space<smem>>, memref<64xf32, #warpgroup.space<gmem>>
    }
  }
}
