//===- Passes.td - Target-independent passes on grid ------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_TD

include "dialects/Grid/Transforms/BlockPasses.td"
include "dialects/Grid/Transforms/CheckPasses.td"
include "dialects/Grid/Transforms/WindowPasses.td"
include "mlir/Pass/PassBase.td"

def GridCanonicalizeIndexMapsPass
    : Pass<"grid-canonicalize-index-maps", "::gridir::grid::KernelOp"> {
  let summary = "Fold index maps to affine ones";
  let description = [{
    An index map has the form that JAX traced: `i // 2` is a division, two
    signs, a remainder, two comparisons and a select. This pass computes every
    result as an affine expression of the program ids, and replaces the ops of
    those that have one. Program ids are never negative, and a static grid
    bounds them; the pass uses both. Loads of prefetched scalars stay, and so do
    ops that depend on them or that wrap around in their type, such as a hash of
    the program ids; their affine parts are folded. The guard of a division or a
    shift, which JAX defines for all numbers, is dropped if another guard
    precedes it.

    Before:

    ```mlir
    grid.kernel @halves grid(%i = 8)
        inputs(%x: f32 [512] block [128] map(%id: i32) {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          %c2 = arith.constant 2 : i32
          %quotient = arith.divsi %id, %c2 : i32
          %remainder = arith.remsi %id, %c2 : i32
          %inexact = arith.cmpi ne, %remainder, %c0 : i32
          %negative = arith.cmpi slt, %id, %c0 : i32
          %down = arith.andi %inexact, %negative : i1
          %less = arith.subi %quotient, %c1 : i32
          %floor = arith.select %down, %less, %quotient : i32
          grid.yield %floor : i32
        })
        outputs(%o: f32 [1024] block [128] at (%i)) {
    }
    ```

    After:

    ```mlir
    grid.kernel @halves grid(%i = 8)
        inputs(%x: f32 [512] block [128] at (%i floordiv 2))
        outputs(%o: f32 [1024] block [128] at (%i)) {
    }
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of index maps that became affine">,
    Statistic<"numSimplified", "num-simplified",
              "Number of affine index maps that became simpler">,
    Statistic<"numKept", "num-kept", "Number of index maps that are not affine">,
  ];
}

def GridExpandSelectionsPass
    : Pass<"grid-expand-selections", "::gridir::grid::KernelOp"> {
  let summary = "Replace selections of Refs by branches";
  let description = [{
    A TPU cannot select a memref. Each use of a Ref that an index selects, or of
    a view of it, becomes a branch for each of the Refs. An index after the last
    Ref selects the last one.

    Before:

    ```mlir
    grid.kernel @choose grid(%j = 1)
        inputs(%number: i32 [], %a: f32 [8], %b: f32 [8])
        outputs(%o: f32 [8]) {
      %i = grid.load %number : memref<i32, #grid.space<default>> -> i32
      %chosen = grid.select_ref %i of %a, %b
          : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>
          -> memref<8xf32, #grid.space<default>>
      %v = grid.load %chosen : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @choose grid(%j = 1)
        inputs(%number: i32 [], %a: f32 [8], %b: f32 [8])
        outputs(%o: f32 [8]) {
      %i = grid.load %number : memref<i32, #grid.space<default>> -> i32
      %c0 = arith.constant 0 : i32
      %is_first = arith.cmpi eq, %i, %c0 : i32
      %v = scf.if %is_first -> (tensor<8xf32>) {
        %0 = grid.load %a : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
        scf.yield %0 : tensor<8xf32>
      } else {
        %0 = grid.load %b : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
        scf.yield %0 : tensor<8xf32>
      }
      grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of selections of Refs">,
  ];
}

def GridInferDimensionSemanticsPass
    : Pass<"grid-infer-dimension-semantics", "::gridir::grid::KernelOp"> {
  let summary = "Find the grid dimensions whose programs may run in any order";
  let description = [{
    A dimension is proved parallel under three conditions. No two programs that
    differ along it access the same element, if one of them writes it. No
    program that begins a run of the inner dimensions reads scratch, semaphores
    or random state that it did not write before. Nothing makes the order of
    programs observable (prints, shared semaphores). Scratch that is initialized
    `when program_id(k) == 0` is therefore carried along `k` alone.

    The author's claim (`dimension_semantics` of the compiler parameters, or
    `semantics` of the kernel) is not a proof: threads that share memory by
    mistake would give wrong results now and then. A claim that is refuted, or
    neither proved nor refuted, is dropped. A remark names two programs that
    conflict, or the value that is carried.

    With `test-blocks`, a claim that fails only because index maps read
    prefetched scalars is tested by each call. The dimension keeps its order.
    `grid.block_test` lists these dimensions, and the operands whose blocks must
    differ in a call for the dimensions to be parallel.

    A kernel that writes its prefetched scalars keeps state there for later
    programs on the same core. It gets the attribute `grid.own_state` if its
    claims hold when each work item begins with its own prefetched scalars,
    scratch and semaphores.

    Before:

    ```mlir
    grid.kernel @sums grid(%i = 4, %k = 8)
        inputs(%x: f32 [512, 1024] block [128, 128] at (%i, %k))
        outputs(%o: f32 [512, 128] block [128, 128] at (%i, 0)) {
      %v = grid.load %x : memref<128x128xf32, #grid.space<default>> -> tensor<128x128xf32>
      grid.accumulate %v, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @sums grid(%i = 4, %k = 8)
        inputs(%x: f32 [512, 1024] block [128, 128] at (%i, %k))
        outputs(%o: f32 [512, 128] block [128, 128] at (%i, 0))
        semantics [parallel, arbitrary] {
      %v = grid.load %x : memref<128x128xf32, #grid.space<default>> -> tensor<128x128xf32>
      grid.accumulate %v, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
    }
    ```
  }];
  let options = [
    Option<"testBlocks", "test-blocks", "bool", "false",
           "Let each call test claims that depend on prefetched scalars">,
  ];
  let statistics = [
    Statistic<"numProved", "num-proved", "Number of dimensions proved parallel">,
    Statistic<"numTested", "num-tested", "Number of claims that calls test">,
    Statistic<"numDropped", "num-dropped",
              "Number of claims that are neither proved nor refuted">,
    Statistic<"numRefuted", "num-refuted", "Number of wrong claims">,
  ];
}

def GridLegalizeBlocksPass : Pass<"grid-legalize-blocks", "::gridir::grid::KernelOp"> {
  let summary = "Make every block legal for the target";
  let description = [{
    Checks that the target supports the element type, memory space and kind of
    block of every operand and scratch Ref, and that no block lies completely
    outside of its array. A target that uses blocks in place allows such a block
    if no program accesses it without a mask. A violation is a located error that
    names the operand.
    A remark names the operands whose blocks may overhang their array; all other
    blocks are proved to lie inside.

    A TPU stores arrays in tiles: each of the last two dimensions of a block is
    as long as the array, or a multiple of the tile (8 rows, 32 for elements of
    8 bits and 64 for 4 bits in larger arrays; 128 lanes). The error names the
    nearest legal sizes.

    A block of `x_ref` ends outside of its array, which is legal on a CPU.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 8)
        inputs(%x: f32 [1000] block [128] at (%i) origin "x_ref")
        outputs(%o: f32 [1024] block [128] at (%i) origin "o_ref") {
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 8)
        inputs(%x: f32 [1000] block [128] at (%i) origin "x_ref")
        outputs(%o: f32 [1024] block [128] at (%i) origin "o_ref") {
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "The target: cpu, gpu or tpu, or a chip such as gpu:sm_90a">,
  ];
  let statistics = [
    Statistic<"numOverhanging", "num-overhanging", "Number of operands whose blocks overhang">,
  ];
}

def GridPlanMemoryPass : Pass<"grid-plan-memory", "::gridir::grid::KernelOp"> {
  let summary = "Plan the bytes that a kernel holds in every memory space";
  let description = [{
    Stores a `#grid.memory_plan`. It has, for every operand, the space
    of its blocks, the number of buffers (the author's `pipeline`; one if the
    block never changes; otherwise two), and the number of fetches if an
    unchanged block is not fetched again. It has, for every space, the bytes
    that are held at the same time: buffers, scratch, and the Refs of
    `grid.scoped` ops with overlapping live ranges.

    On `cpu` and `gpu` blocks are accessed in place, so only overhanging blocks
    need memory. VMEM has whole tiles, so the last two dimensions of a block are
    rounded up to them.

    A space whose capacity is exceeded is an error with the excess and the
    largest operand. The capacity of VMEM is the author's `vmem_limit_bytes`, or
    that of the chip; without a chip it is the largest of all chips.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 8)
        inputs(%x: f32 [1000] block [128] at (%i) origin "x_ref")
        outputs(%o: f32 [1024] block [128] at (%i) origin "o_ref") {
    }
    ```

    After:

    ```mlir
    grid.kernel @double grid(%i = 8)
        inputs(%x_ref: f32 [1000] block [128] at (%i) origin "x_ref")
        outputs(%o_ref: f32 [1024] block [128] at (%i) origin "o_ref")
        attributes {grid.memory_plan = #grid.memory_plan<"cpu"
          operands[<name = "x_ref", space = "default", block_bytes = 512, buffers = 1, fetches = 8>,
                    <name = "o_ref", space = "default", block_bytes = 512, buffers = 0, fetches = 8>]
          spaces[<"default", 512>]>} {
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "The target: cpu, gpu or tpu, or a chip such as gpu:sm_90a">,
    ListOption<"capacity", "capacity", "std::string",
               "The bytes of a memory space, as `tpu.vmem:16777216`">,
  ];
  let statistics = [
    Statistic<"numBytes", "num-bytes", "Bytes held in all spaces">,
    Statistic<"numBuffers", "num-buffers", "Number of buffers for blocks">,
    Statistic<"numRevisits", "num-revisits",
              "Number of grid steps at which a block need not be fetched">,
  ];
}

def GridPlanTasksPass : Pass<"grid-plan-tasks", "::gridir::grid::KernelOp"> {
  let summary = "Find the kernels whose programs must run concurrently";
  let description = [{
    In most kernels programs can run one after another, each to its end.
    Programs that synchronize must run concurrently: one signals a semaphore of
    another core, or they share a semaphore. This pass marks such a kernel with
    `grid.tasks`, so that a target runs its programs as tasks that can wait, and
    lists the concurrent dimensions: the cores of a mesh, and dimensions that
    the author declares parallel. The programs of other dimensions run in order,
    inside a task.

    With `always` every kernel is marked: copies then overlap with other work,
    in an order that `seed` determines. With `races` the kernel checks for
    unordered accesses. With `uninitialized` it checks for reads of
    uninitialized memory, in program order if programs do not synchronize. With
    `semaphores` it checks for semaphores that are not zero at the end.

    Before:

    ```mlir
    grid.kernel @signals grid(%c = 2 named "core" core)
        scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>) {
      %one = arith.constant 1 : i32
      %other = arith.constant 0 : i32
      grid.semaphore_signal %s, %one core %other : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
    }
    ```

    After:

    ```mlir
    grid.kernel @signals grid(%c = 2 named "core" core)
        scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>)
        semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
      %one = arith.constant 1 : i32
      %other = arith.constant 0 : i32
      grid.semaphore_signal %s, %one core %other : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
    }
    ```
  }];
  let options = [
    Option<"always", "always", "bool", "false", "Mark every kernel">,
    Option<"races", "races", "bool", "false",
           "Check for unordered accesses">,
    Option<"uninitialized", "uninitialized", "bool", "false",
           "Check for reads of uninitialized memory">,
    Option<"semaphores", "semaphores", "bool", "false",
           "Check for semaphores that are not zero at the end">,
    Option<"seed", "seed", "int64_t", "-1",
           "The seed of the order of tasks and copies; negative for the order "
           "of the programs">,
  ];
  let statistics = [
    Statistic<"numTaskKernels", "num-task-kernels", "Number of kernels marked">,
  ];
}

def GridPrivatizeWindowsPass
    : Pass<"grid-privatize-windows", "::gridir::grid::KernelOp"> {
  let summary = "Privatize the windows of the programs of a parallel dimension";
  let description = [{
    On a TPU the block of an output is a window in the memory of a core, and
    kernels accumulate in it. If the programs along a dimension that the author
    declares parallel have the same block, each core has a private window, and
    the array keeps the window that is written last. On threads that share the
    array this would be a race.

    Such a window becomes scratch of each work item, and only the last program
    with the block writes it to its array. The pass does this if it changes no
    result: the first program with a block writes all of it before it reads any,
    so that no element of another work item is read. Other outputs stay
    unchanged, and `grid-infer-dimension-semantics` drops the claim unless it is
    proved: outputs that are not read, that share memory with an input, that
    overhang their array, or that are not windows (`any`, HBM).

    Before:

    ```mlir
    grid.kernel @row_sums grid(%h = 2, %k = 8)
        inputs(%x: f32 [2, 64] block [squeezed, 8] at (%h, %k))
        outputs(%sum: f32 [8] block [8] at (0) origin "sum_ref")
        semantics [parallel, arbitrary] {
      %k0 = grid.program_id 1
      %c0 = arith.constant 0 : i32
      %first = arith.cmpi eq, %k0, %c0 : i32
      scf.if %first {
        %zero = arith.constant dense<0.0> : tensor<8xf32>
        grid.store %zero, %sum : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      }
      %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.accumulate %v, %sum : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    grid.kernel @row_sums grid(%h = 2, %k = 8)
        inputs(%x: f32 [2, 64] block [squeezed, 8] at (%h, %k))
        outputs(%sum_ref: f32 [8] block [8] at (0) origin "sum_ref")
        scratch(%window: memref<8xf32, #grid.space<default>> origin "sum_ref")
        semantics [parallel, arbitrary] {
      %k0 = grid.program_id 1
      %c0 = arith.constant 0 : i32
      %first = arith.cmpi eq, %k0, %c0 : i32
      scf.if %first {
        %zero = arith.constant dense<0.0> : tensor<8xf32>
        grid.store %zero, %window : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      }
      %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
      grid.accumulate %v, %window : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      %h1 = grid.program_id 0
      %hs = grid.num_programs 0
      %c1 = arith.constant 1 : i32
      %h_end = arith.subi %hs, %c1 : i32
      %h_last = arith.cmpi eq, %h1, %h_end : i32
      %k1 = grid.program_id 1
      %ks = grid.num_programs 1
      %one = arith.constant 1 : i32
      %k_end = arith.subi %ks, %one : i32
      %k_last = arith.cmpi eq, %k1, %k_end : i32
      %last = arith.andi %h_last, %k_last : i1
      scf.if %last {
        %all = grid.load %window : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
        grid.store %all, %sum_ref : tensor<8xf32>, memref<8xf32, #grid.space<default>>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numPrivatized", "num-privatized", "Number of outputs with private windows">,
  ];
}

def GridSpecializePass : Pass<"grid-specialize", "::mlir::ModuleOp"> {
  let summary = "Specialize grid sizes and operands";
  let description = [{
    - A dynamic grid size becomes static if the option `grid` defines it, or if
      the kernel is private and all its calls pass the same constant.
    - A dimension of one program is folded: its program id is 0. Adjacent
      dimensions of `jax.vmap` become one.
    - An input, or an index operand, that is not read is dropped if the kernel
      is private, so that all its calls are known. Unused scratch is always
      dropped.

    Before:

    ```mlir
    grid.kernel private @double grid(%i = 1 vmapped, %j = ?)
        inputs(%x: f32 [1, 1024] block [squeezed, 128] at (%i, %j),
               %unused: f32 [8])
        outputs(%o: f32 [1, 1024] block [squeezed, 128] at (%i, %j)) {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      %w = arith.addf %v, %v : tensor<128xf32>
      grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    func.func @main(%x: tensor<1x1024xf32>, %y: tensor<8xf32>) -> tensor<1x1024xf32> {
      %n = arith.constant 8 : i32
      %r = grid.call @double dynamic(%n : i32)
          inputs(%x, %y : tensor<1x1024xf32>, tensor<8xf32>) -> tensor<1x1024xf32>
      return %r : tensor<1x1024xf32>
    }
    ```

    After:

    ```mlir
    grid.kernel private @double grid(%i = 8)
        inputs(%x: f32 [1, 1024] block [squeezed, 128] at (0, %i))
        outputs(%o: f32 [1, 1024] block [squeezed, 128] at (0, %i)) {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      %w = arith.addf %v, %v : tensor<128xf32>
      grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    func.func @main(%x: tensor<1x1024xf32>, %y: tensor<8xf32>) -> tensor<1x1024xf32> {
      %n = arith.constant 8 : i32
      %r = grid.call @double inputs(%x : tensor<1x1024xf32>) -> tensor<1x1024xf32>
      return %r : tensor<1x1024xf32>
    }
    ```
  }];
  let options = [
    ListOption<"grid", "grid", "int64_t",
               "Sizes of the dynamic grid dimensions, in order">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numPinned", "num-pinned", "Number of dynamic grid sizes made static">,
    Statistic<"numFolded", "num-folded", "Number of grid dimensions folded">,
    Statistic<"numDropped", "num-dropped", "Number of operands and scratch Refs dropped">,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_TD
