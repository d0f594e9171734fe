//===- WarpgroupDialect.td - The warpgroup dialect -----*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPDIALECT_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Warpgroup_Dialect : Dialect {
  let name = "warpgroup";
  let cppNamespace = "::gridir::warpgroup";
  let summary = "Synchronization, copies and MMAs of warpgroups";
  let description = [{
    The ops of a kernel that programs each warpgroup, such as a Mosaic GPU
    kernel: barriers with phases, copies by the tensor memory accelerator (TMA),
    groups of such copies, and matrix units. They are in the body of a
    `grid.kernel` with the ops of `grid`, and implement the interfaces of
    `grid`. The kernel's dimensions of kind `thread` enumerate the warpgroups of
    a CTA, those of kind `cluster` the CTAs of a cluster.

    An array in registers is a tensor. Its encoding, a `layout`, defines the
    distribution over threads once that is decided. An accumulator of a matrix
    unit is a Ref in `#warpgroup.space<regs>`. A Ref in shared memory has the shape that the
    author indexes; its tiling and swizzle belong to its allocation.
  }];
  let dependentDialects = ["::gridir::grid::GridDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerMemorySpaces();
  }];
}

class Warpgroup_Op<string mnemonic, list<Trait> traits = []>
    : Op<Warpgroup_Dialect, mnemonic, traits>;

def Warpgroup_Pending : Resource<"::gridir::warpgroup::PendingResource">;

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPDIALECT_TD
