//===- SpillAccumulators.cpp - Accumulators that registers do not hold ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Registers.h"
#include "dialects/Warpgroup/Layout/NamedLayouts.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSPILLACCUMULATORSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// Returns the registers of a thread that an accumulator fills, or none for
/// another Ref. Two elements of 16 bits share a register.
std::optional<int64_t> getNumRegisters(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  std::optional<Layout> layout = getNamedLayout("wgmma", std::nullopt);
  if (!isAccumulator(ref) || !layout || !type.hasStaticShape() ||
      !layout->fits(type.getShape()))
    return std::nullopt;
  int64_t ofRegister = std::max<int64_t>(32 / type.getElementTypeBitWidth(), 1);
  return llvm::divideCeil(layout->getNumRegisters(type.getShape()), ofRegister);
}

/// Returns how many of these registers hold the accumulator: all, or as many as
/// leave some for addresses and for the part that an instruction updates.
int64_t getNumHeld(int64_t numRegisters, int64_t maxRegisters) {
  constexpr int64_t forOthers = 40, forMoves = kMovedRegisters + 8;
  int64_t most = maxRegisters - forOthers;
  if (numRegisters <= most)
    return numRegisters;
  return std::max<int64_t>(llvm::alignDown(most - forMoves, kMovedRegisters),
                           0);
}

class WarpgroupSpillAccumulatorsPass
    : public warpgroup::impl::WarpgroupSpillAccumulatorsPassBase<
          WarpgroupSpillAccumulatorsPass> {
public:
  using WarpgroupSpillAccumulatorsPassBase::WarpgroupSpillAccumulatorsPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel =
        warpgroup::getSingleProgram(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    FailureOr<gpu::Chip> limits = gpu::getChip(chip, kernel->getLoc());
    if (failed(limits))
      return signalPassFailure();
    int64_t maxRegisters = getMaxRegisters(*kernel, *limits);
    kernel->getBodyRegion().walk([&](grid::ScopedOp scope) {
      if (!scope->hasAttr(kHeldRegistersAttr))
        spill(scope, maxRegisters);
    });
  }

private:
  void spill(grid::ScopedOp scope, int64_t maxRegisters) {
    SmallVector<int64_t> held(scope.getBody().getNumArguments(), -1);
    bool isSpilled = false;
    for (BlockArgument ref : scope.getBody().getArguments()) {
      std::optional<int64_t> numRegisters = getNumRegisters(ref);
      if (!numRegisters)
        continue;
      int64_t numHeld = getNumHeld(*numRegisters, maxRegisters);
      if (numHeld == *numRegisters)
        continue;
      held[ref.getArgNumber()] = numHeld;
      isSpilled = true;
      ++numSpilled;
      emitRemark(scope.getLoc(), "accumulator ")
          << scope.getRefName(ref.getArgNumber()) << " takes " << *numRegisters
          << " of " << maxRegisters << " registers of a thread: " << numHeld
          << " hold it, and local memory the rest";
    }
    if (isSpilled)
      scope->setAttr(kHeldRegistersAttr,
                     DenseI64ArrayAttr::get(&getContext(), held));
  }
};

} // namespace
