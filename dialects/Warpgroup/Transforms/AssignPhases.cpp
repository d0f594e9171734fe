//===- AssignPhases.cpp - Phases of barriers that a loop goes round -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Support/StepDistance.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPASSIGNPHASESPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The bits of the phases of an allocation, without the sign.
constexpr int64_t kMaxBarriers = 63;

/// True if the phases of an allocation have a word.
bool isFollowed(MemRefType type) {
  return type.hasStaticShape() && type.getNumElements() >= 1 &&
         type.getNumElements() <= kMaxBarriers;
}

/// The number of a barrier in its allocation, if it is constant.
std::optional<int64_t> getNumber(Value ref) {
  SmallVector<int64_t> at(cast<MemRefType>(ref.getType()).getRank(), 0);
  while (auto slice = ref.getDefiningOp<grid::SliceRefOp>()) {
    SmallVector<int64_t> inSource;
    const int64_t *next = at.begin();
    for (auto [d, offset] : llvm::enumerate(
             getMixedValues(slice.getStaticOffsets(), slice.getOffsets(),
                            slice.getContext()))) {
      std::optional<int64_t> first = getConstantIntValue(offset);
      if (!first)
        return std::nullopt;
      bool isDropped = llvm::is_contained(slice.getDropped(), int64_t(d));
      inSource.push_back(*first +
                         (isDropped ? 0 : *next++ * slice.getStrides()[d]));
    }
    at = std::move(inSource);
    ref = slice.getSource();
  }
  return linearize(at, cast<MemRefType>(ref.getType()).getShape());
}

/// True if an op runs in each iteration of a loop up to some iteration, and in
/// none after it.
bool runsFromFirst(Operation *op, scf::ForOp loop) {
  for (Operation *parent = op->getParentOp(); parent != loop;
       op = parent, parent = parent->getParentOp()) {
    if (isa<grid::ScopedOp>(parent))
      continue;
    auto branch = dyn_cast<scf::IfOp>(parent);
    auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>()
                          : arith::CmpIOp();
    if (!compare || op->getParentRegion() != &branch.getThenRegion() ||
        compare.getPredicate() != arith::CmpIPredicate::slt ||
        !getStepDistance(compare.getLhs(), loop) ||
        !loop.isDefinedOutsideOfLoop(compare.getRhs()))
      return false;
  }
  return true;
}

/// A walk in the order of execution that knows the phases of barriers.
class PhaseWalk {
public:
  explicit PhaseWalk(Block &body) { visit(body); }

  int64_t numAssigned = 0;

private:
  using AwaitingOps = llvm::MapVector<Value, SmallVector<Operation *>>;

  /// The waits and tests inside of an op, by the allocation of the barriers.
  static AwaitingOps getAwaiting(Operation *op) {
    AwaitingOps result;
    op->walk([&](Operation *inner) {
      if (isa<BarrierWaitOp, BarrierTestOp>(inner))
        result[getSlicedRef(inner->getOperand(0))].push_back(inner);
    });
    return result;
  }

  void visit(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }

  void visit(Operation *op) {
    if (auto scope = dyn_cast<grid::ScopedOp>(op)) {
      // An iteration of a loop continues with the phases of the last one.
      if (!op->getParentOfType<LoopLikeOpInterface>())
        for (BlockArgument ref : scope.getBody().getArguments())
          if (isFollowed(cast<MemRefType>(ref.getType())))
            known[ref] = 0;
      visit(scope.getBody().front());
    } else if (auto wait = dyn_cast<BarrierWaitOp>(op)) {
      advance(wait.getBarrier());
    } else if (auto test = dyn_cast<BarrierTestOp>(op)) {
      known.erase(getSlicedRef(test.getBarrier()));
    } else if (op->getNumRegions()) {
      visitRegions(op);
    }
  }

  void advance(Value barrier) {
    auto phases = known.find(getSlicedRef(barrier));
    if (phases == known.end())
      return;
    std::optional<int64_t> number = getNumber(barrier);
    if (number && *number >= 0 && *number < kMaxBarriers)
      phases->second ^= int64_t(1) << *number;
    else
      known.erase(phases);
  }

  void visitRegions(Operation *op) {
    AwaitingOps awaiting = getAwaiting(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      assign(loop, awaiting);
    auto forget = [&] {
      for (auto &[barriers, ops] : awaiting)
        known.erase(barriers);
    };
    // An iteration begins with the phases of the last one.
    if (isa<LoopLikeOpInterface>(op))
      forget();
    llvm::DenseMap<Value, int64_t> before = known;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        known = before;
        visit(block);
      }
    known = std::move(before);
    forget();
  }

  void assign(scf::ForOp loop, const AwaitingOps &awaiting) {
    std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound());
    if (!begin || *begin < 0 || getConstantIntValue(loop.getStep()) != 1)
      return;
    for (auto &[barriers, ops] : awaiting) {
      auto phases = known.find(barriers);
      if (phases == known.end() || ops.size() != 1)
        continue;
      auto wait = dyn_cast<BarrierWaitOp>(ops.front());
      if (RingPhaseAttr phase =
              wait ? getPhase(wait, loop, *begin, phases->second) : nullptr) {
        wait.setPhaseAttr(phase);
        ++numAssigned;
      }
    }
  }

  /// Matches a wait for barrier `(i + distance) mod size` in iteration `i`. Its
  /// phase is the parity of `(i + distance) / size`, possibly inverted, if the
  /// initial phases agree with that for every barrier of the ring.
  static RingPhaseAttr getPhase(BarrierWaitOp wait, scf::ForOp loop,
                                int64_t begin, int64_t phases) {
    auto slice = wait.getBarrier().getDefiningOp<grid::SliceRefOp>();
    if (!slice ||
        isa_and_nonnull<grid::SliceRefOp>(slice.getSource().getDefiningOp()) ||
        slice.getOffsets().size() != 1 || !runsFromFirst(wait, loop))
      return {};
    auto ring = cast<MemRefType>(slice.getSource().getType());
    if (ring.getRank() != 1)
      return {};
    int64_t size = ring.getDimSize(0);
    Operation *remainder = slice.getOffsets().front().getDefiningOp();
    if (!isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(remainder) ||
        getConstantIntValue(remainder->getOperand(1)) != size)
      return {};
    std::optional<int64_t> distance =
        getStepDistance(remainder->getOperand(0), loop);
    if (!distance || *distance < 0 || *distance > 1)
      return {};
    // The first round may start within the ring; then earlier barriers are one
    // round ahead.
    int64_t start = (begin + *distance) % size;
    auto isOdd = [&](int64_t number) { return (phases >> number & 1) != 0; };
    bool phase = isOdd(start);
    for (int64_t i = 0; i < size; ++i)
      if (isOdd(i) != (i < start ? !phase : phase))
        return {};
    bool round = (begin + *distance) / size % 2;
    return RingPhaseAttr::get(wait.getContext(), size, *distance,
                              phase != round);
  }

  /// The phases of the next waits, one bit for each barrier of an allocation.
  llvm::DenseMap<Value, int64_t> known;
};

class WarpgroupAssignPhasesPass
    : public warpgroup::impl::WarpgroupAssignPhasesPassBase<
          WarpgroupAssignPhasesPass> {
public:
  using WarpgroupAssignPhasesPassBase::WarpgroupAssignPhasesPassBase;

  void runOnOperation() override {
    numAssigned += PhaseWalk(*getOperation().getBodyBlock()).numAssigned;
  }
};

} // namespace
