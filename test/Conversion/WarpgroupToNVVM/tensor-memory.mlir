// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory=chip=sm_100a --warpgroup-insert-barriers --convert-warpgroup-to-nvvm=chip=sm_100a --canonicalize --cse | FileCheck %s

// The first warp allocates columns before the threads synchronize and frees them at the end. One thread starts the MMAs
// of a tile and the arrival after them; the threads load their lanes and wait for these loads.
// CHECK: kernel.abi @product
// CHECK: llvm.func @product
// CHECK: %[[SLOT:.+]] = llvm.getelementptr %{{.+}}[32776]
// CHECK: nvvm.tcgen05.alloc %[[SLOT]], %c128_i32
// CHECK: nvvm.tcgen05.relinquish_alloc_permit
// CHECK: nvvm.barrier
// CHECK: %[[BASE:.+]] = llvm.load %[[SLOT]]
// CHECK: scf.if
// CHECK: nvvm.tcgen05.fence <after>
// CHECK: %[[SUMS:.+]] = llvm.inttoptr %[[BASE]] : i32 to !llvm.ptr<6>
// CHECK: nvvm.tcgen05.mma %[[SUMS]], %{{.+}}, %{{.+}}, %c136380432_i32, %false
// CHECK-COUNT-3: nvvm.tcgen05.mma %[[SUMS]], {{.*}}, %true
// CHECK: nvvm.tcgen05.commit
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK: nvvm.tcgen05.fence <after>
// CHECK-COUNT-2: nvvm.tcgen05.ld {{.*}}shape_32x32b{{.*}} : vector<64xi32>
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: nvvm.tcgen05.fence <before>
// CHECK: nvvm.tcgen05.st {{.*}}shape_32x32b
// CHECK: nvvm.tcgen05.wait <store>
// CHECK: nvvm.barrier
// CHECK: nvvm.tcgen05.dealloc
grid.kernel @product grid() {
  grid.scoped (%a: memref<128x64xf16, #warpgroup.space<smem>>, %b: memref<64x128xf16, #warpgroup.space<smem>>,
               %acc: memref<128x128xf32, #warpgroup.space<tmem>>,
               %barrier: memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>],
                                [#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 64]>], [], []]} {
    %false = arith.constant false
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false barrier %barrier
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>,
          memref<64x128xf16, #warpgroup.space<smem>>
        barrier memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
    %v = grid.load %acc : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32, #warpgroup.layout<tmem_native(2)>>
    %w = arith.addf %v, %v : tensor<128x128xf32, #warpgroup.layout<tmem_native(2)>>
    grid.store %w, %acc : tensor<128x128xf32, #warpgroup.layout<tmem_native(2)>>, memref<128x128xf32, #warpgroup.space<tmem>>
    warpgroup.commit_tmem
  }
}

// -----

// The threads that have stored to an operand synchronize before one of them starts the MMA, and make their stores
// visible to the tensor cores.
// CHECK: gpu.module @stored
// CHECK: llvm.store %{{.+}} : vector<8xf16>, !llvm.ptr<3>
// CHECK-NOT: nvvm.tcgen05.mma
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier
// CHECK: scf.if
// CHECK-NEXT: nvvm.tcgen05.fence <after>
// CHECK: nvvm.tcgen05.mma
grid.kernel @stored grid() {
  grid.scoped (%a: memref<128x64xf16, #warpgroup.space<smem>>, %b: memref<64x128xf16, #warpgroup.space<smem>>,
               %acc: memref<128x128xf32, #warpgroup.space<tmem>>) {
    %false = arith.constant false
    %v = arith.constant dense<1.0> : tensor<128x64xf16>
    grid.store %v, %a : tensor<128x64xf16>, memref<128x64xf16, #warpgroup.space<smem>>
    warpgroup.commit_smem
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x128xf16, #warpgroup.space<smem>>
  }
}

// -----

