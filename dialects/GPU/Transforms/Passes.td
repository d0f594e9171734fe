//===- Passes.td - passes of the GPU path -----------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GPUApproximateMathPass : Pass<"gpu-approximate-math"> {
  let summary = "Replace math functions by what PTX can compute";
  let description = [{
    PTX has instructions for a few functions only. The others come

    - from libdevice, with the option `libdevice`: they stay math ops, and the
      conversion to `nvvm` calls it;
    - otherwise, for `exp`, `log`, `log2`, `log1p`, `expm1`, `tanh` and `erf` of
      f32, from the polynomials that the CPU path uses, so that both compute the
      same numbers; `exp2` is the instruction `ex2.approx`, which is off by at
      most 2 units in the last place. Functions of f16 and bf16 are computed in
      f32 and rounded once. Every other function is an error.

    With `approx`, or the module attribute `gridir.approx_math` that
    `approx_math` of the author's parameters becomes, `exp` and `tanh` of f32
    are computed with `ex2.approx`: `exp(x)` is off by about `|x|` units in the
    last place, `tanh(x)` by 2e-7.

    Before:

    ```mlir
    %y = math.exp %x : f32
    ```

    After, with `approx`:

    ```mlir
    %log2e = arith.constant 1.44269502 : f32
    %0 = arith.mulf %x, %log2e : f32
    %y = llvm.call_intrinsic "llvm.exp2.f32"(%0) : (f32) -> f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
  ];
  let options = [
    Option<"approx", "approx", "bool", /*default=*/"false",
           "Compute exp and tanh with the approximate instruction">,
    Option<"libdevice", "libdevice", "bool", /*default=*/"false",
           "Leave the other functions to libdevice">,
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of functions replaced">,
  ];
}

def GPULegalizeKernelPass : Pass<"gpu-legalize-kernel", "::mlir::ModuleOp"> {
  let summary = "Refuse what a GPU cannot run, by the name of the operand";
  let description = [{
    Fails where an operand, a scratch Ref or a value has a type that the loops of
    this path do not compute with (float8, complex numbers, integers of less
    than a byte but bool), where scratch holds semaphores, and where a kernel
    prints.

    What later passes need of `triton.CompilerParams` and
    `mosaic_gpu.CompilerParams` is kept on the module, since the kernel's own
    attributes go with it:

    Before:

    ```mlir
    grid.kernel @k grid(%i = 4)
        outputs(%o: f32 [512] block [128] at (%i))
        params [#grid.triton_params<num_warps = 8>] {
    }
    ```

    After:

    ```mlir
    module attributes {gridir.num_warps = 8 : i64} {
      grid.kernel @k grid(%i = 4)
          outputs(%o: f32 [512] block [128] at (%i))
          params [#grid.triton_params<num_warps = 8>] {
      }
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "Set the chip, as LLVM names it">,
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels that passed">,
  ];
}

def GPUMapBlocksPass : Pass<"gpu-map-blocks", "::mlir::ModuleOp"> {
  let summary = "Give each work item of a kernel to a CTA";
  let description = [{
    Turns the loop over work items, which `convert-grid-to-loops` leaves in the
    kernel, into an `scf.forall` that is mapped to the blocks of a GPU. What
    stands before the loop, such as scratch, becomes a part of each CTA.

    A copy made before the first item, of an input that shares its memory with
    an output, must not see what items write. Then one CTA runs all items in
    order.

    Before:

    ```mlir
    %scratch = memref.alloca() : memref<8xf32>
    scf.for %item = %lo to %hi step %c1 {
      linalg.fill ins(%zero : f32) outs(%scratch : memref<8xf32>)
    }
    ```

    After:

    ```mlir
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %scratch = memref.alloca() : memref<8xf32>
      linalg.fill ins(%zero : f32) outs(%scratch : memref<8xf32>)
    } {mapping = [#gpu.block<x>]}
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numMapped", "num-mapped", "Number of kernels with a CTA per item">,
    Statistic<"numInOrder", "num-in-order",
              "Number of kernels whose items one CTA runs in order">,
  ];
}

def GPUMapThreadsPass : Pass<"gpu-map-threads", "::mlir::ModuleOp"> {
  let summary = "Share the work of a CTA among its threads";
  let description = [{
    Rewrites every linalg op and every copy in a CTA as an `scf.forall` that is
    mapped to threads: each computes points of the parallel dimensions,
    neighbours on neighbouring threads, and walks the reduction dimensions in
    order with the result in a register. Products that are added at once may be
    fused to FMAs.

    A reduction with fewer results than half the threads is split: several
    threads reduce a part each, then one for each result combines them.

    All other code is run by every thread. So that it reads what others wrote,
    a barrier stands after each loop over threads, and before one where a thread
    may still have to read. A scalar is stored by one thread.

    Before, in a CTA:

    ```mlir
    linalg.exp ins(%x : memref<4x64xf32>) outs(%y : memref<4x64xf32>)
    ```

    After, with 4 warps:

    ```mlir
    scf.forall (%thread) in (128) {
      scf.for %n = %thread to %c256 step %c128 {
        %j = arith.remui %n, %c64 : index
        %i = arith.divui %n, %c64 : index
        %0 = memref.load %x[%i, %j] : memref<4x64xf32>
        %1 = math.exp %0 : f32
        memref.store %1, %y[%i, %j] : memref<4x64xf32>
      }
    } {mapping = [#gpu.thread<x>]}
    gpu.barrier
    ```

    The number of threads is left in `gridir.num_threads`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"0",
           "Set the warps of a CTA; 0 for what the kernel asks for, or 4">,
  ];
  let statistics = [
    Statistic<"numThreadLoops", "num-thread-loops",
              "Number of ops shared among threads">,
    Statistic<"numSplitReductions", "num-split-reductions",
              "Number of reductions with several threads for a result">,
    Statistic<"numScalarStores", "num-scalar-stores",
              "Number of scalars that one thread stores">,
    Statistic<"numBarriers", "num-barriers", "Number of barriers">,
  ];
}

def GPUOutlineKernelPass : Pass<"gpu-outline-kernel", "::mlir::ModuleOp"> {
  let summary = "Make a mapped kernel a kernel of the gpu dialect";
  let description = [{
    Moves the kernel into a `gpu.module`: the loop over CTAs becomes the number
    of the CTA, loops over threads the number of the thread, shared memory an
    external array whose size the launch gives. The arguments are those of the
    kernel, in their order, and then the workspace of the first CTA, which the
    workspaces of the others follow. `ptxas` is told that one CTA on a
    multiprocessor is enough, so that it spills no registers to fit more.

    What a launch needs is left on the module: `gridir.num_ctas` (absent where
    the grid is dynamic: `@k.range` computes it), `gridir.num_threads`,
    `gridir.shared_bytes`, and `gridir.workspace_bytes` of each CTA.

    Before:

    ```mlir
    func.func @k(%x: memref<128xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
      %zero = arith.constant 0.0 : f32
      scf.forall (%item) = (%lo) to (%hi) step (1) {
        scf.forall (%thread) in (128) {
          memref.store %zero, %x[%thread] : memref<128xf32>
        } {mapping = [#gpu.thread<x>]}
        gpu.barrier
      } {mapping = [#gpu.block<x>]}
      return
    }
    ```

    After:

    ```mlir
    module {
      gpu.module @k {
        gpu.func @k(%x: memref<128xf32>, %status: memref<4xi64>, %lo: index, %hi: index,
                    %workspace: memref<0xi8>)
            kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
          %zero = arith.constant 0.0 : f32
          %block = gpu.block_id x
          %item = arith.addi %lo, %block : index
          %thread = gpu.thread_id x
          memref.store %zero, %x[%thread] : memref<128xf32>
          gpu.barrier
          gpu.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels outlined">,
  ];
}

def GPUPlanMemoryPass : Pass<"gpu-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place the buffers of a CTA in shared memory or a workspace";
  let description = [{
    Puts the buffers of a CTA into shared memory, small ones first, as far as a
    CTA of the chip has it; the rest goes to a workspace in global memory of
    which each CTA has its own. Buffers that are never alive together share
    bytes.

    Before, in a CTA:

    ```mlir
    %a = memref.alloc() : memref<8xf32>
    ```

    After:

    ```mlir
    %shared = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    %bytes = memref.memory_space_cast %shared
        : memref<64xi8, #gpu.address_space<workgroup>> to memref<64xi8>
    %a = memref.view %bytes[%c0][] : memref<64xi8> to memref<8xf32>
    ```

    The sizes are left in `gridir.shared_bytes` and `gridir.workspace_bytes`. A
    workspace over the limit is an error that shows the largest buffer in it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect",
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "Set the chip, as LLVM names it">,
    Option<"workspaceLimit", "workspace-limit", "int64_t",
           /*default=*/"int64_t(1) << 30",
           "Set how many bytes of workspace all CTAs may have together">,
  ];
  let statistics = [
    Statistic<"numShared", "num-shared", "Number of buffers in shared memory">,
    Statistic<"numWorkspace", "num-workspace", "Number of buffers in the workspace">,
  ];
}

def GPUUnmapLoopsPass : Pass<"gpu-unmap-loops", "::mlir::ModuleOp"> {
  let summary = "Run a mapped kernel as loops on a CPU";
  let description = [{
    Turns the loops over CTAs and threads into loops that run one after another,
    drops barriers, and makes shared memory plain memory: the form in which
    `loops-to-cpu` compiles a kernel for a GPU, so that its mapping is checked
    where no GPU is.

    With `reverse`, the last thread goes first. A kernel whose threads do not
    depend on each other between barriers computes the same either way.

    Before:

    ```mlir
    scf.forall (%thread) in (128) {
      memref.store %zero, %x[%thread] : memref<128xf32>
    } {mapping = [#gpu.thread<x>]}
    gpu.barrier
    ```

    After:

    ```mlir
    scf.for %thread = %c0 to %c128 step %c1 {
      memref.store %zero, %x[%thread] : memref<128xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
  ];
  let options = [
    Option<"reverse", "reverse", "bool", /*default=*/"false",
           "Run the last thread first">,
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops that run in order">,
  ];
}

#endif // GRIDIR_DIALECTS_GPU_TRANSFORMS_PASSES_TD
