//===- ExchangeOpInterface.td - Ops that exchange elements -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_EXCHANGEOPINTERFACE_TD
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_EXCHANGEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Warpgroup_ExchangeOpInterface : OpInterface<"ExchangeOpInterface"> {
  let description = [{
    An op whose lowering exchanges elements between the threads of a warpgroup
    through shared memory. An op without it exchanges none, unless it is a
    structured op of linalg.
  }];
  let cppNamespace = "::gridir::warpgroup";
  let methods = [
    InterfaceMethod<[{
      The shared memory of the exchange, without that of ops in its regions. All
      tensors of the op have layouts.
    }], "::gridir::warpgroup::Exchange", "getExchange",
    (ins "::gridir::warpgroup::Distributions &":$distributions)>,
  ];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_EXCHANGEOPINTERFACE_TD
