//===- WarpgroupCopyOps.td - Copies of global memory ---*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPCOPYOPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPCOPYOPS_TD

include "dialects/Grid/IR/GridAsyncInterface.td"
include "dialects/Grid/IR/GridAttrs.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Grid/IR/GridWindowInterface.td"
include "dialects/Warpgroup/IR/WarpgroupInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The common description of windows of both copies.
defvar Warpgroup_Window = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getWindowOffsets() {
      return ::mlir::getMixedValues(getStaticOffsets(), getOffsets(), getContext());
    }
    ::llvm::ArrayRef<int64_t> getWindowSizes() { return getSizes(); }
  }];

def Warpgroup_TmaLoadOp : Warpgroup_Op<"tma_load", [
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface,
    Grid_RefAccessOpInterface, Grid_WindowOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "start a copy of a window from global to shared memory";
  let description = [{
    The copy ends with one arrival at the barrier. Elements of the window
    outside of the source are zero. Offsets are static or dynamic (i32, i64 or
    index); a dimension in `drop` has size 1 and is absent from the destination.

    Along `collective` axes of the cluster every CTA executes the copy and
    receives the whole window, with an arrival at its own barrier. With
    `leader_tracked` each CTA along the axis copies a window of its own, and all
    of these copies end with one arrival, at the barrier of the first CTA.

    Example:

    ```mlir
    warpgroup.tma_load %x[%i : i32, 0] [128, 64] to %tile barrier %b
        : memref<512x512xf16>, memref<128x64xf16>, memref<!warpgroup.barrier<1>>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source,
                       Variadic<Grid_IndexLike>:$offsets,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$dropped,
                       Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<StrArrayAttr>:$collective,
                       UnitAttr:$leader_tracked);
  let assemblyFormat = [{
    $source custom<Offsets>($offsets, type($offsets), $static_offsets) $sizes (`drop` $dropped^)?
    `to` $dest `barrier` $barrier (`collective` $collective^)?
    (`leader_tracked` $leader_tracked^)? attr-dict `:` type($source) `,` type($dest) `,` type($barrier)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Warpgroup_Window # [{
    ::mlir::Value getWindowRef() { return getSource(); }
    bool reachesOtherBlocks() { return getCollective().has_value(); }
    bool replacesAll(::mlir::Value ref) { return ref == getDest(); }
    bool completesLater(::mlir::Value ref) { return ref == getDest(); }
    ::mlir::Value getArrivalBarrier() {
      return getLeaderTracked() ? ::mlir::Value() : getBarrier();
    }
    bool isCopy() { return true; }
    bool startsPhase() { return true; }
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
    bool meetsOtherPrograms() { return true; }
  }];
}

def Warpgroup_CpAsyncOp : Warpgroup_Op<"cp_async", [
    Grid_RefAccessOpInterface, Grid_WindowOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "start a copy of a window to shared memory, by the threads of the warpgroup";
  let description = [{
    The copy is in the group that the next `cp_async_commit` of the warpgroup
    closes. The destination must not be read before `cp_async_wait` and a barrier
    of all threads that copied. Offsets are static or dynamic (i32, i64 or index);
    a dimension in `drop` has size 1 and is absent from the destination. Elements
    of the window outside of the source are zero; `in_bounds` states that there
    are none.

    Example:

    ```mlir
    warpgroup.cp_async %x[%i : i32, 0] [128, 64] to %tile
        : memref<512x512xf16>, memref<128x64xf16>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source,
                       Variadic<Grid_IndexLike>:$offsets,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$dropped,
                       Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       UnitAttr:$in_bounds);
  let assemblyFormat = [{
    $source custom<Offsets>($offsets, type($offsets), $static_offsets) $sizes (`drop` $dropped^)?
    `to` $dest (`in_bounds` $in_bounds^)? attr-dict `:` type($source) `,` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Warpgroup_Window # [{
    ::mlir::Value getWindowRef() { return getSource(); }
    bool replacesAll(::mlir::Value ref) { return ref == getDest(); }
    bool startsAccesses() { return true; }
  }];
}

def Warpgroup_CpAsyncCommitOp : Warpgroup_Op<"cp_async_commit", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>]> {
  let summary = "close the group of copies by threads";
  let description = [{
    The group consists of the `cp_async` copies since the last one. It may be
    empty.

    Example:

    ```mlir
    warpgroup.cp_async_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Warpgroup_CpAsyncWaitOp : Warpgroup_Op<"cp_async_wait", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>]> {
  let summary = "wait until at most some groups of copies by threads are pending";
  let description = [{
    The last groups of this warpgroup may stay pending. Each thread waits for its
    own part of the other copies; a barrier makes the parts of others visible.

    Example:

    ```mlir
    warpgroup.cp_async_wait 2
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Warpgroup_TmaGatherOp : Warpgroup_Op<"tma_gather", [
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface,
    Warpgroup_SynchronizationOpInterface]> {
  let summary = "start a copy of rows from global to shared memory";
  let description = [{
    Row `i` of the destination is the row with the number `rows[i]`, or zero if
    the source has no such row. The copy ends with one arrival at the barrier.

    Example:

    ```mlir
    warpgroup.tma_gather %x[%rows] to %tile barrier %b
        : memref<512x64xf16>, tensor<128xi32>, memref<128x64xf16>, memref<!warpgroup.barrier<1>>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source, StaticShapeTensorOf<[I32]>:$rows,
                       Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = [{
    $source `[` $rows `]` `to` $dest `barrier` $barrier attr-dict
    `:` type($source) `,` type($rows) `,` type($dest) `,` type($barrier)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool replacesAll(::mlir::Value ref) { return ref == getDest(); }
    bool completesLater(::mlir::Value ref) { return ref == getDest(); }
    ::mlir::Value getArrivalBarrier() { return getBarrier(); }
    bool isCopy() { return true; }
    bool startsPhase() { return true; }
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
    bool meetsOtherPrograms() { return true; }
  }];
}

def Warpgroup_TmaStoreOp : Warpgroup_Op<"tma_store", [
    AttrSizedOperandSegments, Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface,
    Grid_RefAccessOpInterface, Grid_WindowOpInterface]> {
  let summary = "start a copy from shared memory to a window in global memory";
  let description = [{
    The copy belongs to the warpgroup's open group, which `commit_group` closes,
    and reads shared memory until `wait_group`. Elements of the window outside
    of the destination are not written. With `reduce` each element is combined
    with the one in memory, atomically. If `predicate` is false nothing is
    copied.

    Example:

    ```mlir
    warpgroup.tma_store %tile to %x[%i : i32, 0] [128, 64]
        : memref<128x64xf16>, memref<512x512xf16>
    warpgroup.tma_store %tile to %x[0, 0] [128, 64] reduce add if %p
        : memref<128x64xf16>, memref<512x512xf16>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source,
                       Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       Variadic<Grid_IndexLike>:$offsets,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$dropped,
                       OptionalAttr<Grid_AtomicKindAttr>:$reduction,
                       Optional<I1>:$predicate);
  let assemblyFormat = [{
    $source `to` $dest custom<Offsets>($offsets, type($offsets), $static_offsets) $sizes (`drop` $dropped^)?
    (`reduce` $reduction^)? (`if` $predicate^)? attr-dict `:` type($source) `,` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Warpgroup_Window # [{
    ::mlir::Value getWindowRef() { return getDest(); }
    ::mlir::Value getWindowPredicate() { return getPredicate(); }
    bool isCopy() { return true; }
    bool isAtomicAccess() { return getReduction().has_value(); }
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
  }];
}

def Warpgroup_TmaScatterOp : Warpgroup_Op<"tma_scatter", [
    Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start a copy of rows from shared to global memory";
  let description = [{
    Row `i` of the source goes to the row with the number `rows[i]`, or is
    dropped if the destination has no such row. If two numbers are equal, either
    row may be the one that stays. The copy belongs to the warpgroup's open
    group, like `tma_store`.

    Example:

    ```mlir
    warpgroup.tma_scatter %tile to %x[%rows]
        : memref<128x64xf16>, memref<512x64xf16>, tensor<128xi32>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source,
                       Arg<Grid_Ref, "", [MemWrite]>:$dest, StaticShapeTensorOf<[I32]>:$rows);
  let assemblyFormat = [{
    $source `to` $dest `[` $rows `]` attr-dict `:` type($source) `,` type($dest) `,` type($rows)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
  }];
}

def Warpgroup_CommitGroupOp : Warpgroup_Op<"commit_group", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "close the group of copies to global memory";
  let description = [{
    Example:

    ```mlir
    warpgroup.commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    bool needsTask() { return true; }
  }];
}

def Warpgroup_WaitGroupOp : Warpgroup_Op<"wait_group", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "wait until at most some groups of copies are pending";
  let description = [{
    The groups are those of this warpgroup; the last ones may stay pending. With
    `read` the copies of the others have read shared memory; without it their
    writes to global memory are also complete.

    Example:

    ```mlir
    warpgroup.wait_group 1 read
    warpgroup.wait_group 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
  }];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPCOPYOPS_TD
