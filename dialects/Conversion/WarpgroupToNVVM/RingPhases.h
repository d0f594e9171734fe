//===- RingPhases.h - Phases of barriers that a loop goes round -*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RINGPHASES_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RINGPHASES_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir::warpgroup_to_nvvm {

/// The parities of the phases of waits in a loop that go round rings of
/// barriers, as their `phase` states. They need no word that has a bit for each
/// barrier: all rings of one size share the parity of the round.
class RingPhases {
public:
  RingPhases(mlir::scf::ForOp loop, Lowering &lowering);

  /// Before the loop.
  void createBefore();
  /// At the beginning of its body.
  void createInBody(mlir::Value step);

private:
  mlir::scf::ForOp loop;
  Lowering &lowering;
  int64_t begin = 0;
  llvm::SmallVector<warpgroup::BarrierWaitOp> waits;
  /// By the size of a ring, the variable that has the parity of the rounds.
  llvm::SmallMapVector<int64_t, mlir::Value, 2> rounds;
};

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RINGPHASES_H
