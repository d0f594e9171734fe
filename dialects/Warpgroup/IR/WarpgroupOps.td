//===- WarpgroupOps.td - Ops of the warpgroup dialect -----*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD

include "dialects/Grid/IR/GridAsyncInterface.td"
include "dialects/Grid/IR/GridAttrs.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupAttrs.td"
include "dialects/Warpgroup/IR/WarpgroupBarrierOps.td"
include "dialects/Warpgroup/IR/WarpgroupClusterOps.td"
include "dialects/Warpgroup/IR/WarpgroupCopyOps.td"
include "dialects/Warpgroup/IR/WarpgroupEnums.td"
include "dialects/Warpgroup/IR/WarpgroupInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupTypes.td"
include "dialects/Warpgroup/IR/WarpgroupWarpOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Matrix units
//===----------------------------------------------------------------------===//

def Warpgroup_MmaOp : Warpgroup_Op<"mma", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start an MMA";
  let description = [{
    `%acc += %a * %b`, for an `m x k` and a `k x n` operand. The left one is a
    Ref in shared memory or a value in registers, the right one a Ref in shared
    memory. Each MMA is a group of its own; until `mma_wait` its operands must
    not be written and the accumulator must not be read. Integers are signed
    unless `unsigned_lhs` or `unsigned_rhs` is set.

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
  let summary = "wait until at most some MMAs are pending";
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
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Grid_RefAccessOpInterface,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "add a product to an array in registers";
  let description = [{
    `%acc + %a * %b`, for an `m x k` and a `k x n` operand. Each warp computes a
    part of it, with `mma.sync`, and has the result when the op ends. An operand
    is an array in registers or a Ref in shared memory. Each warp loads a Ref one
    step along `k` at a time. Integers are signed unless `unsigned_lhs` or
    `unsigned_rhs` is set.

    Example:

    ```mlir
    %sum = warpgroup.mma_sync %acc, %a, %b
        : tensor<64x8xf32>, tensor<64x16xf16>, tensor<16x8xf16>
    %next = warpgroup.mma_sync %sum, %a, %tile
        : tensor<64x8xf32>, tensor<64x16xf16>, memref<16x8xf16>
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$acc,
                       AnyTypeOf<[Grid_Ref, Grid_NumberTensor]>:$lhs,
                       AnyTypeOf<[Grid_Ref, Grid_NumberTensor]>:$rhs,
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
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface,
    Warpgroup_SynchronizationOpInterface]> {
  let summary = "start an MMA whose accumulator is in tensor memory";
  let description = [{
    `%acc = %a * %b`, added to the accumulator if `accumulate` is true. The left
    operand is in shared or in tensor memory, the right one in shared memory.
    MMAs of one warpgroup complete in order. With a barrier, the end of this and
    of all earlier ones is an arrival there.

    Along a `collective` axis of the cluster, with two CTAs, the first CTA
    starts an MMA of both. Each has rows of the accumulator and of the left
    operand, and half of the columns of the right one. Its end is an arrival at
    the barriers of both CTAs. In the other CTA this op does nothing.

    With `scales` each element of an operand is multiplied by the factor of its
    block along k; the number of scales determines the size of a block. With
    `sparse` two of each four elements along k of the left operand are zero and
    absent: the metadata has the position of each of the others among the four.

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
    ::mlir::Value getReadCondition(::mlir::Value ref) {
      return ref == getAcc() ? getAccumulate() : ::mlir::Value();
    }
    // The first CTA starts a collective MMA for both.
    bool replacesAll(::mlir::Value ref) { return ref == getAcc() && !getCollective(); }
    bool completesLater(::mlir::Value ref) { return ref == getAcc(); }
    ::mlir::Value getArrivalBarrier() {
      return getCollective() ? ::mlir::Value() : getBarrier();
    }
    bool isInOrder() { return true; }
    bool startsPhase() { return getBarrier() != nullptr; }
    bool isSchedulingPoint() { return getBarrier() || getCollective(); }
    bool meetsOtherPrograms() { return getBarrier() || getCollective(); }
    bool needsTask() { return getBarrier() || getCollective(); }
  }];
}

def Warpgroup_Tcgen05CommitOp : Warpgroup_BarrierOp<"tcgen05_commit", [
    Grid_AsyncOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let arguments = (ins Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<StrAttr>:$collective);
  let assemblyFormat = "$barrier (`collective` $collective^)? attr-dict `:` type($barrier)";
  let hasVerifier = 1;
  let summary = "arrive at a barrier when all started MMAs and copies are "
                "complete";
  let description = [{
    These are the MMAs with accumulators in tensor memory, and the copies to it,
    of this warpgroup. Along a `collective` axis of the cluster the first CTA
    arrives at the barriers of both, for the collective ones that it has
    started; in the other one this op does nothing.

    Example:

    ```mlir
    warpgroup.tcgen05_commit %b : memref<!warpgroup.barrier<1, tensor_core>>
    ```
  }];
  let extraClassDeclaration = Warpgroup_BarrierMethods # [{
    ::mlir::Value getArrivalBarrier() {
      return getCollective() ? ::mlir::Value() : getBarrier();
    }
    bool isInOrder() { return true; }
    bool startsPhase() { return true; }
  }];
}

def Warpgroup_TmemCopyOp : Warpgroup_Op<"tmem_copy", [
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start a copy from shared to tensor memory";
  let description = [{
    Later MMAs of this warpgroup see the copied elements; others do after
    `tcgen05_commit`. Along a `collective` axis of the cluster, with two CTAs,
    the first one starts the copies of both, each from its own shared to its own
    tensor memory.

    With `as_scales` the tile has the factors of an operand in blocks of 128
    rows and 4 columns, each block as 32 rows of 16: `tile[i, j, r, 4 a + b]` is
    the factor of row `128 i + 32 a + r` and column `4 j + b`; rows 32 to 63, if
    present, belong to the next block. With `as_metadata` it has the metadata of
    a sparse operand in blocks of 128 rows and 64 columns.

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
    bool completesLater(::mlir::Value ref) { return ref == getDest(); }
    bool isInOrder() { return true; }
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
  let summary = "wait until the warpgroup's stores to tensor memory are "
                "complete";
  let description = [{
    Example:

    ```mlir
    warpgroup.commit_tmem
    ```
  }];
}

def Warpgroup_WaitTmemLoadOp : Warpgroup_TmemWaitOp<"wait_tmem_load"> {
  let summary = "wait until the warpgroup's loads from tensor memory are "
                "complete";
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
  let summary = "set the number of registers of each thread of the warpgroup";
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
  let summary = "record the begin or end of a scope that the author has named";
  let description = [{
    The kernel's `profile_space` is the number of scopes for which a trace has
    room, and its `profile_trace_scope` selects traces of warpgroups or warps.

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
  let summary = "the same array in the layout that the author requests";
  let description = [{
    `layout` is the author's name of the layout, `spread` the layout itself if
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
    Threads exchange elements if the layouts of operand and result differ.

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
