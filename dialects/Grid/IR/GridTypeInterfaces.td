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
    A synchronization object in memory, such as a semaphore. A Ref may hold such
    objects like numbers, so that an array of them can be sliced. Dedicated ops
    change and read them; they are not loaded or stored.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      What one object takes in the memory of a kernel.
    }], "unsigned", "getNumBits">,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDTYPEINTERFACES_TD
