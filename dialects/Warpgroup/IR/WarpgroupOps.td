//===- WarpgroupOps.td - Ops of the warpgroup dialect -----*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD

include "dialects/Grid/IR/GridAttrs.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupAttrs.td"
include "dialects/Warpgroup/IR/WarpgroupClusterOps.td"
include "dialects/Warpgroup/IR/WarpgroupCopyOps.td"
include "dialects/Warpgroup/IR/WarpgroupInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupTypes.td"
include "dialects/Warpgroup/IR/WarpgroupWarpOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

class Warpgroup_BarrierOp<string mnemonic, list<Trait> traits = []>
    : Warpgroup_Op<mnemonic, !listconcat([Grid_ProgramOpInterface], traits)> {
  let arguments = (ins Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
    bool meetsOtherPrograms() { return true; }
  }];
}

def Warpgroup_BarrierArriveOp : Warpgroup_BarrierOp<"barrier_arrive"> {
  let summary = "arrive at a barrier";
  let description = [{
    What the warpgroup did before is seen by those that wait for this phase. A
    phase must be seen by somebody before the next one is complete.

    Example:

    ```mlir
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>>
    ```
  }];
}

def Warpgroup_BarrierWaitOp : Warpgroup_BarrierOp<"barrier_wait"> {
  let summary = "wait until the next phase of a barrier is complete";
  let description = [{
    Each warpgroup waits for every phase in turn: one that comes when the next
    phase is complete, too, has missed one, which is an error of the kernel.

    Example:

    ```mlir
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>>
    ```
  }];
}

def Warpgroup_NamedBarrierOp : Warpgroup_Op<"named_barrier", [
    MemoryEffects<[MemRead, MemWrite]>, Grid_ProgramOpInterface]> {
  let summary = "meet other warpgroups of the block at a barrier that has a number";
  let description = [{
    `bar.sync` and `bar.arrive` of PTX: once so many threads of the block have
    come, those that wait go on, and the barrier begins anew. With `arrive` the
    warpgroup does not wait. What a warpgroup did before it came is seen by those
    that wait.

    A warpgroup meets its own threads at the barrier of its number plus one, which
    authors leave alone.

    Example:

    ```mlir
    warpgroup.named_barrier %eight of 256 arrive
    warpgroup.named_barrier %nine of 256
    ```
  }];
  let arguments = (ins I32:$number, ConfinedAttr<I64Attr, [IntPositive]>:$threads, UnitAttr:$arrive);
  let assemblyFormat = "$number `of` $threads (`arrive` $arrive^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
    bool meetsOtherPrograms() { return true; }
  }];
}

def Warpgroup_BarrierTestOp : Warpgroup_BarrierOp<"barrier_test"> {
  let summary = "whether the next phase of a barrier is complete";
  let description = [{
    Where it is, the warpgroup has seen it, as after a wait.

    Example:

    ```mlir
    %done = warpgroup.barrier_test %b : memref<!warpgroup.barrier<1>>
    ```
  }];
  let results = (outs I1:$complete);
}

