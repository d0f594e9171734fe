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
    Ops of another dialect are first converted to those of `grid`, by the
    patterns that the dialect's `GridToLoopsDialectInterface` adds; what takes a
    Ref after that is refused.

    Replaces the module's `grid.kernel` by two functions. `@k` takes the whole
    arrays, the four words of an error report, and a range of work items. A work
    item is one point of the parallel grid dimensions; the other dimensions are
    loops inside, in grid order. `@k.range` gives the number of work items.

    A block is a view of its array where it lies inside, and a padded private
    buffer where it overhangs: the valid part is copied in before the program,
    unless the previous program saw the same block, and out after it when the
    kernel may write it. Values that a kernel loads stay values: a load is
    copied where a store could change it before its last use.

    With `grid.block_test` (`grid-infer-dimension-semantics`) work items from
    that number on are finer: they are one index along each tested dimension,
    too. A call of `@k` with a negative range runs nothing, but walks the grid
    and leaves in the last word of the report how many of them there are, none
    where two see the same block. The `kernel.abi` then says `shares`.

    What can only be checked while the kernel runs (an index into a Ref, a block
    outside its array, a wait that nothing satisfies) is stored in the error
    report, whose messages are the `diagnostics` of the `kernel.abi`, and the
    program continues with a safe index. A load whose value may be discarded, by
    a choice, a mask, a slice or a branch, is not checked without
    `check-discarded`: elements outside its Ref have an unspecified value. With
    the kernel's `disable_bounds_checks` no load and no store is checked, and
    elements outside are not written.

    With `grid.tasks` (`grid-plan-tasks`) copies and semaphores are calls of the
    runtime, which may let another work item run there. The memory of a Ref is
    then marked as a `#kernel.buffer`, `pinned` since others may know where it is,
    or `shared` where it is one for all; `zeroed_operands` of the `kernel.abi` are the
    semaphores that the call makes.

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
           "Check also the loads whose value may be discarded">
  ];
  let statistics = [
    Statistic<"numBlocksInPlace", "num-blocks-in-place",
              "Number of blocks proved to lie inside their arrays">,
    Statistic<"numBlocksTested", "num-blocks-tested",
              "Number of blocks that are tested while the kernel runs">,
    Statistic<"numSlicesProved", "num-slices-proved",
              "Number of slices proved to lie inside their Refs">,
    Statistic<"numSlicesChecked", "num-slices-checked",
              "Number of slices that are checked while the kernel runs">,
    Statistic<"numLoadsCopied", "num-loads-copied",
              "Number of loaded values kept from a later store by a copy">
  ];
}

