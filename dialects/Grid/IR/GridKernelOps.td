//===- GridKernelOps.td - The kernel and its call ---------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDKERNELOPS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDKERNELOPS_TD

include "dialects/Grid/IR/GridAttrs.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Grid/IR/GridTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Grid_Op<string mnemonic, list<Trait> traits = []>
    : Op<Grid_Dialect, mnemonic, traits>;

def Grid_DimArrayAttr : TypedArrayAttrBase<Grid_DimAttr, "grid dimensions">;
def Grid_OperandArrayAttr : TypedArrayAttrBase<Grid_OperandAttr, "kernel operands">;
def Grid_SemanticsArrayAttr : TypedArrayAttrBase<Grid_SemanticsAttr, "dimension semantics">;

def Grid_KernelOp : Grid_Op<"kernel", [
    AutomaticAllocationScope, IsolatedFromAbove, Symbol,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a kernel that runs once for every point of a grid";
  let description = [{
    Contains JAX's complete `GridMapping`. The first region is the body; then
    follows one region for each input and output, its index map.

    - The call takes `*dynamic_grid_sizes, *index, *inputs`.
    - The body takes `*index, *inputs, *outputs, *scratch`, all Refs.
    - An index map takes `*program_ids, *index` and yields the indices for the
      block dimensions, as i32 (i64 if JAX computes in 64 bits). It may contain
      any pure op and may read the index operands. An affine map prints as
      `at (%i, %k * 2)`.

    The grid runs in row-major order, the last dimension fastest, unless
    `semantics` declares that the order along a dimension does not matter.
    `aliases [1 -> 0]` makes output 0 share the memory of call operand 1,
    counted over index operands and inputs. Programs then run in place: a
    program that reads the operand sees stores of earlier programs to the
    output. With `functional` after the list the operand keeps its value from
    the call, as in the interpreter of JAX 0.10. `origin` after the type of a
    scratch Ref is the author's name, as for an operand.

    `jax` contains data that only the reconstruction of the `GridMapping` needs:
    the sign of scratch elements, the structure of arguments that are not plain
    tuples, and `objects`, the names of the fields that are Python objects and
    stay in the process that created them.

    Example:

    ```mlir
    grid.kernel @matmul grid(%i = 4, %j = 4, %k = 4)
        inputs(%x: bf16 [512, 512] block [128, 128] at (%i, %k),
               %y: bf16 [512, 512] block [128, 128] at (%k, %j))
        outputs(%o: f32 [512, 512] block [128, 128] at (%i, %j))
        semantics [parallel, parallel, arbitrary] {
      %a = grid.load %x : memref<128x128xbf16, #grid.space<default>> -> tensor<128x128xbf16>
      %b = grid.load %y : memref<128x128xbf16, #grid.space<default>> -> tensor<128x128xbf16>
      %c = grid.dot %a, %b contract [1] x [0]
          : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      grid.accumulate %c, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
    }
    ```
  }];
  let arguments = (ins
      SymbolNameAttr:$sym_name,
      OptionalAttr<StrAttr>:$sym_visibility,
      Grid_DimArrayAttr:$dims,
      Grid_OperandArrayAttr:$index_operands,
      Grid_OperandArrayAttr:$inputs,
      Grid_OperandArrayAttr:$outputs,
      OptionalAttr<Grid_SemanticsArrayAttr>:$semantics,
      OptionalAttr<ArrayAttr>:$aliases,
      UnitAttr:$functional_aliases,
      OptionalAttr<ArrayAttr>:$params,
      OptionalAttr<StrArrayAttr>:$scratch_origins,
      OptionalAttr<Grid_CostAttr>:$cost,
      OptionalAttr<DictionaryAttr>:$metadata,
      OptionalAttr<StrAttr>:$backend,
      OptionalAttr<StrAttr>:$source,
      OptionalAttr<DictionaryAttr>:$jax,
      UnitAttr:$debug);
  let regions = (region VariadicRegion<SizedRegion<1>>:$kernelRegions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region &getBodyRegion() { return getKernelRegions()[0]; }
    ::mlir::Block *getBodyBlock() { return &getBodyRegion().front(); }

    unsigned getRank() { return getDims().size(); }
    DimAttr getDim(unsigned i) { return ::llvm::cast<DimAttr>(getDims()[i]); }
    unsigned getNumDynamicDims();
    ::llvm::SmallVector<int64_t> getGridShape();

    unsigned getNumIndexOperands() { return getIndexOperands().size(); }
    unsigned getNumInputs() { return getInputs().size(); }
    unsigned getNumOutputs() { return getOutputs().size(); }
    unsigned getNumScratch();

    /// Index operand, input or output `i`, in the order of the body's arguments.
    OperandAttr getOperandSpec(unsigned i);
    void setOperandSpec(unsigned i, OperandAttr spec);
    unsigned getNumOperandSpecs() {
      return getNumIndexOperands() + getNumInputs() + getNumOutputs();
    }
    /// The name of operand `i` for a diagnostic: its origin, or its number.
    std::string getOperandName(unsigned i);
    /// The same of argument `i` of the body, which may be scratch.
    std::string getRefName(unsigned i);

    ::mlir::Block::BlockArgListType getIndexRefs();
    ::mlir::Block::BlockArgListType getInputRefs();
    ::mlir::Block::BlockArgListType getOutputRefs();
    ::mlir::Block::BlockArgListType getScratchRefs();

    /// Adds a scratch Ref that diagnostics call `origin`.
    ::mlir::BlockArgument addScratchRef(::mlir::MemRefType type,
                                        ::mlir::Location loc,
                                        ::llvm::StringRef origin);

    /// The index map of block `i`, counted over inputs and then outputs.
    ::mlir::Region &getIndexMap(unsigned i) { return getKernelRegions()[1 + i]; }

    /// The index map of block `i` as an affine map of the program ids, when it
    /// is one. Dimension `d` of the map is grid dimension `d`.
    std::optional<::mlir::AffineMap> getAffineIndexMap(unsigned i);

    /// The semantics of grid dimension `i`; `arbitrary` when nothing is said.
    DimSemantics getDimSemantics(unsigned i);

    /// Pairs of call operand and output that share memory.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getAliasPairs();

    /// True if a program that reads operand `i` sees stores of other programs
    /// to the output that shares its memory, and vice versa.
    bool isAliasedInPlace(unsigned i);

    /// The arrays that a call passes and gets, sign dropped.
    ::llvm::SmallVector<::mlir::Type> getCallOperandTypes();
    ::llvm::SmallVector<::mlir::Type> getCallResultTypes();

    /// The dimension with that name or number, if there is one.
    std::optional<unsigned> findDim(::mlir::Attribute axis);
  }];
}

