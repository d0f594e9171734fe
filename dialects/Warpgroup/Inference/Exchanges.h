//===- Exchanges.h - Elements that threads exchange -------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_EXCHANGES_H
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_EXCHANGES_H

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

namespace gridir::warpgroup {

/// Shared memory through which the threads of a warpgroup exchange elements for
/// an op: they store elements, synchronize, and load others. All exchanges of a
/// warpgroup use the same memory, so no thread may begin one while another
/// thread still loads from the one before.
struct Exchange {
  /// The bytes of a warpgroup that the op requires, and the bytes that it can
  /// use; 0 for an op without an exchange.
  int64_t least = 0, most = 0;
};

} // namespace gridir::warpgroup

#include "dialects/Warpgroup/Inference/ExchangeOpInterface.h.inc"

namespace gridir::warpgroup {

/// Attaches `ExchangeOpInterface` to ops of `warpgroup`, `grid` and `tensor`.
void registerExchangeModels(mlir::DialectRegistry &registry);

/// The exchanges of a kernel's ops. They follow from the layouts that
/// `warpgroup-infer-layouts` has chosen: passes plan memory and barriers for
/// them, and the conversion to NVVM emits no others.
class Exchanges {
public:
  /// The exchange of an op, without those of ops in its regions. None for an op
  /// on arrays without distributions, which has no lowering.
  Exchange get(mlir::Operation *op);

private:
  Distributions distributions;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_EXCHANGES_H
