//===- SplitBlocks.cpp - Parts of blocks for CTAs and warpgroups ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Grid/Transforms/ProgramSplit.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSPLITBLOCKSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using gridir::warpgroup::ScheduleAttr;

namespace {

class WarpgroupSplitBlocksPass
    : public warpgroup::impl::WarpgroupSplitBlocksPassBase<
          WarpgroupSplitBlocksPass> {
public:
  using WarpgroupSplitBlocksPassBase::WarpgroupSplitBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto schedule =
        kernel->getAttrOfType<ScheduleAttr>(warpgroup::kScheduleAttr);
    if (!schedule)
      return markAllAnalysesPreserved();
    Value output;
    if (kernel.getNumOutputs() > 0)
      output = getDividedRef(kernel.getOutputRefs().front());
    int64_t rank = output ? cast<MemRefType>(output.getType()).getRank() : 0;
    if (static_cast<int64_t>(schedule.getCta().size()) !=
        std::max<int64_t>(rank, 1)) {
      kernel.emitError("expected a schedule of ")
          << std::max<int64_t>(rank, 1)
          << " sizes, as the first output has, got "
          << schedule.getCta().size();
      return signalPassFailure();
    }
    if (rank == 0 && schedule.getCta()[0] != 1) {
      kernel.emitError(
          "expected a schedule of one element, as the first output "
          "has, got ")
          << schedule.getCta()[0];
      return signalPassFailure();
    }
    BlockAxes axes(kernel);
    for (int64_t dim : llvm::seq(rank))
      if (failed(split(kernel, axes, output, dim, schedule.getCta()[dim],
                       DimKind::Grid)) ||
          failed(split(kernel, axes, output, dim, schedule.getWarpgroup()[dim],
                       DimKind::Thread)))
        return signalPassFailure();
  }

private:
  LogicalResult split(KernelOp kernel, const BlockAxes &axes, Value output,
                      unsigned dim, int64_t size, DimKind kind) {
    int64_t whole = cast<MemRefType>(output.getType()).getDimSize(dim);
    if (size == whole)
      return success();
    if (whole % size != 0)
      return kernel.emitError("expected a size that divides the ")
             << whole << " elements of dimension " << dim
             << " of the first output's block, got " << size;
    std::optional<unsigned> axis = axes.getAxis(output, dim);
    if (!axis)
      return kernel.emitError("expected all ")
             << whole << " elements of dimension " << dim
             << " in one part, since they depend on one another, got " << size;
    grid::splitProgram(kernel, axes, *axis, whole / size, kind);
    ++numDims;
    return success();
  }
};

} // namespace
