//===- GridEnums.td - Enumerations of the grid dialect ----*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDENUMS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDENUMS_TD

include "dialects/Grid/IR/GridSpaceInterface.td"
include "mlir/IR/EnumAttr.td"

class Grid_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::gridir::grid";
  let genSpecializedAttr = 0;
}

def Grid_MemorySpace : Grid_I32Enum<"MemorySpace", "a memory space of no target", [
    I32EnumAttrCase<"Any", 0, "any">,
    I32EnumAttrCase<"Default", 1, "default">,
    I32EnumAttrCase<"Error", 2, "error">,
    I32EnumAttrCase<"Index", 3, "index">,
    I32EnumAttrCase<"Key", 4, "key">,
    I32EnumAttrCase<"Host", 5, "host">]>;

def Grid_SemaphoreKind : Grid_I32Enum<"SemaphoreKind", "the unit that a "
                                                       "semaphore counts", [
    I32EnumAttrCase<"Regular", 0, "regular">,
    I32EnumAttrCase<"Dma", 1, "dma">,
    I32EnumAttrCase<"Barrier", 2, "barrier">]>;

def Grid_DimKind : Grid_I32Enum<"DimKind", "the hardware level that a "
                                           "dimension enumerates", [
    I32EnumAttrCase<"Grid", 0, "grid">,
    I32EnumAttrCase<"Cluster", 1, "cluster">,
    I32EnumAttrCase<"Thread", 2, "thread">,
    I32EnumAttrCase<"Core", 3, "core">,
    I32EnumAttrCase<"Subcore", 4, "subcore">]>;

def Grid_DimSemantics : Grid_I32Enum<"DimSemantics",
    "the order of the programs along a dimension", [
    I32EnumAttrCase<"Arbitrary", 0, "arbitrary">,
    I32EnumAttrCase<"Parallel", 1, "parallel">,
    I32EnumAttrCase<"CoreParallel", 2, "core_parallel">,
    I32EnumAttrCase<"SubcoreParallel", 3, "subcore_parallel">,
    I32EnumAttrCase<"Sequential", 4, "sequential">]>;

def Grid_BlockKind : Grid_I32Enum<"BlockKind", "how a dimension of an array is "
                                               "divided", [
    I32EnumAttrCase<"Blocked", 0, "blocked">,
    I32EnumAttrCase<"Squeezed", 1, "squeezed">,
    I32EnumAttrCase<"Element", 2, "element">,
    I32EnumAttrCase<"BoundedSlice", 3, "bounded_slice">,
    I32EnumAttrCase<"Indirect", 4, "indirect">]>;

def Grid_RevisitMode : Grid_I32Enum<"RevisitMode",
    "when an output block may be visited again", [
    I32EnumAttrCase<"Immediate", 0, "immediate">,
    I32EnumAttrCase<"Any", 1, "any">]>;

def Grid_TransformKind : Grid_I32Enum<"TransformKind",
    "the layout of a block in the Ref of a kernel", [
    I32EnumAttrCase<"Tiling", 0, "tiling">,
    I32EnumAttrCase<"Untiling", 1, "untiling">,
    I32EnumAttrCase<"Swizzle", 2, "swizzle">,
    I32EnumAttrCase<"Unswizzle", 3, "unswizzle">,
    I32EnumAttrCase<"Transpose", 4, "transpose">]>;

def Grid_AtomicKind : Grid_I32Enum<"AtomicKind", "the combination of an atomic update", [
    I32EnumAttrCase<"Xchg", 0, "xchg">, I32EnumAttrCase<"Add", 1, "add">,
    I32EnumAttrCase<"MaxS", 2, "maxs">, I32EnumAttrCase<"MaxU", 3, "maxu">,
    I32EnumAttrCase<"MaxF", 4, "maxf">, I32EnumAttrCase<"MinS", 5, "mins">,
    I32EnumAttrCase<"MinU", 6, "minu">, I32EnumAttrCase<"MinF", 7, "minf">,
    I32EnumAttrCase<"And", 8, "and">, I32EnumAttrCase<"Or", 9, "or">,
    I32EnumAttrCase<"Xor", 10, "xor">]>;

def Grid_AccessKind : Grid_I32Enum<"AccessKind", "the effect of an access on "
                                                 "memory", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">,
    I32EnumAttrCase<"Atomic", 2, "atomic">,
    I32EnumAttrCase<"Use", 3, "use">]>;

def Grid_DeviceIdType : Grid_I32Enum<"DeviceIdType", "how a remote device is named", [
    I32EnumAttrCase<"Mesh", 0, "mesh">,
    I32EnumAttrCase<"Logical", 1, "logical">]>;

class Grid_EnumAttr<EnumInfo info, string mnemonic, list<Trait> traits = []>
    : EnumAttr<Grid_Dialect, info, mnemonic, traits> {
  let assemblyFormat = "`<` $value `>`";
}

def Grid_SpaceAttr : Grid_EnumAttr<Grid_MemorySpace, "space", [
    DeclareAttrInterfaceMethods<Grid_MemorySpaceAttrInterface,
                                ["getSharing", "isOutsideOfCores"]>]> {
  let summary = "memory space of a Ref that belongs to no target";
  let description = [{
    The spaces of Pallas itself. Those of a backend are attributes of its
    dialect: `#tpu.memory_space<vmem>`, `#warpgroup.space<smem>`.

    Example:

    ```mlir
    #grid.space<any>
    ```
  }];
}
def Grid_SemanticsAttr : Grid_EnumAttr<Grid_DimSemantics, "semantics"> {
  let summary = "semantics of one grid dimension";
  let description = [{
    Example:

    ```mlir
    #grid.semantics<parallel>
    ```
  }];
}
def Grid_AtomicKindAttr : EnumAttr<Grid_Dialect, Grid_AtomicKind, "atomic"> {
  let summary = "combination of an atomic update";
  let description = [{
    Example:

    ```mlir
    #grid<atomic add>
    ```
  }];
  let assemblyFormat = "$value";
}
def Grid_AccessKindAttr : EnumAttr<Grid_Dialect, Grid_AccessKind, "access"> {
  let summary = "the effect of an access on memory";
  let description = [{
    Atomic updates are ordered only among each other. A use is that of an
    earlier read value, which must have been initialized.

    Example:

    ```mlir
    #grid<access write>
    ```
  }];
  let assemblyFormat = "$value";
}
def Grid_DeviceIdTypeAttr : Grid_EnumAttr<Grid_DeviceIdType, "device_id_type"> {
  let summary = "how a remote device is named";
  let description = [{
    `mesh` takes one coordinate for each mesh axis, `logical` one number.

    Example:

    ```mlir
    #grid.device_id_type<mesh>
    ```
  }];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDENUMS_TD
