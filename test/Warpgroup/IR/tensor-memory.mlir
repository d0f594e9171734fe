// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_100a --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_100a --canonicalize --cse | FileCheck %s

// Metadata of sparse products has 128 rows, in as many lanes, and 16 elements of two bits a column.
// CHECK: gpu.module @metadata
// CHECK: nvvm.tcgen05.alloc %{{.+}}, %c32_i32
// CHECK: nvvm.tcgen05.cp {{.*}}shape_128x128b
// CHECK-NOT: nvvm.tcgen05.cp
grid.kernel @metadata grid() {
  grid.scoped (%a: memref<1x1x128x64xi2, #warpgroup.space<smem>>, %x: memref<128x64xi2, #warpgroup.space<tmem>> origin "x") {
    warpgroup.tmem_copy %a to %x as_metadata : memref<1x1x128x64xi2, #warpgroup.space<smem>>, memref<128x64xi2, #warpgroup.space<tmem>>
  }
}

// -----

// Of a matrix of 64 rows of a pair of blocks the second half of the lanes has the second half of the columns; two
// elements share one, which the thread keeps: nothing passes through shared memory, where the barrier and the number of
// the first column are.
// CHECK: kernel.abi @half_columns shared_bytes = 16
// CHECK: gpu.module @half_columns
// CHECK: %[[THREAD:.+]] = arith.andi %{{.+}}, %c127_i32
// CHECK: %[[ROW:.+]] = arith.andi %[[THREAD]], %c63_i32
// CHECK: %[[HALF:.+]] = arith.shrui %[[THREAD]], %c6_i32
// CHECK: %[[COLUMN:.+]] = arith.muli %[[HALF]], %c32_i32
// CHECK: nvvm.tcgen05.ld {{.*}}shape_32x32b>} : vector<16xi32>
// CHECK: %[[BEGIN:.+]] = arith.muli %[[ROW]], %c64_i32
// CHECK: arith.addi %[[BEGIN]], %[[COLUMN]]
grid.kernel @half_columns grid(%c = 2 named "x" cluster) outputs(%o: f16 [64, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%x: memref<64x64xf16, #warpgroup.space<tmem>>, %b: memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>) {
    warpgroup.tcgen05_commit %b collective "x" : memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
    %v = grid.load %x : memref<64x64xf16, #warpgroup.space<tmem>> -> tensor<64x64xf16>
    grid.store %v, %o : tensor<64x64xf16>, memref<64x64xf16, #warpgroup.space<gmem>>
  }
}

// -----

// A matrix of 128 rows has a lane for each, and a column for each of its own.
// CHECK: kernel.abi @rows shared_bytes = 8
// CHECK: nvvm.tcgen05.alloc %{{.+}}, %c64_i32
// CHECK: nvvm.tcgen05.ld
grid.kernel @rows grid() outputs(%o: f32 [128, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%x: memref<128x64xf32, #warpgroup.space<tmem>>) {
    %v = grid.load %x : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32>
    grid.store %v, %o : tensor<128x64xf32>, memref<128x64xf32, #warpgroup.space<gmem>>
  }
}
