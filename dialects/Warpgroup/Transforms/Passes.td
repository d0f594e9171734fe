//===- Passes.td - passes on warpgroup programs -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD

include "dialects/Warpgroup/Transforms/BlockPasses.td"
include "dialects/Warpgroup/Transforms/ContractionPasses.td"
include "dialects/Warpgroup/Transforms/MemoryPasses.td"
include "mlir/Pass/PassBase.td"

def WarpgroupAssignPhasesPass : Pass<"warpgroup-assign-phases", "::gridir::grid::KernelOp"> {
  let summary = "State the phases of waits that go round rings of barriers";
  let description = [{
    A wait needs the parity of the phase that it waits for. In general, each
    thread counts the phases that it has observed, in a word with one bit for
    each barrier of an allocation. The pass finds waits of loops that go round
    rings: in iteration `i` for barrier `(i + distance) mod size`. Their parity
    is that of the number of the round, which all rings of one size share, and
    `phase` of the wait states it.

    The wait must be the only one in the loop for barriers of its allocation.
    The loop must begin at a constant and advance by 1, and the wait must occur
    in all iterations up to some iteration. The phases before the loop must be
    known: they follow from waits for barriers with constant numbers, outside of
    other loops.

    Before:

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %place = arith.remsi %i, %c3 : i32
      %a = grid.slice_ref %ring[%place] [1] [1] drop [0]
          : memref<3x!warpgroup.barrier<1>>, i32 -> memref<!warpgroup.barrier<1>>
      warpgroup.barrier_wait %a : memref<!warpgroup.barrier<1>>
    }
    ```

    After:

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %place = arith.remsi %i, %c3 : i32
      %a = grid.slice_ref %ring[%place] [1] [1] drop [0]
          : memref<3x!warpgroup.barrier<1>>, i32 -> memref<!warpgroup.barrier<1>>
      warpgroup.barrier_wait %a phase <size = 3, distance = 0> : memref<!warpgroup.barrier<1>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numAssigned", "num-assigned", "Number of waits whose phase is the parity of a round">
  ];
}

def WarpgroupAssignSharedLayoutsPass : Pass<"warpgroup-assign-shared-layouts", "::mlir::ModuleOp"> {
  let summary = "Choose the panels and swizzles of arrays in shared memory";
  let description = [{
    MMAs read matrices in shared memory in panels: blocks of columns with rows
    of at most 128 bytes, whose pieces of 16 bytes are permuted. The pass gives
    each scope whose Refs need such layouts the attribute
    `warpgroup.shared_layouts`. The author's transforms of a Ref specify its
    panels. A Ref without transforms that MMAs read has the widest panels such
    that each window that is copied or read consists of whole panels. All others
    are in row-major order, as are those that a view or copy requires to be
    contiguous. The placement of elements is internal to the compiler. A scope
    that has the attribute keeps it.

    Before:

    ```mlir
    grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64x32xbf16, #warpgroup.space<smem>>,
                 %acc: memref<64x32xf32, #warpgroup.space<regs>>) {
      warpgroup.mma %acc, %a, %b : memref<64x32xf32, #warpgroup.space<regs>>, memref<64x64xbf16, #warpgroup.space<smem>>,
          memref<64x32xbf16, #warpgroup.space<smem>>
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<64x64xbf16, #warpgroup.space<smem>>, %b: memref<64x32xbf16, #warpgroup.space<smem>>,
                 %acc: memref<64x32xf32, #warpgroup.space<regs>>)
        attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 0>,
                                                #warpgroup.shared_layout<panel_bytes = 64, rows = 0>, unit]} {
      warpgroup.mma %acc, %a, %b : memref<64x32xf32, #warpgroup.space<regs>>, memref<64x64xbf16, #warpgroup.space<smem>>,
          memref<64x32xbf16, #warpgroup.space<smem>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numDivided", "num-divided", "Number of arrays that are divided into panels">
  ];
  let dependentDialects = ["::gridir::warpgroup::WarpgroupDialect"];
}

