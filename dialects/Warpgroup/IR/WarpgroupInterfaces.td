//===- WarpgroupInterfaces.td - Proxies and threads ------*- tablegen -*-===//
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

def Warpgroup_SynchronizationOpInterface : OpInterface<"SynchronizationOpInterface"> {
  let description = [{
    An op after which threads of a warpgroup depend on each other, or before
    which they must not. `warpgroup-insert-barriers` reads it, beside memory
    effects.
  }];
  let cppNamespace = "::gridir::warpgroup";
  let methods = [
    InterfaceMethod<[{
      Whether all threads that execute the op wait for each other.
    }], "bool", "synchronizesThreads", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether one thread announces to others that all threads which execute the
      op have come here.
    }], "bool", "signalsForThreads", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether one thread of each warp announces that the lanes of its warp have
      come here.
    }], "bool", "signalsForLanes", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether each thread waits by itself for the phase of a barrier: some may
      still wait when others have continued.
    }], "bool", "waitsForPhase", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether the op starts what completes a later phase of a barrier. A thread
      that still waits for the phase before it would miss it.
    }], "bool", "startsPhase", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether the op only starts its accesses, and another op waits for them.
    }], "bool", "startsAccesses", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether the op accesses only memory of other CTAs.
    }], "bool", "accessesOtherBlocks", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPINTERFACES_TD
