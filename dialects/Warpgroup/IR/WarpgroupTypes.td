//===- WarpgroupTypes.td - Types of the warpgroup dialect *- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPTYPES_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPTYPES_TD

include "dialects/Grid/IR/GridTypes.td"
include "dialects/Warpgroup/IR/WarpgroupDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Warpgroup_BarrierType : TypeDef<Warpgroup_Dialect, "Barrier",
    [DeclareTypeInterfaceMethods<MemRefElementTypeInterface>, Grid_SyncTypeInterface]> {
  let mnemonic = "barrier";
  let summary = "a barrier in shared memory that counts arrivals in phases";
  let description = [{
    A phase is complete after `arrivals` arrivals, of warpgroups, copies or
    MMAs, and the next one begins. Each warpgroup waits for the phases in turn,
    from the first on. With `tensor_core` the barrier also orders writes of the
    tensor core to tensor memory.

    A barrier with `cluster` axes exists once in each CTA along them: an arrival
    at it is an arrival at those of all CTAs that differ in at most one of the
    axes. Axes in their own brackets count as one. With `leader_tracked` the
    arrival is only at that of the first CTA.

    Example:

    ```mlir
    memref<4x!warpgroup.barrier<2>, #warpgroup.space<smem>>
    memref<1x!warpgroup.barrier<1, tensor_core>, #warpgroup.space<smem>>
    memref<1x!warpgroup.barrier<1, cluster = ["x", "y"]>, #warpgroup.space<smem>>
    memref<1x!warpgroup.barrier<1, cluster = [["x", "y"]]>, #warpgroup.space<smem>>
    ```
  }];
  let parameters = (ins "int64_t":$arrivals,
                        OptionalParameter<"bool">:$ordersTensorCore,
                        OptionalArrayRefParameter<"::mlir::ArrayAttr">:$cluster,
                        OptionalParameter<"bool">:$leaderTracked);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// An mbarrier is a word of 64 bits.
    unsigned getNumBits() const { return 64; }
  }];
}

def Warpgroup_BarrierRef : MemRefRankOf<[Warpgroup_BarrierType], [0]>;

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPTYPES_TD
