//===- GridTypeInterfaces.td - What a type says of its part -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDTYPEINTERFACES_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDTYPEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Grid_SyncTypeInterface : TypeInterface<"SyncTypeInterface"> {
  let description = [{
    An object in memory that programs synchronize on, as a semaphore. A Ref holds
    such objects as it holds numbers, so that an array of them is sliced as any
    other. Ops of their own change and look at them; no value is loaded or stored.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      What one object takes in the memory of a kernel.
    }], "unsigned", "getNumBits">,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDTYPEINTERFACES_TD
