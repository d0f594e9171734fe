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
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace gridir::grid_to_warpgroup {

/// Rewrites a kernel of blocks as a program of whole arrays. Its contractions
/// remain ops of grid, on blocks in shared memory.
class ProgramBody {
public:
  ProgramBody(grid::KernelOp kernel, warpgroup::ScheduleAttr schedule,
              const gpu::Chip &chip);

  void convert();

  /// The barrier at which the warpgroup waits for MMAs whose accumulators are
  /// in tensor memory; null if there are none.
  mlir::Value getTensorBarrier() const { return tensorBarrier; }

private:
  /// A buffer in shared memory for blocks or windows of one input, `stages`
  /// times.
  struct Ring {
    unsigned input;
    /// The Ref that the author's body loads.
    mlir::Value loaded;
    /// The number of copies for each stage: one if all consumers share it.
    int64_t copies;
    mlir::Value buffer;
  };

  /// Rings whose stages are filled and released together: in each step, or in
  /// each iteration of a loop of the body.
  struct RingGroup {
    /// Null for steps.
    mlir::scf::ForOp loop;
    int64_t stages;
    llvm::SmallVector<Ring> rings;
    /// The barriers of the producer.
    mlir::Value full, empty;
    /// True if only MMAs that are not awaited read the stages.
    bool isReadLater = false;
  };

  /// The window of an array that a stage is a copy of. Dynamic offsets are i32.
  struct CopyWindow {
    llvm::SmallVector<int64_t> statics, sizes, dropped;
    llvm::SmallVector<mlir::Value> dynamics;
  };

  /// The turns in which a group's stages are used, one after the other: values
  /// of an induction variable.
  struct Round {
    mlir::Value first, end, distance;
    /// Iterations of the loops around that of the group.
    llvm::SmallVector<mlir::Value> around = {};
  };

  using Ids = llvm::SmallVector<mlir::Value>;

  void findRings();
  bool dependsOnThread(warpgroup::SharedLoad load) const;
  RingGroup &getGroup(mlir::scf::ForOp loop);
  void changeKernel();
  mlir::Value createIndex(int64_t value);
  /// Values of the program ids along the author's dimensions, as indices; those
  /// of warpgroups are null without a warpgroup.
  Ids createIds(mlir::Value warpgroup, mlir::Value step);
  void delinearize(mlir::Value number, llvm::ArrayRef<unsigned> dims, Ids &ids);
  llvm::SmallVector<mlir::OpFoldResult> createOffsets(unsigned operand,
                                                      const Ids &ids);
  llvm::SmallVector<int64_t> getSqueezedDims(unsigned operand) const;
  mlir::Value createWindow(unsigned operand, const Ids &ids);
  mlir::Value createMask(unsigned operand, const Ids &ids,
                         grid::SliceRefOp window = {});
  void addMasks(unsigned operand, const Ids &ids, mlir::Value block,
                mlir::Value mask);
  void addMask(mlir::Operation *access, mlir::Value mask);
  void createLoop(int64_t first, int64_t last,
                  llvm::function_ref<void(mlir::Value)> body);

  static bool isReadByProducts(const RingGroup &group);
  void createRings();
  mlir::Value createNumber(RingGroup &group, mlir::Value step,
                           mlir::scf::ForOp loop);
  mlir::Value createSlot(const RingGroup &group, mlir::Value number);
  mlir::Value createBarrier(mlir::Value barriers, mlir::Value slot);
  mlir::Value createBlock(const Ring &ring, mlir::Value slot,
                          mlir::Value warpgroup);
  void createProducer();
  void createFills(mlir::Block *block, mlir::Value step, mlir::scf::ForOp copy);
  void createFill(RingGroup &group, mlir::Value step, mlir::scf::ForOp loop);
  CopyWindow createCopyWindow(const RingGroup &group, const Ring &ring,
                              const Ids &ids, mlir::ValueRange iterations);
  mlir::OpFoldResult createSum(mlir::OpFoldResult a, mlir::OpFoldResult b);
  llvm::SmallVector<mlir::Value> createCopyOf(mlir::ValueRange values,
                                              const Ids &ids,
                                              mlir::scf::ForOp from,
                                              mlir::ValueRange iterations);
  static llvm::SmallVector<mlir::Value> getIterations(mlir::scf::ForOp from,
                                                      mlir::scf::ForOp copy);

  bool hasProducer() const;
  Round createRound(const RingGroup &group, mlir::scf::ForOp loop);
  mlir::Value createNumber(const Round &round, mlir::Value turn);
  mlir::Value createLaterTurn(const Round &round, mlir::Value turn,
                              int64_t count);
  void createThreadFill(const RingGroup &group, mlir::Value warpgroup,
                        mlir::Value step, const Round &round, mlir::Value turn);
  void createThreadCopies(const RingGroup &group, const Ring &ring,
                          mlir::Value warpgroup, const Ids &ids,
                          mlir::Value slot, mlir::ValueRange iterations);
  void createThreadSync();
  void beginRound(const RingGroup &group, mlir::Value warpgroup,
                  mlir::Value step, const Round &round);
  mlir::Value beginTurn(RingGroup &group, mlir::Value warpgroup,
                        mlir::Value step, mlir::scf::ForOp loop);
  void endTurn(const RingGroup &group, mlir::Value slot);

  mlir::ArrayAttr getWarpgroupAxes();
  void createStaging();
  mlir::Value createElement(mlir::Value buffer, mlir::Value number);
  void createConsumer(mlir::Value warpgroup);
  unsigned findDim(mlir::Attribute axis) const;
  bool dependsOnStep() const;
  mlir::Value createAxis(mlir::Operation *question, const Ids &ids);
  void replaceAxes(llvm::ArrayRef<mlir::Operation *> copies, const Ids &ids);
  void createStep(mlir::Value warpgroup, mlir::Value step);
  void createLoopStages(RingGroup &group, mlir::Value warpgroup,
                        mlir::Value step, const mlir::IRMapping &mapping);

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
  /// For each operand, the dimensions along which blocks overhang the array.
  llvm::SmallVector<llvm::SmallVector<int64_t>> overhangs;
  llvm::SmallVector<unsigned> carried;
  int64_t numConsumers = 1, numSteps = 1;
  /// In the order in which the producer fills them.
  llvm::SmallVector<RingGroup> groups;
  /// Scratch in shared and tensor memory, and its buffers. The other scratch is
  /// in registers.
  llvm::MapVector<mlir::Value, mlir::Value> staged;
  /// For tensor memory: the barriers of all warpgroups, and in the code of the
  /// consumers that of the warpgroup.
  mlir::Value tensorBarrier;
  mlir::StringAttr threadName;
};

using warpgroup::changeSpaceOfViews;

/// A Ref type in a memory space.
mlir::MemRefType getRefType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            warpgroup::Space space);

/// The attribute for the dropped dimensions of a copy.
mlir::DenseI64ArrayAttr toOptional(mlir::Builder &builder,
                                   llvm::ArrayRef<int64_t> dims);

/// The layout of a matrix in shared memory that matrix units read.
mlir::ArrayAttr getMatrixTransforms(mlir::Type element);

/// Marks a contraction that `wgmma` computes, while the kernel is converted:
/// its copies do not show which blocks were shared.
constexpr llvm::StringLiteral kWgmmaAttr = "wgmma";
void selectUnits(grid::KernelOp kernel, const gpu::Chip &chip);

/// Waits for the MMAs of the warpgroup whose accumulators are in tensor memory.
void createTensorWait(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value barrier);

/// Converts the contractions of a warpgroup program to MMAs of the selected
/// units. Accesses of accumulators in tensor memory wait at `tensorBarrier`.
/// Returns their number.
unsigned convertContractions(grid::KernelOp kernel, mlir::Value tensorBarrier);

using warpgroup::Accumulator;

/// The accumulator in scratch memory to which `wgmma` adds in place.
std::optional<Accumulator> findAccumulator(grid::DotOp dot);

} // namespace gridir::grid_to_warpgroup

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOWARPGROUP_PROGRAMBODY_H
