// RUN: gridir-opt %s --split-input-file --verify-diagnostics --convert-grid-to-loops

grid.kernel @cluster grid(%i = 2 named "c" cluster)
    inputs() outputs(%o: f32 [8] space #warpgroup.space<gmem>)
    scratch(%barrier: memref<!warpgroup.barrier<1, cluster = ["d"]>, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  // expected-error @below {{expected an axis of the cluster, got d}}
  warpgroup.barrier_arrive %barrier : memref<!warpgroup.barrier<1, cluster = ["d"]>, #warpgroup.space<smem>>
}

// -----

grid.kernel @peer grid(%i = 2 named "c" cluster)
    inputs() outputs(%o: f32 [32] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8x6xf32, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %rows = grid.slice_ref %tile[0, 0] [8, 4] [1, 1]
      : memref<8x6xf32, #warpgroup.space<smem>> -> memref<8x4xf32, #warpgroup.space<smem>>
  %flat = grid.reshape_ref %rows : memref<8x4xf32, #warpgroup.space<smem>> -> memref<32xf32, #warpgroup.space<smem>>
  %c0 = arith.constant 0 : i32
  // expected-error @below {{expected a strided Ref of another block or device}}
  %v = warpgroup.cluster_load %flat ["c"] [%c0] : memref<32xf32, #warpgroup.space<smem>>, i32 -> tensor<32xf32>
  grid.store %v, %o : tensor<32xf32>, memref<32xf32, #warpgroup.space<gmem>>
}

// -----

grid.kernel @view grid()
    inputs() outputs(%o: i8 [32] space #warpgroup.space<gmem>)
    scratch(%tile: memref<8x6xf32, #warpgroup.space<smem>>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  %rows = grid.slice_ref %tile[0, 0] [8, 4] [1, 1]
      : memref<8x6xf32, #warpgroup.space<smem>> -> memref<8x4xf32, #warpgroup.space<smem>>
  %flat = grid.reshape_ref %rows : memref<8x4xf32, #warpgroup.space<smem>> -> memref<32xf32, #warpgroup.space<smem>>
  %bytes = grid.bitcast_ref %o : memref<32xi8, #warpgroup.space<gmem>> -> memref<8xf32, #warpgroup.space<gmem>>
  %part = grid.slice_ref %flat[0] [8] [1] : memref<32xf32, #warpgroup.space<smem>> -> memref<8xf32, #warpgroup.space<smem>>
  // expected-error @below {{expected a copy between strided Refs}}
  warpgroup.tma_store %part to %bytes[0] [8]
      : memref<8xf32, #warpgroup.space<smem>>, memref<8xf32, #warpgroup.space<gmem>>
}

// -----

grid.kernel @device grid()
    inputs(%x: f32 [32] space #warpgroup.space<gmem>) outputs(%o: f32 [32] space #warpgroup.space<gmem>)
    semantics [] attributes {grid.tasks = #kernel.tasks<>} {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{expected devices over which the call is mapped, as in shard_map, got a device outside of any known mesh}}
  %v = warpgroup.device_load %x device(%c0 : i32) {device_id_type = #grid.device_id_type<mesh>}
      : memref<32xf32, #warpgroup.space<gmem>> -> tensor<32xf32>
  grid.store %v, %o : tensor<32xf32>, memref<32xf32, #warpgroup.space<gmem>>
}

// -----

grid.kernel @threads grid(%i = 2 named "t" thread)
    inputs() outputs(%o: i1 [] space #warpgroup.space<gmem>) scratch(%answer: memref<16xi8, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  // expected-error @below {{expected an axis of the grid, got t}}
  %index, %found = warpgroup.query_cluster_cancel %answer ["t"] : memref<16xi8, #warpgroup.space<smem>> -> i32
  grid.store %found, %o : i1, memref<i1, #warpgroup.space<gmem>>
}

// -----

grid.kernel @answers grid(%i = 2 named "x")
    inputs() outputs(%o: i1 [] space #warpgroup.space<gmem>) scratch(%answers: memref<8x6xi8, #warpgroup.space<smem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %rows = grid.slice_ref %answers[0, 0] [4, 4] [1, 1]
      : memref<8x6xi8, #warpgroup.space<smem>> -> memref<4x4xi8, #warpgroup.space<smem>>
  %answer = grid.reshape_ref %rows : memref<4x4xi8, #warpgroup.space<smem>> -> memref<16xi8, #warpgroup.space<smem>>
  // expected-error @below {{expected a contiguous answer}}
  %index, %found = warpgroup.query_cluster_cancel %answer ["x"] : memref<16xi8, #warpgroup.space<smem>> -> i32
  grid.store %found, %o : i1, memref<i1, #warpgroup.space<gmem>>
}

// -----

grid.kernel @large_cluster grid(%r = 2147483647 named "r" cluster, %c = 3 named "c" cluster)
    inputs() outputs(%o: f32 [8] space #warpgroup.space<gmem>)
    scratch(%met: memref<!warpgroup.barrier<1, cluster = ["r", "c"]>, #warpgroup.space<smem>>)
    semantics [parallel, parallel] attributes {grid.tasks = #kernel.tasks<>} {
  // expected-error @below {{expected at most 16 blocks of a cluster, got 2147483647 along "r"}}
  warpgroup.barrier_arrive %met : memref<!warpgroup.barrier<1, cluster = ["r", "c"]>, #warpgroup.space<smem>>
}
