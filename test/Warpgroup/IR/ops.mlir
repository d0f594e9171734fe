// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --mlir-print-op-generic | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s

// CHECK-LABEL: func.func @barriers(
// CHECK-SAME:    memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
// CHECK-SAME:    memref<4x!warpgroup.barrier<1, tensor_core>>
// CHECK-SAME:    memref<1x!warpgroup.barrier<1, cluster = ["x", ["y", "z"]], leader_tracked>>
func.func @barriers(%b: memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>,
                    %t: memref<4x!warpgroup.barrier<1, tensor_core>>,
                    %c: memref<1x!warpgroup.barrier<1, cluster = ["x", ["y", "z"]], leader_tracked>>) -> i1 {
  // CHECK: warpgroup.barrier_arrive %{{.*}} : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  // CHECK: warpgroup.barrier_wait
  warpgroup.barrier_wait %b : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  // CHECK: warpgroup.barrier_wait %{{.*}} phase <size = 4, distance = 1> : memref
  warpgroup.barrier_wait %b phase <size = 4, distance = 1> : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  // CHECK: warpgroup.barrier_wait %{{.*}} phase <size = 1, distance = 0, inverted = true> : memref
  warpgroup.barrier_wait %b phase <size = 1, distance = 0, inverted = true> : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  // CHECK: %[[DONE:.*]] = warpgroup.barrier_test
  %done = warpgroup.barrier_test %b : memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  // CHECK: warpgroup.commit_smem
  warpgroup.commit_smem
  // CHECK: warpgroup.commit_gmem
  warpgroup.commit_gmem
  // CHECK: warpgroup.sync warp{{$}}
  warpgroup.sync warp
  // CHECK: warpgroup.sync warpgroup
  warpgroup.sync warpgroup
  // CHECK: warpgroup.sync block
  warpgroup.sync block
  // An array of barriers is sliced as any Ref.
  // CHECK: grid.slice_ref
  %one = grid.slice_ref %t[2] [1] [1] drop [0]
      : memref<4x!warpgroup.barrier<1, tensor_core>> -> memref<!warpgroup.barrier<1, tensor_core>>
  warpgroup.barrier_wait %one : memref<!warpgroup.barrier<1, tensor_core>>
  // CHECK: return %[[DONE]]
  return %done : i1
}

// CHECK-LABEL: func.func @copies(
func.func @copies(%x: memref<512x512xf16>, %tile: memref<128x64xf16>, %row: memref<64xf16>,
                  %b: memref<!warpgroup.barrier<1>>, %i: i32, %p: i1) {
  // CHECK: warpgroup.tma_load %{{.*}}[%{{.*}} : i32, 0] [128, 64] to %{{.*}} barrier
  warpgroup.tma_load %x[%i : i32, 0] [128, 64] to %tile barrier %b
      : memref<512x512xf16>, memref<128x64xf16>, memref<!warpgroup.barrier<1>>
  // CHECK: warpgroup.cp_async %{{.*}}[%{{.*}} : i32, 0] [128, 64] to %{{.*}} in_bounds :
  warpgroup.cp_async %x[%i : i32, 0] [128, 64] to %tile in_bounds : memref<512x512xf16>, memref<128x64xf16>
  // CHECK: warpgroup.cp_async %{{.*}}[3, 0] [1, 64] drop [0] to %{{.*}} :
  warpgroup.cp_async %x[3, 0] [1, 64] drop [0] to %row : memref<512x512xf16>, memref<64xf16>
  // CHECK: warpgroup.cp_async_commit
  warpgroup.cp_async_commit
  // CHECK: warpgroup.cp_async_wait 1
  warpgroup.cp_async_wait 1
  // CHECK: warpgroup.tma_load %{{.*}}[3, 0] [1, 64] drop [0] to %{{.*}} barrier %{{.*}} collective ["c"]
  warpgroup.tma_load %x[3, 0] [1, 64] drop [0] to %row barrier %b collective ["c"]
      : memref<512x512xf16>, memref<64xf16>, memref<!warpgroup.barrier<1>>
  %numbers = arith.constant dense<3> : tensor<128xi32>
  %columns = grid.slice_ref %x[0, 64] [512, 64] [1, 1] : memref<512x512xf16> -> memref<512x64xf16>
  // CHECK: warpgroup.tma_gather %{{.*}}[%{{.*}}] to %{{.*}} barrier %{{.*}} : memref<512x64xf16>, tensor<128xi32>,
  warpgroup.tma_gather %columns[%numbers] to %tile barrier %b
      : memref<512x64xf16>, tensor<128xi32>, memref<128x64xf16>, memref<!warpgroup.barrier<1>>
  // CHECK: warpgroup.tma_store %{{.*}} to %{{.*}}[%{{.*}} : i32, 64] [128, 64] :
  warpgroup.tma_store %tile to %x[%i : i32, 64] [128, 64] : memref<128x64xf16>, memref<512x512xf16>
  // CHECK: warpgroup.tma_store %{{.*}} to %{{.*}}[0, 0] [128, 64] reduce add if %{{.*}} :
  warpgroup.tma_store %tile to %x[0, 0] [128, 64] reduce add if %p : memref<128x64xf16>, memref<512x512xf16>
  // CHECK: warpgroup.tma_scatter %{{.*}} to %{{.*}}[%{{.*}}] : memref<128x64xf16>, memref<512x64xf16>, tensor<128xi32>
  warpgroup.tma_scatter %tile to %columns[%numbers] : memref<128x64xf16>, memref<512x64xf16>, tensor<128xi32>
  // CHECK: warpgroup.commit_group
  warpgroup.commit_group
  // CHECK: warpgroup.wait_group 1 read
  warpgroup.wait_group 1 read
  // CHECK: warpgroup.wait_group 0
  warpgroup.wait_group 0
  return
}