// Before an MMA overwrites an accumulator, the threads that have loaded it synchronize.
// CHECK: kernel.abi @reused shared_bytes = 32776
// CHECK: gpu.module @reused
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: nvvm.tcgen05.fence <before>
// CHECK: nvvm.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: nvvm.tcgen05.fence <after>
// CHECK: nvvm.tcgen05.mma
grid.kernel @reused grid() outputs(%o: f32 [128, 128] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<128x64xf16, #warpgroup.space<smem>>, %b: memref<64x128xf16, #warpgroup.space<smem>>,
               %acc: memref<128x128xf32, #warpgroup.space<tmem>>) {
    %false = arith.constant false
    %v = grid.load %acc : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32>
    grid.store %v, %o : tensor<128x128xf32>, memref<128x128xf32, #warpgroup.space<gmem>>
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %false
        : memref<128x128xf32, #warpgroup.space<tmem>>, memref<128x64xf16, #warpgroup.space<smem>>, memref<64x128xf16, #warpgroup.space<smem>>
  }
}

// -----

// Factors of a scaled product are copied a block of 512 bytes at a time, each to the next four columns; a window of whole
// blocks of a Ref is such, too.
// CHECK: gpu.module @factors
// CHECK: %[[COLUMNS:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> i32
// CHECK: llvm.getelementptr %{{.+}}[1024]
// CHECK: llvm.getelementptr %{{.+}}[1536]
// CHECK: nvvm.tcgen05.cp {{.*}}shape_32x128b
// CHECK: arith.addi %[[COLUMNS]], %c4_i32
// CHECK: nvvm.tcgen05.cp {{.*}}shape_32x128b
// CHECK-NOT: nvvm.tcgen05.cp
grid.kernel @factors grid() {
  grid.scoped (%a: memref<3x1x2x32x16xf8E8M0FNU, #warpgroup.space<smem>>, %x: memref<128x8xf8E8M0FNU, #warpgroup.space<tmem>>) {
    %b = grid.slice_ref %a[1, 0, 0, 0, 0] [1, 1, 2, 32, 16] [1, 1, 1, 1, 1] drop [0]
        : memref<3x1x2x32x16xf8E8M0FNU, #warpgroup.space<smem>> -> memref<1x2x32x16xf8E8M0FNU, #warpgroup.space<smem>>
    warpgroup.tmem_copy %b to %x as_scales : memref<1x2x32x16xf8E8M0FNU, #warpgroup.space<smem>>, memref<128x8xf8E8M0FNU, #warpgroup.space<tmem>>
  }
}

// -----

// Threads that hold what 16x256b loads take it with that shape: two halves of the lanes of their warp.
// CHECK: gpu.module @shape
// CHECK-COUNT-2: nvvm.tcgen05.ld {{.*}}shape_16x256b>} : vector<32xi32>
// CHECK-NOT: nvvm.tcgen05.ld
#wgmma = #warpgroup.layout<wgmma>
grid.kernel @shape grid() outputs(%o: f32 [128, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%acc: memref<128x64xf32, #warpgroup.space<tmem>>) {
    %v = grid.load %acc : memref<128x64xf32, #warpgroup.space<tmem>> -> tensor<128x64xf32, #wgmma>
    grid.store %v, %o : tensor<128x64xf32, #wgmma>, memref<128x64xf32, #warpgroup.space<gmem>>
  }
}

// -----

// Where a mask is false, a load has the other values, and a store or a sum writes what was there.
// CHECK: gpu.module @masked
// CHECK: %[[X:.+]] = nvvm.tcgen05.ld
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: arith.select %{{.+}}, %{{.+}}, %cst
// CHECK: nvvm.tcgen05.ld
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: arith.select
// CHECK: nvvm.tcgen05.st
// CHECK: nvvm.tcgen05.ld
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: arith.addf
// CHECK: arith.select
// CHECK: nvvm.tcgen05.st
grid.kernel @masked grid() inputs(%m: i1 [128, 32] space #warpgroup.space<gmem>) {
  grid.scoped (%acc: memref<128x32xf32, #warpgroup.space<tmem>>) {
    %p = grid.load %m : memref<128x32xi1, #warpgroup.space<gmem>> -> tensor<128x32xi1>
    %o = arith.constant dense<1.0> : tensor<128x32xf32>
    %v = grid.load %acc mask %p other %o : memref<128x32xf32, #warpgroup.space<tmem>>, tensor<128x32xi1>, tensor<128x32xf32> -> tensor<128x32xf32>
    grid.store %v, %acc mask %p : tensor<128x32xf32>, memref<128x32xf32, #warpgroup.space<tmem>>, tensor<128x32xi1>
    grid.accumulate %v, %acc mask %p : tensor<128x32xf32>, memref<128x32xf32, #warpgroup.space<tmem>>, tensor<128x32xi1>
  }
}
