//===- Passes.td - simple kernels on threads --------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_MAPPING_PASSES_TD
#define GRIDIR_DIALECTS_GPU_MAPPING_PASSES_TD

include "mlir/Pass/PassBase.td"

def GPULegalizeKernelPass : Pass<"gpu-legalize-kernel", "::mlir::ModuleOp"> {
  let summary = "Reject kernels that a GPU cannot run, by the name of the "
                "operand";
  let description = [{
    Fails if an operand, a scratch Ref or a value has a type that this path does
    not support (complex numbers, and on chips before sm_89 floats of a byte and
    less), or if scratch holds semaphores.

    The parts of `triton.CompilerParams` and `mosaic_gpu.CompilerParams` that
    later passes need become attributes of the module, since the kernel's own
    attributes are dropped with it:

    Before:

    ```mlir
    grid.kernel @k grid(%i = 4)
        outputs(%o: f32 [512] block [128] at (%i))
        params [#grid.triton_params<num_warps = 8>] {
    }
    ```

    After:

    ```mlir
    module attributes {kernel.mapping = #kernel.mapping<num_warps = 8>} {
      grid.kernel @k grid(%i = 4)
          outputs(%o: f32 [512] block [128] at (%i))
          params [#grid.triton_params<num_warps = 8>] {
      }
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "Set the chip, with LLVM's name">,
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels that passed">,
  ];
}

def GPUMapBlocksPass : Pass<"gpu-map-blocks", "::mlir::ModuleOp"> {
  let summary = "Map each work item of a kernel to a CTA";
  let description = [{
    Converts the loop over work items, which `convert-grid-to-loops` leaves in
    the kernel, to an `scf.forall` that is mapped to the blocks of a GPU. The
    code before the loop, such as scratch, becomes a part of each CTA.

    A copy before the first item, of an input that shares its memory with an
    output, must not see stores of items. One CTA then runs all items in order.

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
  let summary = "Distribute the work of a CTA to its threads";
  let description = [{
    Rewrites every linalg op and every copy in a CTA as an `scf.forall` that is
    mapped to threads. Each thread computes points of the parallel dimensions,
    adjacent points in adjacent threads, and iterates over the reduction
    dimensions in order, with the result in a register. Products that are added
    immediately may be fused to FMAs.

    A reduction with fewer results than half of the threads is split: several
    threads reduce a part each, then one for each result combines them.

    A loop without results, such as one over the indices of a scatter or of the
    checks of a gather, is distributed if that does not change results. Either
    each thread runs some of its iterations, or all threads run all of them and
    each stores the elements that it owns, in the order of the loop.

    Every thread runs all other code. A barrier follows each loop over threads,
    so that threads see the stores of others, and precedes one if a thread may
    still have to read. One thread stores a scalar.

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

    `num_threads` of the `kernel.abi` has the number of threads.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"0",
           "Set the warps of a CTA; 0 for the kernel's own number, or 4">,
  ];
  let statistics = [
    Statistic<"numThreadLoops", "num-thread-loops",
              "Number of ops distributed to threads">,
    Statistic<"numSharedLoops", "num-shared-loops",
              "Number of loops distributed to threads">,
    Statistic<"numSplitReductions", "num-split-reductions",
              "Number of reductions with several threads for a result">,
    Statistic<"numScalarStores", "num-scalar-stores",
              "Number of scalars that one thread stores">,
    Statistic<"numBarriers", "num-barriers", "Number of barriers">,
  ];
}

def GPUUnmapLoopsPass : Pass<"gpu-unmap-loops", "::mlir::ModuleOp"> {
  let summary = "Run a mapped kernel as loops on a CPU";
  let description = [{
    Converts the loops over CTAs and threads to sequential loops, drops
    barriers, and turns shared memory into ordinary memory. `loops-to-cpu`
    compiles the result, so that the mapping of a kernel is checked without a
    GPU.

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
    Statistic<"numLoops", "num-loops", "Number of sequential loops">,
  ];
}

#endif // GRIDIR_DIALECTS_GPU_MAPPING_PASSES_TD
