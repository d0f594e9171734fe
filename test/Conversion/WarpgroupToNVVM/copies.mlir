// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_100a --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_100a --canonicalize --cse | FileCheck %s --check-prefix=PAIR

// Rows that an array names: the threads that have their numbers copy one each or, where the chip can, four at once.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<64x64xf32>, box = [1, 32], swizzle = 128>]
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c4096_i32
// CHECK: %[[OWNS:.+]] = arith.cmpi eq
// CHECK: scf.if %[[OWNS]] {
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %[[ROW:[^,]+]]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c32_i32, %[[ROW]]]
// CHECK-NOT: nvvm.cp.async
// PAIR: scf.if
// PAIR: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %[[A:[^,]+]], %[[B:[^,]+]], %[[C:[^,]+]], %[[D:[^,]+]]] {mode = #nvvm.tma_load_mode<tile_gather4>}
// PAIR: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c32_i32, %[[A]], %[[B]], %[[C]], %[[D]]]
grid.kernel @rows grid() inputs(%x: f32 [64, 64] space #warpgroup.space<gmem>, %i: i32 [16] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>], []]} {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32>
    warpgroup.tma_gather %x[%rows] to %t barrier %b
        : memref<64x64xf32, #warpgroup.space<gmem>>, tensor<16xi32>, memref<16x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// The rows of a tile go to those of an array: behind a meeting, and in groups of the threads that have their numbers.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<1, tensor<64x64xf32>, box = [1, 32], swizzle = 128>]
// CHECK: nvvm.barrier
// CHECK: %[[OWNS:.+]] = arith.cmpi eq
// CHECK: scf.if %[[OWNS]] {
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}}box[%c0_i32, %[[ROW:[^,]+]]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}}box[%c32_i32, %[[ROW]]]
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// PAIR-LABEL: gpu.module @scattered
// PAIR: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}}box[%c0_i32, %[[A:[^,]+]], %[[B:[^,]+]], %[[C:[^,]+]], %[[D:[^,]+]]] {mode = #nvvm.tma_store_mode<tile_scatter4>}
// PAIR: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}}box[%c32_i32, %[[A]], %[[B]], %[[C]], %[[D]]]
grid.kernel @scattered grid() inputs(%i: i32 [16] space #warpgroup.space<gmem>) outputs(%x: f32 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x64xf32, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>]]} {
    %rows = grid.load %i : memref<16xi32, #warpgroup.space<gmem>> -> tensor<16xi32>
    %v = arith.constant dense<1.0> : tensor<16x64xf32>
    grid.store %v, %t : tensor<16x64xf32>, memref<16x64xf32, #warpgroup.space<smem>>
    warpgroup.tma_scatter %t to %x[%rows]
        : memref<16x64xf32, #warpgroup.space<smem>>, memref<64x64xf32, #warpgroup.space<gmem>>, tensor<16xi32>
    warpgroup.commit_group
  }
}

// -----

