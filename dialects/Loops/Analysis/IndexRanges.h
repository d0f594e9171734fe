//===- IndexRanges.h - What values an index may have ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_ANALYSIS_INDEXRANGES_H
#define GRIDIR_DIALECTS_LOOPS_ANALYSIS_INDEXRANGES_H

#include "dialects/Support/Intervals.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace gridir::loops {

/// Bounds of integer values inside a kernel that is loops, from the ranges of
/// its program ids and of the surrounding loops. A number that exceeds its type
/// wraps around, because proofs of accesses depend on these bounds.
class IndexRanges {
public:
  void set(mlir::Value value, Interval range) { known[value] = range; }

  /// The range of a value: that of its type where nothing else is known.
  Interval get(mlir::Value value);

private:
  Interval compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, Interval> known;
};

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_ANALYSIS_INDEXRANGES_H
