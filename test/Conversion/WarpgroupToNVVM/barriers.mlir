// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --warpgroup-assign-phases --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// If only warpgroups arrive at a barrier, each warp arrives separately, so that a barrier of two arrivals expects
// eight. Its lanes synchronize if one of them may still wait, and the warps of the warpgroup never do.
// CHECK-LABEL: gpu.module @of_warps
// CHECK: %[[LEADER:.+]] = nvvm.elect.sync -> i1
// CHECK-DAG: nvvm.mbarrier.init %{{.+}}, %c8_i32
// CHECK-DAG: nvvm.mbarrier.init %{{.+}}, %c4_i32
// CHECK: nvvm.barrier
// CHECK: llvm.inline_asm {{.*}}.reg .pred complete;{{.*}}mbarrier.try_wait.parity.shared.b64 complete, [$0+0], $1, $2;{{.*}}bra.uni WAIT;{{.*}}"l,r,r"
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
  grid.scoped (%full: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %empty: memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>) {
    warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  }
}

// -----

// The code of a single warp arrives for the four of its warpgroup.
// CHECK-LABEL: gpu.module @by_one_warp
// CHECK: nvvm.mbarrier.init %{{.+}}, %c4_i32
// CHECK: nvvm.mbarrier.arrive %{{.+}}, %c4_i32 : !llvm.ptr<3> -> i64
grid.kernel @by_one_warp grid() {
  grid.scoped (%empty: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.warps {
    ^bb0(%warp: i32):
      %c1 = arith.constant 1 : i32
      %is = arith.cmpi eq, %warp, %c1 : i32
      scf.if %is {
        warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      }
    }
    warpgroup.barrier_wait %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Copies arrive at the first barrier, too, so that one thread arrives for its warpgroup, once all have come.
// CHECK-LABEL: gpu.module @of_copies
// CHECK: nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.mbarrier.arrive.expect_tx
grid.kernel @of_copies grid() inputs(%x: f32 [64, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<64x32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [64, 32] to %a barrier %b
        : memref<64x32xf32, #warpgroup.space<gmem>>, memref<64x32xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// A loop that reads shared memory, writes none, and arrives only by warps needs no barrier: the next iteration depends
// only on copies that wait for all warps.
// CHECK-LABEL: gpu.module @reader
// CHECK: scf.for
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.load %{{.+}} : !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive
// CHECK-NOT: nvvm.barrier
// CHECK: scf.yield
grid.kernel @reader grid() outputs(%o: f32 [64, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<64x32xf32, #warpgroup.space<smem>>,
               %full: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %empty: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %sum = scf.for %k = %begin to %end step %one iter_args(%s = %zero) -> (tensor<64x32xf32>) : i32 {
      warpgroup.barrier_wait %full : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %v = grid.load %a : memref<64x32xf32, #warpgroup.space<smem>> -> tensor<64x32xf32>
      warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %t = arith.addf %s, %v : tensor<64x32xf32>
      scf.yield %t : tensor<64x32xf32>
    }
    grid.store %sum, %o : tensor<64x32xf32>, memref<64x32xf32, #warpgroup.space<gmem>>
  }
}

// -----

// If the loop writes the memory that it reads, all threads synchronize.
// CHECK-LABEL: gpu.module @writer
// CHECK: scf.for
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.barrier
// CHECK: llvm.store %{{.+}}, %{{.+}} : {{.*}}!llvm.ptr<3>
grid.kernel @writer grid() {
  grid.scoped (%a: memref<64x32xf32, #warpgroup.space<smem>>,
               %empty: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %begin to %end step %one : i32 {
      %v = grid.load %a : memref<64x32xf32, #warpgroup.space<smem>> -> tensor<64x32xf32>
      warpgroup.barrier_arrive %empty : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %t = arith.addf %v, %v : tensor<64x32xf32>
      grid.store %t, %a : tensor<64x32xf32>, memref<64x32xf32, #warpgroup.space<smem>>
    }
  }
}

// -----

// The phases of a ring in a loop are the parity of the rounds, which changes after the last barrier of the ring. One
// wait was before the loop, for the first barrier: that of each iteration is for the next one.
// CHECK-LABEL: gpu.module @ring
// CHECK: %[[ROUNDS:.+]] = llvm.alloca
// CHECK: llvm.store %c0_i32, %[[ROUNDS]]
// CHECK: scf.for %[[I:.+]] =
// CHECK: %[[ROUND:.+]] = llvm.load %[[ROUNDS]]
// CHECK: %[[PLACE:.+]] = arith.remsi %[[I]], %c3_i32
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[PLACE]], %c2_i32
// CHECK: %[[CHANGE:.+]] = arith.extui %[[LAST]]
// CHECK: %[[NEXT:.+]] = arith.xori %[[ROUND]], %[[CHANGE]]
// CHECK: llvm.store %[[NEXT]], %[[ROUNDS]]
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity{{.*}} %{{.+}}, %[[ROUND]],
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity{{.*}} %{{.+}}, %[[NEXT]],
grid.kernel @ring grid() {
  grid.scoped (%now: memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %ahead: memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %size = arith.constant 3 : i32
    %first = grid.slice_ref %ahead[0] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>> -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %first : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    scf.for %i = %begin to %end step %one : i32 {
      %place = arith.remsi %i, %size : i32
      %a = grid.slice_ref %now[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      %next = arith.addi %i, %one : i32
      %more = arith.cmpi slt, %next, %end : i32
      scf.if %more {
        %behind = arith.remsi %next, %size : i32
        %b = grid.slice_ref %ahead[%behind] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      }
    }
  }
}

// -----

// The phase is a bit of a word where a second op waits in the loop, where another condition may leave iterations out, and
// where an earlier one may have waited.
// CHECK-LABEL: gpu.module @no_ring
// CHECK-NOT: arith.cmpi eq, %{{.+}}, %c2_i32
// CHECK: llvm.return
grid.kernel @no_ring grid() {
  grid.scoped (%twice: memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %some: memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>,
               %before: memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %begin = arith.constant 0 : i32
    %end = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %size = arith.constant 3 : i32
    scf.for %k = %begin to %end step %one : i32 {
      scf.for %i = %begin to %end step %one : i32 {
        %place = arith.remsi %i, %size : i32
        %a = grid.slice_ref %twice[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        %is = arith.cmpi ne, %i, %one : i32
        scf.if %is {
          %b = grid.slice_ref %some[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
          warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        }
        %c = grid.slice_ref %before[%place] [1] [1] drop [0] : memref<3x!warpgroup.barrier<1>, #warpgroup.space<smem>>, i32 -> memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
        warpgroup.barrier_wait %c : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
      }
    }
  }
}

// -----

// A fence orders the accesses of each thread, and the threads meet.
// CHECK-LABEL: gpu.module @fences
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// CHECK-NEXT: nvvm.barrier
grid.kernel @fences grid() {
  warpgroup.commit_smem
  warpgroup.commit_gmem
}
