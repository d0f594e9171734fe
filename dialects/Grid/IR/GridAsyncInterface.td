//===- GridAsyncInterface.td - Ops whose writes end later -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDASYNCINTERFACE_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDASYNCINTERFACE_TD

include "mlir/IR/OpBase.td"

def Grid_AsyncOpInterface : OpInterface<"AsyncOpInterface"> {
  let description = [{
    An op that starts writes which are complete only later, or that announces or
    awaits their end at a barrier. A barrier counts arrivals in phases. An op
    that takes a barrier and returns it from neither method here may have any
    effect on it.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      Whether the op starts a write to this Ref that is complete only later.
    }], "bool", "completesLater", (ins "::mlir::Value":$ref), [{}],
      [{ return false; }]>,
    InterfaceMethod<[{
      The condition, an `i1`, under which the op reads this Ref; null if it
      always does. An MMA that does not accumulate does not read its
      accumulator.
    }], "::mlir::Value", "getReadCondition", (ins "::mlir::Value":$ref), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
      The barrier of this CTA at which the end of the op's writes is one arrival;
      null for none.
    }], "::mlir::Value", "getArrivalBarrier", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      The barrier of this CTA whose next phase the op waits for; null for none.
    }], "::mlir::Value", "getAwaitedBarrier", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      The arrivals that complete a phase of the awaited barrier, all of them from
      its CTA; none if other CTAs may arrive, too.
    }], "std::optional<int64_t>", "getPhaseArrivals", (ins), [{}],
      [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Whether the op executes in order with the other ops of its program that
      return true. It sees the writes of earlier ones, and its arrival announces
      them, too.
    }], "bool", "isInOrder", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDASYNCINTERFACE_TD
