//===- GridAsyncOps.td - Copies, semaphores and barriers --*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDASYNCOPS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDASYNCOPS_TD

include "dialects/Grid/IR/GridRefOps.td"

def Grid_Semaphores : Resource<"::gridir::grid::SemaphoreResource">;

def Grid_CopyStartOp : Grid_Op<"copy_start", [
    AttrSizedOperandSegments, Grid_ProgramOpInterface,
    Grid_RefAccessOpInterface, Grid_SemaphoreOpInterface]> {
  let summary = "start an asynchronous copy between Refs";
  let description = [{
    `sem` counts the arrival of the data. A remote copy names the receiving
    device, by mesh coordinates or by its logical number, or the receiving core
    of the same mesh by its number, and counts the sent data on `src_sem`.
    Source and destination have the same shape and element type.

    Example:

    ```mlir
    grid.copy_start %src, %dst sem %s
        : memref<8x128xf32>, memref<8x128xf32>, memref<!grid.semaphore<dma>>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source,
                       Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       Arg<Grid_SemaphoreRef, "", [MemWrite]>:$sem,
                       Optional<Grid_SemaphoreRef>:$src_sem,
                       Variadic<Grid_IndexLike>:$device, Optional<I32>:$core,
                       OptionalAttr<Grid_DeviceIdTypeAttr>:$device_id_type,
                       DefaultValuedAttr<I64Attr, "0">:$priority, UnitAttr:$add);
  let assemblyFormat = [{
    $source `,` $dest `sem` $sem (`src_sem` $src_sem^)? (`device` `(` $device^ `:` type($device) `)`)?
    (`core` $core^)? attr-dict `:` type($source) `,` type($dest) `,` type($sem) (`,` type($src_sem)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if the destination belongs to another core or device.
    bool isRemote() { return getCore() || !getDevice().empty(); }

    bool replacesAll(::mlir::Value ref) {
      return ref == getDest() && !getAdd() && !isRemote();
    }
    bool isCopy() { return true; }
    ::llvm::SmallVector<SemaphoreChange> getSemaphoreChanges() {
      return {{SemaphoreChange::Signal, getSem(), getDest()}};
    }
    ProgramOrder getProgramOrder() { return getOrderOfDevice(getDevice()); }
    DeviceUse getDeviceUse() { return getAccessOfDevice(getDevice()); }
    bool isSchedulingPoint() { return true; }
    bool meetsOtherPrograms() { return isRemote(); }
  }];
}

def Grid_CopyWaitOp : Grid_Op<"copy_wait", [
    Grid_ProgramOpInterface, Grid_RefAccessOpInterface,
    Grid_SemaphoreOpInterface]> {
  let summary = "wait until a copy of this size has arrived";
  let description = [{
    Waits on `sem` for the bytes of the destination. With `send` it waits until
    the source of a remote copy may be written again.

    Example:

    ```mlir
    grid.copy_wait %src, %dst sem %s
        : memref<8x128xf32>, memref<8x128xf32>, memref<!grid.semaphore<dma>>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source,
                       Arg<Grid_Ref, "", [MemRead, MemWrite]>:$dest,
                       Arg<Grid_SemaphoreRef, "", [MemRead, MemWrite]>:$sem,
                       Variadic<Grid_IndexLike>:$device,
                       OptionalAttr<Grid_DeviceIdTypeAttr>:$device_id_type,
                       UnitAttr:$send);
  let assemblyFormat = [{
    $source `,` $dest `sem` $sem (`device` `(` $device^ `:` type($device) `)`)? (`send` $send^)?
    attr-dict `:` type($source) `,` type($dest) `,` type($sem)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isCopy() { return true; }
    ::llvm::SmallVector<SemaphoreChange> getSemaphoreChanges() {
      return {{SemaphoreChange::Wait, getSem(), getDest()}};
    }
    ProgramOrder getProgramOrder() { return getOrderOfDevice(getDevice()); }
    bool isSchedulingPoint() { return true; }
  }];
}

def Grid_SemaphoreSignalOp : Grid_Op<"semaphore_signal", [
    AttrSizedOperandSegments, Grid_ProgramOpInterface,
    Grid_SemaphoreOpInterface]> {
  let summary = "add to a semaphore, here or on another device or core";
  let description = [{
    Cores are numbered in row-major order of the mesh's dimensions.

    Example:

    ```mlir
    grid.semaphore_signal %s, %n : memref<!grid.semaphore<regular>>
    ```
  }];
  let arguments = (ins Arg<Grid_SemaphoreRef, "", [MemRead, MemWrite]>:$sem, I32:$amount,
                       Variadic<Grid_IndexLike>:$device, Optional<I32>:$core,
                       OptionalAttr<Grid_DeviceIdTypeAttr>:$device_id_type);
  let assemblyFormat = [{
    $sem `,` $amount (`device` `(` $device^ `:` type($device) `)`)? (`core` $core^)?
    attr-dict `:` type($sem)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<SemaphoreChange> getSemaphoreChanges() {
      return {{SemaphoreChange::Signal, getSem(), getAmount()}};
    }
    ProgramOrder getProgramOrder() { return getOrderOfDevice(getDevice()); }
    DeviceUse getDeviceUse() { return getAccessOfDevice(getDevice()); }
    bool isSchedulingPoint() { return true; }
    bool meetsOtherPrograms() { return getCore() || !getDevice().empty(); }
  }];
}

def Grid_SemaphoreWaitOp : Grid_Op<"semaphore_wait", [
    Grid_ProgramOpInterface, Grid_SemaphoreOpInterface]> {
  let summary = "wait until a semaphore reaches a number, and subtract it";
  let description = [{
    With `keep` the semaphore is not decremented.

    Example:

    ```mlir
    grid.semaphore_wait %s, %n : memref<!grid.semaphore<regular>>
    ```
  }];
  let arguments = (ins Arg<Grid_SemaphoreRef, "", [MemRead, MemWrite]>:$sem, I32:$amount,
                       UnitAttr:$keep);
  let assemblyFormat = "$sem `,` $amount (`keep` $keep^)? attr-dict `:` type($sem)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<SemaphoreChange> getSemaphoreChanges() {
      return {{SemaphoreChange::Wait, getSem(), getAmount(), getKeep()}};
    }
    bool isSchedulingPoint() { return true; }
  }];
}

