// RUN: gridir-opt %s --split-input-file --convert-warpgroup-to-grid --convert-grid-to-loops | FileCheck %s

// Of 2 x 3 blocks one arrives at its own barrier, at the one of the other row and at those of the two other columns.
// CHECK-LABEL: func.func @arrive(
// CHECK:         %[[COUNT:.*]] = arith.constant 4 : i64
// CHECK:         call @gridirTaskArrive(%{{.*}}, %[[COUNT]],
// CHECK-COUNT-3: call @gridirTaskLocate({{.*}}
// CHECK-NOT:     call @gridirTaskLocate(
// CHECK:         return
grid.kernel @arrive grid(%r = 2 named "r" cluster, %c = 3 named "c" cluster)
    inputs() outputs(%o: f32 [8] space #warpgroup.space<gmem>)
    scratch(%met: memref<!warpgroup.barrier<1, cluster = ["r", "c"]>, #warpgroup.space<smem>>)
    semantics [parallel, parallel] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.barrier_arrive %met : memref<!warpgroup.barrier<1, cluster = ["r", "c"]>, #warpgroup.space<smem>>
}

// -----

// Of axes that count as one, at those of all six.
// CHECK-LABEL: func.func @arrive_at_all(
// CHECK:         %[[COUNT:.*]] = arith.constant 6 : i64
// CHECK:         call @gridirTaskArrive(%{{.*}}, %[[COUNT]],
// CHECK-COUNT-5: call @gridirTaskLocate({{.*}}
// CHECK-NOT:     call @gridirTaskLocate(
// CHECK:         return
grid.kernel @arrive_at_all grid(%r = 2 named "r" cluster, %c = 3 named "c" cluster)
    inputs() outputs(%o: f32 [8] space #warpgroup.space<gmem>)
    scratch(%met: memref<!warpgroup.barrier<1, cluster = [["r", "c"]]>, #warpgroup.space<smem>>)
    semantics [parallel, parallel] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.barrier_arrive %met : memref<!warpgroup.barrier<1, cluster = [["r", "c"]]>, #warpgroup.space<smem>>
}

// -----

// The leader arrives for both copies, and the phase waits for the other one.
// CHECK-LABEL: func.func @leader(
// CHECK:         call @gridirTaskLocate(
// CHECK:         %[[IS_LEADER:.*]] = arith.cmpi eq
// CHECK:         %[[COUNT:.*]] = arith.select %[[IS_LEADER]], %c1_i64{{.*}}, %c0_i64
// CHECK:         %[[COPIES:.*]] = arith.select %[[IS_LEADER]], %c1_i64{{.*}}, %c-1_i64
// CHECK:         call @gridirTaskBulkCopy({{.*}}, %[[COUNT]], %[[COPIES]])
grid.kernel @leader grid(%c = 2 named "c" cluster)
    inputs(%x: f32 [64] space #warpgroup.space<gmem>) outputs(%o: f32 [8] space #warpgroup.space<gmem>)
    scratch(%tile: memref<32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.tma_load %x[0] [32] to %tile barrier %b collective ["c"] leader_tracked
      : memref<64xf32, #warpgroup.space<gmem>>, memref<32xf32, #warpgroup.space<smem>>,
        memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}

// -----

// The memory of another block is copied from and to here; an update is a load before the store.
// CHECK-LABEL: func.func @peers(
// CHECK:         call @gridirTaskLocate(
// CHECK:         call @gridirTaskMove(
// CHECK:         call @gridirTaskMove(
// CHECK:         arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         call @gridirTaskMove(
// CHECK:         call @gridirTaskArrive(
// CHECK-NOT:     warpgroup.
grid.kernel @peers grid(%c = 2 named "c" cluster)
    inputs(%i: i32 [] space #warpgroup.space<gmem>) outputs(%o: f32 [32] space #warpgroup.space<gmem>)
    scratch(%tile: memref<32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.load %i : memref<i32, #warpgroup.space<gmem>> -> i32
  %v = warpgroup.cluster_load %tile ["c"] [%p] : memref<32xf32, #warpgroup.space<smem>>, i32 -> tensor<32xf32>
  warpgroup.cluster_store %v to %tile ["c"] [%p] reduce add barrier %b
      : tensor<32xf32>, memref<32xf32, #warpgroup.space<smem>>, i32
      barrier memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}

// -----

// A Ref whose dimensions are exchanged is memory at other distances.
// CHECK-LABEL: func.func @turned(
// CHECK:         %[[TURNED:.*]] = memref.transpose %{{.*}} (d0, d1) -> (d1, d0)
// CHECK:         memref.extract_strided_metadata %[[TURNED]]
// CHECK:         call @gridirTaskMove(
grid.kernel @turned grid(%c = 2 named "c" cluster)
    inputs() outputs(%o: f32 [16, 32] space #warpgroup.space<gmem>) scratch(%tile: memref<32x16xf32, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %c0 = arith.constant 0 : i32
  %t = grid.transpose_ref %tile [1, 0]
      : memref<32x16xf32, #warpgroup.space<smem>> -> memref<16x32xf32, #warpgroup.space<smem>>
  %v = warpgroup.cluster_load %t ["c"] [%c0] : memref<16x32xf32, #warpgroup.space<smem>>, i32 -> tensor<16x32xf32>
  grid.store %v, %o : tensor<16x32xf32>, memref<16x32xf32, #warpgroup.space<gmem>>
}

// -----

// The same place of another device's array; a number that no device has is reported, and taken for the own one.
// CHECK-LABEL: func.func @devices(
// CHECK:         %[[PEER:.*]] = arith.select %{{.*}}, %c-1_i64{{.*}}, %{{.*}} : i64
// CHECK:         %[[THERE:.*]] = func.call @gridirTaskLocate(%{{.*}}, %[[PEER]],
// CHECK:         call @gridirTaskMove(%[[THERE]], %{{.*}},
// CHECK:         %[[DEST:.*]] = func.call @gridirTaskLocate(
// CHECK:         call @gridirTaskMove(%{{.*}}, %[[DEST]],
grid.kernel @devices grid()
    inputs(%x: f32 [64] space #warpgroup.space<gmem>, %n: i32 [] space #warpgroup.space<gmem>) outputs(%o: f32 [64] space #warpgroup.space<gmem>)
    semantics [] attributes {grid.devices = 4 : i64, grid.tasks = #kernel.tasks<>} {
  %d = grid.load %n : memref<i32, #warpgroup.space<gmem>> -> i32
  %v = warpgroup.device_load %x device(%d : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<64xf32, #warpgroup.space<gmem>> -> tensor<64xf32>
  warpgroup.device_store %v to %o device(%d : i32) {device_id_type = #grid.device_id_type<logical>}
      : tensor<64xf32>, memref<64xf32, #warpgroup.space<gmem>>
}

// -----

// The answer is the first work item of a cluster of two blocks, of one warpgroup each: six blocks are three clusters.
// CHECK-LABEL: func.func @cancel(
// CHECK-DAG:     %[[MEMBERS:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[CLUSTERS:.*]] = arith.constant 3 : i64
// CHECK:         call @gridirTaskAskForCluster(%[[ANSWER:.*]], %[[MEMBERS]], %{{.*}}, %[[CLUSTERS]],
// CHECK:         call @gridirTaskArrive(
// CHECK:         %[[ITEM:.*]] = func.call @gridirTaskReadAnswer(
// CHECK:         %[[FOUND:.*]] = arith.cmpi sge, %[[ITEM]],
// CHECK:         %[[FIRST:.*]] = arith.select %[[FOUND]], %[[ITEM]],
// CHECK:         %[[CLUSTER:.*]] = arith.divui %[[FIRST]],
// CHECK:         arith.remui %[[CLUSTER]],
// CHECK:         memref.store %[[FOUND]]
grid.kernel @cancel grid(%i = 8 named "i", %c = 2 named "c" cluster)
    inputs() outputs(%o: i1 [] space #warpgroup.space<gmem>)
    scratch(%answer: memref<16xi8, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [parallel, parallel] attributes {grid.tasks = #kernel.tasks<cluster = 2>} {
  warpgroup.try_cluster_cancel %answer barrier %b {blocks_at_once = 6}
      : memref<16xi8, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  %index, %found = warpgroup.query_cluster_cancel %answer ["i"] : memref<16xi8, #warpgroup.space<smem>> -> i32
  grid.store %found, %o : i1, memref<i1, #warpgroup.space<gmem>>
}

// -----

// The first of two blocks computes the rows of both, and arrives at both barriers.
// CHECK-LABEL: func.func @pair(
// CHECK:         scf.if
// CHECK:           call @gridirTaskMove(
// CHECK:           tensor.insert_slice
// CHECK:           linalg.contract
// CHECK:           linalg.contract
// CHECK:         scf.if
// CHECK:           call @gridirTaskArrive(
// CHECK:           call @gridirTaskArrive(
// CHECK-NOT:     warpgroup.
grid.kernel @pair grid(%i = 2 named "c" cluster)
    inputs(%flag: i1 [] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 128] space #warpgroup.space<gmem>)
    scratch(%acc: memref<128x128xf32, #warpgroup.space<tmem>>, %a: memref<128x64xf16, #warpgroup.space<smem>>,
            %b: memref<64x64xf16, #warpgroup.space<smem>>,
            %done: memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.load %flag : memref<i1, #warpgroup.space<gmem>> -> i1
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p barrier %done collective "c"
      : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>,
        memref<64x64xf16, #warpgroup.space<smem>> barrier memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
}

// -----

// A sparse operand is filled with zeros, a scaled one multiplied, before the product.
// CHECK-LABEL: func.func @narrow(
// CHECK:         linalg.generic
// CHECK:           tensor.extract
// CHECK:         linalg.generic
// CHECK:           arith.select
// CHECK:           arith.mulf
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:         linalg.contract
// CHECK-NOT:     warpgroup.
grid.kernel @narrow grid()
    inputs(%flag: i1 [] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 128] space #warpgroup.space<gmem>)
    scratch(%acc: memref<128x128xf32, #warpgroup.space<tmem>>, %a: memref<128x64xf8E5M2, #warpgroup.space<smem>>,
            %b: memref<128x128xf8E5M2, #warpgroup.space<smem>>, %ts: memref<1x1x32x16xf32, #warpgroup.space<smem>>,
            %s: memref<128x4xf32, #warpgroup.space<tmem>>, %m: memref<128x64xi2, #warpgroup.space<tmem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  %p = grid.load %flag : memref<i1, #warpgroup.space<gmem>> -> i1
  warpgroup.tmem_copy %ts to %s as_scales
      : memref<1x1x32x16xf32, #warpgroup.space<smem>>, memref<128x4xf32, #warpgroup.space<tmem>>
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p scales %s, %s sparse %m
      : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf8E5M2, #warpgroup.space<smem>>,
        memref<128x128xf8E5M2, #warpgroup.space<smem>>
      scales memref<128x4xf32, #warpgroup.space<tmem>>, memref<128x4xf32, #warpgroup.space<tmem>>
      sparse memref<128x64xi2, #warpgroup.space<tmem>>
}

// -----

// The code of warps begins with a call that returns for each of them.
// CHECK-LABEL: func.func @warps(
// CHECK:         %[[NUMBER:.*]] = func.call @gridirTaskStartWarps()
// CHECK:         %[[WARP:.*]] = arith.trunci %[[NUMBER]] : i64 to i32
// CHECK:         memref.store %[[WARP]]
// CHECK:         call @gridirTaskJoinWarps()
grid.kernel @warps grid()
    inputs() outputs(%o: i32 [] space #warpgroup.space<gmem>) semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  warpgroup.warps {
  ^bb0(%warp: i32):
    grid.store %warp, %o : i32, memref<i32, #warpgroup.space<gmem>>
  }
}
