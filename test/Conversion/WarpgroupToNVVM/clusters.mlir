// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Loads from and stores to another block use the same address there; a wait for threads of other blocks acquires the
// data that those released.
// CHECK-LABEL: gpu.module @peers
// CHECK: %[[LOADED:.+]] = nvvm.mapa %[[TILE:.+]], %[[RANK:.+]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.load %{{.+}} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: nvvm.mapa %[[TILE]], %[[RANK]]
// CHECK: llvm.store %{{.+}} : vector<4xf32>, !llvm.ptr<7>
// CHECK: nvvm.barrier
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.mbarrier.arrive %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait {{.*}} {scope = #nvvm.mem_scope<cluster>}
grid.kernel @peers grid(%c = 2 named "x" cluster) {
  grid.scoped (%t: memref<16x32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>) {
    %c1 = arith.constant 1 : i32
    %v = warpgroup.cluster_load %t ["x"][%c1] : memref<16x32xf32, #warpgroup.space<smem>>, i32 -> tensor<16x32xf32>
    warpgroup.cluster_store %v to %t ["x"][%c1] : tensor<16x32xf32>, memref<16x32xf32, #warpgroup.space<smem>>, i32
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>
  }
}

// -----

// A store that ends at a barrier of the other block is asynchronous; the leader says there how many bytes come.
// CHECK-LABEL: gpu.module @store
// CHECK: %[[LOW:.+]] = llvm.insertelement %{{.+}}, %{{.+}}[%c0_i32 : i32] : vector<2xf32>
// CHECK: %[[BOTH:.+]] = llvm.insertelement %{{.+}}, %[[LOW]][%c1_i32 : i32] : vector<2xf32>
// CHECK: %[[WORD:.+]] = llvm.bitcast %[[BOTH]] : vector<2xf32> to i64
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [$0], $1, [$2];", "r,l,r" %{{.+}}, %[[WORD]], %{{.+}} :
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c2048_i32 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
// CHECK: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [$0], $1, [$2];
grid.kernel @store grid(%c = 2 named "x" cluster) {
  grid.scoped (%t: memref<512xf32, #warpgroup.space<smem>>, %n: memref<128xi32, #warpgroup.space<smem>>,
               %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<1.0> : tensor<512xf32>
    %i = arith.constant dense<1> : tensor<128xi32>
    warpgroup.cluster_store %v to %t ["x"][%c1] barrier %b
        : tensor<512xf32>, memref<512xf32, #warpgroup.space<smem>>, i32 barrier memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.cluster_store %i to %n ["x"][%c1] reduce maxs barrier %b
        : tensor<128xi32>, memref<128xi32, #warpgroup.space<smem>>, i32 barrier memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// All blocks arrive at the barrier of the first one, and at no other.
// CHECK-LABEL: gpu.module @tracked
// CHECK: nvvm.mbarrier.init %{{.+}}, %c2_i32
// CHECK: %[[RANK:.+]] = arith.subi
// CHECK: nvvm.mapa
// CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<7>
// CHECK-NOT: nvvm.mbarrier.arrive
grid.kernel @tracked grid(%c = 2 named "x" cluster) {
  grid.scoped (%b: memref<!warpgroup.barrier<1, cluster = ["x"], leader_tracked>, #warpgroup.space<smem>>) {
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1, cluster = ["x"], leader_tracked>, #warpgroup.space<smem>>
  }
}

// -----

// Of axes that count as one, all four blocks arrive at all four barriers: at its own, and at three of others.
// CHECK-LABEL: gpu.module @all
// CHECK: nvvm.mbarrier.init %{{.+}}, %c4_i32
// CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3>
// CHECK-COUNT-3: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<7>
// CHECK-NOT: nvvm.mbarrier.arrive
grid.kernel @all grid(%r = 2 named "y" cluster, %c = 2 named "x" cluster) {
  grid.scoped (%b: memref<!warpgroup.barrier<1, cluster = [["y", "x"]]>, #warpgroup.space<smem>>) {
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1, cluster = [["y", "x"]]>, #warpgroup.space<smem>>
  }
}

// -----

// Where no block reads what threads of others have stored, arrivals and waits order the stores of a block alone: the
// fence that orders them for a cluster is one for the whole GPU. What a copy writes, the barrier orders in any case.
// CHECK-LABEL: gpu.module @own
// CHECK-NOT: mem_scope<cluster>
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK-NOT: mem_scope<cluster>
// CHECK: llvm.return
grid.kernel @own grid(%c = 2 named "x" cluster) inputs(%x: f32 [512] space #warpgroup.space<gmem>) outputs(%o: f32 [512] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<512xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>) {
    %v = grid.load %x : memref<512xf32, #warpgroup.space<gmem>> -> tensor<512xf32>
    grid.store %v, %t : tensor<512xf32>, memref<512xf32, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>
    grid.store %v, %o : tensor<512xf32>, memref<512xf32, #warpgroup.space<gmem>>
  }
}

// -----

// Stores to global memory are visible to another block after the barrier, if the kernel loads from that memory; a
// barrier within the block has no such effect.
// CHECK-LABEL: gpu.module @stored
// CHECK: nvvm.mbarrier.arrive %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
// CHECK: nvvm.mbarrier.try_wait {{.*}} {scope = #nvvm.mem_scope<cluster>}
// CHECK: mbarrier.try_wait.parity.shared.b64
grid.kernel @stored grid(%c = 2 named "x" cluster) outputs(%o: f32 [512] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<512xf32, #warpgroup.space<smem>>, %a: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>) {
    %v = arith.constant dense<1.0> : tensor<512xf32>
    grid.store %v, %o : tensor<512xf32>, memref<512xf32, #warpgroup.space<gmem>>
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1, cluster = ["x"]>, #warpgroup.space<smem>>
    warpgroup.barrier_arrive %a : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %others = grid.load %o : memref<512xf32, #warpgroup.space<gmem>> -> tensor<512xf32>
    grid.store %others, %t : tensor<512xf32>, memref<512xf32, #warpgroup.space<smem>>
  }
}

// -----

// No cluster's work is ever done by another one.
// CHECK-LABEL: gpu.module @cancel
// CHECK: nvvm.mbarrier.arrive
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK-NOT: llvm.ptr<1>
// CHECK: llvm.return
grid.kernel @cancel grid(%i = 2 named "i") outputs(%o: i32 [] space #warpgroup.space<gmem>) {
  grid.scoped (%answer: memref<16xi8, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.try_cluster_cancel %answer barrier %b : memref<16xi8, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %index, %found = warpgroup.query_cluster_cancel %answer ["i"] : memref<16xi8, #warpgroup.space<smem>> -> i32
    scf.if %found {
      grid.store %index, %o : i32, memref<i32, #warpgroup.space<gmem>>
    }
  }
}

// -----

// Along one axis of two the members of the team differ in one bit of the rank. A window that cannot be divided into
// parts of 128 bytes is copied by the first member for both, each row of windows by the next one.
// CHECK-LABEL: gpu.module @partly
// CHECK: %[[MASK:.+]] = arith.trunci %{{.+}} : i32 to i16
// CHECK: scf.if
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}} multicast_mask = %[[MASK]]{{ }}
// CHECK-NOT: nvvm.cp.async.bulk.tensor
grid.kernel @partly grid(%r = 2 named "y" cluster, %c = 2 named "x" cluster) inputs(%x: f32 [64, 4] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<63x4xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.tma_load %x[0, 0] [63, 4] to %t barrier %b collective ["y"]
        : memref<64x4xf32, #warpgroup.space<gmem>>, memref<63x4xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}
