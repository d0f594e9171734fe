//===- Passes.td - passes on warpgroup programs -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def WarpgroupInferLayoutsPass : Pass<"warpgroup-infer-layouts", "::mlir::ModuleOp"> {
  let summary = "Decide which thread of a warpgroup holds which elements";
  let description = [{
    Gives each tensor in the body of a `grid.kernel` a layout, as the encoding of
    its type. Ops say what they demand by `LayoutOpInterface`: accumulators and
    operands of the matrix units lie as those define it, an author's `layout_cast`
    is kept, accesses of memory do best with vectors that lie side by side.
    Elementwise ops hand layouts on, and structured ones as their indexing maps
    say; what flows through loops and branches lies alike. Of the layouts that
    serve, those are chosen that cost the fewest instructions, with those in loops
    counted several times.

    A window of an array that is not made of whole tiles, or whose offsets are not
    known, becomes a structured op that reads single elements.

    Where an operand lies otherwise than its user needs it, a `relayout` is put
    behind the op that makes it, and a remark says how many instructions that is.
    Constants are made anew instead. A layout's tile has the rank of its tensor
    where that can be.

    Before:

    ```mlir
    %c2 = arith.constant dense<2.0> : tensor<64x64xf32>
    %v = grid.load %acc : memref<64x64xf32, #grid.space<gpu.regs>> -> tensor<64x64xf32>
    %w = arith.mulf %v, %c2 : tensor<64x64xf32>
    ```

    After:

    ```mlir
    %c2 = arith.constant dense<2.0> : tensor<64x64xf32, #warpgroup.layout<wgmma>>
    %v = grid.load %acc
        : memref<64x64xf32, #grid.space<gpu.regs>> -> tensor<64x64xf32, #warpgroup.layout<wgmma>>
    %w = arith.mulf %v, %c2 : tensor<64x64xf32, #warpgroup.layout<wgmma>>
    ```
  }];
  let options = [
    Option<"sharedMemory", "shared-memory", "bool", /*default=*/"true",
           "Let relayouts go through shared memory, instead of an error">
  ];
  let statistics = [
    Statistic<"numTensors", "num-tensors", "Tensors that have a layout now">,
    Statistic<"numRelayouts", "num-relayouts", "Relayouts that were put in">,
    Statistic<"numInstructions", "num-instructions",
              "Instructions of a thread for relayouts">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
      "::mlir::tensor::TensorDialect", "::gridir::warpgroup::WarpgroupDialect"];
}

def WarpgroupInsertProxyFencesPass : Pass<"warpgroup-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "Order what threads do in shared memory before copies and products";
  let description = [{
    Threads access shared memory through the generic proxy, bulk copies and matrix
    units through the asynchronous one (`AsyncProxyOpInterface`). What threads have
    stored there reaches a copy or a product only behind a proxy fence, as does
    what they have loaded or stored reach a copy that overwrites it. Authors write
    `commit_smem` for it. Where none is on some way from an access by threads to
    such an op, the pass puts one in front of the op, with a remark at the line of
    the op and a note at the line of the access.

    The fence is one of the threads that made the access. So where threads have
    stored and the op is one of another warpgroup, warp or block, the fence is in
    front of the op by which those learn that they may go on: an arrival at a
    barrier, or the begin of a scope whose memory is that of one before. A load
    needs none there: its value is in registers before the thread arrives. Where
    an access is before a loop, or
    before the code of warps, and the op in it, the fence is in front of the loop.

    Run it behind `warpgroup-plan-memory`, whose offsets tell which Refs share
    bytes. Refs without an offset may be anywhere.

    Before:

    ```mlir
    grid.store %v, %tile : tensor<64x64xbf16>, memref<64x64xbf16, #grid.space<gpu.smem>>
    warpgroup.tma_store %tile to %o[0, 0] [64, 64]
        : memref<64x64xbf16, #grid.space<gpu.smem>>, memref<64x64xbf16>
    ```

    After:

    ```mlir
    grid.store %v, %tile : tensor<64x64xbf16>, memref<64x64xbf16, #grid.space<gpu.smem>>
    warpgroup.commit_smem
    warpgroup.tma_store %tile to %o[0, 0] [64, 64]
        : memref<64x64xbf16, #grid.space<gpu.smem>>, memref<64x64xbf16>
    ```
  }];
  let statistics = [
    Statistic<"numFences", "num-fences", "Fences that were inserted">
  ];
}

