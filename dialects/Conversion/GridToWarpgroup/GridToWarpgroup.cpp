//===- GridToWarpgroup.cpp - From kernels of blocks to warpgroup programs -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Passes.h"

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTGRIDTOWARPGROUPPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;

namespace {

class ConvertGridToWarpgroupPass
    : public gridir::impl::ConvertGridToWarpgroupPassBase<
          ConvertGridToWarpgroupPass> {
public:
  using ConvertGridToWarpgroupPassBase::ConvertGridToWarpgroupPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<grid::KernelOp>())
      if (auto schedule = kernel->getAttrOfType<warpgroup::ScheduleAttr>(
              warpgroup::kScheduleAttr))
        if (failed(convert(kernel, schedule)))
          return signalPassFailure();
  }

private:
  LogicalResult convert(grid::KernelOp kernel,
                        warpgroup::ScheduleAttr schedule) {
    FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
    if (failed(known))
      return failure();
    if (auto obstacle = warpgroup::findObstacle(kernel, *known,
                                                warpgroup::BlockForm::Parts)) {
      InFlightDiagnostic diag = kernel.emitError(
          "expected a kernel that can become a warpgroup program");
      diag.attachNote(obstacle->loc) << "it cannot, since " << obstacle->reason;
      return diag;
    }
    if (failed(verifySchedule(kernel, schedule, *known)))
      return failure();
    kernel->removeAttr(warpgroup::kScheduleAttr);
    grid_to_warpgroup::selectUnits(kernel, *known);
    grid_to_warpgroup::ProgramBody body(kernel, schedule, *known);
    body.convert();
    numContractions +=
        grid_to_warpgroup::convertContractions(kernel, body.getTensorBarrier());
    ++numConverted;
    return success();
  }

  /// The operands of contractions are in shared memory.
  static LogicalResult verifySchedule(grid::KernelOp kernel,
                                      warpgroup::ScheduleAttr schedule,
                                      const gpu::Chip &chip) {
    for (int64_t input : schedule.getShared()) {
      if (input < 0 || input >= kernel.getNumInputs())
        return kernel.emitError("expected shared operands among ")
               << kernel.getNumInputs() << " inputs, got " << input;
      if (!warpgroup::isSharable(kernel, input))
        return kernel.emitError("expected all loads of a shared operand to be "
                                "those of rows of 128 bytes, in groups of 8, "
                                "which copies can precede, got other loads of ")
               << kernel.getOperandName(kernel.getNumIndexOperands() + input);
      if (schedule.getProducers() != 0 && !chip.hasBulkCopies)
        return kernel.emitError("expected a schedule with shared operands and "
                                "without a producer on ")
               << chip.name << ", which has no bulk copies";
    }
    WalkResult result = kernel.getBodyRegion().walk([&](grid::DotOp dot) {
      for (Value operand : {dot.getLhs(), dot.getRhs()}) {
        grid::LoadOp load = warpgroup::getSharedLoad(operand, kernel);
        if (!load || warpgroup::isStaged(load))
          continue;
        auto match = warpgroup::matchSharedLoad(load);
        unsigned input = match->input;
        if (!llvm::is_contained(schedule.getShared(), input)) {
          dot.emitError("expected the operands of a contraction in shared "
                        "memory, got input ")
              << input << " in global memory";
          return WalkResult::interrupt();
        }
        if (schedule.getProducers() == 0 &&
            !warpgroup::hasAlignedRows(*match, kernel)) {
          dot.emitError("expected a producer, since threads do not copy rows "
                        "that begin at other bytes than multiples of 16, as "
                        "those of input ")
              << input;
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
