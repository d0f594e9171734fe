//===- GridRefOps.td - Views of Refs, loads and stores ----*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDREFOPS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDREFOPS_TD

include "dialects/Grid/IR/GridKernelOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ViewLikeInterface.td"

//===----------------------------------------------------------------------===//
// Views: JAX's Ref transforms, one op each
//===----------------------------------------------------------------------===//

// A view names a part or another shape of a Ref and moves no data. Its result
// is a Ref with an identity layout of its own: strides are a matter of the
// target.
class Grid_ViewOp<string mnemonic, list<Trait> traits = []>
    : Grid_Op<mnemonic, [
        Pure, ViewLikeOpInterface, Grid_RefViewOpInterface] # traits> {
  let results = (outs Grid_Ref:$result);
  code sourceDeclarations = [{
    ::mlir::Value getViewSource() { return getSource(); }
    ::mlir::ValueRange getViewSources() {
      return getOperation()->getOperands().take_front();
    }
  }];
  let extraClassDeclaration = sourceDeclarations;
}

// A view whose elements lie along the dimensions of its source.
class Grid_WindowOp<string mnemonic> : Grid_ViewOp<mnemonic> {
  let extraClassDeclaration = sourceDeclarations # [{
    std::optional<::llvm::SmallVector<ViewDim>> getViewDims();
  }];
}