// CHECK-LABEL: func.func @products(
func.func @products(%acc: memref<64x128xf32, #warpgroup.space<regs>>, %a: memref<64x64xf16>, %v: tensor<64x64xf16>,
                    %b: memref<64x128xf16>) -> tensor<64x64xf16> {
  // CHECK: warpgroup.set_max_registers 232 increase
  warpgroup.set_max_registers 232 increase
  // CHECK: warpgroup.set_max_registers 40
  warpgroup.set_max_registers 40
  // CHECK: warpgroup.profile "load"{{$}}
  warpgroup.profile "load"
  // CHECK: warpgroup.profile "load" ends{{$}}
  warpgroup.profile "load" ends
  // CHECK: warpgroup.mma %{{.*}}, %{{.*}}, %{{.*}} : memref<64x128xf32, #warpgroup.space<regs>>, memref<64x64xf16>, memref<64x128xf16>
  warpgroup.mma %acc, %a, %b : memref<64x128xf32, #warpgroup.space<regs>>, memref<64x64xf16>, memref<64x128xf16>
  // CHECK: warpgroup.mma %{{.*}}, %{{.*}}, %{{.*}} : memref<64x128xf32, #warpgroup.space<regs>>, tensor<64x64xf16>, memref<64x128xf16>
  warpgroup.mma %acc, %v, %b : memref<64x128xf32, #warpgroup.space<regs>>, tensor<64x64xf16>, memref<64x128xf16>
  // CHECK: warpgroup.mma_wait 1
  warpgroup.mma_wait 1
  %acc32 = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: warpgroup.mma_sync %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf16>, tensor<64x64xf16>
  %sum = warpgroup.mma_sync %acc32, %v, %v : tensor<64x64xf32>, tensor<64x64xf16>, tensor<64x64xf16>
  // CHECK: warpgroup.layout_cast %{{.*}} "WGMMA" : tensor<64x64xf16>
  %w = warpgroup.layout_cast %v "WGMMA" : tensor<64x64xf16>
  return %w : tensor<64x64xf16>
}

// CHECK-LABEL: func.func @tensor_memory(
func.func @tensor_memory(%acc: memref<128x128xi32, #warpgroup.space<tmem>>, %a: memref<128x64xi8>,
                         %t: memref<128x64xi8, #warpgroup.space<tmem>>, %b: memref<64x128xi8>, %p: i1,
                         %done: memref<!warpgroup.barrier<1, tensor_core>>) {
  // CHECK: warpgroup.tmem_copy %{{.*}} to %{{.*}} : memref<128x64xi8>, memref<128x64xi8, #warpgroup.space<tmem>>
  warpgroup.tmem_copy %a to %t : memref<128x64xi8>, memref<128x64xi8, #warpgroup.space<tmem>>
  // CHECK: warpgroup.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} {unsigned_lhs} : memref<128x128xi32, #warpgroup.space<tmem>>, memref<128x64xi8>, memref<64x128xi8>
  warpgroup.tcgen05_mma %acc, %a, %b accumulate %p {unsigned_lhs}
      : memref<128x128xi32, #warpgroup.space<tmem>>, memref<128x64xi8>, memref<64x128xi8>
  // CHECK: warpgroup.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} barrier %{{.*}} : {{.*}} barrier memref<!warpgroup.barrier<1, tensor_core>>
  warpgroup.tcgen05_mma %acc, %t, %b accumulate %p barrier %done
      : memref<128x128xi32, #warpgroup.space<tmem>>, memref<128x64xi8, #warpgroup.space<tmem>>, memref<64x128xi8>
      barrier memref<!warpgroup.barrier<1, tensor_core>>
  // CHECK: warpgroup.tcgen05_commit
  warpgroup.tcgen05_commit %done : memref<!warpgroup.barrier<1, tensor_core>>
  // CHECK: warpgroup.commit_tmem
  warpgroup.commit_tmem
  // CHECK: warpgroup.wait_tmem_load
  warpgroup.wait_tmem_load
  return
}

// CHECK-LABEL: func.func @named_barriers(
func.func @named_barriers(%n: i32) {
  // CHECK: warpgroup.named_barrier %{{.*}} of 256 arrive
  warpgroup.named_barrier %n of 256 arrive
  // CHECK: warpgroup.named_barrier %{{.*}} of 384{{$}}
  warpgroup.named_barrier %n of 384
  return
}