def Grid_CallOp : Grid_Op<"call", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel over its whole grid";
  let description = [{
    This is `pallas_call` itself: its operands are the sizes of the dynamic grid
    dimensions, the index operands and the inputs; its results are the outputs
    as new tensors.

    Example:

    ```mlir
    grid.kernel @copy grid(%i = ?)
        inputs(%x: f32 [512] block [128] at (%i))
        outputs(%o: f32 [512] block [128] at (%i)) {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    func.func @f(%n: i32, %a: tensor<512xf32>) -> tensor<512xf32> {
      %r = grid.call @copy dynamic(%n : i32) inputs(%a : tensor<512xf32>) -> tensor<512xf32>
      return %r : tensor<512xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<I32>:$dynamicSizes,
                       Variadic<AnyRankedTensor>:$indexOperands,
                       Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`dynamic` `(` $dynamicSizes^ `:` type($dynamicSizes) `)`)?
    (`index` `(` $indexOperands^ `:` type($indexOperands) `)`)?
    (`inputs` `(` $inputs^ `:` type($inputs) `)`)? attr-dict (`->` type($results)^)?
  }];
}

def Grid_YieldOp : Grid_Op<"yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["KernelOp", "ScopedOp"]>]> {
  let summary = "end a region and return its results";
  let description = [{
    Ends an index map with its indices, a `grid.scoped` with its results, and a
    kernel's body without operands.

    Example:

    ```mlir
    %sum = grid.scoped (%tmp: memref<8xf32>) -> tensor<8xf32> {
      %v = grid.load %tmp : memref<8xf32> -> tensor<8xf32>
      grid.yield %v : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

class Grid_AxisOp<string mnemonic> : Grid_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyAttrOf<[I64Attr, StrAttr]>:$axis);
  let results = (outs I32:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Grid_ProgramIdOp : Grid_AxisOp<"program_id"> {
  let summary = "the index of the running program along a grid dimension";
  let description = [{
    The axis is a number, or the name of a dimension.

    Example:

    ```mlir
    %i = grid.program_id 0
    %row = grid.program_id "rows"
    ```
  }];
}

def Grid_NumProgramsOp : Grid_AxisOp<"num_programs"> {
  let summary = "the number of programs along a grid dimension";
  let description = [{
    Example:

    ```mlir
    %n = grid.num_programs 0
    ```
  }];
  let hasFolder = 1;
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDKERNELOPS_TD
