//===- InterleavedReads.h - Vectors of each n-th element --------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_INTERLEAVEDREADS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_INTERLEAVEDREADS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// Lets a read of each n-th element of an array read whole groups of n elements
/// that are next to each other, and select one of each. Reads of other elements
/// of the same groups become the same read. `read` stays as it is if a group
/// could be outside of the array, or if its position is not known.
void readWholeGroups(mlir::RewriterBase &rewriter,
                     mlir::vector::TransferReadOp read);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_INTERLEAVEDREADS_H
