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

/// A value that a loop carries, scales, and adds reductions over threads to, as
/// in `l = l * scale + sum(p)`. Each thread adds the partial sum of its own
/// elements, and the partial sums of the threads are reduced once, after the
/// loop.
class DeferredSum {
public:
  DeferredSum(mlir::scf::ForOp loop, unsigned number, Lowering &lowering)
      : loop(loop), number(number), lowering(&lowering) {}

  /// True if the value is a deferred sum. Its reductions then do not combine
  /// the sums of threads.
  bool match();

  /// Gives the initial value to one of the threads whose values are added, and
  /// 0 to the others.
  void splitInit(mlir::MutableArrayRef<mlir::Value> registers);
  /// Adds the values of the threads.
  void complete();

  /// The number of the value among the values that the loop carries.
  unsigned getNumber() const { return number; }

private:
  /// True if the loop's use of the value is linear in it, until the next
  /// iteration.
  bool isLinear();
  /// True if the value is a sum whose parts in threads may be added up later.
  bool addReduction(mlir::Value value);

  mlir::scf::ForOp loop;
  unsigned number;
  Lowering *lowering;
  llvm::SmallVector<mlir::linalg::LinalgOp> reductions;
  int64_t threadBits = 0;
};

/// Returns the deferred sums of a loop. Sums of floats are included only if the
/// kernel allows approximations, since the rounding differs.
llvm::SmallVector<DeferredSum> findDeferredSums(mlir::scf::ForOp loop,
                                                Lowering &lowering);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DEFERREDSUMS_H
