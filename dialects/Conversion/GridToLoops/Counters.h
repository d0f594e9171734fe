//===- Counters.h - Memory of semaphores ----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_COUNTERS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_COUNTERS_H

#include "dialects/Conversion/GridToLoops/Lowering.h"

namespace gridir {

/// Returns the type in which a call passes a semaphore: XLA's integer type for
/// JAX's type.
mlir::Type getOperandCounterType(mlir::MLIRContext *context);

/// Makes the semaphores of a scope count from zero.
void createZeroCounters(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value counters);

/// The counters of semaphores that are an operand. The call keeps them in the
/// array, the kernel in memory of its own; an output that is an input, too, has
/// the counters of the input, which `arrays` holds. Those that other tasks may
/// signal stay in the array.
mlir::Value createOperandCounters(mlir::OpBuilder &builder,
                                  KernelLowering &lowering,
                                  unsigned operandNumber,
                                  llvm::ArrayRef<mlir::Value> arrays);

/// Writes the counters to an operand.
void createOperandFromCounters(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value counters, mlir::Value operand);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_COUNTERS_H
