//===- CarriedRanges.h - The integers that a loop carries -------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters that begin again when they reach an end, as the indices of a
// pipeline's blocks, stay in a range that holds before a loop and that each
// iteration keeps. It is guessed from what they are compared with, and proved.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_CARRIEDRANGES_H
#define GRIDIR_DIALECTS_SUPPORT_CARRIEDRANGES_H

#include "dialects/Support/Intervals.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir {

/// What `range`, in which `value` is, leaves of it where `condition` is
/// `holds`. Empty where it cannot be.
Interval narrow(Interval range, mlir::Value value, mlir::Value condition,
                bool holds, llvm::function_ref<Interval(mlir::Value)> getRange);

/// The ranges of the values that a loop carries, in their order; all of its
/// type for one of which nothing is known. `getRange` gives those of values
/// from outside of the loop.
llvm::SmallVector<Interval>
inferCarriedRanges(mlir::scf::ForOp loop,
                   llvm::function_ref<Interval(mlir::Value)> getRange);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_CARRIEDRANGES_H