def ConvertGridToTPUPass : Pass<"convert-grid-to-tpu", "::mlir::ModuleOp"> {
  let summary = "Turn a kernel into a module with the conventions of Mosaic";
  let description = [{
    Replaces the module's `grid.kernel` by a function of the grid indices, the
    prefetched scalars, the blocks and the scratch, and by one transform function
    for each operand that is cut into blocks. Tensors become vectors; a Ref
    becomes a window of its block, which each load, store and copy names itself.

    A block keeps the unit dimensions that the kernel does not see. A Ref of
    bools holds i32, and so does the array that the caller passes. Windows count
    blocks, or elements where one dimension does.

    The arrays of the call stay on the module, in `gridir.operands`. What Mosaic
    has no form for is an error at the author's line.

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

    After, where the transform of `%o` is left out:

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
  let summary = "Turn loops and conditions into branches, from the last to the first";
  let description = [{
    Applies the patterns of upstream's `convert-scf-to-cf`. Each of them splits
    the block of an op after it. Upstream begins with the first op, so that the
    rest of the function is moved once for each op; this pass begins with the
    last one, and moves what lies between two ops once.

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
  let summary = "Read a Mosaic module back as a grid kernel";
  let description = [{
    Makes a `grid.kernel` of a Mosaic kernel, so that what is handed to a TPU goes
    through the pipeline of another target and is executed there. The windows, the
    transforms and the ops on vectors are read back from the module; of the kernel
    that it came from only the arrays of the call are used, which a Mosaic module
    does not know: the module attribute `gridir.operands`, as
    `convert-grid-to-tpu` leaves it.

    Vectors become tensors, and a window that an access names a slice of its Ref.
    Conversions of floats saturate as they do on a TPU. Copies and signals to other
    cores are errors, traces and delays are dropped. A module that
    `tpu-check-contract` refuses is refused here too.

    Before, where the transforms are left out:

    ```mlir
    module attributes {gridir.operands = {
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

def ConvertWarpgroupToGridPass : Pass<"convert-warpgroup-to-grid", "::gridir::grid::KernelOp"> {
  let summary = "Turn what is done where it is started into ops of grid";
  let description = [{
    Products of matrix units, copies to tensor memory and copies of rows that an
    array names are done where they are started: nobody may see their result, or
    change their operands, before they are waited for. They become loads and
    stores. With a barrier an arrival follows. Of two blocks the first one does the
    work of both. What an accumulator holds is not used where a product replaces
    it.

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
  let summary = "Turn a warpgroup program into the code of its threads";
  let description = [{
    Replaces the module's `grid.kernel`, whose threads are warpgroups, by a
    function of one thread in a `gpu.module`, and by the `kernel.abi` of its
    launch. A CTA is a point of the grid in its cluster, and has 128 threads for
    each warpgroup.

    - An array becomes the values that a thread holds of it. All arrays of one
      shape are held alike; where an op asks for elements of other threads they
      pass through shared memory.
    - A Ref in shared memory becomes addresses from the offset on that
      `warpgroup-plan-memory` has given it, swizzled as its scope says. Around
      accesses the threads of a warpgroup meet where one may depend on another.
    - A Ref in registers becomes local variables.
    - A copy becomes copies by the tensor memory accelerator, which one thread
      starts. Each array, with a tile, is a tensor map, a parameter of the
      function behind its operands, which `tensor_maps` of the `kernel.abi`
      describe.
    - A barrier becomes an `mbarrier`, at which one thread arrives for its
      warpgroup; each thread keeps the phase that it waits for.
    - A semaphore becomes a word of global memory that is zero when the launch
      begins, `zeroed_bytes` of the `kernel.abi`, which is a parameter behind
      the operands.

    Before:

    ```mlir
    grid.kernel @zero grid(%i = 4)
        outputs(%o: f32 [128] space gpu.gmem) attributes {warpgroup.shared_bytes = 0 : i64} {
      %v = arith.constant dense<0.0> : tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<gpu.gmem>>
    }
    ```

    After:

    ```mlir
    module {
      kernel.abi @zero shared_bytes = 0 num_threads = 128 num_ctas = 4 cluster_ctas = 1
      gpu.module @zero {
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
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::gridir::kernel::KernelDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, as LLVM names it">
  ];
  let statistics = [
    Statistic<"numTensorMaps", "num-tensor-maps",
              "Number of tensor maps that a launch gives">
  ];
}

def TPUElideChecksPass : Pass<"tpu-elide-checks", "::mlir::ModuleOp"> {
  let summary = "Find the run-time checks of Mosaic's that a proof makes needless";
  let description = [{
    Reads the module back as a kernel, as `convert-tpu-to-grid` does, and asks of
    that what `grid-check` asks: whether each window overlaps its array and each
    slice lies inside its Ref, and whether each wait for a copy or a semaphore has
    something to wait for with nothing left at the end. What is asked is the module
    that Mosaic is given, so that no claim of the author's and no mistake of a pass
    before this counts for a proof. Where ranges of integers show that no check can
    fail, since the grid counts the blocks, indices are constants and nothing is
    copied, the module is not read back.

    Where some indices are not proved, as those that are data and those computed by
    arithmetic that may leave 32 bits, assertions of the kernel check these instead.
    One stands before each access, or before the vectors of its block, since a kernel
    schedules those together; one for indices of a block of code that differ by
    constants, and none for an index of which one before has spoken. The transform of
    a window runs before the program that uses the block, so that there the index is
    clamped, and the program computes it again and asserts that it was in bounds.
    Mosaic checks every copy of a block or slice that moves, and no load or store: its
    checks stay where they are estimated to cost fewer bundles than the assertions.
    They stay, too, where a mask or an array of indices says what is accessed, where a
    window counts elements, whose index must stay the multiple that it is, and where
    the module cannot be read back, as that of a kernel that speaks with other chips.

    The answers are left in `gridir.run_time_checks`: the unit attribute for checks
    that nothing can fail, an array with what the assertions say for those that the
    kernel makes instead; both whoever writes the call switches off by
    `disable_bounds_checks` and `disable_semaphore_checks`. Else it is the reason why
    they stay. An entry `false` is there before, for checks that the author has
    switched off, of which nothing is asked.

    Before:

    ```mlir
    module attributes {gridir.operands = {
        inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
      func.func @look(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
          tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
          dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
          window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}
                          ]} {
        return
      }
      func.func @transform_0(%i: i32) -> (i32, i32) {
        %c0 = arith.constant 0 : i32
        return %i, %c0 : i32, i32
      }
    }
    ```

    After, the module has another attribute:

    ```mlir
    module attributes {gridir.run_time_checks = {bounds, semaphore}} {
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::gridir::grid::GridDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numElided", "num-elided", "Number of kinds of checks that are needless">,
    Statistic<"numKept", "num-kept", "Number of kinds of checks that stay">,
    Statistic<"numReplaced", "num-replaced",
              "Number of kinds of checks that assertions in the kernel make instead">,
  ];
}

#endif // GRIDIR_DIALECTS_CONVERSION_PASSES_TD
