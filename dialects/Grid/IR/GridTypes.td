//===- GridTypes.td - Types of the grid dialect -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDTYPES_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDTYPES_TD

include "dialects/Grid/IR/GridDialect.td"
include "dialects/Grid/IR/GridEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "dialects/Grid/IR/GridTypeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Grid_SemaphoreType : TypeDef<Grid_Dialect, "Semaphore",
    [DeclareTypeInterfaceMethods<MemRefElementTypeInterface>, Grid_SyncTypeInterface]> {
  let mnemonic = "semaphore";
  let summary = "a counter that programs and copies signal and wait for";
  let description = [{
    Semaphores are elements of memrefs, so an array of them is sliced like any
    other Ref. The kind is the unit that it counts: `regular` signals, the bytes
    of `dma` transfers, or the arrivals at a `barrier`.

    Example:

    ```mlir
    memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let parameters = (ins EnumParameter<Grid_SemaphoreKind>:$kind);
  let assemblyFormat = "`<` $kind `>`";
  let extraClassDeclaration = [{
    unsigned getNumBits() const { return 32; }
  }];
}

def Grid_SemaphoreRef : MemRefOf<[Grid_SemaphoreType]>;
def Grid_IntOrFloatOrIndex
    : AnyTypeOf<[AnySignlessIntegerOrIndex, AnyFloat, AnyComplex]>;
def Grid_Value : AnyTypeOf<[Grid_IntOrFloatOrIndex, StaticShapeTensorOf<[Grid_IntOrFloatOrIndex]>],
    "a scalar or a tensor of static shape">;
def Grid_NumberTensor : RankedTensorOf<[AnySignlessInteger, AnyFloat, AnyComplex]>;
def Grid_Mask : AnyTypeOf<[I1, StaticShapeTensorOf<[I1]>], "an i1 or a tensor of i1">;
def Grid_IndexLike : AnyTypeOf<[I32, I64, Index], "i32, i64 or index">;
def Grid_SyncType : Type<
    CPred<"::llvm::isa<::gridir::grid::SyncTypeInterface>($_self)">,
    "an object that programs synchronize on", "::gridir::grid::SyncTypeInterface">;
def Grid_Ref : MemRefOf<[AnySignlessInteger, AnyFloat, AnyComplex, Index, Grid_SyncType]>;

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDTYPES_TD