def WarpgroupDeferReductionsPass : Pass<"warpgroup-defer-reductions", "::gridir::grid::KernelOp"> {
  let summary = "Add the sums of threads once, after the loop that carries them";
  let description = [{
    A loop may carry a value, scale it and add sums to it, as attention does for
    the sum of each row. If the elements of a sum are in several threads, each
    iteration exchanges partial sums between them. The pass lets the loop carry
    the sum of each thread instead, as further dimensions of the value, and adds
    these after the loop. The layout of the summand gives these dimensions: its
    reduced dimensions are divided into those of registers, which the loop
    reduces, and those of threads. An initial value other than 0 is given to the
    first of the threads. A remark at each sum states the number of threads.

    The summands are added in another order, which is exact for integers. For
    floats the rounding differs, so the author must allow it by `approx_math`.
    Every use of the carried value in the loop must be linear in it, and the
    total must have the layout of the result.

    Within one op, the order of the summands is not specified:
    `convert-warpgroup-to-nvvm` always adds those of a thread, then those of
    lanes, then those of warps.

    Before:

    ```mlir
    #row = #warpgroup.layout<[32], registers = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>
    %sum = scf.for %k = %begin to %end step %one iter_args(%l = %zero) -> (tensor<32xi32, #row>) : i32 {
      %s = linalg.reduce {arith.addi} ins(%v : tensor<32x16xi32, #warpgroup.layout<strided(4)>>)
          outs(%zero : tensor<32xi32, #row>) dimensions = [1]
      %next = arith.addi %l, %s : tensor<32xi32, #row>
      scf.yield %next : tensor<32xi32, #row>
    }
    ```

    After, where four threads have a row, and four elements of it each:

    ```mlir
    #row = #warpgroup.layout<[32], registers = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>
    #partial = #warpgroup.layout<strided(1)>
    #expanded = #warpgroup.layout<strided(4)>
    %init = arith.constant dense<0> : tensor<32x4xi32, #partial>
    %sums = scf.for %k = %begin to %end step %one iter_args(%l = %init) -> (tensor<32x4xi32, #partial>) : i32 {
      %e = tensor.expand_shape %v [[0], [1, 2]] output_shape [32, 4, 4]
          : tensor<32x16xi32, #expanded> into tensor<32x4x4xi32, #expanded>
      %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>,
                                            affine_map<(d0, d1, d2) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%e : tensor<32x4x4xi32, #expanded>) outs(%init : tensor<32x4xi32, #partial>) {
      ^bb0(%in: i32, %out: i32):
        %a = arith.addi %out, %in : i32
        linalg.yield %a : i32
      } -> tensor<32x4xi32, #partial>
      %next = arith.addi %l, %s : tensor<32x4xi32, #partial>
      scf.yield %next : tensor<32x4xi32, #partial>
    }
    %sum = linalg.reduce {arith.addi} ins(%sums : tensor<32x4xi32, #partial>)
        outs(%zero : tensor<32xi32, #row>) dimensions = [1]
    ```
  }];
  let statistics = [
    Statistic<"numDeferred", "num-deferred", "Number of values whose sums of threads are added after a loop">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
      "::mlir::tensor::TensorDialect", "::gridir::warpgroup::WarpgroupDialect"];
}