// A tensor map has no room for dimensions of one index, where there are many.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<2x64x128xf32>, box = [1, 64, 32], swizzle = 0>]
// PAIR-LABEL: gpu.module @many_dims
grid.kernel @many_dims grid() inputs(%x: f32 [2, 64, 1, 1, 1, 1, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.tma_load %x[1, 0, 0, 0, 0, 0, 96] [1, 64, 1, 1, 1, 1, 32] drop [0, 2, 3, 4, 5] to %t barrier %b
        : memref<2x64x1x1x1x1x128xf32, #warpgroup.space<gmem>>, memref<64x32xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Of a tile whose dimensions are in another order what lies in the same order in the array is a copy.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<3x2x64xf32>, box = [3, 1, 64], swizzle = 0>]
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// PAIR-LABEL: gpu.module @turned
grid.kernel @turned grid() outputs(%x: f32 [3, 2, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<2x3x64xf32, #warpgroup.space<smem>>) {
    %w = grid.transpose_ref %t [1, 0, 2] : memref<2x3x64xf32, #warpgroup.space<smem>> -> memref<3x2x64xf32, #warpgroup.space<smem>>
    warpgroup.tma_store %w to %x[0, 0, 0] [3, 2, 64] : memref<3x2x64xf32, #warpgroup.space<smem>>, memref<3x2x64xf32, #warpgroup.space<gmem>>
  }
}

// -----

// Of a Ref with several indices between the rows of a window each row is a copy; with one index, all are one.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<4x64xf32>, box = [1, 64], swizzle = 0>, #kernel.tensor_map<0, tensor<4x64xf32>, box = [4, 64], swizzle = 0>]
// CHECK-COUNT-5: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// PAIR-LABEL: gpu.module @between
grid.kernel @between grid() inputs(%x: f32 [4, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<4x2x64xf32, #warpgroup.space<smem>>, %s: memref<4x1x64xf32, #warpgroup.space<smem>>,
               %b: memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>) {
    %v = grid.slice_ref %t[0, 1, 0] [4, 1, 64] [1, 1, 1] drop [1] : memref<4x2x64xf32, #warpgroup.space<smem>> -> memref<4x64xf32, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [4, 64] to %v barrier %b
        : memref<4x64xf32, #warpgroup.space<gmem>>, memref<4x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
    %w = grid.slice_ref %s[0, 0, 0] [4, 1, 64] [1, 1, 1] drop [1] : memref<4x1x64xf32, #warpgroup.space<smem>> -> memref<4x64xf32, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [4, 64] to %w barrier %b
        : memref<4x64xf32, #warpgroup.space<gmem>>, memref<4x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<2>, #warpgroup.space<smem>>
  }
}

// -----

// A copy for all blocks of the second axis goes to those of the own row: ranks 0 and 1 from its first one on.
// CHECK: gpu.module @multicast
// CHECK: %[[ROW:.+]] = arith.subi
// CHECK: %[[RANKS:.+]] = arith.shli %c3_i32, %[[ROW]]
// CHECK: %[[MASK:.+]] = arith.trunci %[[RANKS]] : i32 to i16
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
// PAIR-LABEL: gpu.module @multicast
grid.kernel @multicast grid(%r = 2 named "y" cluster, %c = 2 named "x" cluster) inputs(%x: f32 [64, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<32x32xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    warpgroup.tma_load %x[0, 0] [32, 32] to %t barrier %b collective ["x"]
        : memref<64x32xf32, #warpgroup.space<gmem>>, memref<32x32xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Contiguous panels are one copy, of an array with a dimension of panels. An array that ends inside of a panel has one
// copy for each, and so has a window of some of the rows of a Ref.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<4x64x32xf32, [32, 128, 1]>, box = [2, 16, 32], swizzle = 128>, #kernel.tensor_map<1, tensor<64x80xf32>, box = [16, 32], swizzle = 128>, #kernel.tensor_map<0, tensor<64x128xf32>, box = [8, 32], swizzle = 128>]
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK: %[[PANEL:.+]] = arith.shrsi %{{.+}}, %c5_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %c8_i32, %[[PANEL]]]
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// PAIR-LABEL: gpu.module @panels
grid.kernel @panels grid(%i = 2) inputs(%x: f32 [64, 128] space #warpgroup.space<gmem>, %y: f32 [64, 80] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<16x64xf32, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>], []]} {
    %i = grid.program_id 0
    %width = arith.constant 64 : i32
    %column = arith.muli %i, %width : i32
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_load %x[8, %column : i32] [16, 64] to %t barrier %b
        : memref<64x128xf32, #warpgroup.space<gmem>>, memref<16x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.tma_load %y[0, 0] [16, 64] to %t barrier %b
        : memref<64x80xf32, #warpgroup.space<gmem>>, memref<16x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %w = grid.slice_ref %t[8, 0] [8, 64] [1, 1] : memref<16x64xf32, #warpgroup.space<smem>> -> memref<8x64xf32, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [8, 64] to %w barrier %b
        : memref<64x128xf32, #warpgroup.space<gmem>>, memref<8x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Of a window of several panels each block of a cluster copies a part of the panels, at once.
// CHECK: kernel.abi @panels_of_blocks
// CHECK-SAME: #kernel.tensor_map<0, tensor<4x64x64xf16, [64, 256, 1]>, box = [2, 64, 64], swizzle = 128>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%c0_i32, %c0_i32, %c0_i32] multicast_mask
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%c0_i32, %c0_i32, %c2_i32] multicast_mask
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
grid.kernel @panels_of_blocks grid(%c = 2 named "x" cluster) inputs(%x: f16 [64, 256] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x256xf16, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    warpgroup.tma_load %x[0, 0] [64, 256] to %t barrier %b collective ["x"]
        : memref<64x256xf16, #warpgroup.space<gmem>>, memref<64x256xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}
