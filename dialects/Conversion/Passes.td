//===- Passes.td - Conversions between dialects -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_PASSES_TD
#define GRIDIR_DIALECTS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGridToLoopsPass : Pass<"convert-grid-to-loops", "::mlir::ModuleOp"> {
  let summary = "Turn a kernel into a function that loops over its grid";
  let description = [{
    Ops of other dialects are first converted to ops of `grid`, by the patterns
    of the dialect's `GridToLoopsDialectInterface`. Other ops that take a Ref
    are rejected.

    Replaces the module's `grid.kernel` by two functions. `@k` takes the
    complete arrays, the four words of an error report, and a range of work
    items. A work item is one point of the parallel grid dimensions; the other
    dimensions are loops inside, in grid order. `@k.range` returns the number of
    work items.

    A block that lies inside its array is a view of the array. An overhanging
    block is a padded private buffer: the valid part is copied in before the
    program, unless the previous program had the same block, and copied out
    after it if the kernel may write it. Loaded values are copied if a store
    could change them before their last use.

    With `grid.block_test` (`grid-infer-dimension-semantics`) work items from
    that number on are fine-grained: they are one index along each tested
    dimension, too. If the range is negative, `@k` runs no work item; it walks
    the grid and stores the number of fine-grained work items in the last word
    of the report, or 0 if two of them access the same block. The `kernel.abi`
    then has `shares`.

    A failed run-time check (an index into a Ref, a block outside its array, a
    wait that nothing satisfies) is stored in the error report, whose messages
    are the `diagnostics` of the `kernel.abi`. The program continues with a safe
    index. A load whose value may be discarded, by a selection, a mask, a slice
    or a branch, is checked only with `check-discarded`: elements outside of its
    Ref have an unspecified value. With the kernel's `disable_bounds_checks`
    loads and stores are not checked, and elements outside are not written.

    With `grid.tasks` (`grid-plan-tasks`) copies and semaphores are calls of the
    runtime, which may switch to another work item. The memory of a Ref is then
    marked as a `#kernel.buffer`: `pinned`, since others may know its address,
    or `shared` if there is one for all. `zeroed_operands` of the `kernel.abi`
    are the semaphores that the call creates.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 4)
        inputs(%x: f32 [512] block [128] at (%i))
        outputs(%o: f32 [512] block [128] at (%i)) semantics [parallel] {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      %w = arith.addf %v, %v : tensor<128xf32>
      grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    module {
      kernel.abi @double
      func.func @double(%x: memref<512xf32> {llvm.noalias}, %o: memref<512xf32> {llvm.noalias},
                        %status: memref<4xi64>, %lo: index, %hi: index) {
        %c1 = arith.constant 1 : index
        %c128 = arith.constant 128 : index
        scf.for %i = %lo to %hi step %c1 {
          %start = arith.muli %i, %c128 : index
          %xs = memref.subview %x[%start] [128] [1]
              : memref<512xf32> to memref<128xf32, strided<[1], offset: ?>>
          %os = memref.subview %o[%start] [128] [1]
              : memref<512xf32> to memref<128xf32, strided<[1], offset: ?>>
          %v = bufferization.to_tensor %xs restrict
              : memref<128xf32, strided<[1], offset: ?>> to tensor<128xf32>
          %w = arith.addf %v, %v : tensor<128xf32>
          bufferization.materialize_in_destination %w in restrict writable %os
              : (tensor<128xf32>, memref<128xf32, strided<[1], offset: ?>>) -> ()
        }
        return
      }
      func.func @double.range(%x: memref<512xf32>, %o: memref<512xf32>) -> index {
        %n = arith.constant 4 : index
        return %n : index
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::complex::ComplexDialect", "::mlir::func::FuncDialect",
    "::gridir::kernel::KernelDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"checkDiscarded", "check-discarded", "bool", "false",
           "Also check loads whose value may be discarded">
  ];
  let statistics = [
    Statistic<"numBlocksInPlace", "num-blocks-in-place",
              "Number of blocks proved to lie inside their arrays">,
    Statistic<"numBlocksTested", "num-blocks-tested",
              "Number of blocks that are tested at run time">,
    Statistic<"numSlicesProved", "num-slices-proved",
              "Number of slices proved to lie inside their Refs">,
    Statistic<"numSlicesChecked", "num-slices-checked",
              "Number of slices that are checked at run time">,
    Statistic<"numLoadsCopied", "num-loads-copied",
              "Number of loaded values that are copied because of a later "
              "store">
  ];
}

def ConvertGridToTPUPass : Pass<"convert-grid-to-tpu", "::mlir::ModuleOp"> {
  let summary = "Convert a kernel to a module with Mosaic's conventions";
  let description = [{
    Replaces the module's `grid.kernel` by a function of the grid indices, the
    prefetched scalars, the blocks and the scratch, and by one transform
    function for each operand with blocks. Tensors become vectors. A Ref becomes
    a window of its block, which each load, store and copy names itself.

    A block keeps unit dimensions that the kernel does not see. A Ref of bools
    holds i32, and so does the array of the caller. Windows count blocks, or
    elements if one dimension does.

    `grid.operands` of the module keeps the arrays of the call. An op without
    a form in Mosaic is an error with the source line.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 4)
        inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0))
        outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) semantics [parallel] {
      %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
      %w = arith.addf %v, %v : tensor<8x128xf32>
      grid.store %w, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
    }
    ```

    After, without the transform of `%o`:

    ```mlir
    module {
      func.func @double(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>,
                        %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
          tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
          dimension_semantics = [#tpu.dimension_semantics<parallel>],
          scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
          window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>},
                           {transform_indices = @transform_1, window_bounds = array<i64: 8, 128>}
                          ]} {
        %c0 = arith.constant 0 : index
        %v = vector.load %x[%c0, %c0]
            : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
        %w = arith.addf %v, %v : vector<8x128xf32>
        tpu.vector_store %o[%c0, %c0], %w {strides = array<i32>}
            : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
        return
      }
      func.func @transform_0(%i: i32) -> (i32, i32) {
        %c0_i32 = arith.constant 0 : i32
        return %i, %c0_i32 : i32, i32
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::gridir::tpu::TPUDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertSCFToBranchesPass : Pass<"convert-scf-to-branches"> {
  let summary = "Convert loops and conditions to branches, from the last to "
                "the first";
  let description = [{
    Applies the patterns of upstream's `convert-scf-to-cf`. Each of them splits
    the block after its op. Upstream begins with the first op, and moves the
    rest of the function once for each op. This pass begins with the last one,
    and moves each op once.

    Before:

    ```mlir
    func.func @store(%c: i1, %x: f32, %m: memref<f32>) {
      scf.if %c {
        memref.store %x, %m[] : memref<f32>
      }
      return
    }
    ```

    After:

    ```mlir
    func.func @store(%c: i1, %x: f32, %m: memref<f32>) {
      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      memref.store %x, %m[] : memref<f32>
      cf.br ^bb2
    ^bb2:
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "num-lowered", "Number of ops lowered to branches">
  ];
}

def ConvertTPUToGridPass : Pass<"convert-tpu-to-grid", "::mlir::ModuleOp"> {
  let summary = "Convert a Mosaic module back to a grid kernel";
  let description = [{
    Converts a Mosaic kernel to a `grid.kernel`, so that the pipeline of another
    target can execute the module that a TPU would receive. The windows, the
    transforms and the ops on vectors come from the module. Only the arrays of
    the call, which a Mosaic module does not have, come from the original
    kernel: the module attribute `grid.operands` of `convert-grid-to-tpu`.

    Vectors become tensors, and a window of an access becomes a slice of its
    Ref. Conversions of floats saturate, shifts by the width or more are 0 or the
    sign, and numbers are divided by 0, as on a TPU. Copies and signals to other
    cores are errors; traces and delays are dropped. Modules that
    `tpu-check-contract` rejects are rejected here, too.

    Before, without the transforms:

    ```mlir
    module attributes {grid.operands = {
        inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<f32 [32, 128]>]}} {
      func.func @double(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>,
                        %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
          tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
          dimension_semantics = [#tpu.dimension_semantics<parallel>],
          window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>},
                           {transform_indices = @transform_1, window_bounds = array<i64: 8, 128>}
                          ]} {
        %c0 = arith.constant 0 : index
        %v = vector.load %x[%c0, %c0]
            : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
        %w = arith.addf %v, %v : vector<8x128xf32>
        tpu.vector_store %o[%c0, %c0], %w {strides = array<i32>}
            : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
        return
      }
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 4)
        inputs(%x: f32 [32, 128] block [8, 128] at (%i, 0))
        outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) semantics [parallel] {
      %v = grid.load %x : memref<8x128xf32, #grid.space<default>> -> tensor<8x128xf32>
      %w = arith.addf %v, %v : tensor<8x128xf32>
      grid.store %w, %o : tensor<8x128xf32>, memref<8x128xf32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::gridir::grid::GridDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertGridToWarpgroupPass : Pass<"convert-grid-to-warpgroup", "::mlir::ModuleOp"> {
  let summary = "Convert a kernel of blocks to a warpgroup program";
  let description = [{
    Converts a kernel with a `#warpgroup.schedule`, after
    `warpgroup-split-blocks`. Each program along a dimension of kind `thread`
    becomes a warpgroup of a CTA; all parallel dimensions are those of CTAs, and
    the others become a loop. A block becomes a window of its array in global
    memory, scratch memory becomes registers.

    A block of an operand in `shared` is copied to a ring of buffers in shared
    memory instead. One more warpgroup, the producer, starts bulk copies; the
    consumers wait for each, and arrive at a barrier when they no longer read a
    buffer. Consumers whose blocks are the same share one copy. Windows of shared
    operands that a loop of the body loads have a ring of their own: the producer
    repeats the loop. Bounds and offsets may depend on program ids and the loop's
    counter only. In a schedule with `producers = 0` the consumers start the
    copies of later turns with `warpgroup.cp_async`, and synchronize after each.

    A block that overhangs its array is accessed with a mask, and bulk copies
    replace elements outside of the array by zero.

    If the body does something in the first or last step only, as by `pl.when`,
    these steps are copies of the body before and after the loop.

    An output that the body reads back, and whose block is the same in every step
    of the loop, is in registers until the last step. A contraction becomes
    `warpgroup.mma` if `wgmma` computes it, and otherwise
    `warpgroup.mma_sync`. If the result of the former is added to scratch memory or to such an
    output, that is the accumulator of the matrix unit.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 64)
        inputs(%x: f32 [512, 1024] block [8, 1024] at (%i, 0))
        outputs(%o: f32 [512, 1024] block [8, 1024] at (%i, 0))
        semantics [parallel]
        attributes {warpgroup.schedule = #warpgroup.schedule<cta = [8, 1024], warpgroup = [8, 1024]>} {
      %v = grid.load %x : memref<8x1024xf32, #grid.space<default>> -> tensor<8x1024xf32>
      grid.store %v, %o : tensor<8x1024xf32>, memref<8x1024xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 64)
        inputs(%x: f32 [512, 1024] space #warpgroup.space<gmem>)
        outputs(%o: f32 [512, 1024] space #warpgroup.space<gmem>)
        semantics [parallel] {
      %i = grid.program_id 0
      %c8 = arith.constant 8 : i32
      %row = arith.muli %i, %c8 : i32
      %0 = grid.slice_ref %x[%row, 0] [8, 1024] [1, 1]
          : memref<512x1024xf32, #warpgroup.space<gmem>>, i32 -> memref<8x1024xf32, #warpgroup.space<gmem>>
      %1 = grid.slice_ref %o[%row, 0] [8, 1024] [1, 1]
          : memref<512x1024xf32, #warpgroup.space<gmem>>, i32 -> memref<8x1024xf32, #warpgroup.space<gmem>>
      %v = grid.load %0 : memref<8x1024xf32, #warpgroup.space<gmem>> -> tensor<8x1024xf32>
      grid.store %v, %1 : tensor<8x1024xf32>, memref<8x1024xf32, #warpgroup.space<gmem>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::gridir::grid::GridDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::gridir::warpgroup::WarpgroupDialect"
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of kernels converted">,
    Statistic<"numContractions", "num-contractions",
              "Number of contractions that became MMAs">
  ];
}

def ConvertWarpgroupToGridPass : Pass<"convert-warpgroup-to-grid", "::gridir::grid::KernelOp"> {
  let summary = "Convert asynchronous ops that complete at their start to ops "
                "of grid";
  let description = [{
    MMAs, copies to tensor memory and copies of rows that an array names
    complete when they start: their results must not be read, and their operands
    not be changed, before a wait. They become loads and stores, followed by an
    arrival if they have a barrier. The first of two CTAs does the work of both.
    The contents of an accumulator are not used if an MMA replaces them.

    Before:

    ```mlir
    warpgroup.mma %acc, %a, %b
        : memref<64x8xf32>, memref<64x16xf16>, memref<16x8xf16>
    ```

    After:

    ```mlir
    %rhs = grid.load %b : memref<16x8xf16> -> tensor<16x8xf16>
    %lhs = grid.load %a : memref<64x16xf16> -> tensor<64x16xf16>
    %old = grid.load %acc : memref<64x8xf32> -> tensor<64x8xf32>
    %sum = grid.dot %lhs, %rhs acc %old contract [1] x [0]
        : tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32> -> tensor<64x8xf32>
    grid.store %sum, %acc : tensor<64x8xf32>, memref<64x8xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::gridir::grid::GridDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted",
              "Number of ops that were converted">
  ];
}

def ConvertWarpgroupToNVVMPass : Pass<"convert-warpgroup-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Convert a warpgroup program to the code of its threads";
  let description = [{
    Replaces the module's `grid.kernel`, whose threads are warpgroups, by a
    function of one thread in a `gpu.module`, and by the `kernel.abi` of its
    launch. A CTA is a point of the grid in its cluster, and has 128 threads for
    each warpgroup.

    - An array becomes the values of one thread, as its layout defines. An op
      that needs elements of other threads exchanges them through shared memory:
      stores, a barrier, and loads. `warpgroup-plan-memory` has allocated this
      memory, and `warpgroup-insert-barriers` has ordered the exchanges of
      different ops; an exchange without either is an error.
    - A Ref in shared memory becomes addresses from the offset that
      `warpgroup-plan-memory` has chosen, swizzled as its scope specifies.
      `warpgroup-insert-barriers` has ordered the accesses.
    - A Ref in registers becomes local variables.
    - A copy becomes copies by the tensor memory accelerator, which one thread
      starts. Each array, with a tile, is a tensor map. Tensor maps are
      parameters of the function after its operands, which `tensor_maps` of the
      `kernel.abi` describe.
    - A barrier becomes an `mbarrier`, at which one thread arrives for its
      warpgroup. Each thread keeps the phase of its next wait; `phase` of a wait
      in a loop makes it the parity of the round.
    - A semaphore becomes a word of global memory that is initially zero:
      `zeroed_bytes` of the `kernel.abi`, a parameter after the operands.

    Before:

    ```mlir
    grid.kernel @zero grid(%i = 4)
        outputs(%o: f32 [128] space #warpgroup.space<gmem>) attributes {warpgroup.shared_bytes = 0 : i64} {
      %v = arith.constant dense<0.0> : tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #warpgroup.space<gmem>>
    }
    ```

    After:

    ```mlir
    module {
      kernel.abi @zero shared_bytes = 0 num_threads = 128 num_ctas = 4 cluster_ctas = 1
      gpu.module @zero attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
        llvm.func @zero(%o: !llvm.ptr<1>)
            attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
          %zero = arith.constant 0.0 : f32
          %thread = nvvm.read.ptx.sreg.tid.x : i32
          %p = llvm.getelementptr %o[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
          llvm.store %zero, %p : f32, !llvm.ptr<1>
          llvm.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::DLTIDialect",
    "::mlir::gpu::GPUDialect", "::gridir::kernel::KernelDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numTensorMaps", "num-tensor-maps",
              "Number of tensor maps of a launch">
  ];
}

#endif // GRIDIR_DIALECTS_CONVERSION_PASSES_TD
