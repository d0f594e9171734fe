//===- PlanTasks.cpp - Which kernels run as tasks -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "mlir/IR/Remarks.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDPLANTASKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

/// The work items of a cluster of blocks: the warpgroups of all of them.
static int64_t getClusterItems(KernelOp kernel, ArrayRef<DimSemantics> claims) {
  int64_t count = 1;
  for (auto [dim, claim] :
       llvm::zip_equal(kernel.getDims().getAsRange<DimAttr>(), claims)) {
    bool isOfBlock =
        dim.getKind() == DimKind::Cluster || dim.getKind() == DimKind::Thread;
    if (isOfBlock && isParallel(claim))
      count *= dim.getSize();
  }
  return count;
}

class GridPlanTasksPass
    : public gridir::grid::impl::GridPlanTasksPassBase<GridPlanTasksPass> {
public:
  using GridPlanTasksPassBase::GridPlanTasksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DimSemantics> claims = getClaimedSemantics(kernel);
    bool anyConcurrent = getNumDevices(kernel).has_value();
    Operation *synchronization = findSynchronization(kernel);
    // A check of memory alone keeps programs in order: a wrong claim is a
    // separate fault. For programs with state in prefetched scalars, the order
    // determines which programs read stores of others.
    bool inOrder = uninitialized && !races && seed < 0 && !synchronization &&
                   !getAnalysis<BlockAccess>().writesPrefetched();
    SmallVector<Attribute> semantics;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
      if (inOrder)
        claims[dim] = DimSemantics::Arbitrary;
      bool concurrent = isConcurrent(kernel, dim, claims[dim]);
      if (concurrent && !isParallel(claims[dim]))
        claims[dim] = DimSemantics::CoreParallel;
      // A signal may name a single core, too.
      anyConcurrent |= isMeshDim(kernel, dim) ||
                       (concurrent && kernel.getDim(dim).getSize() != 1);
      semantics.push_back(DimSemanticsAttr::get(&getContext(), claims[dim]));
    }
    Operation *taskOp = findTaskOp(kernel);
    if (!always && !taskOp && !(synchronization && anyConcurrent))
      return markAllAnalysesPreserved();

    if (taskOp)
      synchronization = taskOp;
    if (synchronization)
      remark::analysis(
          synchronization->getLoc(),
          remark::RemarkOpts::name("tasks").category(getArgument()))
          << "programs run as tasks, since they synchronize here";
    Builder builder(&getContext());
    kernel->setAttr(
        kTasksAttrName,
        gridir::kernel::TasksAttr::get(
            &getContext(),
            seed >= 0 ? std::optional(seed.getValue()) : std::nullopt, races,
            uninitialized, semaphores, getClusterItems(kernel, claims)));
    kernel.setSemanticsAttr(builder.getArrayAttr(semantics));
    ++numTaskKernels;
    markAnalysesPreserved<BlockAccess>();
  }
};

} // namespace
