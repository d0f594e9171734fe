//===- ProgramBody.h - The body of a warpgroup program ---------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOWARPGROUP_PROGRAMBODY_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOWARPGROUP_PROGRAMBODY_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"

namespace gridir::grid_to_warpgroup {

/// Rewrites a kernel of blocks as a program of whole arrays. Its contractions
/// remain ops of grid, on blocks in shared memory.
class ProgramBody {
public:
  ProgramBody(grid::KernelOp kernel, warpgroup::ScheduleAttr schedule,
              const gpu::Chip &chip);

  void convert();

private:
  /// A buffer in shared memory for the blocks of one input, `stages` times.
  struct Ring {
    unsigned input;
    /// The number of copies for each stage: one if all consumers share it.
    int64_t copies;
    mlir::Value buffer;
  };

  using Ids = llvm::SmallVector<mlir::Value>;

  void findRings();
  void changeKernel();
  mlir::Value createIndex(int64_t value);
  /// Values of the program ids along the author's dimensions, as indices.
  Ids createIds(mlir::Value warpgroup, mlir::Value step);
  void delinearize(mlir::Value number, llvm::ArrayRef<unsigned> dims, Ids &ids);
  llvm::SmallVector<mlir::OpFoldResult> createOffsets(unsigned operand,
                                                      const Ids &ids);
  llvm::SmallVector<int64_t> getSqueezedDims(unsigned operand) const;
  mlir::Value createWindow(unsigned operand, const Ids &ids);
  mlir::Value createSlot(mlir::Value step);
  mlir::Value createBarrier(mlir::Value barriers, mlir::Value slot);
  mlir::Value createBlock(const Ring &ring, mlir::Value slot,
                          mlir::Value warpgroup);
  void createRings();
  void createLoop(int64_t first, int64_t last,
                  llvm::function_ref<void(mlir::Value)> body);
  void createProducer();
  void createCopies(const Ring &ring, mlir::Value step, mlir::Value slot);
  llvm::SmallVector<unsigned> findCarriedOutputs();
  void createConsumer(mlir::Value warpgroup);
  unsigned findDim(mlir::Attribute axis) const;
  bool dependsOnStep() const;
  void replaceAxes(llvm::ArrayRef<mlir::Operation *> copies, const Ids &ids);
  void createStep(mlir::Value warpgroup, mlir::Value step);

  grid::KernelOp kernel;
  warpgroup::ScheduleAttr schedule;
  const gpu::Chip &chip;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Block *oldBody, *newBody = nullptr;
  /// The author's dimensions of each kind, and what they were.
  llvm::SmallVector<unsigned> ctaDims, loopDims, threadDims;
  llvm::SmallVector<grid::DimAttr> dims;
  llvm::SmallVector<grid::OperandAttr> specs;
  llvm::SmallVector<mlir::AffineMap> maps;
  int64_t numConsumers = 1, numSteps = 1;
  llvm::SmallVector<Ring> rings;
  mlir::Value full, empty;
  mlir::StringAttr threadName;
};

/// Converts the contractions of a warpgroup program to MMAs. Returns their
/// number.
unsigned convertContractions(grid::KernelOp kernel);

/// The accumulator in scratch memory that a contraction is added to: the body
/// loads it, adds the result, and stores the sum.
struct Accumulator {
  mlir::Value ref;
  llvm::SmallVector<mlir::Operation *> replaced;
};

std::optional<Accumulator> findAccumulator(grid::DotOp dot);

} // namespace gridir::grid_to_warpgroup

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOWARPGROUP_PROGRAMBODY_H
