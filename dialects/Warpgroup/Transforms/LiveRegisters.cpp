//===- LiveRegisters.cpp - Registers of values that are live --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/LiveRegisters.h"

#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// The result of a contraction, or the sum of it and another value.
static Value getSum(grid::DotOp dot) {
  std::optional<ContractionSum> match = matchSum(dot);
  return match ? match->op.getResult() : dot.getResult();
}

bool gridir::warpgroup::isSumKept(grid::DotOp dot) {
  Value sum = getSum(dot);
  if ((sum == dot.getResult() && !dot.getAcc()) || !sum.hasOneUse())
    return false;
  Operation *user = *sum.user_begin();
  auto store = dyn_cast<grid::StoreOp>(user);
  return store
             ? isa<BlockArgument>(store.getRef()) && !store.getMask()
             : isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp());
}

namespace {

class LiveValues {
public:
  LiveValues(grid::KernelOp kernel, llvm::function_ref<int64_t(Value)> count)
      : kernel(kernel), count(count), liveness(kernel) {}

  int64_t find() {
    kernel.getBodyRegion().walk([&](grid::DotOp dot) { findSum(dot); });
    for (BlockArgument ref : kernel.getScratchRefs())
      if (!sums.contains(ref) && !isAccessedInParts(ref))
        variables += count(ref);
    kernel.getBodyRegion().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { addHeld(op); });
    int64_t most = 0;
    kernel.getBodyRegion().walk(
        [&](Operation *op) { most = std::max(most, countAt(op)); });
    return variables + most;
  }

private:
  /// Finds the Ref or the values of a loop that tensor memory has instead.
  void findSum(grid::DotOp dot) {
    if (!isSumKept(dot))
      return;
    Value sum = getSum(dot);
    OpOperand &use = *sum.use_begin();
    if (auto store = dyn_cast<grid::StoreOp>(use.getOwner())) {
      sums.insert(store.getRef());
    } else {
      auto loop = cast<scf::ForOp>(use.getOwner()->getParentOp());
      sums.insert(loop.getRegionIterArg(use.getOperandNumber()));
      sums.insert(loop.getResult(use.getOperandNumber()));
    }
    sums.insert(dot);
    sums.insert(sum);
  }

  /// Adds the results and block arguments of an op that registers hold.
  void addHeld(Operation *op) {
    auto add = [&](Value value) {
      if (isa<RankedTensorType>(value.getType()) && !sums.contains(value))
        held.insert(value);
    };
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (isa<LoopLikeOpInterface>(op))
          llvm::for_each(block.getArguments(), add);
    if (isa<linalg::BroadcastOp, linalg::FillOp, tensor::EmptyOp,
            tensor::SplatOp>(op))
      return;
    if (auto load = dyn_cast<grid::LoadOp>(op)) {
      bool isOperand = llvm::all_of(load->getUsers(), [&](Operation *user) {
        auto dot = dyn_cast<grid::DotOp>(user);
        return dot && getSharedLoad(load, kernel);
      });
      if (isOperand || sums.contains(load.getRef()))
        return;
    } else if (!isa<grid::DotOp, LoopLikeOpInterface>(op) &&
               llvm::none_of(op->getOperands(),
                             [&](Value value) { return held.contains(value); }))
      return;
    llvm::for_each(op->getResults(), add);
  }

  /// The registers where an op is executed, including those of values that are
  /// live around the loops and branches that it is in.
  int64_t countAt(Operation *op) {
    llvm::SmallPtrSet<Value, 16> live;
    for (Operation *at = op; at != kernel; at = at->getParentOp())
      for (Value value :
           liveness.getLiveness(at->getBlock())->currentlyLiveValues(at))
        if (held.contains(value))
          live.insert(value);
    auto countAll = [&](const auto &values) {
      int64_t registers = 0;
      for (Value value : values)
        registers += count(value);
      return registers;
    };
    llvm::SmallPtrSet<Value, 4> dead, created;
    for (Value operand : op->getOperands())
      if (live.contains(operand) && liveness.isDeadAfter(operand, op))
        dead.insert(operand);
    for (Value result : op->getResults())
      if (live.contains(result))
        created.insert(result);
    return countAll(live) - std::min(countAll(dead), countAll(created));
  }

  grid::KernelOp kernel;
  llvm::function_ref<int64_t(Value)> count;
  Liveness liveness;
  /// Sums that are in tensor memory, and values that registers hold.
  llvm::SmallPtrSet<Value, 8> sums, held;
  /// Registers of scratch.
  int64_t variables = 0;
};

} // namespace

int64_t gridir::warpgroup::countLiveRegisters(
    grid::KernelOp kernel, llvm::function_ref<int64_t(Value)> count) {
  return LiveValues(kernel, count).find();
}
