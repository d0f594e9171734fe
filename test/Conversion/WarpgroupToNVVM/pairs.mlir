// RUN: gridir-opt %s --split-input-file --verify-diagnostics --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_100a --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_100a --canonicalize --cse | FileCheck %s

// The copies of two blocks end at the barrier of the first one, which expects the bytes of both.
// CHECK-LABEL: gpu.module @tracked
// CHECK: nvvm.elect.sync
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c8192_i32
// CHECK: %[[PEER:.+]] = nvvm.mapa
// CHECK: %[[BITS:.+]] = llvm.ptrtoint %[[PEER]] : !llvm.ptr<7> to i32
// CHECK: %[[END:.+]] = llvm.inttoptr %[[BITS]] : i32 to !llvm.ptr<3>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %{{.+}}, %[[END]], {{.*}}group = #nvvm.cta_group<cta_2>
grid.kernel @tracked grid(%c = 2 named "x" cluster) inputs(%x: f32 [64, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<32x32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %c = grid.program_id "x"
    warpgroup.tma_load %x[%c : i32, 0] [32, 32] to %t barrier %b collective ["x"] leader_tracked
        : memref<64x32xf32, #warpgroup.space<gmem>>, memref<32x32xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @tracked_by_rows grid(%r = 2 named "y" cluster, %c = 2 named "x" cluster) inputs(%x: f32 [64, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<32x32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected the innermost axis of a cluster, of size 2, got y of 2}}
    warpgroup.tma_load %x[0, 0] [32, 32] to %t barrier %b collective ["y"] leader_tracked
        : memref<64x32xf32, #warpgroup.space<gmem>>, memref<32x32xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @other_rows grid() {
  grid.scoped (%t: memref<128x32xi32, #warpgroup.space<tmem>>) {
    // expected-error @below {{expected a view of tensor memory that keeps its rows and columns, got 'memref<64x64xi32, #warpgroup.space<tmem>>' of 'memref<128x32xi32, #warpgroup.space<tmem>>'}}
    %r = grid.reshape_ref %t : memref<128x32xi32, #warpgroup.space<tmem>> -> memref<64x64xi32, #warpgroup.space<tmem>>
  }
}

// -----

grid.kernel @few_rows grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>, %i: i32 [6] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<6x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    %rows = grid.load %i : memref<6xi32, #warpgroup.space<gmem>> -> tensor<6xi32>
    // expected-error @below {{expected a copy of rows whose number is a multiple of 4}}
    warpgroup.tma_gather %x[%rows] to %t barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, tensor<6xi32>, memref<6x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// The first warpgroup of each block waits for an answer, the first block asks for one, and the index of a cluster is
// that of its first block.
// CHECK-LABEL: gpu.module @cancel
// CHECK: %[[BYTES:.+]] = arith.select %{{.+}}, %c16_i32, %c0_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES]]
// CHECK: scf.if
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel multicast
// CHECK: %[[ANSWER:.+]] = llvm.load {{.*}} -> i128
// CHECK: nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]] : i1
// CHECK: %[[BLOCK:.+]] = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %[[ANSWER]] : i32
// CHECK: %[[CLUSTER:.+]] = arith.divui %[[BLOCK]], %c2_i32
// CHECK: arith.remui %[[CLUSTER]], %c3_i32
grid.kernel @cancel grid(%i = 4 named "i", %j = 3 named "j", %c = 2 named "x" cluster, %w = 2 named "wg" thread) outputs(%o: i32 [] space #warpgroup.space<gmem>) {
  grid.scoped (%answer: memref<16xi8, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>) attributes {collective = ["wg"]} {
    warpgroup.try_cluster_cancel %answer barrier %b : memref<16xi8, #warpgroup.space<smem>>, memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    %index, %found = warpgroup.query_cluster_cancel %answer ["j"] : memref<16xi8, #warpgroup.space<smem>> -> i32
    scf.if %found {
      grid.store %index, %o : i32, memref<i32, #warpgroup.space<gmem>>
    }
  }
}

// -----

grid.kernel @answer grid(%i = 4 named "i") outputs(%o: i8 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    // expected-error @below {{expected an answer in shared memory, got 'memref<16xi8, #warpgroup.space<gmem>>'}}
    warpgroup.try_cluster_cancel %o barrier %b : memref<16xi8, #warpgroup.space<gmem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

grid.kernel @indices grid(%i = 4 named "i", %c = 2 named "x" cluster) {
  grid.scoped (%answer: memref<16xi8, #warpgroup.space<smem>>) {
    // expected-error @below {{expected an axis of the grid, got x}}
    %index, %found = warpgroup.query_cluster_cancel %answer ["x"] : memref<16xi8, #warpgroup.space<smem>> -> i32
  }
}