def WarpgroupInferLayoutsPass : Pass<"warpgroup-infer-layouts", "::mlir::ModuleOp"> {
  let summary = "Choose the distribution of arrays over the threads of a "
                "warpgroup";
  let description = [{
    Gives each tensor in the body of a `grid.kernel` a layout, as the encoding
    of its type. Ops state their requirements by `LayoutOpInterface`. Matrix
    units define the layouts of accumulators and operands, an author's
    `layout_cast` is kept, and memory accesses prefer consecutive vectors.
    Elementwise ops propagate layouts, and structured ops do so by their
    indexing maps; all values that flow through a loop or branch have the same
    layout. The pass chooses the layouts with the fewest instructions;
    instructions in loops count several times.

    A window of an array that does not consist of whole tiles, or whose offsets
    are dynamic, becomes a structured op that reads single elements.

    If the layout of an operand differs from the one that its user requires, a
    `relayout` is inserted after the op that defines it, with a remark about the
    number of instructions. Constants are duplicated instead. A layout's tile
    has the rank of its tensor if possible.

    Before:

    ```mlir
    %c2 = arith.constant dense<2.0> : tensor<64x64xf32>
    %v = grid.load %acc : memref<64x64xf32, #warpgroup.space<regs>> -> tensor<64x64xf32>
    %w = arith.mulf %v, %c2 : tensor<64x64xf32>
    ```

    After:

    ```mlir
    %c2 = arith.constant dense<2.0> : tensor<64x64xf32, #warpgroup.layout<wgmma>>
    %v = grid.load %acc
        : memref<64x64xf32, #warpgroup.space<regs>> -> tensor<64x64xf32, #warpgroup.layout<wgmma>>
    %w = arith.mulf %v, %c2 : tensor<64x64xf32, #warpgroup.layout<wgmma>>
    ```
  }];
  let options = [
    Option<"sharedMemory", "shared-memory", "bool", /*default=*/"true",
           "Allow relayouts through shared memory; otherwise they are errors">
  ];
  let statistics = [
    Statistic<"numTensors", "num-tensors", "Number of tensors with a layout">,
    Statistic<"numRelayouts", "num-relayouts", "Number of relayouts inserted">,
    Statistic<"numInstructions", "num-instructions",
              "Number of instructions of a thread for relayouts">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
      "::mlir::tensor::TensorDialect", "::gridir::warpgroup::WarpgroupDialect"];
}

def WarpgroupInsertProxyFencesPass : Pass<"warpgroup-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "Order accesses of threads to memory before copies and MMAs";
  let description = [{
    Threads access shared memory through the generic proxy, bulk copies and
    matrix units through the async proxy (`AsyncProxyOpInterface`). Stores of
    threads reach a copy or an MMA only after a proxy fence, and so do loads and
    stores before a copy that overwrites the memory. Authors write `commit_smem`
    for this. If there is none on some path from an access by threads to such an
    op, the pass inserts one before the op, with a remark at the line of the op
    and a note at the line of the access.

    The threads that made the access must execute the fence. If threads have
    stored and the op belongs to another warpgroup, warp or CTA, the fence is
    therefore before the op that signals them: an arrival at a barrier, or the
    begin of a scope that reuses the memory of an earlier one. A load needs none
    there: its value is in registers before the thread arrives. If an access is
    before a loop, or before the code of warps, and the op is inside, the fence
    is before the loop.

    Global memory is treated alike, with `commit_gmem`. An input and an output
    that share memory are one array. All CTAs share global memory: the fence is
    also before a signal of a semaphore, or an atomic update, that another CTA
    may wait for before it copies.

    Requires `warpgroup-plan-memory`, whose offsets determine which Refs share
    bytes. Refs without an offset may be anywhere.

    Before:

    ```mlir
    grid.store %v, %tile : tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
    warpgroup.tma_store %tile to %o[0, 0] [64, 64]
        : memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x64xbf16>
    ```

    After:

    ```mlir
    grid.store %v, %tile : tensor<64x64xbf16>, memref<64x64xbf16, #warpgroup.space<smem>>
    warpgroup.commit_smem
    warpgroup.tma_store %tile to %o[0, 0] [64, 64]
        : memref<64x64xbf16, #warpgroup.space<smem>>, memref<64x64xbf16>
    ```
  }];
  let statistics = [
    Statistic<"numFences", "num-fences", "Number of fences inserted">
  ];
}

