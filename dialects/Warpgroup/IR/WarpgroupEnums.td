//===- WarpgroupEnums.td - Enums of the warpgroup dialect --*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPENUMS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPENUMS_TD

include "dialects/Warpgroup/IR/WarpgroupDialect.td"
include "dialects/Grid/IR/GridSpaceInterface.td"
include "mlir/IR/EnumAttr.td"

def Warpgroup_SyncScope : I32EnumAttr<"SyncScope", "the threads that synchronize", [
    I32EnumAttrCase<"Warp", 0, "warp">,
    I32EnumAttrCase<"Warpgroup", 1, "warpgroup">,
    I32EnumAttrCase<"Block", 2, "block">]> {
  let cppNamespace = "::gridir::warpgroup";
  let genSpecializedAttr = 0;
}

def Warpgroup_SyncScopeAttr : EnumAttr<Warpgroup_Dialect, Warpgroup_SyncScope, "sync_scope"> {
  let summary = "threads that synchronize";
  let description = [{
    Example:

    ```mlir
    #warpgroup<sync_scope warpgroup>
    ```
  }];
  let assemblyFormat = "$value";
}

def Warpgroup_Space : I32EnumAttr<"Space", "a memory of a GPU", [
    I32EnumAttrCase<"Gmem", 0, "gmem">,
    I32EnumAttrCase<"Smem", 1, "smem">,
    I32EnumAttrCase<"Tmem", 2, "tmem">,
    I32EnumAttrCase<"Regs", 3, "regs">]> {
  let cppNamespace = "::gridir::warpgroup";
  let genSpecializedAttr = 0;
}

def Warpgroup_SpaceAttr : EnumAttr<Warpgroup_Dialect, Warpgroup_Space, "space", [
    DeclareAttrInterfaceMethods<Grid_MemorySpaceAttrInterface,
                                ["getSharing", "isOutsideOfCores", "isOfWarpgroups"]>]> {
  let summary = "memory space of a Ref of a warpgroup program";
  let description = [{
    Global memory, shared memory, tensor memory or registers.

    Example:

    ```mlir
    #warpgroup.space<smem>
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPENUMS_TD
