// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --mlir-print-op-generic | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s

// CHECK-LABEL: func.func @blocks(
func.func @blocks(%x: memref<512x512xf32>, %tile: memref<64x32xf32>, %v: tensor<64x32xf32>, %i: i32,
                  %b: memref<!warpgroup.barrier<1>>) -> tensor<64x32xf32> {
  // CHECK: warpgroup.tma_load %{{.*}} barrier %{{.*}} collective ["x"] leader_tracked :
  warpgroup.tma_load %x[%i : i32, 0] [64, 32] to %tile barrier %b collective ["x"] leader_tracked
      : memref<512x512xf32>, memref<64x32xf32>, memref<!warpgroup.barrier<1>>
  // CHECK: %[[V:.*]] = warpgroup.cluster_load %{{.*}} ["x", "y"][%{{.*}}, %{{.*}}] : memref<64x32xf32>, i32, i32 -> tensor<64x32xf32>
  %w = warpgroup.cluster_load %tile ["x", "y"] [%i, %i] : memref<64x32xf32>, i32, i32 -> tensor<64x32xf32>
  // CHECK: warpgroup.cluster_store %{{.*}} to %{{.*}} ["x"][%{{.*}}] : tensor<64x32xf32>, memref<64x32xf32>, i32
  warpgroup.cluster_store %v to %tile ["x"] [%i] : tensor<64x32xf32>, memref<64x32xf32>, i32
  // CHECK: warpgroup.cluster_store %{{.*}} to %{{.*}} ["x"][%{{.*}}] reduce add barrier %{{.*}} : {{.*}} barrier memref<!warpgroup.barrier<1>>
  warpgroup.cluster_store %v to %tile ["x"] [%i] reduce add barrier %b
      : tensor<64x32xf32>, memref<64x32xf32>, i32 barrier memref<!warpgroup.barrier<1>>
  return %w : tensor<64x32xf32>
}

// CHECK-LABEL: func.func @devices(
func.func @devices(%x: memref<64x32xf32>, %i: i32, %j: index) {
  // CHECK: %[[V:.*]] = warpgroup.device_load %{{.*}} device(%{{.*}} : i32) {device_id_type = #grid.device_id_type<logical>} : memref<64x32xf32> -> tensor<64x32xf32>
  %v = warpgroup.device_load %x device(%i : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<64x32xf32> -> tensor<64x32xf32>
  // CHECK: warpgroup.device_store %[[V]] to %{{.*}} device(%{{.*}}, %{{.*}} : i32, index) {device_id_type = #grid.device_id_type<mesh>} : tensor<64x32xf32>, memref<64x32xf32>
  warpgroup.device_store %v to %x device(%i, %j : i32, index) {device_id_type = #grid.device_id_type<mesh>}
      : tensor<64x32xf32>, memref<64x32xf32>
  return
}

// CHECK-LABEL: func.func @cancel(
func.func @cancel(%answer: memref<16xi8>, %b: memref<!warpgroup.barrier<2>>) -> (i32, i32, i1) {
  // CHECK: warpgroup.try_cluster_cancel %{{.*}} barrier %{{.*}} : memref<16xi8>, memref<!warpgroup.barrier<2>>
  warpgroup.try_cluster_cancel %answer barrier %b : memref<16xi8>, memref<!warpgroup.barrier<2>>
  // CHECK: warpgroup.try_cluster_cancel %{{.*}} barrier %{{.*}} alone : memref<16xi8>, memref<!warpgroup.barrier<2>>
  warpgroup.try_cluster_cancel %answer barrier %b alone : memref<16xi8>, memref<!warpgroup.barrier<2>>
  // CHECK: warpgroup.try_cluster_cancel %{{.*}} barrier %{{.*}} {blocks_at_once = 4 : i64} :
  warpgroup.try_cluster_cancel %answer barrier %b {blocks_at_once = 4 : i64}
      : memref<16xi8>, memref<!warpgroup.barrier<2>>
  // CHECK: %{{.*}}:2, %{{.*}} = warpgroup.query_cluster_cancel %{{.*}} ["i", "j"] : memref<16xi8> -> i32, i32
  %index:2, %found = warpgroup.query_cluster_cancel %answer ["i", "j"] : memref<16xi8> -> i32, i32
  return %index#0, %index#1, %found : i32, i32, i1
}

// CHECK-LABEL: func.func @products(
func.func @products(%acc: memref<128x128xf32>, %a: memref<128x64xf8E5M2>, %b: memref<64x64xf8E5M2>,
                    %d: memref<128x64xf8E5M2>, %c: memref<128x64xf8E5M2>, %p: i1,
                    %sa: memref<128x4xf8E8M0FNU>, %sb: memref<128x4xf8E8M0FNU>, %m: memref<128x64xi2>,
                    %ts: memref<1x1x32x16xf8E8M0FNU>, %tm: memref<1x1x128x64xi2>,
                    %done: memref<!warpgroup.barrier<1, tensor_core>>) {
  // CHECK: warpgroup.tmem_copy %{{.*}} to %{{.*}} as_scales collective "x" : memref<1x1x32x16xf8E8M0FNU>, memref<128x4xf8E8M0FNU>
  warpgroup.tmem_copy %ts to %sa as_scales collective "x" : memref<1x1x32x16xf8E8M0FNU>, memref<128x4xf8E8M0FNU>
  // CHECK: warpgroup.tmem_copy %{{.*}} to %{{.*}} as_metadata : memref<1x1x128x64xi2>, memref<128x64xi2>
  warpgroup.tmem_copy %tm to %m as_metadata : memref<1x1x128x64xi2>, memref<128x64xi2>
  // CHECK: warpgroup.tcgen05_mma %{{.*}} accumulate %{{.*}} scales %{{.*}}, %{{.*}} collective "x" : {{.*}} scales memref<128x4xf8E8M0FNU>, memref<128x4xf8E8M0FNU>
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p scales %sa, %sb collective "x"
      : memref<128x128xf32>, memref<128x64xf8E5M2>, memref<64x64xf8E5M2>
      scales memref<128x4xf8E8M0FNU>, memref<128x4xf8E8M0FNU>
  // CHECK: warpgroup.tcgen05_mma %{{.*}} accumulate %{{.*}} barrier %{{.*}} sparse %{{.*}} : {{.*}} barrier {{.*}} sparse memref<128x64xi2>
  warpgroup.tcgen05_mma %c, %a, %d accumulate %p barrier %done sparse %m
      : memref<128x64xf8E5M2>, memref<128x64xf8E5M2>, memref<128x64xf8E5M2>
      barrier memref<!warpgroup.barrier<1, tensor_core>> sparse memref<128x64xi2>
  // CHECK: warpgroup.tcgen05_commit %{{.*}} collective "x" : memref<!warpgroup.barrier<1, tensor_core>>
  warpgroup.tcgen05_commit %done collective "x" : memref<!warpgroup.barrier<1, tensor_core>>
  return
}

// CHECK-LABEL: func.func @warps(
func.func @warps(%b: memref<!warpgroup.barrier<4>>) {
  // CHECK:      warpgroup.warps {
  // CHECK-NEXT: ^bb0(%{{.*}}: i32):
  // CHECK-NEXT:   warpgroup.barrier_arrive
  warpgroup.warps {
  ^bb0(%warp: i32):
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<4>>
  }
  return
}
