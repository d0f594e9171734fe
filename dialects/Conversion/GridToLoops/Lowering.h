//===- Lowering.h - What the patterns of one kernel share -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOWERING_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOWERING_H

#include "dialects/Grid/Analysis/RefHazards.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/Loops/Analysis/IndexRanges.h"
#include "dialects/Support/Builders.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir {

/// The statistics of the pass.
struct LoweringCounts {
  unsigned blocksInPlace = 0, blocksTested = 0;
  unsigned slicesProved = 0, slicesChecked = 0;
  unsigned loadsCopied = 0;
};

/// The state of the conversion of one kernel: its function, the values of the
/// program ids and grid sizes there, and the messages that it may report.
///
/// While patterns run, a Ref is an `unrealized_conversion_cast` of the memref
/// that holds it, or a view op that no memref can express and that each access
/// looks through.
class KernelLowering {
public:
  KernelLowering(grid::KernelOp kernel, const grid::RefHazards &hazards)
      : kernel(kernel), hazards(hazards) {}

  grid::KernelOp kernel;
  const grid::RefHazards &hazards;
  mlir::func::FuncOp function;
  /// Four words: an error's number, the two values in its message, and the
  /// number of finer work items.
  mlir::Value status;
  /// The running program's ids, and the extents of the grid, as index values.
  llvm::SmallVector<mlir::Value> programIds, gridSizes;
  /// Accesses whose indices need no check.
  llvm::SmallDenseSet<mlir::Operation *> unchecked;
  /// The code of each work item.
  mlir::Block *workItem = nullptr;
  /// The dimensions along which a work item is one index, and those along which
  /// the finer ones are one index as well.
  llvm::SmallVector<unsigned> parallelDims, testedDims;
  /// The prefetched scalars, which index maps read.
  llvm::SmallVector<mlir::Value> indexRefs;
  /// The operands of tasks that are to be zero when the kernel begins.
  llvm::SmallVector<int64_t> zeroedOperands;
  /// The counter of the barrier semaphore, after its first use.
  mlir::Value barrier;
  /// The words of the random generator, once it is used, and whether the kernel
  /// seeds it.
  mlir::Value prngState;
  bool hasSeed = false;
  /// True if a call can request fine-grained work items.
  bool hasShares = false;
  loops::IndexRanges ranges;
  LoweringCounts counts;

  /// The range of work items of a call.
  mlir::Value getFirstItem() {
    return function.getArgument(function.getNumArguments() - 2);
  }
  mlir::Value getEndOfItems() {
    return function.getArgument(function.getNumArguments() - 1);
  }

  /// True if work items run as tasks, which may synchronize.
  bool hasTasks() const { return grid::getTasks(kernel) != nullptr; }

  /// A buffer that lives as long as the call: made at the entry, where a loop
  /// cannot make it again.
  mlir::Value allocate(mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                       mlir::Type elementType);

  /// Memory of one task, which is never reused since others may hold its
  /// address, or memory that `members` tasks share (all if `members` is 0). It
  /// is zero at the start of the kernel.
  mlir::Value allocateForTasks(mlir::Location loc,
                               llvm::ArrayRef<int64_t> shape,
                               mlir::Type elementType, int64_t members = 1);

  /// The name that diagnostics give to a Ref.
  void setName(mlir::Value ref, llvm::StringRef name) {
    names[ref] = name.str();
  }
  std::string getName(mlir::Value ref) const;

  /// Stores an error in the report where `condition` holds and none is stored
  /// yet. `{0}` and `{1}` in the message stand for the two numbers.
  void reportIf(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value condition, const llvm::Twine &message,
                mlir::Value first = {}, mlir::Value second = {});

  /// Returns the number of a message in the report, with the source line of
  /// `loc`.
  int64_t addDiagnostic(mlir::Location loc, const llvm::Twine &message);

  /// Reports that the kernel cannot be converted, and records the failure.
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);
  bool hasFailed() const { return failed; }

  /// The number of a site that prints, or calls a function.
  int64_t addSite(mlir::Attribute site);

  /// True if the kernel records its accesses for the runtime to check.
  bool recordsAccesses() const;

  /// True if the kernel records its semaphores for the runtime to check at the
  /// end.
  bool recordsSemaphores() const;

  /// The site number of an access, which messages describe as `what`.
  int64_t addAccess(mlir::Location loc, const llvm::Twine &what);

  /// Creates the `kernel.abi` of the function in its module.
  void createABI(mlir::ModuleOp module);

private:
  llvm::SmallVector<mlir::Attribute> getUnwrittenOperands();

  llvm::SmallVector<mlir::Attribute> diagnostics, prints, accesses;
  llvm::DenseMap<mlir::Value, std::string> names;
  bool failed = false;
};

//===----------------------------------------------------------------------===//
// Small builders
//===----------------------------------------------------------------------===//

/// Calls a function of the runtime, which is declared on its first use.
mlir::ResultRange createRuntimeCall(mlir::OpBuilder &builder,
                                    mlir::Location loc,
                                    KernelLowering &lowering,
                                    llvm::StringRef name, mlir::ValueRange args,
                                    mlir::TypeRange results = {});

//===----------------------------------------------------------------------===//
// The parts of the conversion
//===----------------------------------------------------------------------===//

/// True if an array, or a Ref, has no elements.
bool isEmptyArray(mlir::Type type);

/// Erases ops that access or compute arrays without elements.
void eraseEmptyAccesses(mlir::Operation *root);

/// Makes the function, its loops and the blocks, and moves the body there.
mlir::LogicalResult buildGridLoops(KernelLowering &lowering);

void populateViewPatterns(mlir::RewritePatternSet &patterns,
                          KernelLowering &lowering);
void populateRefPatterns(mlir::RewritePatternSet &patterns,
                         KernelLowering &lowering);
void populateIndexedPatterns(mlir::RewritePatternSet &patterns,
                             KernelLowering &lowering);
void populateRecordedAccessPatterns(mlir::RewritePatternSet &patterns,
                                    KernelLowering &lowering);
void populateAsyncPatterns(mlir::RewritePatternSet &patterns,
                           KernelLowering &lowering);
void populateValuePatterns(mlir::RewritePatternSet &patterns,
                           KernelLowering &lowering);
void populateDotPatterns(mlir::RewritePatternSet &patterns,
                         KernelLowering &lowering);
void populateRearrangePatterns(mlir::RewritePatternSet &patterns,
                               KernelLowering &lowering);
void populatePrngPatterns(mlir::RewritePatternSet &patterns,
                          KernelLowering &lowering);

/// A pattern that knows its kernel.
template <typename OpT>
class LoweringPattern : public mlir::OpRewritePattern<OpT> {
public:
  LoweringPattern(mlir::MLIRContext *context, KernelLowering &lowering)
      : mlir::OpRewritePattern<OpT>(context), lowering(lowering) {}

protected:
  KernelLowering &lowering;
};

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOWERING_H
