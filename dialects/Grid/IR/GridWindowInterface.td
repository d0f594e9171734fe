//===- GridWindowInterface.td - Ops that access a window -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDWINDOWINTERFACE_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDWINDOWINTERFACE_TD

include "mlir/IR/OpBase.td"

def Grid_WindowOpInterface : OpInterface<"WindowOpInterface"> {
  let description = [{
    An op that accesses a window of one of its Refs, which may partly lie
    outside of the Ref: that part is not accessed. It accesses all elements of
    its other Refs.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      The Ref that has the window.
    }], "::mlir::Value", "getWindowRef">,
    InterfaceMethod<[{
      The first index along each of its dimensions.
    }], "::llvm::SmallVector<::mlir::OpFoldResult>", "getWindowOffsets">,
    InterfaceMethod<[{
      The number of elements along each.
    }], "::llvm::ArrayRef<int64_t>", "getWindowSizes">,
    InterfaceMethod<[{
      What must be true for anything to be accessed; null for nothing.
    }], "::mlir::Value", "getWindowPredicate", (ins), [{}], [{ return {}; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDWINDOWINTERFACE_TD
