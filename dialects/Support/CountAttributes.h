//===- CountAttributes.h - Counts that attributes say -----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_COUNTATTRIBUTES_H
#define GRIDIR_DIALECTS_SUPPORT_COUNTATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace gridir {

/// Returns the count or size in an attribute of an op, or none if the attribute
/// is absent or not a number from 0 to 2^63 - 1. No dialect verifies these
/// attributes, so they may have any type.
inline std::optional<int64_t> getCount(mlir::Operation *op,
                                       llvm::StringRef name) {
  auto attr = op->getAttrOfType<mlir::IntegerAttr>(name);
  std::optional<int64_t> count =
      attr ? attr.getValue().trySExtValue() : std::nullopt;
  return count && *count >= 0 ? count : std::nullopt;
}

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_COUNTATTRIBUTES_H
