//===- IndexRanges.h - What values an index may have ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_ANALYSIS_INDEXRANGES_H
#define GRIDIR_DIALECTS_LOOPS_ANALYSIS_INDEXRANGES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <optional>

namespace gridir::loops {

/// All integers from `min` to `max`, both included.
struct IndexRange {
  int64_t min, max;
};

/// Bounds of integer values inside a kernel, from the ranges of its program ids
/// and of the loops around. Upstream's integer range analysis cannot see them:
/// the bounds of the loop over work items are arguments.
class IndexRanges {
public:
  void set(mlir::Value value, IndexRange range) { known[value] = range; }

  /// The range of a value, when it is bounded by what the kernel says.
  std::optional<IndexRange> get(mlir::Value value);

private:
  std::optional<IndexRange> compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, std::optional<IndexRange>> known;
};

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_ANALYSIS_INDEXRANGES_H
