//===- GridSpaceInterface.td - Memory spaces ----------------*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDSPACEINTERFACE_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDSPACEINTERFACE_TD

include "mlir/IR/OpBase.td"

def Grid_MemorySpaceAttrInterface : AttrInterface<"MemorySpaceAttrInterface"> {
  let description = [{
    The memory space of a Ref. The dialect of a target has the spaces of its
    memories; passes on `grid` and conversions to loops ask a space for these
    facts and name no space of a target.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      The name in messages, in plans of memory and in Python, with the owner of
      the space: `tpu.vmem`.
    }], "::llvm::StringRef", "getSpaceName", (ins)>,
    InterfaceMethod<[{
      The programs that have the memory in common. Assumed without it: each
      program has its own.
    }], "::gridir::grid::SpaceSharing", "getSharing", (ins), [{}],
    [{ return ::gridir::grid::SpaceSharing::None; }]>,
    InterfaceMethod<[{
      True if the memory is outside of the cores: the body of a kernel itself
      copies blocks from there.
    }], "bool", "isOutsideOfCores", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      True if only programs of warpgroups name it. They have chosen the shapes
      and the order of their arrays.
    }], "bool", "isOfWarpgroups", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      True if the subcores of a SparseCore share it.
    }], "bool", "isOfSubcores", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDSPACEINTERFACE_TD
