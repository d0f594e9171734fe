//===- Counters.h - Memory of semaphores ----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_COUNTERS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_COUNTERS_H

#include "mlir/IR/Builders.h"

namespace gridir {

/// What a call keeps a semaphore in: the integer that XLA has for JAX's type.
mlir::Type getOperandCounterType(mlir::MLIRContext *context);

/// Makes the semaphores of a scope count from zero.
void createZeroCounters(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value counters);

/// Adds what an operand holds to the counters of a kernel, of 64 bits.
void addCountersFromOperand(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value operand, mlir::Value counters);

/// Writes the counters to an operand.
void createOperandFromCounters(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value counters, mlir::Value operand);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_COUNTERS_H
