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

/// The barriers of an allocation that ops wait for, none twice.
llvm::SetVector<Storage *> getAwaited(mlir::Operation *op, Lowering &lowering);

/// Waits of a loop that go round rings of barriers: in iteration `i` for
/// barrier
/// `(i + distance) mod size`. The phase is then the number of rounds, and needs
/// no word that has a bit for each barrier. All rings of one size share it.
class RingPhases {
public:
  /// Finds such waits, if their initial phases are known.
  RingPhases(mlir::scf::ForOp loop, Lowering &lowering);

  /// Before the loop.
  void createBefore();
  /// At the beginning of its body.
  void createInBody(mlir::Value step);

private:
  struct Wait {
    mlir::Operation *op;
    int64_t size, distance;
    /// True if the phases are the inverse of the parity of the round.
    bool isInverted;
  };
  void add(warpgroup::BarrierWaitOp op, Storage &barriers);

  mlir::scf::ForOp loop;
  Lowering &lowering;
  int64_t begin = 0;
  llvm::SmallVector<Wait> waits;
  /// By the size of a ring, the variable that has the parity of the rounds.
  llvm::SmallMapVector<int64_t, mlir::Value, 2> rounds;
};

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RINGPHASES_H
