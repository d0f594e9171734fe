//===- ReductionPatterns.h - Smaller forms of any op -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_REDUCTIONPATTERNS_H
#define GRIDIR_DIALECTS_DRIVER_REDUCTIONPATTERNS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gridir::driver {

/// Lets `reduction-tree` erase any op without results, and replace any result
/// by an operand of its type or by zero, as long as the module is valid and its
/// test finds it interesting.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_REDUCTIONPATTERNS_H
