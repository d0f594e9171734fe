//===- UnrollReductions.cpp - unroll short loops over accumulators --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUUNROLLREDUCTIONSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::VectorTarget;

namespace {

/// The longest body: a few operations on vectors, beside the computation of
/// indices, which is constant in each copy.
constexpr int64_t kMostOps = 8;

class CPUUnrollReductionsPass
    : public gridir::cpu::impl::CPUUnrollReductionsPassBase<
          CPUUnrollReductionsPass> {
public:
  using CPUUnrollReductionsPassBase::CPUUnrollReductionsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!isShort(loop))
        return;
      if (isLong(*loop.getBody())) {
        ++numLarge;
        return;
      }
      loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      Block *block = loop->getBlock();
      (void)loopUnrollFull(loop);
      ++numUnrolled;
      combineChains(*block);
    }
  }

private:
  /// True for an innermost loop of a few iterations that carries accumulators.
  static bool isShort(scf::ForOp loop) {
    if (loop.getInitArgs().empty() ||
        !llvm::all_of(loop.getResultTypes(), llvm::IsaPred<VectorType>) ||
        llvm::any_of(*loop.getBody(),
                     [](Operation &op) { return op.getNumRegions() != 0; }))
      return false;
    std::optional<llvm::APInt> turns = loop.getStaticTripCount();
    return turns && turns->ugt(1) && turns->ule(VectorTarget::kStreams);
  }

  /// The op before `root` in a chain of equal ones.
  static Operation *getLink(Value value, Operation &root) {
    Operation *op = value.getDefiningOp();
    bool isLink = op && op->getName() == root.getName() &&
                  op->getBlock() == root.getBlock() && value.hasOneUse();
    return isLink ? op : nullptr;
  }

  static SmallVector<Value> getChain(Operation &root) {
    SmallVector<Value> operands;
    for (Operation *op = &root; op;) {
      Operation *next = getLink(op->getOperand(1), root);
      operands.push_back(op->getOperand(0));
      if (!next)
        operands.push_back(op->getOperand(1));
      op = next;
    }
    return operands;
  }

  /// Computes the largest or the smallest of several vectors of floats. A
  /// comparison and a selection are one instruction, which loses a NaN on the
  /// left and the sign of a zero. These are found for all vectors together: the
  /// largest has a sign if all have one, the smallest if any has one.
  static Value combineFloats(OpBuilder &b, Location loc, ArrayRef<Value> values,
                             bool isMaximum) {
    Type type = values.front().getType();
    Type bits = cast<VectorType>(type).clone(
        b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
    auto order =
        isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    // A vector of i1 may be wider than a register, and is packed then.
    Value result, signs, unordered;
    for (size_t i = 0; i < values.size(); ++i) {
      Value value = values[i];
      Value word = arith::BitcastOp::create(b, loc, bits, value);
      if (i % 2 == 0) {
        Value other = values[std::min(i + 1, values.size() - 1)];
        Value found = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                            value, other);
        found = arith::ExtSIOp::create(b, loc, bits, found);
        unordered =
            unordered ? arith::OrIOp::create(b, loc, unordered, found) : found;
      }
      if (!result) {
        result = value;
        signs = word;
        continue;
      }
      Value isBetter = arith::CmpFOp::create(b, loc, order, value, result);
      result = arith::SelectOp::create(b, loc, isBetter, value, result);
      signs = isMaximum ? Value(arith::AndIOp::create(b, loc, signs, word))
                        : Value(arith::OrIOp::create(b, loc, signs, word));
    }
    Value sign = arith::BitcastOp::create(b, loc, type, signs);
    result = math::CopySignOp::create(b, loc, result, sign);
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    Value nan = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<VectorType>(type),
                               APFloat::getQNaN(element.getFloatSemantics())));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(bits));
    Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        unordered, zero);
    return arith::SelectOp::create(b, loc, isNaN, nan, result);
  }

  /// Computes chains of maxima and minima of floats in fewer instructions.
  void combineChains(Block &block) {
    constexpr size_t leastOperands = 4;
    SmallVector<Operation *> dead;
    for (Operation &root : llvm::make_early_inc_range(block)) {
      if (!isa<arith::MaximumFOp, arith::MinimumFOp>(root))
        continue;
      Type type = root.getResult(0).getType();
      Type element = getElementTypeOrSelf(type);
      bool isInside =
          root.hasOneUse() && root.user_begin()->getName() == root.getName();
      if (!isa<VectorType>(type) || !(element.isF32() || element.isF64()) ||
          isInside)
        continue;
      SmallVector<Value> values = getChain(root);
      if (values.size() < leastOperands)
        continue;
      OpBuilder builder(&root);
      Value result = combineFloats(builder, root.getLoc(), values,
                                   isa<arith::MaximumFOp>(root));
      root.getResult(0).replaceAllUsesWith(result);
      for (Operation *op = &root; op;) {
        Operation *next = getLink(op->getOperand(1), root);
        dead.push_back(op);
        op = next;
      }
      ++numCombined;
    }
    for (Operation *op : dead)
      op->erase();
  }

  static bool isLong(Block &body) {
    return llvm::count_if(body.without_terminator(), [](Operation &op) {
             return !llvm::all_of(op.getResultTypes(),
                                  llvm::IsaPred<IndexType>);
           }) > kMostOps;
  }
};

} // namespace
