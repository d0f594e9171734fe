//===- CarriedRanges.h - The integers that a loop carries -------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Infers ranges of loop-carried values as loop invariants. Counters that
// restart at an end, such as the block indices of a pipeline, stay in a range
// that holds before the loop and that each iteration preserves. The range is
// guessed from comparisons in the loop, and then proved.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_CARRIEDRANGES_H
#define GRIDIR_DIALECTS_SUPPORT_CARRIEDRANGES_H

#include "dialects/Support/Intervals.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir {

/// Returns the part of `range`, which contains `value`, for which `condition`
/// is `holds`. Empty if that is impossible.
Interval narrow(Interval range, mlir::Value value, mlir::Value condition,
                bool holds, llvm::function_ref<Interval(mlir::Value)> getRange);

/// The ranges of the values that a loop carries, in order; the range of the
/// type if nothing is known. `getRange` gives the ranges of values from outside
/// of the loop.
llvm::SmallVector<Interval>
inferCarriedRanges(mlir::scf::ForOp loop,
                   llvm::function_ref<Interval(mlir::Value)> getRange);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_CARRIEDRANGES_H