def Grid_SliceRefOp : Grid_WindowOp<"slice_ref"> {
  let summary = "a strided window of a Ref";
  let description = [{
    Offsets are static or dynamic (i32, i64 or index), sizes and strides static.
    A dimension in `drop` has size 1 and is absent from the result. A window
    that exceeds its source is an error of the kernel; a target proves that
    there is none, or checks it.

    Example:

    ```mlir
    %row = grid.slice_ref %x[%i, 0] [1, 64] [1, 2] drop [0]
        : memref<8x128xf32>, i32 -> memref<64xf32>
    ```
  }];
  let arguments = (ins Grid_Ref:$source, Variadic<Grid_IndexLike>:$offsets,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$sizes,
                       DenseI64ArrayAttr:$strides,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dropped);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Grid_BitcastRefOp : Grid_ViewOp<"bitcast_ref"> {
  let summary = "a view of a Ref with another element type";
  let description = [{
    Different widths change the second-to-last dimension, as Pallas defines it
    (the only dimension of a vector).

    Example:

    ```mlir
    %w = grid.bitcast_ref %x : memref<16x128xi16> -> memref<8x128xi32>
    ```
  }];
  let arguments = (ins Grid_Ref:$source);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Grid_ReshapeRefOp : Grid_ViewOp<"reshape_ref"> {
  let summary = "a view of a Ref with another shape";
  let description = [{
    The elements keep their row-major order.

    Example:

    ```mlir
    %v = grid.reshape_ref %x : memref<8x128xf32> -> memref<1024xf32>
    ```
  }];
  let arguments = (ins Grid_Ref:$source);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Grid_TransposeRefOp : Grid_WindowOp<"transpose_ref"> {
  let summary = "a view of a Ref with permuted dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the source.

    Example:

    ```mlir
    %t = grid.transpose_ref %x [1, 0] : memref<8x128xf32> -> memref<128x8xf32>
    ```
  }];
  let arguments = (ins Grid_Ref:$source, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Grid_SelectRefOp : Grid_Op<"select_ref", [Pure, Grid_RefViewOpInterface]> {
  let summary = "select one of several Refs by an index";
  let description = [{
    The index counts the sources and must be in range.

    Example:

    ```mlir
    %r = grid.select_ref %i of %a, %b
        : memref<8xf32>, memref<8xf32> -> memref<8xf32>
    ```
  }];
  let arguments = (ins I32:$index, Variadic<Grid_Ref>:$sources);
  let results = (outs Grid_Ref:$result);
  let assemblyFormat = "$index `of` $sources attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ValueRange getViewSources() { return getSources(); }
  }];
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

// A Ref of rank 0 holds a scalar; any other Ref is loaded and stored as a
// tensor of its shape. A mask has the shape of the value.
def Grid_LoadOp : Grid_Op<"load", [
    AttrSizedOperandSegments, Grid_RefAccessOpInterface]> {
  let summary = "load from a Ref";
  let description = [{
    Masked elements are not read and have the value of `other`, or an
    unspecified value.

    Example:

    ```mlir
    %v = grid.load %x : memref<8x128xf32> -> tensor<8x128xf32>
    %w = grid.load %x mask %m other %o
        : memref<8x128xf32>, tensor<8x128xi1>, tensor<8x128xf32> -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$ref,
                       Optional<Grid_Mask>:$mask, Optional<Grid_Value>:$other);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = [{
    $ref (`mask` $mask^ (`other` $other^)?)? attr-dict
    `:` type($ref) (`,` type($mask)^ (`,` type($other)^)?)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    ::mlir::Value getAccessMask() { return getMask(); }
    ::mlir::Value getLoadedValue() { return getResult(); }
  }];
}

def Grid_StoreOp : Grid_Op<"store", [Grid_RefAccessOpInterface]> {
  let summary = "store to a Ref";
  let description = [{
    Masked elements keep their value.

    Example:

    ```mlir
    grid.store %v, %x : tensor<8x128xf32>, memref<8x128xf32>
    grid.store %v, %x mask %m
        : tensor<8x128xf32>, memref<8x128xf32>, tensor<8x128xi1>
    ```
  }];
  let arguments = (ins Grid_Value:$value, Arg<Grid_Ref, "", [MemWrite]>:$ref,
                       Optional<Grid_Mask>:$mask);
  let assemblyFormat = [{
    $value `,` $ref (`mask` $mask^)? attr-dict
    `:` type($value) `,` type($ref) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    ::mlir::Value getAccessMask() { return getMask(); }
    ::mlir::OpOperand *getStoredOperand() { return &getValueMutable(); }
    bool replacesAll(::mlir::Value ref) { return !getMask(); }
  }];
}

def Grid_AccumulateOp : Grid_Op<"accumulate", [Grid_RefAccessOpInterface]> {
  let summary = "add a value to the elements of a Ref";
  let description = [{
    Example:

    ```mlir
    grid.accumulate %v, %x : tensor<8x128xf32>, memref<8x128xf32>
    ```
  }];
  let arguments = (ins Grid_Value:$value, Arg<Grid_Ref, "", [MemRead, MemWrite]>:$ref,
                       Optional<Grid_Mask>:$mask);
  let assemblyFormat = [{
    $value `,` $ref (`mask` $mask^)? attr-dict
    `:` type($value) `,` type($ref) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    ::mlir::Value getAccessMask() { return getMask(); }
    ::mlir::OpOperand *getStoredOperand() { return &getValueMutable(); }
  }];
}

/// The interface methods of `gather`, `scatter` and their like.
defvar Grid_IndexedAccess = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    ::mlir::Value getAccessMask() { return getMask(); }
    ::mlir::ValueRange getAccessIndices() { return getIndices(); }
    ::llvm::ArrayRef<int64_t> getAccessDims() { return getDims(); }
}];

def Grid_GatherOp : Grid_Op<"gather", [
    AttrSizedOperandSegments, Grid_RefAccessOpInterface]> {
  let summary = "the elements of a Ref at arrays of indices";
  let description = [{
    `dims` are the indexed dimensions; their index tensors have the same shape.
    The result has that shape, followed by the other dimensions of the Ref in
    order. An index outside of the Ref is an error of the kernel, unless its
    mask is false. The mask has the shape of the indices.

    Example:

    ```mlir
    %rows = grid.gather %x[%i] dims [0]
        : memref<64x128xf32>, tensor<8xi32> -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$ref,
                       Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims,
                       Optional<Grid_Mask>:$mask, Optional<Grid_Value>:$other);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = [{
    $ref `[` $indices `]` `dims` $dims (`mask` $mask^ (`other` $other^)?)? attr-dict
    `:` type($ref) `,` type($indices) (`mask` type($mask)^ (`other` type($other)^)?)?
    `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Grid_IndexedAccess # [{
    ::mlir::Value getLoadedValue() { return getResult(); }
  }];
}

def Grid_ScatterOp : Grid_Op<"scatter", [
    AttrSizedOperandSegments, Grid_RefAccessOpInterface]> {
  let summary = "write the elements of a Ref at arrays of indices";
  let description = [{
    The value has the shape of the result of `grid.gather`. If indices repeat,
    the last one in row-major order wins, or all are added with `add`.

    Example:

    ```mlir
    grid.scatter %v, %x[%i] dims [0]
        : tensor<8x128xf32>, memref<64x128xf32>, tensor<8xi32>
    ```
  }];
  let arguments = (ins Grid_Value:$value, Arg<Grid_Ref, "", [MemRead, MemWrite]>:$ref,
                       Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims,
                       Optional<Grid_Mask>:$mask, UnitAttr:$add);
  let assemblyFormat = [{
    $value `,` $ref `[` $indices `]` `dims` $dims (`mask` $mask^)? (`add` $add^)? attr-dict
    `:` type($value) `,` type($ref) `,` type($indices) (`mask` type($mask)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Grid_IndexedAccess;
}

def Grid_AtomicRmwOp : Grid_Op<"atomic_rmw", [
    AllTypesMatch<["value", "result"]>, Grid_RefAccessOpInterface]> {
  let summary = "atomically update a Ref and return its old elements";
  let description = [{
    Each element is read, combined and written atomically.

    Example:

    ```mlir
    %old = grid.atomic_rmw add %v, %x : tensor<8xi32>, memref<8xi32>
    ```
  }];
  let arguments = (ins Grid_AtomicKindAttr:$kind, Grid_Value:$value,
                       Arg<Grid_Ref, "", [MemRead, MemWrite]>:$ref, Optional<Grid_Mask>:$mask);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = [{
    $kind $value `,` $ref (`mask` $mask^)? attr-dict
    `:` type($value) `,` type($ref) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    ::mlir::Value getAccessMask() { return getMask(); }
    bool isAtomicAccess() { return true; }
  }];
}

def Grid_AtomicCasOp : Grid_Op<"atomic_cas", [
    AllTypesMatch<["compare", "value", "result"]>, Grid_RefAccessOpInterface]> {
  let summary = "replace elements of a Ref that equal a value, atomically";
  let description = [{
    Returns the old elements of the Ref.

    Example:

    ```mlir
    %old = grid.atomic_cas %c, %v, %x : i32, memref<i32>
    ```
  }];
  let arguments = (ins Grid_Value:$compare, Grid_Value:$value,
                       Arg<Grid_Ref, "", [MemRead, MemWrite]>:$ref);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = [{
    $compare `,` $value `,` $ref attr-dict `:` type($value) `,` type($ref)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    bool isAtomicAccess() { return true; }
  }];
}

def Grid_Accesses : Resource<"::gridir::grid::AccessResource">;

def Grid_RecordAccessOp : Grid_Op<"record_access", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite<Grid_Accesses>]>,
    Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "record an access for the checks at run time";
  let description = [{
    A read, a write or an atomic update follows; the value of a `use` was read
    before, or is read next. The access is to all of the Ref or, with indices,
    to the elements that `grid.gather` reads; masked elements are not accessed.
    Messages give the indices of elements in `root`, the source of the view,
    and the location of this op. This op does not access the memory itself.

    Example:

    ```mlir
    grid.record_access write %x : memref<8x128xf32>
    grid.record_access read %y[%i] dims [0]
        : memref<64x128xf32>, tensor<8xi32>
    grid.record_access read %x mask %m
        : memref<8x128xf32> mask tensor<8x128xi1>
    grid.record_access use %row of %x
        : memref<128xf32> of memref<8x128xf32>
    ```
  }];
  let arguments = (ins Grid_AccessKindAttr:$kind, Grid_Ref:$ref,
                       Variadic<AnyRankedTensor>:$indices,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dims,
                       Optional<Grid_Mask>:$mask, Optional<Grid_Ref>:$root);
  let assemblyFormat = [{
    $kind $ref (`[` $indices^ `]` `dims` $dims)? (`mask` $mask^)? (`of` $root^)?
    attr-dict `:` type($ref) (`,` type($indices)^)? (`mask` type($mask)^)?
    (`of` type($root)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccessedRef() { return getRef(); }
    ::mlir::Value getAccessMask() { return getMask(); }
    ::mlir::ValueRange getAccessIndices() { return getIndices(); }
    ::llvm::ArrayRef<int64_t> getAccessDims() { return getDims(); }
  }];
}

//===----------------------------------------------------------------------===//
// Scoped Refs
//===----------------------------------------------------------------------===//

def Grid_ScopedOp : Grid_Op<"scoped", [
    AutomaticAllocationScope,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a region with its own Refs and semaphores";
  let description = [{
    The Refs are uninitialized at entry and semaphores are zero. Their lifetime
    ends with the region. `collective` names the dimensions whose programs share
    them, and `origin` after the type of a Ref is the author's name.

    Example:

    ```mlir
    %sum = grid.scoped (%tmp: memref<8x128xf32> origin "tmp_ref") -> tensor<8x128xf32> {
      grid.store %v, %tmp : tensor<8x128xf32>, memref<8x128xf32>
      %w = grid.load %tmp : memref<8x128xf32> -> tensor<8x128xf32>
      grid.yield %w : tensor<8x128xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<ArrayAttr>:$collective,
                       OptionalAttr<ArrayAttr>:$transforms,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The name of Ref `i` for a diagnostic: its origin, or its number.
    std::string getRefName(unsigned i);
  }];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDREFOPS_TD
