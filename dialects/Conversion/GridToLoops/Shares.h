//===- Shares.h - Finer work items of some calls ---------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If prefetched scalars select the blocks of programs, a call may determine at
// run time that it can use fine-grained work items. The runtime asks for their
// number by a range of work items before the first one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_SHARES_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_SHARES_H

#include "dialects/Conversion/GridToLoops/Lowering.h"
#include "dialects/Grid/Analysis/BlockTest.h"

namespace gridir {

/// The number of programs along some of the dimensions of the grid.
mlir::Value createCount(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange gridSizes,
                        llvm::ArrayRef<unsigned> dims);

/// The size of a dimension, or 1 where it is 0.
mlir::Value createNonZero(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value size);

/// True if two programs access the same block of operand `operandNumber`.
/// Fine-grained work items are available only if there are no two.
mlir::Value createRevisitTest(mlir::OpBuilder &builder,
                              KernelLowering &lowering, unsigned operandNumber);

/// If the call requests it, stores the number of fine-grained work items in the
/// last word of the report, or 0 if two of them access the same block.
void createShareCount(mlir::OpBuilder &builder, KernelLowering &lowering,
                      const grid::BlockTest &test);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_SHARES_H
