//===- CarryAlternating.cpp - What alternates between two values ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Support/Builders.h"
#include "dialects/Support/StepDistance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUCARRYALTERNATINGPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir;

namespace {

/// One loop, whose step is 1 and whose begin is known.
class Loop {
public:
  Loop(scf::ForOp loop) : loop(loop), builder(loop) {}

  unsigned carry() {
    collect();
    SmallVector<Value> carried;
    for (Value value : alternating)
      if (isWorthCarrying(value))
        carried.push_back(value);
    for (Value value : carried)
      carry(value);
    return carried.size() + derivePairs();
  }

private:
  bool isAlternating(Value value) const { return alternating.contains(value); }

  /// The ops whose results are one value in all even iterations, and one in all
  /// odd ones.
  void collect() {
    loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isParity(op) || isOfAlternating(op))
        alternating.insert(op->getResult(0));
    });
  }

  bool isParity(Operation *op) const {
    if (!isa<arith::RemSIOp, arith::RemUIOp>(op) ||
        getConstantIntValue(op->getOperand(1)) != 2)
      return false;
    std::optional<int64_t> distance = getStepDistance(op->getOperand(0), loop);
    return distance && *distance >= 0;
  }

  bool isOfAlternating(Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        !isMemoryEffectFree(op) ||
        !(isSpeculatable(op) || isa<LLVM::InlineAsmOp>(op)))
      return false;
    bool isAny = false;
    for (Value operand : op->getOperands()) {
      isAny |= isAlternating(operand);
      if (!isAlternating(operand) && !loop.isDefinedOutsideOfLoop(operand))
        return false;
    }
    return isAny;
  }

  /// An estimate of the instructions of a value beyond those of carried values:
  /// the scale of a number is part of the following addition.
  unsigned getCost(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!isAlternating(value) || isCarried.contains(value) || isParity(op))
      return 0;
    unsigned cost = isa<arith::AddIOp, arith::SubIOp, arith::AndIOp,
                        arith::OrIOp, arith::XOrIOp, LLVM::InsertElementOp>(op);
    for (Value operand : op->getOperands())
      cost += getCost(operand);
    return cost;
  }

  /// True if a number takes more instructions to compute than the one that
  /// changes it, and other numbers or ops of the loop need it.
  bool isWorthCarrying(Value value) {
    bool isNeeded = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 || !isAlternating(user->getResult(0));
    });
    if (!(isNeeded || (!value.use_empty() && !value.hasOneUse())) ||
        !value.getType().isInteger() || getCost(value) < 2)
      return false;
    isCarried.insert(value);
    return true;
  }

  /// A value as it is in an iteration, computed before the loop.
  Value getAt(Value value, int64_t iteration) {
    if (loop.isDefinedOutsideOfLoop(value))
      return value;
    if (auto carried = dyn_cast<BlockArgument>(value))
      return carriedValues.at(carried.getArgNumber())[iteration % 2];
    Value &known = values[{value, iteration % 2}];
    if (known)
      return known;
    Operation *op = value.getDefiningOp();
    if (isParity(op)) {
      int64_t parity =
          (iteration + *getStepDistance(op->getOperand(0), loop)) % 2;
      return known = arith::ConstantOp::create(
                 builder, op->getLoc(),
                 builder.getIntegerAttr(value.getType(), parity));
    }
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, getAt(operand, iteration));
    Operation *clone = builder.clone(*op, map);
    SmallVector<Value> folded;
    // Keep an op that folds in place.
    if (succeeded(builder.tryFold(clone, folded)) && !folded.empty())
      clone->erase();
    else
      folded.assign(1, clone->getResult(0));
    return values[{value, iteration % 2}] = folded.front();
  }

  int64_t getBegin() { return *getConstantIntValue(loop.getLowerBound()); }

  /// Returns the bits in which the value differs between adjacent iterations.
  Value createDifference(Value now, Value next) {
    return arith::XOrIOp::create(builder, now.getLoc(), now, next);
  }

  void carry(Value value) {
    Value first = getAt(value, getBegin()),
          second = getAt(value, getBegin() + 1);
    Value difference = createDifference(first, second);
    IRRewriter rewriter(builder);
    auto yield = [&](OpBuilder &b, Location loc, ArrayRef<BlockArgument> args) {
      return SmallVector<Value>{
          arith::XOrIOp::create(b, loc, args.front(), difference)};
    };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yield));
    builder.setInsertionPoint(loop);
    BlockArgument carried = loop.getRegionIterArgs().back();
    value.replaceAllUsesWith(carried);
    carriedValues[carried.getArgNumber()] = getBegin() % 2 == 0
                                                ? std::array{first, second}
                                                : std::array{second, first};
  }

  /// If one address of the loop equals another one in the adjacent iteration,
  /// such as that of the next buffer, it is that one with other bits.
  unsigned derivePairs() {
    moveConstantsBehind();
    unsigned count = 0;
    for (auto [i, later] : llvm::enumerate(addresses))
      for (LLVM::GEPOp earlier : ArrayRef(addresses).take_front(i))
        if (isNextOf(later, earlier)) {
          derive(later, earlier);
          ++count;
          break;
        }
    return count;
  }

  /// Turns an address at an alternating distance from a constant base into one
  /// at a constant distance from an alternating base, which others share.
  void moveConstantsBehind() {
    SmallVector<LLVM::GEPOp> steps;
    for (Value value : alternating)
      if (auto step = value.getDefiningOp<LLVM::GEPOp>())
        if (step.getDynamicIndices().size() == 1 &&
            step.getIndices().size() == 1 && step.getElemType().isInteger(8) &&
            isAlternating(step.getDynamicIndices().front()))
          steps.push_back(step);
    for (LLVM::GEPOp step : steps) {
      auto base = step.getBase().getDefiningOp<LLVM::GEPOp>();
      if (!base || !base.getDynamicIndices().empty() ||
          base.getIndices().size() != 1 || !base.getElemType().isInteger(8)) {
        addresses.push_back(step);
        continue;
      }
      OpBuilder here(step);
      Value index = step.getDynamicIndices().front();
      auto shared = llvm::find_if(addresses, [&](LLVM::GEPOp other) {
        return other.getBase() == base.getBase() &&
               other.getDynamicIndices().front() == index &&
               dominates(other, step);
      });
      LLVM::GEPOp place;
      if (shared != addresses.end()) {
        place = *shared;
      } else {
        place = LLVM::GEPOp::create(here, step.getLoc(), step.getType(),
                                    step.getElemType(), base.getBase(), index);
        alternating.insert(place);
        addresses.push_back(place);
      }
      Value result = LLVM::GEPOp::create(
          here, step.getLoc(), step.getType(), step.getElemType(), place,
          ArrayRef<LLVM::GEPArg>(base.getRawConstantIndices()[0]));
      step.replaceAllUsesWith(result);
    }
  }

  bool dominates(Operation *op, Operation *other) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*other);
    return ancestor && (ancestor == op || op->isBeforeInBlock(ancestor));
  }

  bool isNextOf(LLVM::GEPOp later, LLVM::GEPOp earlier) {
    if (later.getBase() != earlier.getBase() || !dominates(earlier, later))
      return false;
    Value a = earlier.getDynamicIndices().front();
    Value b = later.getDynamicIndices().front();
    auto areEqual = [&](int64_t iteration) {
      std::optional<int64_t> next =
          getConstantIntValue(getAt(a, iteration + 1));
      return next && next == getConstantIntValue(getAt(b, iteration));
    };
    return areEqual(0) && areEqual(1);
  }

  void derive(LLVM::GEPOp later, LLVM::GEPOp earlier) {
    Type bits = builder.getI64Type();
    auto getBits = [&](OpBuilder &b, Value address) -> Value {
      return LLVM::PtrToIntOp::create(b, address.getLoc(), bits, address);
    };
    Value difference = createDifference(getBits(builder, getAt(earlier, 0)),
                                        getBits(builder, getAt(earlier, 1)));
    OpBuilder here(later);
    Value changed = arith::XOrIOp::create(here, later.getLoc(),
                                          getBits(here, earlier), difference);
    later.replaceAllUsesWith(
        LLVM::IntToPtrOp::create(here, later.getLoc(), later.getType(), changed)
            .getResult());
  }

  scf::ForOp loop;
  OpBuilder builder;
  llvm::SetVector<Value> alternating;
  llvm::DenseSet<Value> isCarried;
  /// At an alternating distance from a loop-invariant base.
  SmallVector<LLVM::GEPOp> addresses;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> values;
  /// In even and in odd iterations, by the number of the argument: a loop that
  /// carries more has other arguments.
  llvm::DenseMap<unsigned, std::array<Value, 2>> carriedValues;
};

class GPUCarryAlternatingPass
    : public gridir::gpu::impl::GPUCarryAlternatingPassBase<
          GPUCarryAlternatingPass> {
public:
  using GPUCarryAlternatingPassBase::GPUCarryAlternatingPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound());
      if (begin && *begin >= 0 && getConstantIntValue(loop.getStep()) == 1)
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      numCarried += Loop(loop).carry();
  }
};

} // namespace