def Grid_SemaphoreReadOp : Grid_Op<"semaphore_read", [Grid_ProgramOpInterface]> {
  let summary = "read the value of a semaphore";
  let description = [{
    Example:

    ```mlir
    %n = grid.semaphore_read %s : memref<!grid.semaphore<regular>>
    ```
  }];
  let arguments = (ins Arg<Grid_SemaphoreRef, "", [MemRead]>:$sem);
  let results = (outs I32:$result);
  let assemblyFormat = "$sem attr-dict `:` type($sem)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
  }];
}

def Grid_BarrierSemaphoreOp : Grid_Op<"barrier_semaphore", [
    Grid_ProgramOpInterface, MemoryEffects<[MemRead<Grid_Semaphores>]>]> {
  let summary = "the semaphore that the kernels of a collective share";
  let description = [{
    The kernel's `collective_id`, or `tag`, identifies the semaphore: kernels
    with the same tag share it.

    Example:

    ```mlir
    %b = grid.barrier_semaphore : memref<!grid.semaphore<barrier>>
    %c = grid.barrier_semaphore tag("ring") : memref<!grid.semaphore<barrier>>
    ```
  }];
  let arguments = (ins OptionalAttr<AnyAttr>:$tag);
  let results = (outs Grid_SemaphoreRef:$result);
  let assemblyFormat = "(`tag` `(` $tag^ `)`)? attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    ProgramOrder getProgramOrder() {
      return {ProgramOrder::Required, "the programs share a barrier semaphore"};
    }
    bool meetsOtherPrograms() { return true; }
  }];
}

def Grid_DeviceIdOp : Grid_Op<"device_id", [Grid_ProgramOpInterface, Pure]> {
  let summary = "the number of the device on which the program runs";
  let description = [{
    Devices are numbered in row-major order of the mesh over which the call is
    mapped, like the logical device of a copy or signal. `grid.devices` of the
    kernel is their number.

    Example:

    ```mlir
    %d = grid.device_id
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    DeviceUse getDeviceUse() { return DeviceUse::Number; }
  }];
}

def Grid_DelayOp : Grid_Op<"delay", [
    Grid_ProgramOpInterface, MemoryEffects<[MemWrite<Grid_Semaphores>]>]> {
  let summary = "delay the program";
  let description = [{
    The delay is in nanoseconds.

    Example:

    ```mlir
    grid.delay %n
    ```
  }];
  let arguments = (ins I32:$nanos);
  let assemblyFormat = "$nanos attr-dict";
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
  }];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDASYNCOPS_TD
