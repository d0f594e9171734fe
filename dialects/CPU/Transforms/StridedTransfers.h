//===- StridedTransfers.h - vectors of elements that are apart -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_STRIDEDTRANSFERS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_STRIDEDTRANSFERS_H

#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// The largest distance of elements at which the elements between are loaded,
/// too. A vector of them takes a load and a shuffle for each vector of these.
constexpr int64_t kLargestStride = 4;

/// Fewer elements are loaded one by one.
constexpr int64_t kLeastElements = 4;

/// Adds patterns for reads and writes of vectors whose elements are not
/// adjacent in memory. Upstream's pattern inserts each element in a loop, at a
/// position that is not a constant: LLVM then keeps the vector in memory.
void populateStridedTransferPatterns(mlir::RewritePatternSet &patterns);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_STRIDEDTRANSFERS_H