def Warpgroup_CommitSmemOp : Warpgroup_Op<"commit_smem", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "order accesses of shared memory before later copies and products";
  let description = [{
    Copies and matrix units see shared memory through a proxy of their own, which
    what the warpgroup has written, or read, reaches only here.

    Example:

    ```mlir
    warpgroup.commit_smem
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Matrix units
//===----------------------------------------------------------------------===//

def Warpgroup_MmaOp : Warpgroup_Op<"mma", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start to add a product to an accumulator";
  let description = [{
    `%acc += %a * %b`, for an `m x k` and a `k x n` operand. The left one is a Ref
    in shared memory or a value in registers, the right one a Ref in shared
    memory. Each product is a group of its own; until `mma_wait` its operands may
    not be written and the accumulator not be read. Integers are signed unless
    `unsigned_lhs` or `unsigned_rhs` says otherwise.

    Example:

    ```mlir
    warpgroup.mma %acc, %a, %b
        : memref<64x128xf32>, memref<64x64xf16>, memref<64x128xf16>
    ```
  }];
  let arguments = (ins Grid_Ref:$acc, AnyTypeOf<[Grid_Ref, Grid_NumberTensor]>:$lhs, Grid_Ref:$rhs,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

def Warpgroup_MmaWaitOp : Warpgroup_Op<"mma_wait", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "wait until at most some products are pending";
  let description = [{
    Example:

    ```mlir
    warpgroup.mma_wait 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Warpgroup_MmaSyncOp : Warpgroup_Op<"mma_sync", [
    Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "add a product of arrays in registers to another one";
  let description = [{
    `%acc + %a * %b`, for an `m x k` and a `k x n` operand. Each warp computes a
    part of it, with `mma.sync`, and has the result when the op ends. Integers are
    signed unless `unsigned_lhs` or `unsigned_rhs` says otherwise.

    Example:

    ```mlir
    %sum = warpgroup.mma_sync %acc, %a, %b
        : tensor<64x8xf32>, tensor<64x16xf16>, tensor<16x8xf16>
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$acc, Grid_NumberTensor:$lhs, Grid_NumberTensor:$rhs,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let results = (outs Grid_NumberTensor:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

def Warpgroup_Tcgen05MmaOp : Warpgroup_Op<"tcgen05_mma", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start a product whose accumulator is in tensor memory";
  let description = [{
    `%acc = %a * %b`, added to what is there where `accumulate` is true. The left
    operand is in shared or in tensor memory, the right one in shared memory.
    Products of one warpgroup are done in their order. With a barrier, the end of
    this and of all earlier ones is an arrival there.

    Along a `collective` axis of the cluster, of two blocks, the first block
    starts a product of both: each has rows of the accumulator and of the left
    operand, and half of the columns of the right one. Its end is an arrival at
    the barriers of both blocks. The other block does nothing here.

    With `scales` each element of an operand is multiplied by the one of its
    block along k, which the number of scales tells. With `sparse` two of each
    four elements along k of the left operand are zero and absent: the metadata
    tells where each of the others stands among the four.

    Example:

    ```mlir
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %p barrier %done
        : memref<128x128xf32>, memref<128x64xf16>, memref<64x128xf16>
        barrier memref<!warpgroup.barrier<1, tensor_core>>
    ```
  }];
  let arguments = (ins Grid_Ref:$acc, Grid_Ref:$lhs, Grid_Ref:$rhs, I1:$accumulate,
                       Optional<Warpgroup_BarrierRef>:$barrier,
                       Optional<Grid_Ref>:$lhs_scale, Optional<Grid_Ref>:$rhs_scale,
                       Optional<Grid_Ref>:$metadata, OptionalAttr<StrAttr>:$collective,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs `accumulate` $accumulate (`barrier` $barrier^)?
    (`scales` $lhs_scale^ `,` $rhs_scale)? (`sparse` $metadata^)? (`collective` $collective^)? attr-dict
    `:` type($acc) `,` type($lhs) `,` type($rhs) (`barrier` type($barrier)^)?
    (`scales` type($lhs_scale)^ `,` type($rhs_scale))? (`sparse` type($metadata)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool reachesOtherBlocks() { return getCollective().has_value(); }
    bool isSchedulingPoint() { return getBarrier() || getCollective(); }
    bool meetsOtherPrograms() { return getBarrier() || getCollective(); }
    bool needsTask() { return getBarrier() || getCollective(); }
  }];
}

def Warpgroup_Tcgen05CommitOp : Warpgroup_BarrierOp<"tcgen05_commit"> {
  let arguments = (ins Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<StrAttr>:$collective);
  let assemblyFormat = "$barrier (`collective` $collective^)? attr-dict `:` type($barrier)";
  let hasVerifier = 1;
  let summary = "arrive at a barrier when all products and copies that were started are done";
  let description = [{
    Those are the products with accumulators in tensor memory, and the copies to
    it, of this warpgroup. Along a `collective` axis of the cluster the first
    block arrives at the barriers of both, for the collective ones that it has
    started; the other one does nothing.

    Example:

    ```mlir
    warpgroup.tcgen05_commit %b : memref<!warpgroup.barrier<1, tensor_core>>
    ```
  }];
}

def Warpgroup_TmemCopyOp : Warpgroup_Op<"tmem_copy", [
    Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start a copy from shared to tensor memory";
  let description = [{
    Later products of this warpgroup see what it wrote; others after
    `tcgen05_commit`. Along a `collective` axis of the cluster, of two blocks, the
    first one starts the copies of both, each from its own shared to its own
    tensor memory.

    With `as_scales` the tile has the factors of an operand by 128 rows and 4
    columns, each block as 32 rows of 16: `tile[i, j, r, 4 a + b]` is the one of
    row `128 i + 32 a + r` and column `4 j + b`; rows 32 to 63, where there are
    some, are of the next block. With `as_metadata` it has the metadata of a sparse
    operand by blocks of 128 rows and 64 columns.

    Example:

    ```mlir
    warpgroup.tmem_copy %tile to %t : memref<128x64xf16>, memref<128x64xf16>
    warpgroup.tmem_copy %factors to %scales as_scales
        : memref<1x1x32x16xf8E8M0FNU>, memref<128x4xf8E8M0FNU>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source, Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       UnitAttr:$scales, UnitAttr:$metadata, OptionalAttr<StrAttr>:$collective);
  let assemblyFormat = [{
    $source `to` $dest (`as_scales` $scales^)? (`as_metadata` $metadata^)? (`collective` $collective^)?
    attr-dict `:` type($source) `,` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool reachesOtherBlocks() { return getCollective().has_value(); }
    bool replacesAll(::mlir::Value ref) { return ref == getDest() && !getCollective(); }
    bool isCopy() { return true; }
    bool isSchedulingPoint() { return getCollective().has_value(); }
    bool meetsOtherPrograms() { return getCollective().has_value(); }
    bool needsTask() { return getCollective().has_value(); }
  }];
}

class Warpgroup_TmemWaitOp<string mnemonic> : Warpgroup_Op<mnemonic, [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let assemblyFormat = "attr-dict";
}

def Warpgroup_CommitTmemOp : Warpgroup_TmemWaitOp<"commit_tmem"> {
  let summary = "wait until what the warpgroup stored to tensor memory is there";
  let description = [{
    Example:

    ```mlir
    warpgroup.commit_tmem
    ```
  }];
}

def Warpgroup_WaitTmemLoadOp : Warpgroup_TmemWaitOp<"wait_tmem_load"> {
  let summary = "wait until what the warpgroup loads from tensor memory may be written";
  let description = [{
    Example:

    ```mlir
    warpgroup.wait_tmem_load
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Warpgroup_SetMaxRegistersOp : Warpgroup_Op<"set_max_registers", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "say how many registers each thread of the warpgroup needs";
  let description = [{
    Example:

    ```mlir
    warpgroup.set_max_registers 232 increase
    warpgroup.set_max_registers 40
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count, UnitAttr:$increase);
  let assemblyFormat = "$count (`increase` $increase^)? attr-dict";
  let hasVerifier = 1;
}

def Warpgroup_ProfileOp : Warpgroup_Op<"profile", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "record when a scope that the author has named begins or ends";
  let description = [{
    The kernel's `profile_space` says how many scopes a trace has room for, and
    its `profile_trace_scope` whether a warpgroup or a warp has one.

    Example:

    ```mlir
    warpgroup.profile "load"
    warpgroup.profile "load" ends
    ```
  }];
  let arguments = (ins StrAttr:$scope, UnitAttr:$ends);
  let assemblyFormat = "$scope (`ends` $ends^)? attr-dict";
}

def Warpgroup_LayoutCastOp : Warpgroup_Op<"layout_cast", [
    Pure, SameOperandsAndResultType]> {
  let summary = "the same array, spread over the registers as the author demands";
  let description = [{
    `layout` is the author's name of the layout, `spread` the layout itself where
    it is linear in the bits of register, lane and warp.

    Example:

    ```mlir
    %y = warpgroup.layout_cast %x "WGMMA"(#warpgroup.layout<wgmma>) : tensor<64x64xf16>
    ```
  }];
  let arguments = (ins Grid_Value:$value, StrAttr:$layout, OptionalAttr<Warpgroup_LayoutAttr>:$spread);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = "$value $layout (`(` qualified($spread)^ `)`)? attr-dict `:` type($value)";
}

def Warpgroup_RelayoutOp : Warpgroup_Op<"relayout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tensor in another layout";
  let description = [{
    Threads exchange elements where the layouts of operand and result differ.

    Example:

    ```mlir
    %y = warpgroup.relayout %x
        : tensor<64x64xf16, #warpgroup.layout<strided(4)>> to tensor<64x64xf16, #warpgroup.layout<wgmma>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD
