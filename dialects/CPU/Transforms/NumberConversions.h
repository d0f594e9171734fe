//===- NumberConversions.h - Numbers of another type -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_NUMBERCONVERSIONS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_NUMBERCONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace gridir::cpu {

/// Converts a number, or a vector of numbers, to the element type `element`.
/// Integers have a sign unless `isUnsigned` is set. A float cannot become an
/// integer.
mlir::Value convertNumber(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type element,
                          bool isUnsigned);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_NUMBERCONVERSIONS_H
