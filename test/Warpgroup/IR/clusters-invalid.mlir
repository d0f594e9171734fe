// RUN: gridir-opt %s --split-input-file --verify-diagnostics

func.func @coordinates(%tile: memref<64x32xf32>, %i: i32) -> tensor<64x32xf32> {
  // expected-error @below {{expected a coordinate for each of the axes, got 1 of ["x", "y"]}}
  %w = warpgroup.cluster_load %tile ["x", "y"] [%i] : memref<64x32xf32>, i32 -> tensor<64x32xf32>
  return %w : tensor<64x32xf32>
}

// -----

func.func @loaded(%tile: memref<64x32xf32>, %i: i32) -> tensor<32x64xf32> {
  // expected-error @below {{expected an array of type 'tensor<64x32xf32>', got 'tensor<32x64xf32>'}}
  %w = warpgroup.cluster_load %tile ["x"] [%i] : memref<64x32xf32>, i32 -> tensor<32x64xf32>
  return %w : tensor<32x64xf32>
}

// -----

func.func @no_device(%x: memref<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @below {{expected another device, got none}}
  %v = "warpgroup.device_load"(%x) {device_id_type = #grid.device_id_type<mesh>}
      : (memref<64x32xf32>) -> tensor<64x32xf32>
  return %v : tensor<64x32xf32>
}

// -----

func.func @on_device(%x: memref<64x32xf32>, %v: tensor<32xf32>, %i: i32) {
  // expected-error @below {{expected an array of type 'tensor<64x32xf32>', got 'tensor<32xf32>'}}
  warpgroup.device_store %v to %x device(%i : i32) {device_id_type = #grid.device_id_type<mesh>}
      : tensor<32xf32>, memref<64x32xf32>
  return
}

// -----

func.func @answer_of_unknown_size(%answer: memref<?xi8>) {
  // expected-error @below {{expected an answer of 128 bits, got 'memref<?xi8>'}}
  %index, %found = warpgroup.query_cluster_cancel %answer ["x"] : memref<?xi8> -> i32
  return
}

// -----

func.func @answer(%answer: memref<8xi8>, %b: memref<!warpgroup.barrier<2>>) {
  // expected-error @below {{expected an answer of 128 bits, got 'memref<8xi8>'}}
  warpgroup.try_cluster_cancel %answer barrier %b : memref<8xi8>, memref<!warpgroup.barrier<2>>
  return
}

// -----

func.func @queried(%answer: memref<16xi8>) -> i32 {
  // expected-error @below {{expected a coordinate for each of the axes, got 1 of []}}
  %i, %found = warpgroup.query_cluster_cancel %answer [] : memref<16xi8> -> i32
  return %i : i32
}

// -----

func.func @no_number(%b: memref<!warpgroup.barrier<4>>) {
  // expected-error @below {{expected a region whose argument is the number of the warp, an i32}}
  warpgroup.warps {
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<4>>
  }
  return
}

// -----

func.func @nested() {
  warpgroup.warps {
  ^bb0(%outer: i32):
    // expected-error @below {{expected an enclosing warpgroup program, got single-warp code}}
    warpgroup.warps {
    ^bb0(%inner: i32):
      warpgroup.commit_smem
    }
  }
  return
}

// -----

func.func @tracked(%x: memref<512xf32>, %tile: memref<64xf32>, %b: memref<!warpgroup.barrier<1>>) {
  // expected-error @below {{expected one collective axis of a copy that the leader tracks}}
  warpgroup.tma_load %x[0] [64] to %tile barrier %b leader_tracked
      : memref<512xf32>, memref<64xf32>, memref<!warpgroup.barrier<1>>
  return
}

// -----

func.func @scales_and_metadata(%tile: memref<1x1x32x16xi8>, %t: memref<128x4xi8>) {
  // expected-error @below {{expected scales or metadata, got both}}
  warpgroup.tmem_copy %tile to %t as_scales as_metadata : memref<1x1x32x16xi8>, memref<128x4xi8>
  return
}

// -----

func.func @scale_rows(%tile: memref<1x1x32x16xi8>, %t: memref<96x4xi8>) {
  // expected-error @below {{expected a matrix of blocks of 128 rows and 4 columns in tensor memory, got 'memref<96x4xi8>'}}
  warpgroup.tmem_copy %tile to %t as_scales : memref<1x1x32x16xi8>, memref<96x4xi8>
  return
}

// -----

func.func @dynamic_rows(%tile: memref<1x1x32x16xi8>, %t: memref<?x4xi8>) {
  // expected-error @below {{expected a matrix of blocks of 128 rows and 4 columns in tensor memory, got 'memref<?x4xi8>'}}
  warpgroup.tmem_copy %tile to %t as_scales : memref<1x1x32x16xi8>, memref<?x4xi8>
  return
}

// -----

func.func @few_scales(%acc: memref<128x128xf32>, %a: memref<128x64xf16>, %b: memref<64x128xf16>, %p: i1,
                      %sa: memref<64x4xf16>, %sb: memref<128x4xf16>) {
  // expected-error @below {{expected scales of 128 rows or more, whose number along k divides 64, got 'memref<64x4xf16>'}}
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p scales %sa, %sb
      : memref<128x128xf32>, memref<128x64xf16>, memref<64x128xf16> scales memref<64x4xf16>, memref<128x4xf16>
  return
}

// -----

func.func @metadata(%acc: memref<128x128xf32>, %a: memref<128x32xf16>, %b: memref<64x128xf16>, %p: i1,
                    %m: memref<128x64xi2>) {
  // expected-error @below {{expected metadata for each element of the left operand, got 'memref<128x64xi2>' of 'memref<128x32xf16>'}}
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p sparse %m
      : memref<128x128xf32>, memref<128x32xf16>, memref<64x128xf16> sparse memref<128x64xi2>
  return
}

// -----

grid.kernel @pair grid(%i = 3 named "c" cluster)
    inputs() outputs(%o: f32 [8] space #warpgroup.space<gmem>)
    scratch(%done: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
    semantics [parallel] {
  // expected-error @below {{expected a collective axis of the cluster with two blocks, got "c"}}
  warpgroup.tcgen05_commit %done collective "c" : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
}

// -----

func.func @no_blocks(%answer: memref<16xi8>, %b: memref<!warpgroup.barrier<2>>) {
  // expected-error @below {{attribute 'blocks_at_once' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  warpgroup.try_cluster_cancel %answer barrier %b {blocks_at_once = 0 : i64} : memref<16xi8>, memref<!warpgroup.barrier<2>>
  return
}
