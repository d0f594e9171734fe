// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Rows of one panel stay where they are, whether they are those of several matrices or of one.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<128x64xf16>, box = [128, 64], swizzle = 128>]
// CHECK: gpu.module @one_panel
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared
grid.kernel @one_panel grid() inputs(%x: f16 [128, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<2x64x64xf16, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %r = grid.reshape_ref %t : memref<2x64x64xf16, #warpgroup.space<smem>> -> memref<128x64xf16, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0] [128, 64] to %r barrier %b
        : memref<128x64xf16, #warpgroup.space<gmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<2x64x64xf16>, box = [2, 64, 64], swizzle = 128>]
// CHECK: gpu.module @matrices
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared
grid.kernel @matrices grid() inputs(%x: f16 [2, 64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<128x64xf16, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %r = grid.reshape_ref %t : memref<128x64xf16, #warpgroup.space<smem>> -> memref<2x64x64xf16, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0, 0] [2, 64, 64] to %r barrier %b
        : memref<2x64x64xf16, #warpgroup.space<gmem>>, memref<2x64x64xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// With two panels all rows of the first one come before those of the second: a dimension of one index changes nothing,
// and the second matrix begins after both panels of the first. The panels of each are one copy.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<2x2x64x64xf16, [64, 8192, 128, 1]>, box = [2, 1, 64, 64], swizzle = 128>]
// CHECK: gpu.module @two_panels
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %c0_i32, %c0_i32, %c0_i32]
// CHECK: llvm.getelementptr %{{.+}}[16384]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %c0_i32, %c1_i32, %c0_i32]
grid.kernel @two_panels grid() inputs(%x: f16 [2, 64, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<2x64x128xf16, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], []]} {
    %r = grid.reshape_ref %t : memref<2x64x128xf16, #warpgroup.space<smem>> -> memref<1x2x64x128xf16, #warpgroup.space<smem>>
    %w = grid.slice_ref %r[0, 0, 0, 0] [1, 2, 64, 128] [1, 1, 1, 1] drop [0] : memref<1x2x64x128xf16, #warpgroup.space<smem>> -> memref<2x64x128xf16, #warpgroup.space<smem>>
    warpgroup.tma_load %x[0, 0, 0] [2, 64, 128] to %w barrier %b
        : memref<2x64x128xf16, #warpgroup.space<gmem>>, memref<2x64x128xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
  }
}

// -----

// Where a tile has one index of a dimension between rows and columns, its indices count panels: two copies, of 16384
// bytes each. Joined with the columns they are a matrix of two panels, which one copy takes.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<128x2x64xf16>, box = [128, 1, 64], swizzle = 128>,
// CHECK-SAME: #kernel.tensor_map<1, tensor<2x128x64xf16, [64, 128, 1]>, box = [2, 128, 64], swizzle = 128>]
// CHECK: gpu.module @joined
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %c0_i32, %c0_i32]
// CHECK: llvm.getelementptr %{{.+}}[16384]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[%c0_i32, %c1_i32, %c0_i32]
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.global.shared
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global.shared
grid.kernel @joined grid() inputs(%x: f16 [128, 2, 64] space #warpgroup.space<gmem>) outputs(%o: f16 [128, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<128x2x64xf16, #warpgroup.space<smem>>, %b: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 1, 64]>], []]} {
    warpgroup.tma_load %x[0, 0, 0] [128, 2, 64] to %t barrier %b
        : memref<128x2x64xf16, #warpgroup.space<gmem>>, memref<128x2x64xf16, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %r = grid.reshape_ref %t : memref<128x2x64xf16, #warpgroup.space<smem>> -> memref<128x128xf16, #warpgroup.space<smem>>
    warpgroup.tma_store %r to %o[0, 0] [128, 128] : memref<128x128xf16, #warpgroup.space<smem>>, memref<128x128xf16, #warpgroup.space<gmem>>
  }
}

// -----

// Without a swizzle tiles that no product reads are let be.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<64x64xf16>, box = [64, 64], swizzle = 0>]
// CHECK: gpu.module @plain
grid.kernel @plain grid() outputs(%o: f16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64x4x16xf16, #warpgroup.space<smem>>) attributes {transforms = [[#grid.transform<untiling [2, 16]>]]} {
    %r = grid.reshape_ref %t : memref<64x4x16xf16, #warpgroup.space<smem>> -> memref<64x64xf16, #warpgroup.space<smem>>
    warpgroup.tma_store %r to %o[0, 0] [64, 64] : memref<64x64xf16, #warpgroup.space<smem>>, memref<64x64xf16, #warpgroup.space<gmem>>
  }
}

// -----

// Elements of less than a byte as a view of bytes: a copy is one of the bytes, a thread takes its bits of one.
// CHECK: params = [{{.*}}#kernel.operand<{{[0-9]+}}>, #kernel.tensor_map<0, tensor<64xui8>, box = [32], swizzle = 0>] packed_operands = [#kernel.packed<0, 2>]
// CHECK: gpu.module @nibbles
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: %[[ODD:.+]] = arith.andi %{{.+}}, %c1_i32
// CHECK: %[[SHIFT:.+]] = arith.muli %[[ODD]], %c4_i32
// CHECK: %[[BYTE:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> i8
// CHECK: %[[TO:.+]] = arith.trunci %[[SHIFT]] : i32 to i8
// CHECK: %[[LOW:.+]] = arith.shrui %[[BYTE]], %[[TO]] : i8
// CHECK: arith.trunci %[[LOW]] : i8 to i4
grid.kernel @nibbles grid() outputs(%x: i4 [128] space #warpgroup.space<gmem>, %o: i4 [128] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<64xi8, #warpgroup.space<smem>>) {
    %r = grid.bitcast_ref %t : memref<64xi8, #warpgroup.space<smem>> -> memref<128xi4, #warpgroup.space<smem>>
    %w = grid.slice_ref %r[0] [64] [1] : memref<128xi4, #warpgroup.space<smem>> -> memref<64xi4, #warpgroup.space<smem>>
    warpgroup.tma_store %w to %x[0] [64] : memref<64xi4, #warpgroup.space<smem>>, memref<128xi4, #warpgroup.space<gmem>>
    %v = grid.load %r : memref<128xi4, #warpgroup.space<smem>> -> tensor<128xi4, #warpgroup.layout<strided(1)>>
    grid.store %v, %o : tensor<128xi4, #warpgroup.layout<strided(1)>>, memref<128xi4, #warpgroup.space<gmem>>
  }
}