def WarpgroupInsertBarriersPass : Pass<"warpgroup-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Synchronize the threads of a warpgroup where they depend on each other";
  let description = [{
    The threads of a warpgroup execute an op on an array together, each with its
    own elements. The pass inserts a `warpgroup.sync` before an op if threads may
    access memory there that other threads of the warpgroup have accessed since
    they synchronized last: a read after a write, or a write after a read or a
    write. It also inserts one

    - before an op by which one thread announces something for all of them, such
      as an arrival at a barrier, if they have accessed memory or waited. If each
      warp arrives separately, only its lanes synchronize (`warp`);
    - before a copy or an MMA that completes a phase of a barrier, if a thread
      may still wait for the phase before it;
    - before an op for which threads exchange elements through shared memory, if
      some may still read those of an earlier exchange: a relayout, a reduction
      across warps, or an op that reads elements of other threads;
    - at the end of the body of a loop, for the next iteration;
    - before a scope whose Refs may share memory with an earlier one, for all
      threads of the CTA (`block`).

    `commit_smem`, `commit_gmem`, `barrier_test` and a named barrier synchronize
    the threads already. An accumulator of `warpgroup.mma` in registers is
    complete only after a wait: before another access the pass inserts
    `mma_wait 0` if there may be none.

    Two Refs are the same memory if offsets of `warpgroup-plan-memory` overlap,
    or if an input of the kernel is an alias of an output. All exchanges of a
    warpgroup use the same memory, which no Ref has. An exchange consists of
    stores, a barrier and loads: `convert-warpgroup-to-nvvm` emits the barriers
    inside of one op, and rejects an op that lacks the one before it.

    Before:

    ```mlir
    grid.store %v, %t : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<smem>>
    %w = grid.load %t : memref<64x64xf32, #warpgroup.space<smem>> -> tensor<64x64xf32>
    ```

    After:

    ```mlir
    grid.store %v, %t : tensor<64x64xf32>, memref<64x64xf32, #warpgroup.space<smem>>
    warpgroup.sync warpgroup
    %w = grid.load %t : memref<64x64xf32, #warpgroup.space<smem>> -> tensor<64x64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numBarriers", "num-barriers", "Number of barriers inserted">,
    Statistic<"numProductWaits", "num-product-waits", "Number of waits for MMAs inserted">
  ];
  let dependentDialects = ["::gridir::warpgroup::WarpgroupDialect"];
}

def WarpgroupSplitStoresPass : Pass<"warpgroup-split-stores", "::mlir::ModuleOp"> {
  let summary = "Split stores whose computation exceeds the registers";
  let description = [{
    A thread has 255 registers. A store of a value that is computed elementwise
    from a matrix in tensor memory, and from others in global memory, is split
    by columns if its loads of the matrix exceed 192 words for each thread. Each
    part loads at most 128 words, so that registers are not spilled to local
    memory. All layouts must consist of tiles that a part has. Between the loads
    and the store the CTA may only wait and load.

    The store must not read memory that it writes, since a load of the second
    part comes after the store of the first one, except a matrix in tensor memory
    that it replaces. A relayout before the store to a layout without such parts
    is dropped.

    Before:

    ```mlir
    %v = grid.load %acc
        : memref<128x256xf32, #warpgroup.space<tmem>> -> tensor<128x256xf32, #warpgroup.layout<tcgen05>>
    grid.store %v, %o
        : tensor<128x256xf32, #warpgroup.layout<tcgen05>>, memref<128x256xf32, #warpgroup.space<smem>>
    ```

    After:

    ```mlir
    %0 = grid.slice_ref %acc[0, 0] [128, 128] [1, 1]
        : memref<128x256xf32, #warpgroup.space<tmem>> -> memref<128x128xf32, #warpgroup.space<tmem>>
    %v0 = grid.load %0
        : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32, #warpgroup.layout<tcgen05>>
    %1 = grid.slice_ref %o[0, 0] [128, 128] [1, 1]
        : memref<128x256xf32, #warpgroup.space<smem>> -> memref<128x128xf32, #warpgroup.space<smem>>
    grid.store %v0, %1
        : tensor<128x128xf32, #warpgroup.layout<tcgen05>>, memref<128x128xf32, #warpgroup.space<smem>>
    %2 = grid.slice_ref %acc[0, 128] [128, 128] [1, 1]
        : memref<128x256xf32, #warpgroup.space<tmem>> -> memref<128x128xf32, #warpgroup.space<tmem>>
    %v1 = grid.load %2
        : memref<128x128xf32, #warpgroup.space<tmem>> -> tensor<128x128xf32, #warpgroup.layout<tcgen05>>
    %3 = grid.slice_ref %o[0, 128] [128, 128] [1, 1]
        : memref<128x256xf32, #warpgroup.space<smem>> -> memref<128x128xf32, #warpgroup.space<smem>>
    grid.store %v1, %3
        : tensor<128x128xf32, #warpgroup.layout<tcgen05>>, memref<128x128xf32, #warpgroup.space<smem>>
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of stores that were split">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD
