// RUN: gridir-opt %s --split-input-file --warpgroup-assign-shared-layouts --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// A block is a point of the grid; one thread of a warpgroup starts its copies, all wait for the barrier, and the copy
// after the fence and the barrier sees their stores. The thread computes addresses where it uses them.
// CHECK: kernel.abi @copy shared_bytes = 8200 num_threads = 128 num_ctas = 6 cluster_ctas = 1 params = [#kernel.operand<0>, #kernel.operand<1>, #kernel.tensor_map<0, tensor<2x128x32xf32, [32, 64, 1]>, box = [2, 16, 32], swizzle = 128>, #kernel.tensor_map<1, tensor<128x64xf32>, box = [16, 64], swizzle = 0>]
// CHECK: gpu.module @copy
// CHECK: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @copy(%{{.+}}: !llvm.ptr<1>, %{{.+}}: !llvm.ptr<1>, %[[IN:.+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[OUT:[^ ]+]]: !llvm.ptr {{.*}} attributes {gpu.kernel, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 128, 1, 1>}
// CHECK: %[[BARRIER:.+]] = llvm.getelementptr %{{.+}}[8192]
// CHECK: nvvm.mbarrier.init %[[BARRIER]]
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier
// CHECK: arith.divui %{{.+}}, %c3_i32
// CHECK-NOT: arith.remui
// CHECK: %[[SHARED:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=l,0"
// CHECK: %[[OWN:.+]] = llvm.getelementptr %[[SHARED]][8192]
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[OWN]], %c4096_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[IN]], %[[OWN]], box[%c0_i32, %{{.+}}, %c0_i32]
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[OUT]]
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK-COUNT-2: nvvm.cp.async.bulk.wait_group 0 {read}
grid.kernel @copy grid(%i = 2, %j = 3)
    inputs(%x: f32 [128, 64] space #warpgroup.space<gmem>) outputs(%o: f32 [128, 64] space #warpgroup.space<gmem>) {
  grid.scoped (%a: memref<16x64xf32, #warpgroup.space<smem>>, %b: memref<16x64xf32, #warpgroup.space<smem>>,
               %barrier: memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>)
      attributes {transforms = [[#grid.transform<unswizzle [128]>, #grid.transform<untiling [8, 32]>], [], []]} {
    %i = grid.program_id 0
    warpgroup.tma_load %x[%i : i32, 0] [16, 64] to %a barrier %barrier
        : memref<128x64xf32, #warpgroup.space<gmem>>, memref<16x64xf32, #warpgroup.space<smem>>, memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    warpgroup.barrier_wait %barrier : memref<!warpgroup.barrier<1>, #warpgroup.space<smem>>
    %v = grid.load %a : memref<16x64xf32, #warpgroup.space<smem>> -> tensor<16x64xf32>
    grid.store %v, %b : tensor<16x64xf32>, memref<16x64xf32, #warpgroup.space<smem>>
    warpgroup.commit_smem
    warpgroup.tma_store %b to %o[%i : i32, 0] [16, 64]
        : memref<16x64xf32, #warpgroup.space<smem>>, memref<128x64xf32, #warpgroup.space<gmem>>
    warpgroup.commit_group
    warpgroup.wait_group 0 read
  }
}

// -----

// The number of a block has the first dimension on top, and the last one at the bottom.
// CHECK: module attributes {kernel.mapping = #kernel.mapping<approx_math = true>}
// CHECK: gpu.module @coordinates
// CHECK: %[[BLOCK:.+]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[OVER:.+]] = arith.divui %[[BLOCK]], %c5_i32
// CHECK: arith.remui %[[OVER]], %c3_i32
// CHECK: arith.divui %[[BLOCK]], %c15_i32
// CHECK: arith.remui %[[BLOCK]], %c5_i32
grid.kernel @coordinates grid(%i = 2, %j = 3, %k = 5) outputs(%o: i32 [] space #warpgroup.space<gmem>)
    params [#grid.mosaic_gpu_params<approx_math = true>] {
  %j = grid.program_id 1
  %i = grid.program_id 0
  %k = grid.program_id 2
  %a = arith.muli %j, %i : i32
  %b = arith.addi %a, %k : i32
  grid.store %b, %o : i32, memref<i32, #warpgroup.space<gmem>>
}

// -----

// The cores of a mesh are blocks, too, whatever their dimensions are called.
// CHECK: gpu.module @cores
// CHECK: %[[CORE:.+]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: arith.divui %[[CORE]], %c48_i32
// CHECK: %[[REST:.+]] = arith.divui %[[CORE]], %c16_i32
// CHECK: arith.remui %[[REST]], %c3_i32
// CHECK: arith.remui %[[CORE]], %c16_i32
grid.kernel @cores grid(%i = 2 named "core" core, %j = 3, %k = 16 named "subcore" subcore)
    outputs(%o: i32 [] space #warpgroup.space<gmem>) {
  %i = grid.program_id "core"
  %j = grid.program_id 1
  %k = grid.program_id "subcore"
  %a = arith.muli %j, %i : i32
  %b = arith.addi %a, %k : i32
  grid.store %b, %o : i32, memref<i32, #warpgroup.space<gmem>>
}

// -----

// Each element of a product has two words.
// CHECK: gpu.module @words
// CHECK: %[[LOW:.+]], %[[HIGH:.+]] = arith.mulsi_extended %{{.+}}, %{{.+}} : i32
// CHECK: llvm.store %[[LOW]]
// CHECK: llvm.store %[[HIGH]]
grid.kernel @words grid()
    inputs(%x: i32 [128] space #warpgroup.space<gmem>)
    outputs(%o: i32 [128] space #warpgroup.space<gmem>, %p: i32 [128] space #warpgroup.space<gmem>) {
  %v = grid.load %x : memref<128xi32, #warpgroup.space<gmem>> -> tensor<128xi32, #warpgroup.layout<strided(1)>>
  %low, %high = arith.mulsi_extended %v, %v : tensor<128xi32, #warpgroup.layout<strided(1)>>
  grid.store %low, %o : tensor<128xi32, #warpgroup.layout<strided(1)>>, memref<128xi32, #warpgroup.space<gmem>>
  grid.store %high, %p : tensor<128xi32, #warpgroup.layout<strided(1)>>, memref<128xi32, #warpgroup.space<gmem>>
}

// -----

// An underscore alone is no name in PTX.
// CHECK: kernel.abi @__ shared_bytes
// CHECK: gpu.module @__ attributes
// CHECK: llvm.func @__()
grid.kernel @_ grid() {
}
