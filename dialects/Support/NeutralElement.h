//===- NeutralElement.h - Where a reduction starts --------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_NEUTRALELEMENT_H
#define GRIDIR_DIALECTS_SUPPORT_NEUTRALELEMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace gridir {

/// The number that an op combines with any other without a change, where it is
/// known to have one. Upstream gives infinities to types without, and cannot be
/// asked for the extremes of an `index`, whose width it does not know.
std::optional<mlir::TypedAttr> getNeutralElement(mlir::Operation *combiner);

/// The element that does not change the result of a reduction of one array,
/// where there is one.
std::optional<mlir::TypedAttr> getNeutralElement(mlir::linalg::ReduceOp reduce);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_NEUTRALELEMENT_H
