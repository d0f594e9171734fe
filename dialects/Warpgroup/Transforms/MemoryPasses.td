//===- MemoryPasses.td - The memory of a warpgroup program -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MEMORYPASSES_TD
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MEMORYPASSES_TD

include "mlir/Pass/PassBase.td"

def WarpgroupPlanMemoryPass : Pass<"warpgroup-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place the Refs of a warpgroup program in shared and tensor memory";
  let description = [{
    Each Ref of a `grid.scoped` in shared memory gets an offset in the array of
    shared memory of a CTA: `warpgroup.offsets` of the scope, with -1 for a Ref
    elsewhere. Scopes form a stack: consecutive scopes share memory. Arrays
    begin at multiples of 1024 bytes, the period of every swizzle. Barriers
    follow all arrays and share no bytes, since all are initialized when the
    kernel begins. `warpgroup.shared_bytes` of the kernel is the total.

    For exchanges between its threads, each warpgroup has
    `warpgroup.scratch_bytes` after these: as many as the largest exchange
    requires. A relayout works in rounds, and gets as many as it can use, or as
    are left.

    The offset of a Ref in tensor memory counts columns;
    `warpgroup.tensor_columns` are allocated, a power of two of at least 32. The
    number of columns of a Ref follows from its uses: accumulators have a column
    for each element, other elements share the 32 bits of a column, and with 64
    rows half of the columns are in separate lanes.

    Members of a union (`warpgroup.unions`) begin at the author's offsets,
    unless one of them needs more than these give.

    Before:

    ```mlir
    grid.scoped (%a: memref<64xf32, #warpgroup.space<smem>>,
                 %b: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>) {
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<64xf32, #warpgroup.space<smem>>,
                 %b: memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>)
        attributes {warpgroup.offsets = array<i64: 0, 256>} {
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name; by default the one with most memory">,
    Option<"verifyOnly", "verify-only", "bool", /*default=*/"false",
           "Only report Refs that exceed the memories">
  ];
  let statistics = [
    Statistic<"sharedBytes", "shared-bytes", "Number of bytes of shared memory "
                                             "of a CTA">
  ];
}

def WarpgroupShareMembersPass : Pass<"warpgroup-share-members", "::mlir::ModuleOp"> {
  let summary = "Let members of unions read stores to other members";
  let description = [{
    A member of a union (`warpgroup.unions`) that the kernel only reads contains
    the bytes that were stored to another member. It becomes a view of that one,
    with the same bytes as other elements, if both are row-major in shared
    memory, or occupy all bits of the same columns of tensor memory. If it is
    tiled or swizzled, is a part of other columns, or has bytes of several
    members, the read is rejected: it would give other numbers than on a GPU. A
    member that is written itself is not changed.

    Before:

    ```mlir
    grid.scoped (%a: memref<128xi8, #warpgroup.space<smem>>,
                 %b: memref<32xf32, #warpgroup.space<smem>>)
        attributes {warpgroup.unions = array<i64: 0, 0, 128, 0, 0, 128>} {
      grid.store %v, %a : tensor<128xi8>, memref<128xi8, #warpgroup.space<smem>>
      %w = grid.load %b : memref<32xf32, #warpgroup.space<smem>> -> tensor<32xf32>
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<128xi8, #warpgroup.space<smem>>,
                 %b: memref<32xf32, #warpgroup.space<smem>>)
        attributes {warpgroup.unions = array<i64: 0, 0, 128, 0, 0, 128>} {
      %0 = grid.bitcast_ref %a
          : memref<128xi8, #warpgroup.space<smem>> -> memref<32xf32, #warpgroup.space<smem>>
      grid.store %v, %a : tensor<128xi8>, memref<128xi8, #warpgroup.space<smem>>
      %w = grid.load %0 : memref<32xf32, #warpgroup.space<smem>> -> tensor<32xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numViews", "num-views", "Number of members that became views of "
                                       "others">
  ];
}

def WarpgroupSpillAccumulatorsPass : Pass<"warpgroup-spill-accumulators", "::mlir::ModuleOp"> {
  let summary = "Move accumulators that registers do not hold to local memory";
  let description = [{
    If an accumulator of MMAs and the addresses of a thread need more registers
    than a thread has, the assembler moves registers to memory and back around
    each MMA, and serializes the MMAs. The pass decides instead how many
    registers hold the accumulator: as many as leave some for addresses and for
    a part that one MMA updates. The rest of the accumulator is in local memory,
    and moves to registers part by part while other MMAs execute. A remark
    states the numbers. A scope that has the attribute keeps it.

    Before:

    ```mlir
    grid.scoped (%a: memref<256x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
                 %acc: memref<256x128xf32, #warpgroup.space<regs>>) {
      warpgroup.mma %acc, %a, %b : memref<256x128xf32, #warpgroup.space<regs>>,
          memref<256x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
    }
    ```

    After:

    ```mlir
    grid.scoped (%a: memref<256x16xf16, #warpgroup.space<smem>>, %b: memref<16x128xf16, #warpgroup.space<smem>>,
                 %acc: memref<256x128xf32, #warpgroup.space<regs>>)
        attributes {warpgroup.held_registers = array<i64: -1, -1, 160>} {
      warpgroup.mma %acc, %a, %b : memref<256x128xf32, #warpgroup.space<regs>>,
          memref<256x16xf16, #warpgroup.space<smem>>, memref<16x128xf16, #warpgroup.space<smem>>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "The chip, with LLVM's name">
  ];
  let statistics = [
    Statistic<"numSpilled", "num-spilled", "Number of accumulators that are in part in local memory">
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MEMORYPASSES_TD
