//===- RunAccesses.h - Accesses of adjacent elements ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread moves a run of adjacent elements by one access. With a mask, it does
// so if all conditions of the run are true, and otherwise moves each element by
// itself. If the conditions of a run are known to be equal, there is no code
// for single elements.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RUNACCESSES_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RUNACCESSES_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// The most bytes that one access of a thread moves.
inline constexpr int64_t kMaxAccessBytes = 16;

/// Returns the number of registers that one access moves.
int64_t getRun(const View &view, const Distribution &distribution,
               int64_t maxBytes);

/// Packs values as a vector of the type in memory.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<mlir::Value> values);

/// Adds the elements of a vector as memory has it, as values of a type.
void unpackVector(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value vector, mlir::Type type, Registers &values);

/// Loads `run` adjacent elements of a view.
Registers loadRun(mlir::OpBuilder &builder, mlir::Location loc,
                  const View &view, int64_t run, mlir::Value address);

/// Loads them if the condition is true, and returns other values otherwise.
Registers loadRunIf(mlir::OpBuilder &builder, mlir::Location loc,
                    const View &view, int64_t run, mlir::Value address,
                    mlir::Value condition,
                    llvm::function_ref<Registers()> otherwise);

/// Stores adjacent elements of a view.
void storeRun(mlir::OpBuilder &builder, mlir::Location loc, const View &view,
              llvm::ArrayRef<mlir::Value> values, mlir::Value address);

/// The condition of each register of an access; none for no mask. The `run`
/// registers from each multiple of `run` on have the same condition.
struct Mask {
  Registers conditions;
  int64_t run = 1;
};

/// Loads the elements whose condition is true; the others are `other`, or zero.
Registers createMaskedLoad(Lowering &lowering, mlir::Location loc,
                           const View &view, const Distribution &distribution,
                           const Mask &mask, llvm::ArrayRef<mlir::Value> other);

void createMaskedStore(Lowering &lowering, mlir::Location loc, const View &view,
                       const Distribution &distribution,
                       const Registers &values, const Mask &mask);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_RUNACCESSES_H
