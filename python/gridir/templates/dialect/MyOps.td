//===- MyOps.td - The dialect of this project -------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "dialects/Grid/IR/GridInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def My_Dialect : Dialect {
  let name = "my";
  let cppNamespace = "::my";
}

// An op on values needs no more than to be pure.
def My_SquareOp : Op<My_Dialect, "square", [
    Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "a value times itself";
  let arguments = (ins AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>]>:$value);
  let results = (outs AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

// An op on Refs tells the analyses of gridir which elements it reads and writes.
def My_ClearOp : Op<My_Dialect, "clear", [Grid_RefAccessOpInterface]> {
  let summary = "write zero to all of a Ref";
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$ref);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
  let extraClassDeclaration = [{
    bool replacesAll(::mlir::Value ref) { return ref == getRef(); }
  }];
}
