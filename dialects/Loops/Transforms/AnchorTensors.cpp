//===- AnchorTensors.cpp - keep carried tensors in one buffer -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Loops/Transforms/TrialBufferization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The changes to the ops in one op. If they are careful, each branch yields
/// tensors that it has made.
class Anchoring {
public:
  explicit Anchoring(bool isCareful) : isCareful(isCareful) {}

  int64_t numAnchored = 0, numCopied = 0, numHandedOn = 0;

  void run(Operation *root) {
    root->walk([&](scf::IfOp op) { separate(op); });
    // Inner loops are visited first, so that a value which an inner loop hands
    // to an outer one is anchored in both.
    root->walk([&](Operation *op) {
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
  bool isCareful;

  /// Bufferization cannot copy what a branch yields, and a later write would
  /// change a tensor from outside and the result. If the tensor is used later,
  /// its branch yields a copy of it. Otherwise the other branch writes its
  /// tensor there, too.
  void separate(scf::IfOp choice) {
    for (OpResult result : choice.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      Value shared = getSource(result);
      if (!isCareful && shared && !isUsedElsewhere(shared, choice))
        continue;
      unsigned number = result.getResultNumber();
      std::array<scf::YieldOp, 2> yields{choice.thenYield(),
                                         choice.elseYield()};
      for (auto [yield, other] :
           {std::pair(yields[0], yields[1]), std::pair(yields[1], yields[0])}) {
        Value value = yield.getOperand(number);
        if (!isCareful &&
            choice->isAncestor(value.getParentBlock()->getParentOp()))
          continue;
        if (!isCareful && !isUsedElsewhere(value, choice) &&
            llvm::count(yield.getOperands(), value) == 1) {
          OpBuilder builder(other);
          auto anchored = bufferization::MaterializeInDestinationOp::create(
              builder, other.getLoc(), value.getType(),
              other.getOperand(number), value);
          other.setOperand(number, anchored->getResult(0));
          ++numAnchored;
          break;
        }
        yield.setOperand(number, createCopy(yield, value));
        ++numCopied;
      }
    }
  }

  /// A copy in a buffer of its own. The copy of an alloc_tensor would be a
  /// write that bufferization cannot move.
  static Value createCopy(Operation *user, Value value) {
    OpBuilder builder(user);
    auto type = cast<RankedTensorType>(value.getType());
    Value buffer = bufferization::AllocTensorOp::create(builder, user->getLoc(),
                                                        type, ValueRange());
    return linalg::CopyOp::create(builder, user->getLoc(), value, buffer)
        .getResult(0);
  }

  /// A copy for a loop, which need not be moved as far as nothing else is.
  Value copyBefore(Operation *user, Value value) const {
    if (isCareful)
      return createCopy(user, value);
    OpBuilder builder(user);
    return bufferization::AllocTensorOp::create(
        builder, user->getLoc(), cast<RankedTensorType>(value.getType()),
        ValueRange(), value);
  }

  /// The tensor outside of `choice` in whose buffer `value` is, if there is one
  /// for all branches.
  static Value getOutside(Value value, scf::IfOp choice) {
    while (value && choice->isAncestor(value.getParentBlock()->getParentOp()))
      value = getSource(value);
    return value;
  }

  /// True if an op may change a tensor that it uses, or lets its result share
  /// the buffer.
  static bool mayOverwrite(OpOperand &use) {
    Operation *user = use.getOwner();
    auto destination = dyn_cast<DestinationStyleOpInterface>(user);
    return (destination && destination.isDpsInit(&use)) ||
           isa<LoopLikeOpInterface>(user) ||
           user->hasTrait<OpTrait::IsTerminator>();
  }

  /// True if a use of `value`, or of a view of it, is after `choice` or may
  /// overwrite it; `maker` overwrites a part of it for a value of `choice`.
  static bool hasOtherUse(Value value, scf::IfOp choice, Operation *maker) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user == maker || choice->isAncestor(user) ||
          insideMutuallyExclusiveRegions(user, choice))
        return false;
      if (!endsBefore(user, choice) || mayOverwrite(use))
        return true;
      return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                 tensor::ExtractSliceOp>(user) &&
             hasOtherUse(user->getResult(0), choice, maker);
    });
  }

  /// True if the buffer of a tensor from outside of `choice` is used after it,
  /// also by the next iteration of a loop, or may have changed before, or must
  /// not be written.
  static bool isUsedElsewhere(Value value, scf::IfOp choice) {
    Operation *maker = nullptr;
    while (value) {
      auto load = value.getDefiningOp<bufferization::ToTensorOp>();
      if (load && !load.getWritable())
        return true;
      for (Operation *around = choice;
           around->getBlock() != value.getParentBlock();
           around = around->getParentOp())
        if (isa<LoopLikeOpInterface>(around->getParentOp()))
          return true;
      if (hasOtherUse(value, choice, maker))
        return true;
      if (auto arg = dyn_cast<BlockArgument>(value))
        return !isReplacedBy(arg, choice);
      maker = value.getDefiningOp();
      value = getSource(value);
    }
    return false;
  }

  /// True if the value that a loop carries on as `arg` is a result of `choice`,
  /// or is made of one, or of `arg`. Any other is written to the buffer of
  /// `arg`.
  static bool isReplacedBy(BlockArgument arg, scf::IfOp choice) {
    Operation *loop = arg.getOwner()->getParentOp();
    if (!isa<scf::ForOp, scf::WhileOp>(loop))
      return false;
    Operation *terminator = arg.getOwner()->getTerminator();
    unsigned number = arg.getArgNumber();
    if (isa<scf::ForOp>(loop))
      --number;
    if (isa<scf::ConditionOp>(terminator))
      ++number;
    if (number >= terminator->getNumOperands())
      return false;
    Value value = terminator->getOperand(number);
    while (value && value != arg && value.getDefiningOp() != choice)
      value = getSource(value);
    return static_cast<bool>(value);
  }

  /// The tensor in whose buffer an op has made `value`, if there is one.
  static Value getSource(Value value) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return {};
    if (auto choice = dyn_cast<scf::IfOp>(result.getOwner())) {
      unsigned number = result.getResultNumber();
      Value first = getOutside(choice.thenYield().getOperand(number), choice);
      Value second = getOutside(choice.elseYield().getOperand(number), choice);
      return first == second ? first : Value();
    }
    OpOperand *origin = getOrigin(result);
    return origin ? origin->get() : Value();
  }

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
    llvm::SmallPtrSet<OpOperand *, 4> yields;
    collectYields(value, yields);
    return livesIn(value, arg, yields);
  }

  /// The operands through which branches hand on `value` and what it is made
  /// of.
  static void collectYields(Value value,
                            llvm::SmallPtrSetImpl<OpOperand *> &yields) {
    while (auto result = dyn_cast_or_null<OpResult>(value)) {
      if (auto choice = dyn_cast<scf::IfOp>(result.getOwner())) {
        unsigned number = result.getResultNumber();
        for (scf::YieldOp yield : {choice.thenYield(), choice.elseYield()}) {
          OpOperand &operand = yield->getOpOperand(number);
          yields.insert(&operand);
          collectYields(operand.get(), yields);
        }
        return;
      }
      OpOperand *origin = getOrigin(result);
      value = origin ? origin->get() : Value();
    }
  }

  /// Operands of terminators other than `yields` cannot be copied, and let
  /// other values share the buffer.
  bool livesIn(Value value, Value arg,
               const llvm::SmallPtrSetImpl<OpOperand *> &yields) {
    while (value != arg) {
      Operation *op = value.getDefiningOp();
      if (!op)
        return false;
      if (auto choice = dyn_cast<scf::IfOp>(op)) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        return livesIn(choice.thenYield().getOperand(number), arg, yields) &&
               livesIn(choice.elseYield().getOperand(number), arg, yields);
      }
      OpOperand *origin = getOrigin(cast<OpResult>(value));
      if (!origin)
        return false;
      value = origin->get();
      if (llvm::all_of(value.getUses(), [&](OpOperand &use) {
            Operation *user = use.getOwner();
            return &use == origin || (user->hasTrait<OpTrait::IsTerminator>()
                                          ? yields.contains(&use)
                                          : endsBefore(user, op));
          }))
        continue;
      auto loop = dyn_cast<LoopLikeOpInterface>(op);
      if (!loop || value.getParentBlock() != loop->getBlock())
        return false;
      origin->set(copyBefore(loop, value));
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
      if ((isCareful || moved.size() > 1) &&
          !value.getDefiningOp<linalg::LinalgOp>()) {
        value = copyBefore(terminator, value);
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

class LoopsAnchorTensorsPass
    : public gridir::loops::impl::LoopsAnchorTensorsPassBase<
          LoopsAnchorTensorsPass> {
public:
  using LoopsAnchorTensorsPassBase::LoopsAnchorTensorsPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    SmallVector<scf::IndexSwitchOp> switches;
    root->walk([&](scf::IndexSwitchOp op) {
      if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
        switches.push_back(op);
    });
    for (scf::IndexSwitchOp op : switches)
      branch(op);

    Anchoring anchoring(/*isCareful=*/false);
    auto attempt = [&](bool isCareful) {
      anchoring = Anchoring(isCareful);
      return succeeded(
          gridir::loops::changeIfBufferizable(root, [&](Operation *trial) {
            anchoring.run(trial);
            return success();
          }));
    };
    bool isTried = gridir::loops::handsOnTensors(root);
    if (isTried && !attempt(/*isCareful=*/false)) {
      isTried = attempt(/*isCareful=*/true);
      numCareful += isTried;
    }
    // Other ops of the function may be rejected, for which copies are no help.
    if (!isTried) {
      anchoring = Anchoring(/*isCareful=*/false);
      anchoring.run(root);
    }
    numAnchored += anchoring.numAnchored;
    numCopied += anchoring.numCopied;
    numHandedOn += anchoring.numHandedOn;
  }

private:
  /// Replaces a switch by nested branches. Bufferization does not know that the
  /// results of a switch may be in the buffers of what its cases yield.
  void branch(scf::IndexSwitchOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    scf::IfOp outer;
    for (auto [number, region] :
         llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
      Value constant = arith::ConstantIndexOp::create(builder, loc, number);
      Value isCase = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, op.getArg(), constant);
      auto choice =
          scf::IfOp::create(builder, loc, op.getResultTypes(), isCase);
      choice.getThenRegion().takeBody(region);
      if (outer)
        scf::YieldOp::create(builder, loc, choice.getResults());
      else
        op.replaceAllUsesWith(choice);
      outer = choice;
      builder.setInsertionPointToStart(&choice.getElseRegion().emplaceBlock());
    }
    if (!outer)
      return;
    outer.getElseRegion().takeBody(op.getDefaultRegion());
    op.erase();
    ++numBranched;
  }
};

} // namespace
