//===- ChooseSchedule.cpp - The path of a kernel of blocks ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/ScheduleChoice.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Remarks.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPCHOOSESCHEDULEPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

class WarpgroupChooseSchedulePass
    : public warpgroup::impl::WarpgroupChooseSchedulePassBase<
          WarpgroupChooseSchedulePass> {
public:
  using WarpgroupChooseSchedulePassBase::WarpgroupChooseSchedulePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    requested = {};
    if (schedule.empty())
      return success();
    Location loc = UnknownLoc::get(context);
    if (mapped)
      return emitError(loc, "expected a schedule or the option 'mapped', got "
                            "both");
    Attribute parsed = parseAttribute(schedule, context);
    requested = dyn_cast_if_present<ScheduleAttr>(parsed);
    return requested ? success()
                     : emitError(loc, "expected the text of a "
                                      "#warpgroup.schedule, got ")
                           << schedule;
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    KernelOp kernel = getOperation();
    if (kernel->hasAttr(kScheduleAttr) || gpu::isProgram(kernel))
      return;
    if (requested) {
      kernel->setAttr(kScheduleAttr, requested);
      ++numScheduled;
      return;
    }
    FailureOr<gpu::Chip> known = gpu::getChip(chip, kernel.getLoc());
    if (failed(known))
      return signalPassFailure();
    std::optional<Obstacle> obstacle;
    if (mapped)
      obstacle = Obstacle{kernel.getLoc(), "the option 'mapped' is set"};
    else
      obstacle = findObstacle(kernel, *known, BlockForm::Prepared);
    auto mapping = gpu::getMapping(kernel->getParentOfType<ModuleOp>());
    if (!obstacle && mapping && mapping.getReductionScratchBytes())
      obstacle = Obstacle{kernel.getLoc(),
                          "its author limits the memory of reductions"};
    if (!obstacle) {
      int64_t warps = numWarps;
      if (!warps && mapping)
        warps = mapping.getNumWarps().value_or(0);
      auto chosen = chooseSchedule(kernel, *known, warps);
      if (auto *schedule = std::get_if<ScheduleAttr>(&chosen)) {
        kernel->setAttr(kScheduleAttr, *schedule);
        ++numScheduled;
        std::string text;
        llvm::raw_string_ostream(text) << *schedule;
        remark::passed(
            kernel.getLoc(),
            remark::RemarkOpts::name("schedule").category(getArgument()))
            << "the kernel becomes a warpgroup program by " << text;
        return;
      }
      obstacle = Obstacle{kernel.getLoc(), std::get<std::string>(chosen)};
    }
    ++numLeft;
    kernel->setAttr(kMappedAttr, UnitAttr::get(&getContext()));
    remark::missed(obstacle->loc,
                   remark::RemarkOpts::name("schedule").category(getArgument()))
        << "the kernel is mapped to threads, since " << obstacle->reason;
  }

  ScheduleAttr requested;
};

} // namespace
