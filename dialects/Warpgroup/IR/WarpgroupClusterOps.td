//===- WarpgroupClusterOps.td - Ops between blocks of a cluster *- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPCLUSTEROPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPCLUSTEROPS_TD

include "dialects/Grid/IR/GridAsyncInterface.td"
include "dialects/Grid/IR/GridAttrs.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Shared memory of other blocks
//===----------------------------------------------------------------------===//

def Warpgroup_ClusterLoadOp : Warpgroup_Op<"cluster_load", [
    Grid_ProgramOpInterface, Grid_RefAccessOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "load from a Ref of another CTA of the cluster";
  let description = [{
    The other CTA has these coordinates along these axes of the cluster, and
    this CTA's coordinates along all others.

    Example:

    ```mlir
    %v = warpgroup.cluster_load %tile ["x"][%peer]
        : memref<64x32xf32>, i32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$ref, StrArrayAttr:$axes,
                       Variadic<Grid_IndexLike>:$coordinates);
  let results = (outs Grid_NumberTensor:$result);
  let assemblyFormat = [{
    $ref $axes `[` $coordinates `]` attr-dict `:` type($ref) `,` type($coordinates) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool accessesOtherBlocks() { return true; }
    bool isSchedulingPoint() { return true; }
    bool meetsOtherPrograms() { return true; }
    bool needsTask() { return true; }
  }];
}

def Warpgroup_ClusterStoreOp : Warpgroup_Op<"cluster_store", [
    AttrSizedOperandSegments, Grid_ProgramOpInterface, Grid_RefAccessOpInterface,
    Warpgroup_SynchronizationOpInterface]> {
  let summary = "start a store to a Ref of another CTA of the cluster";
  let description = [{
    The other CTA has these coordinates along these axes of the cluster, and
    this CTA's coordinates along all others. With a barrier, the end of the
    store is an arrival at that CTA's barrier. With `reduce` each element is
    combined with the one in memory.

    Example:

    ```mlir
    warpgroup.cluster_store %v to %tile ["x"][%peer] reduce add barrier %b
        : tensor<64x32xf32>, memref<64x32xf32>, i32 barrier memref<!warpgroup.barrier<1>>
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$value,
                       Arg<Grid_Ref, "", [MemRead, MemWrite]>:$ref, StrArrayAttr:$axes,
                       Variadic<Grid_IndexLike>:$coordinates,
                       OptionalAttr<Grid_AtomicKindAttr>:$reduction,
                       Arg<Optional<Warpgroup_BarrierRef>, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = [{
    $value `to` $ref $axes `[` $coordinates `]` (`reduce` $reduction^)? (`barrier` $barrier^)? attr-dict
    `:` type($value) `,` type($ref) `,` type($coordinates) (`barrier` type($barrier)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isAtomicAccess() { return getReduction().has_value(); }
    bool accessesOtherBlocks() { return true; }
    bool startsAccesses() { return getBarrier() != nullptr; }
    bool startsPhase() { return getBarrier() != nullptr; }
    bool isSchedulingPoint() { return true; }
    bool meetsOtherPrograms() { return true; }
    bool needsTask() { return true; }
  }];
}

//===----------------------------------------------------------------------===//
// Memory of other devices
//===----------------------------------------------------------------------===//

def Warpgroup_DeviceLoadOp : Warpgroup_Op<"device_load", [
    Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "load from a Ref of the call on another device";
  let description = [{
    The call is mapped over devices, each with such a Ref.

    Example:

    ```mlir
    %v = warpgroup.device_load %x device(%peer : i32) {device_id_type = #grid.device_id_type<logical>}
        : memref<64x32xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$ref, Variadic<Grid_IndexLike>:$device,
                       Grid_DeviceIdTypeAttr:$device_id_type);
  let results = (outs Grid_NumberTensor:$result);
  let assemblyFormat = [{
    $ref `device` `(` $device `:` type($device) `)` attr-dict
    `:` type($ref) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    ::gridir::grid::DeviceUse getDeviceUse() {
      return ::gridir::grid::DeviceUse::Access;
    }
    bool needsTask() { return true; }
  }];
}

def Warpgroup_DeviceStoreOp : Warpgroup_Op<"device_store", [
    Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "store to a Ref of the call on another device";
  let description = [{
    The call is mapped over devices, each with such a Ref. A reader on that
    device must be notified, by a semaphore.

    Example:

    ```mlir
    warpgroup.device_store %v to %x device(%peer : i32) {device_id_type = #grid.device_id_type<logical>}
        : tensor<64x32xf32>, memref<64x32xf32>
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$value, Arg<Grid_Ref, "", [MemWrite]>:$ref,
                       Variadic<Grid_IndexLike>:$device, Grid_DeviceIdTypeAttr:$device_id_type);
  let assemblyFormat = [{
    $value `to` $ref `device` `(` $device `:` type($device) `)` attr-dict
    `:` type($value) `,` type($ref)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    ::gridir::grid::DeviceUse getDeviceUse() {
      return ::gridir::grid::DeviceUse::Access;
    }
    bool needsTask() { return true; }
  }];
}

//===----------------------------------------------------------------------===//
// Clusters that have not begun
//===----------------------------------------------------------------------===//

def Warpgroup_TryClusterCancelOp : Warpgroup_Op<"try_cluster_cancel", [
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface,
    Grid_RefAccessOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "request a cluster that has not begun, to do its work here";
  let description = [{
    All warpgroups of a cluster ask together, or with `alone` each for itself, with
    that of the same number in the other blocks. The answer is 16 bytes for
    `query_cluster_cancel`; each warpgroup that asks arrives at the barrier, whose
    phase is complete when the answer is there. Of the blocks of a launch
    `blocks_at_once` begin at once, where it is said, each other one when one has
    ended: those that have not begun are there to be found.

    Example:

    ```mlir
    warpgroup.try_cluster_cancel %answer barrier %b
        : memref<16xi8>, memref<!warpgroup.barrier<2>>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemWrite]>:$answer,
                       Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$blocks_at_once, UnitAttr:$alone);
  let assemblyFormat = "$answer `barrier` $barrier (`alone` $alone^)? attr-dict `:` type($answer) `,` type($barrier)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // The answer goes to all blocks of the cluster.
    bool reachesOtherBlocks() { return true; }
    bool signalsForThreads() { return true; }
    bool replacesAll(::mlir::Value ref) { return ref == getAnswer(); }
    bool completesLater(::mlir::Value ref) { return ref == getAnswer(); }
    ::mlir::Value getArrivalBarrier() { return getBarrier(); }
    bool isSchedulingPoint() { return true; }
    bool meetsOtherPrograms() { return true; }
    bool needsTask() { return true; }
  }];
}

def Warpgroup_QueryClusterCancelOp : Warpgroup_Op<"query_cluster_cancel", [
    Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "the cancelled cluster, whose work is done here";
  let description = [{
    Returns the coordinates of that cluster along these axes of the grid, and
    whether there is one. Without one the coordinates are unspecified.

    Example:

    ```mlir
    %i, %found = warpgroup.query_cluster_cancel %answer ["i"] : memref<16xi8> -> i32
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$answer, StrArrayAttr:$axes);
  let results = (outs Variadic<I32>:$coordinates, I1:$found);
  let assemblyFormat = "$answer $axes attr-dict `:` type($answer) `->` type($coordinates)";
  let hasVerifier = 1;
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPCLUSTEROPS_TD