def WarpgroupPlanMemoryPass : Pass<"warpgroup-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place the Refs of a warpgroup program in shared and tensor memory";
  let description = [{
    Each Ref that a `grid.scoped` has in `gpu.smem` gets an offset into the one
    array of shared memory of a CTA: `warpgroup.offsets` of the scope, with -1 for
    a Ref that is elsewhere. Scopes are a stack: those that follow one another
    share memory. Arrays begin at multiples of 1024 bytes, in which every swizzle
    repeats. Barriers are behind all arrays, and none shares its bytes, since all
    are initialized when the kernel begins. `warpgroup.shared_bytes` of the kernel
    is the sum.

    Where relayouts go through shared memory, each warpgroup has
    `warpgroup.scratch_bytes` more behind that, as many as they have a use for, or
    as are left: they go in rounds of so many.

    Of a Ref in `gpu.tmem` the offset counts columns of tensor memory, of which
    `warpgroup.tensor_columns` are allocated: a power of two, of 32 or more. How
    many a Ref takes follows from what the kernel does with it: sums of products
    have a column each, other elements share the 32 bits of one; of 64 rows half
    of the columns lie in lanes of their own.

    Members of a union (`warpgroup.unions`) begin where the author's count has
    them, but for those of a union of which one takes more than that.

    Before:

    ```mlir
    grid.scoped (%a: memref<64xf32, #grid.space<gpu.smem>>,
                 %b: memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>>) {
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<64xf32, #grid.space<gpu.smem>>,
                 %b: memref<2x!warpgroup.barrier<1>, #grid.space<gpu.smem>>)
        attributes {warpgroup.offsets = array<i64: 0, 256>} {
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, as LLVM names it; none is the one with most memory">,
    Option<"verifyOnly", "verify-only", "bool", /*default=*/"false",
           "Only report what exceeds the memories">
  ];
  let statistics = [
    Statistic<"sharedBytes", "shared-bytes", "Bytes of shared memory of a CTA">
  ];
}

def WarpgroupShareMembersPass : Pass<"warpgroup-share-members", "::mlir::ModuleOp"> {
  let summary = "Let members of unions see what others have written";
  let description = [{
    A member of a union (`warpgroup.unions`) that the kernel reads and never writes
    holds what another one has written that shares its bytes. It becomes a view of
    that one, of the same bytes as other elements, where both lie in row-major
    order: in shared memory, or in all bits of the same columns of tensor memory.
    Where it is tiled or swizzled, is a part of other columns, or has its bytes of
    several, the read is refused: it would give other numbers than on a GPU. A
    member that is written by itself is left alone.

    Before:

    ```mlir
    grid.scoped (%a: memref<128xi8, #grid.space<gpu.smem>>,
                 %b: memref<32xf32, #grid.space<gpu.smem>>)
        attributes {warpgroup.unions = array<i64: 0, 0, 128, 0, 0, 128>} {
      grid.store %v, %a : tensor<128xi8>, memref<128xi8, #grid.space<gpu.smem>>
      %w = grid.load %b : memref<32xf32, #grid.space<gpu.smem>> -> tensor<32xf32>
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<128xi8, #grid.space<gpu.smem>>,
                 %b: memref<32xf32, #grid.space<gpu.smem>>)
        attributes {warpgroup.unions = array<i64: 0, 0, 128, 0, 0, 128>} {
      %0 = grid.bitcast_ref %a
          : memref<128xi8, #grid.space<gpu.smem>> -> memref<32xf32, #grid.space<gpu.smem>>
      grid.store %v, %a : tensor<128xi8>, memref<128xi8, #grid.space<gpu.smem>>
      %w = grid.load %0 : memref<32xf32, #grid.space<gpu.smem>> -> tensor<32xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numViews", "num-views", "Members that are views of others now">
  ];
}

def WarpgroupSplitStoresPass : Pass<"warpgroup-split-stores", "::mlir::ModuleOp"> {
  let summary = "Compute what is stored part by part, where a thread has no registers for all";
  let description = [{
    A thread has 255 registers. A store of what is computed elementwise of a matrix
    in tensor memory, and of others in global memory, becomes one for each part of
    the columns, of which a thread loads at most 128 words, where all that it loads
    for the matrix is more than 192: registers need not be stored to local memory
    then. All layouts must be made of tiles that a part has, and between the loads
    and the store the block may wait, and load, and nothing else.

    What the store reads may not be in the memory that it writes: a load of the
    second part is behind the store of the first one. A relayout in front of the
    store to a layout that has no such parts is left out.

    Before:

    ```mlir
    %v = grid.load %acc
        : memref<128x256xf32, #grid.space<gpu.tmem>> -> tensor<128x256xf32, #warpgroup.layout<tcgen05>>
    grid.store %v, %o
        : tensor<128x256xf32, #warpgroup.layout<tcgen05>>, memref<128x256xf32, #grid.space<gpu.smem>>
    ```

    After:

    ```mlir
    %0 = grid.slice_ref %acc[0, 0] [128, 128] [1, 1]
        : memref<128x256xf32, #grid.space<gpu.tmem>> -> memref<128x128xf32, #grid.space<gpu.tmem>>
    %v0 = grid.load %0
        : memref<128x128xf32, #grid.space<gpu.tmem>> -> tensor<128x128xf32, #warpgroup.layout<tcgen05>>
    %1 = grid.slice_ref %o[0, 0] [128, 128] [1, 1]
        : memref<128x256xf32, #grid.space<gpu.smem>> -> memref<128x128xf32, #grid.space<gpu.smem>>
    grid.store %v0, %1
        : tensor<128x128xf32, #warpgroup.layout<tcgen05>>, memref<128x128xf32, #grid.space<gpu.smem>>
    %2 = grid.slice_ref %acc[0, 128] [128, 128] [1, 1]
        : memref<128x256xf32, #grid.space<gpu.tmem>> -> memref<128x128xf32, #grid.space<gpu.tmem>>
    %v1 = grid.load %2
        : memref<128x128xf32, #grid.space<gpu.tmem>> -> tensor<128x128xf32, #warpgroup.layout<tcgen05>>
    %3 = grid.slice_ref %o[0, 128] [128, 128] [1, 1]
        : memref<128x256xf32, #grid.space<gpu.smem>> -> memref<128x128xf32, #grid.space<gpu.smem>>
    grid.store %v1, %3
        : tensor<128x128xf32, #warpgroup.layout<tcgen05>>, memref<128x128xf32, #grid.space<gpu.smem>>
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "num-split", "Stores that are several now">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_TD
