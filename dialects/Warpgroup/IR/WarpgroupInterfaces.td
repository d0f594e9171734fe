//===- WarpgroupInterfaces.td - What an op says of its proxy -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPINTERFACES_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPINTERFACES_TD

include "mlir/IR/OpBase.td"

def Warpgroup_AsyncProxyOpInterface : OpInterface<"AsyncProxyOpInterface"> {
  let description = [{
    An op that accesses its Refs in memory through the async proxy, such as a
    bulk copy or an MMA. Its memory effects specify reads and writes.
    Threads access memory through the generic proxy; only a proxy fence orders
    such an access before one of this op.
  }];
  let cppNamespace = "::gridir::warpgroup";
  let methods = [
    InterfaceMethod<[{
      Whether the op accesses shared memory of other blocks of the cluster, too.
    }], "bool", "reachesOtherBlocks", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPINTERFACES_TD
