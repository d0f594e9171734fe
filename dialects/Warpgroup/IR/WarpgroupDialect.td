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
  let summary = "What the warpgroups of a GPU kernel do beside computing";
  let description = [{
    The ops of a kernel that says itself what each warpgroup does, as Mosaic GPU
    kernels do: barriers with phases, copies by the tensor memory accelerator
    (TMA), groups of such copies, and the matrix units. They stand in the body of
    a `grid.kernel` beside the ops of `grid`, whose interfaces they answer. Along
    the kernel's dimensions of kind `thread` are the warpgroups of a block, along
    those of kind `cluster` the blocks of a cluster.

    An array in registers is a tensor, whose encoding, a `layout`, says which
    thread holds which elements once that is decided. An accumulator of a matrix unit a Ref in
    `gpu.regs`. A Ref in shared memory has the shape that the author indexes; how
    it is tiled and swizzled belongs to its allocation.
  }];
  let dependentDialects = ["::gridir::grid::GridDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Warpgroup_Op<string mnemonic, list<Trait> traits = []>
    : Op<Warpgroup_Dialect, mnemonic, traits>;

def Warpgroup_Pending : Resource<"::gridir::warpgroup::PendingResource">;

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPDIALECT_TD
