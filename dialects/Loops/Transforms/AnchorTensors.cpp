//===- AnchorTensors.cpp - keep carried tensors in one buffer -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSANCHORTENSORSPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

class LoopsAnchorTensorsPass
    : public gridir::loops::impl::LoopsAnchorTensorsPassBase<
          LoopsAnchorTensorsPass> {
public:
  using LoopsAnchorTensorsPassBase::LoopsAnchorTensorsPassBase;

  void runOnOperation() override {
    // Inner loops are visited first, so that a value which an inner loop hands
    // to an outer one is anchored in both.
    getOperation()->walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        anchor(loop.getBody()->getTerminator(), 0, loop.getRegionIterArgs());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        loop = forwardInPlace(loop);
        // Operand 0 of scf.condition is the condition itself.
        anchor(loop.getConditionOp(), 1, loop.getBeforeArguments());
        anchor(loop.getYieldOp(), 0, loop.getAfterArguments());
      }
    });
  }

private:
  /// Makes the condition forward the carried values at their own operand
  /// numbers, as bufferization requires, if the canonicalizer has dropped
  /// values that the body does not read. Other values of the condition follow.
  scf::WhileOp forwardInPlace(scf::WhileOp loop) {
    Block::BlockArgListType carried = loop.getBeforeArguments();
    scf::ConditionOp condition = loop.getConditionOp();
    auto isTensor = [](Value value) {
      return isa<RankedTensorType>(value.getType());
    };
    bool inPlace = llvm::all_of(llvm::enumerate(carried), [&](auto it) {
      auto [i, arg] = it;
      return !isTensor(arg) ||
             (i < condition.getArgs().size() &&
              condition.getArgs()[i].getType() == arg.getType());
    });
    if (inPlace)
      return loop;

    SmallVector<Value> forwarded(carried.begin(), carried.end());
    SmallVector<unsigned> numbers;
    for (Value value : condition.getArgs()) {
      if (auto arg = dyn_cast<BlockArgument>(value);
          arg && arg.getOwner() == loop.getBeforeBody()) {
        numbers.push_back(arg.getArgNumber());
        continue;
      }
      numbers.push_back(forwarded.size());
      forwarded.push_back(value);
    }
    OpBuilder builder(loop);
    auto whole = scf::WhileOp::create(
        builder, loop.getLoc(),
        llvm::to_vector(TypeRange(ValueRange(forwarded))), loop.getInits());
    whole->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    whole.getBefore().takeBody(loop.getBefore());
    whole.getAfter().takeBody(loop.getAfter());
    condition.getArgsMutable().assign(forwarded);
    Block *body = whole.getAfterBody();
    for (Value value : forwarded)
      body->addArgument(value.getType(), value.getLoc());
    for (auto [i, number] : llvm::enumerate(numbers)) {
      body->getArgument(i).replaceAllUsesWith(
          body->getArgument(numbers.size() + number));
      loop.getResult(i).replaceAllUsesWith(whole.getResult(number));
    }
    body->eraseArguments(0, numbers.size());
    loop.erase();
    ++numHandedOn;
    return whole;
  }

  /// True for values that inner loops, insertions and branches made of `arg`
  /// alone: they are in the buffer of `arg`. An anchor would make the buffer
  /// its own destination, or copy all of it for each inserted part. Inner loops
  /// were anchored before. If `arg` is read after an inner loop, that loop
  /// works on a copy.
  bool livesIn(Value value, Value arg) {
    while (value != arg) {
      Operation *op = value.getDefiningOp();
      if (!op)
        return false;
      unsigned number = cast<OpResult>(value).getResultNumber();
      if (auto choice = dyn_cast<scf::IfOp>(op))
        return livesIn(choice.thenYield().getOperand(number), arg) &&
               livesIn(choice.elseYield().getOperand(number), arg);
      OpOperand *origin = getOrigin(cast<OpResult>(value));
      if (!origin)
        return false;
      value = origin->get();
      if (llvm::all_of(value.getUses(), [&](OpOperand &use) {
            return &use == origin || endsBefore(use.getOwner(), op);
          }))
        continue;
      auto loop = dyn_cast<LoopLikeOpInterface>(op);
      if (!loop || value.getParentBlock() != loop->getBlock())
        return false;
      OpBuilder builder(loop);
      origin->set(bufferization::AllocTensorOp::create(
          builder, loop->getLoc(), cast<RankedTensorType>(value.getType()),
          ValueRange(), value));
      ++numCopied;
      return false;
    }
    return true;
  }

  /// The operand in whose buffer an inner loop or an insertion has `result`, if
  /// both have one type.
  static OpOperand *getOrigin(OpResult result) {
    OpOperand *origin = nullptr;
    Operation *op = result.getOwner();
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      MutableArrayRef<OpOperand> inits = loop.getInitsMutable();
      if (result.getResultNumber() < inits.size())
        origin = &inits[result.getResultNumber()];
    } else if (auto insertion = dyn_cast<SubsetInsertionOpInterface>(op)) {
      origin = &insertion.getDestinationOperand();
    } else if (auto insertion = dyn_cast<tensor::InsertOp>(op)) {
      origin = &insertion.getDestMutable();
    }
    return origin && origin->get().getType() == result.getType() ? origin
                                                                 : nullptr;
  }

  /// True if `op` is in a branch that excludes `later`, or ends before it.
  static bool endsBefore(Operation *op, Operation *later) {
    for (Operation *around = later; around; around = around->getParentOp())
      if (Operation *ancestor = around->getBlock()->findAncestorOpInBlock(*op))
        return ancestor == around ? insideMutuallyExclusiveRegions(op, later)
                                  : ancestor->isBeforeInBlock(around);
    return false;
  }

  /// Makes operand `first + i` of `terminator` live in the buffer of `args[i]`.
  void anchor(Operation *terminator, unsigned first,
              Block::BlockArgListType args) {
    SmallVector<unsigned> moved;
    for (auto [i, arg] : llvm::enumerate(args)) {
      if (first + i >= terminator->getNumOperands())
        break;
      Value value = terminator->getOperand(first + i);
      if (value != arg && value.getType() == arg.getType() &&
          isa<RankedTensorType>(arg.getType()) && !livesIn(value, arg))
        moved.push_back(i);
    }
    if (moved.empty())
      return;

    OpBuilder builder(terminator);
    Location loc = terminator->getLoc();
    // A value that may be a view of another carried tensor is copied first,
    // because the anchors below overwrite that tensor.
    SmallVector<Value> values;
    for (unsigned i : moved) {
      Value value = terminator->getOperand(first + i);
      if (moved.size() > 1 && !value.getDefiningOp<linalg::LinalgOp>()) {
        auto type = cast<RankedTensorType>(value.getType());
        value = bufferization::AllocTensorOp::create(builder, loc, type,
                                                     ValueRange(), value);
        ++numCopied;
      }
      values.push_back(value);
    }
    for (auto [i, value] : llvm::zip_equal(moved, values)) {
      auto anchored = bufferization::MaterializeInDestinationOp::create(
          builder, loc, args[i].getType(), value, args[i]);
      terminator->setOperand(first + i, anchored->getResult(0));
      ++numAnchored;
    }
  }
};

} // namespace
