// RUN: gridir-opt %s --grid-to-gpu=stop-after=program | FileCheck %s --check-prefix=PROGRAM
// RUN: gridir-opt %s --grid-to-gpu=stop-after=memory | gridir-opt --grid-to-gpu=start-after=memory | FileCheck %s --check-prefix=WARPGROUP
// RUN: gridir-opt %s --grid-to-gpu | FileCheck %s --check-prefix=WARPGROUP
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=program" | FileCheck %s --check-prefix=KEPT
// RUN: gridir-opt %s --grid-to-gpu="path=mapped chip=sm_90a stop-after=mapped" | FileCheck %s --check-prefix=MAPPED
// RUN: gridir-opt %s --grid-to-gpu="path=mapped chip=sm_90a stop-after=gpu" | FileCheck %s --check-prefix=GPU
// RUN: gridir-opt %s --grid-to-gpu="path=mapped chip=sm_90a stop-after=nvvm" | FileCheck %s --check-prefix=NVVM
// RUN: gridir-opt %s --grid-to-gpu="path=mapped chip=sm_90a" | FileCheck %s --check-prefix=PTX
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=gpu" -o %t.gpu
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=grid-planned" | gridir-opt --grid-to-gpu="path=mapped start-after=grid-planned stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=loops" | gridir-opt --grid-to-gpu="path=mapped start-after=loops stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=bufferized" | gridir-opt --grid-to-gpu="path=mapped start-after=bufferized stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %s --grid-to-gpu="path=mapped stop-after=mapped" | gridir-opt --grid-to-gpu="path=mapped start-after=mapped stop-after=gpu" | diff %t.gpu -
// RUN: gridir-opt %t.gpu --grid-to-gpu="path=mapped start-after=gpu stop-after=nvvm" | gridir-opt --grid-to-gpu="path=mapped start-after=nvvm" | FileCheck %s --check-prefix=PTX
// RUN: gridir-opt %s --grid-to-gpu="path=mapped chip=sm_80" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP

// Every pass that asks for a chip gets the one that is named, and the code generator its version of PTX, too.
// CHIP: gpu-legalize-kernel{{.*}}chip=sm_80
// CHIP: gpu-plan-memory{{.*}}chip=sm_80
// CHIP: nvvm-attach-target{{.*}}chip=sm_80{{.*}}features=+ptx70

// A kernel of blocks becomes a warpgroup program, with a warpgroup for each block.
// PROGRAM: grid.kernel @double grid(%i = 4)
// PROGRAM-NEXT: space #warpgroup.space<gmem>
// WARPGROUP: kernel.abi @double {{.*}}num_threads = 128 num_ctas = 4
// WARPGROUP: gpu.binary @double
// KEPT: grid.kernel @double grid(%i = 4)
// KEPT-NEXT: block [128]

// From a kernel to PTX with nothing but gridir-opt, at once or from stage to stage.
// MAPPED: mapping = [#gpu.thread<x>]
// MAPPED: mapping = [#gpu.block<x>]
// GPU: gpu.func @double
// NVVM: gpu.module @double [#nvvm.target<
// NVVM-SAME: chip = "sm_90a"
// NVVM: llvm.func @double
// PTX: gpu.binary @double
// PTX-SAME: .target sm_90a
// PTX-SAME: .entry double
// PTX-SAME: bar.sync
grid.kernel @double grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i))
    outputs(%o: f32 [512] block [128] at (%i)) semantics [parallel] {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %w = arith.addf %v, %v : tensor<128xf32>
  grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}
