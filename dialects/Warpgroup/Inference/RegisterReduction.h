//===- RegisterReduction.h - Sums of elements in registers ------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_REGISTERREDUCTION_H
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_REGISTERREDUCTION_H

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/Inference/LayoutFrame.h"

namespace gridir::warpgroup {

/// The number of sums that warps exchange through shared memory at a time.
constexpr unsigned kExchangedSums = 8;

/// A reduction of the elements that threads hold (`isReducedInRegisters`): each
/// thread combines its own, then lanes exchange sums, then warps.
class RegisterReduction {
public:
  /// Requires distributions of all arrays.
  RegisterReduction(mlir::linalg::LinalgOp op, Distributions &distributions);

  /// The element of the results for one of the loops.
  Coordinates project(llvm::ArrayRef<int64_t> coords) const;

  /// True if threads that differ in this bit of their number have parts of the
  /// same sums.
  bool isReduced(unsigned bit) const;

  /// The distribution of a result directly after the reduction.
  Distribution getHeld(Shape shape) const;

  /// The distribution of all elements, in coordinates of the loops: that of the
  /// first input that has all of them, if its coordinates are sums.
  Distribution all;
  /// The element of the results for each sum of a thread, without the thread's
  /// part.
  llvm::SmallVector<Coordinates> sums;

private:
  /// The loops that index the results.
  llvm::SmallVector<int64_t> dims;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_REGISTERREDUCTION_H
