//===- Patterns.h - What is done where it is started -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOGRID_PATTERNS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOGRID_PATTERNS_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"

#include "mlir/IR/PatternMatch.h"

namespace gridir {

/// All that a Ref holds.
mlir::Value createWholeLoad(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value ref);

/// `old + lhs * rhs`.
mlir::Value createProduct(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value lhs, mlir::Value rhs, mlir::Value old,
                          mlir::UnitAttr unsignedLhs,
                          mlir::UnitAttr unsignedRhs);

void populateRowCopyPatterns(mlir::RewritePatternSet &patterns);
void populateWarpgroupProductPatterns(mlir::RewritePatternSet &patterns);
void populateTensorMemoryPatterns(mlir::RewritePatternSet &patterns);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOGRID_PATTERNS_H
