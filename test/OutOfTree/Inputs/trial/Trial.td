//===- Trial.td - A dialect whose ops take part in kernels -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "dialects/Grid/IR/GridInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Trial_Dialect : Dialect {
  let name = "trial";
  let cppNamespace = "::trial";
}

class Trial_Op<string mnemonic, list<Trait> traits = []>
    : Op<Trial_Dialect, mnemonic, traits>;

def Trial_RowsOp : Trial_Op<"rows", [Pure, Grid_RefViewOpInterface]> {
  let summary = "some rows of a Ref";
  let arguments = (ins AnyMemRef:$source, Index:$first);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `[` $first `]` attr-dict `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::ValueRange getViewSources() {
      return getOperation()->getOperands().take_front();
    }
    std::optional<::llvm::SmallVector<::gridir::grid::ViewDim>> getViewDims();
  }];
}

def Trial_ZeroOp : Trial_Op<"zero", [Grid_RefAccessOpInterface]> {
  let summary = "write zero to all of a Ref";
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$ref);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
  let extraClassDeclaration = [{
    bool replacesAll(::mlir::Value ref) { return ref == getRef(); }
  }];
}

def Trial_AxpyOp : Trial_Op<"axpy", [Grid_RefAccessOpInterface]> {
  let summary = "add what a Ref holds, times a factor, to what another holds";
  let arguments = (ins F32Attr:$factor, Arg<AnyMemRef, "", [MemRead]>:$source,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$dest);
  let assemblyFormat = [{
    $factor `,` $source `,` $dest attr-dict `:` type($source) `,` type($dest)
  }];
}
