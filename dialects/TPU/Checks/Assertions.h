//===- Assertions.h - Assertions that numbers are in ranges ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_CHECKS_ASSERTIONS_H
#define GRIDIR_DIALECTS_TPU_CHECKS_ASSERTIONS_H

#include "dialects/Support/Intervals.h"
#include "dialects/TPU/Checks/OwnChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace gridir::tpu {

/// The number of 32 bits that an index was made of, if any.
mlir::Value lookThroughCasts(mlir::Value index);

/// The assertions of a kernel that guard its accesses. An assertion is of
/// several numbers if they can be computed before it.
class Assertions {
public:
  Assertions(mlir::func::FuncOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), builder(builder) {}

  /// Sets the insertion point right before an op, or before the vectors that
  /// its block computes with: between them an assertion would separate ops that
  /// are scheduled together. The ops that compute the index are moved along, if
  /// possible.
  void setInsertionPoint(mlir::Operation *op, mlir::Value index);

  /// Asserts before the insertion point that a number is in an interval, unless
  /// an earlier assertion implies it.
  void assertWithin(mlir::Value number, Interval allowed,
                    mlir::Operation *access, mlir::Location loc,
                    llvm::ArrayRef<mlir::StringAttr> messages);

  /// Lets the guards of an op guard a copy of it.
  void copyGuards(mlir::Operation *op, mlir::Operation *copy) {
    llvm::append_range(guards[copy], guards.lookup(op));
  }

  /// Merges the messages of assertions of several numbers.
  AddedChecks finish();

  AddedChecks added;

private:
  mlir::Value getFirstOfEqual(mlir::Value number);
  bool join(mlir::Value number, Interval allowed, mlir::Operation *access,
            mlir::Location loc, llvm::ArrayRef<mlir::StringAttr> messages);
  mlir::Value createDistance(mlir::Value number, Interval allowed,
                             mlir::Location loc);
  mlir::arith::CmpIOp compare(mlir::Value number, Interval allowed,
                              mlir::Location loc);
  bool moveBefore(mlir::Value value, mlir::Operation *place);
  bool isNeverWritten(mlir::Value memref);

  mlir::func::FuncOp kernel;
  mlir::OpBuilder &builder;
  mlir::DominanceInfo dominance;
  /// The range that assertions guarantee for a number.
  struct Assertion {
    Interval allowed;
    mlir::Operation *op;
  };
  /// An assertion of one or several numbers.
  struct Joined {
    mlir::cf::AssertOp op;
    /// The comparison with each largest distance from the lowest number.
    llvm::SmallVector<std::pair<int64_t, mlir::arith::CmpIOp>> comparisons;
    /// The messages of a failing assertion.
    llvm::SmallSetVector<mlir::StringAttr, 1> messages;
    llvm::SmallVector<mlir::Location> locs;
  };
  llvm::MapVector<mlir::Block *, llvm::SmallVector<Joined>> joined;
  /// The assertions without which an op may read beyond a memref.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>>
      guards;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Assertion>> asserted;
  /// The first load of each element of memory that is never written, by the
  /// memref and the indices.
  std::map<llvm::SmallVector<const void *>, mlir::Value> loads;
  llvm::DenseMap<mlir::Value, bool> neverWritten;
  /// The first op of each block that computes with vectors; null for none.
  llvm::DenseMap<mlir::Block *, mlir::Operation *> firstOnVectors;
};

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_CHECKS_ASSERTIONS_H
