//===- CountableTypes.h - Arrays that can be counted ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's types may have 2^63 or more elements, and every query of their number
// then aborts. Kernels are verified not to contain such types, and any module
// is before its first pass, so no pass checks its types.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_COUNTABLETYPES_H
#define GRIDIR_DIALECTS_SUPPORT_COUNTABLETYPES_H

#include "mlir/IR/TypeRange.h"
#include "mlir/Support/LLVM.h"

#include <optional>

namespace gridir {

/// The maximum number of elements of an array: larger than any memory, but so
/// small that the iterations of a contraction, and the bits of an array, fit 64
/// bits.
inline constexpr int64_t kMaxElements = int64_t(1) << 40;

/// True if an array of a shape is at most this large, for all dynamic extents.
/// An extent of 0 counts as 1, as in strides.
bool isCountable(llvm::ArrayRef<int64_t> shape);

/// The number of points of an iteration space with these extents, saturated at
/// 64 bits; none if an extent is dynamic.
std::optional<int64_t> countPoints(llvm::ArrayRef<int64_t> extents);

/// True if the arrays among `types` are countable, have numbers as elements
/// and, in memory, strides. Upstream's memrefs may hold vectors, have more
/// elements than 64 bits count, or have a layout without strides; tiling and
/// combining such arrays is not defined.
bool areArraysOfNumbers(mlir::TypeRange types);

/// Reports the first value of an op, or of its regions, whose type has more
/// elements, strides that lead as far, or elements of no bits. Elements of
/// elements count, and each 128 bits of a wide integer count as an element.
llvm::LogicalResult verifyCountableTypes(mlir::Operation *root);

/// The maximum number of elements of a vector, since upstream's patterns create
/// an op or a constant for each element of some of them. Generated code never
/// comes close to it.
inline constexpr int64_t kMaxVectorElements = 1 << 14;

/// Reports the first op with a larger vector among its operands and results.
llvm::LogicalResult verifyVectorSizes(mlir::Operation *root);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_COUNTABLETYPES_H
