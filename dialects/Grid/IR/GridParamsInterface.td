//===- GridParamsInterface.td - Compiler parameters --------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDPARAMSINTERFACE_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDPARAMSINTERFACE_TD

include "mlir/IR/OpBase.td"

def Grid_ParamsAttrInterface : AttrInterface<"ParamsAttrInterface"> {
  let description = [{
    A record of compiler parameters in `params` of a kernel. The target of the
    backend attaches it; passes on `grid` ask the record and know no backend.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      The author's semantics of the dimensions of the grid, one string for each
      that `jax.vmap` did not add; null if there are none.
    }], "::mlir::ArrayAttr", "getDimensionClaims", (ins), [{}],
    [{ return {}; }]>,
    InterfaceMethod<[{
      True if blocks of outputs are initially undefined, also those of outputs
      that share memory with an input.
    }], "bool", "leavesBlocksUndefined", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      True if the author disables run-time checks of bounds.
    }], "bool", "disablesBoundsChecks", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDPARAMSINTERFACE_TD
