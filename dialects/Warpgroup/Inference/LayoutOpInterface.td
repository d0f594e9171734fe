//===- LayoutOpInterface.td - Ops that demand layouts ------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTOPINTERFACE_TD
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Warpgroup_LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let cppNamespace = "::gridir::warpgroup";
  let description = [{
    How the layouts of an op's tensors, in the registers of a warpgroup, depend
    on each other. These ops need not implement it: those with upstream's
    `Elementwise` trait, whose tensors have the same layout; structured ops,
    whose indexing maps define it; and ops that pass values to regions and back.
  }];
  let methods = [
    InterfaceMethod<[{
      Adds a frame for each group of tensors whose layouts depend on each other; an
      error where no layout serves the op.
    }], "::llvm::LogicalResult", "getLayoutFrames",
    (ins "::llvm::SmallVectorImpl<::gridir::warpgroup::LayoutFrame> &":$frames)>
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTOPINTERFACE_TD
