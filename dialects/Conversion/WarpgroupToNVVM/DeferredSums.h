//===- DeferredSums.h - Sums over threads behind loops ---------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DEFERREDSUMS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DEFERREDSUMS_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir::warpgroup_to_nvvm {

/// A value that a loop carries, scales, and adds sums over threads to, as in
/// `l = l * scale + sum(p)`. Each thread adds the sum of what it holds itself,
/// and the threads' values are added up once, behind the loop.
class DeferredSum {
public:
  DeferredSum(mlir::scf::ForOp loop, unsigned number, Lowering &lowering)
      : loop(loop), number(number), lowering(&lowering) {}

  /// Whether the value is such a one. Its reductions then leave the threads'
  /// sums alone.
  bool match();

  /// Leaves the initial value to one of the threads whose values are added up:
  /// the others have 0.
  void splitInit(mlir::MutableArrayRef<mlir::Value> registers);
  /// Adds the threads' values up.
  void complete();

  /// Which of the values that the loop carries it is.
  unsigned getNumber() const { return number; }

private:
  /// Whether all that becomes of the value is linear in it, until the next
  /// iteration.
  bool isLinear();
  /// Whether it is a sum whose threads' parts may be added up later.
  bool addReduction(mlir::Value value);

  mlir::scf::ForOp loop;
  unsigned number;
  Lowering *lowering;
  llvm::SmallVector<mlir::linalg::LinalgOp> reductions;
  int64_t threadBits = 0;
};

/// Those of a loop. Sums of floats are among them where the author allows
/// approximations, as they are rounded in another order.
llvm::SmallVector<DeferredSum> findDeferredSums(mlir::scf::ForOp loop,
                                                Lowering &lowering);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DEFERREDSUMS_H
