//===- GridLoopBuilder.h - The functions of a kernel ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_GRIDLOOPBUILDER_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_GRIDLOOPBUILDER_H

#include "dialects/Conversion/GridToLoops/Blocks.h"
#include "dialects/Conversion/GridToLoops/Shares.h"
#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/GridParallelism.h"

namespace gridir {

/// Builds the two functions of one kernel.
class GridLoopBuilder {
public:
  explicit GridLoopBuilder(KernelLowering &lowering);

  mlir::LogicalResult build();

private:
  mlir::LogicalResult check();

  // The functions and their loops.
  void createFunctions();
  mlir::LogicalResult createLoops();
  llvm::SmallVector<mlir::Value> createGridSizes(mlir::ValueRange operands);
  void createParallelIds(mlir::Value item);
  void beginWorkItem();
  void setProgramId(unsigned d, mlir::Value id);
  void createProgramRecord();

  // Creates the value through which a program accesses an operand.
  mlir::FailureOr<mlir::Value> createOperand(unsigned operandNumber);
  mlir::Value createCopyMemory(mlir::Value source, mlir::Location loc);
  mlir::Value createPrivateCopy(mlir::Value source, mlir::Location loc);
  void createPrivateCopy(mlir::Value source, mlir::Value copy);
  mlir::Value createCopyIfRevisited(mlir::Value source, unsigned operandNumber);
  llvm::SmallVector<mlir::Value> createIndicesOnce(unsigned operandNumber);

  // One program.
  mlir::LogicalResult createProgram();
  void instantiateBody();

  KernelLowering &lowering;
  grid::KernelOp kernel;
  mlir::Location loc;
  mlir::OpBuilder builder;
  const grid::MovableBlocks movable;
  /// Made where a block may lie outside of its array.
  std::optional<grid::BlockAccess> access;
  /// The test of a call for fine-grained work items, if they are known to be
  /// useful.
  std::optional<grid::BlockTest> test;
  /// The dimensions that are loops, and the ends of those that are shared out
  /// in finer work items.
  llvm::SmallVector<unsigned> sequentialDims;
  llvm::SmallDenseMap<unsigned, std::pair<mlir::Value, mlir::Value>> loopEnds;
  /// The whole operands: arguments of the function, or copies of them.
  llvm::SmallVector<mlir::Value> arrays;
  /// The values for the arguments of the body.
  llvm::SmallVector<mlir::Value> refs, scratchRefs;
  /// The block indices of operands, by operand number.
  llvm::SmallDenseMap<unsigned, llvm::SmallVector<mlir::Value>> blockIndices;
  /// Prefetched scalars that the kernel writes, and their copies.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> prefetchedCopies;
  /// Inputs whose blocks are copied before each program.
  llvm::SmallDenseSet<unsigned> privateBlocks;
};

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_GRIDLOOPBUILDER_H
