//===- MatchInstructions.cpp - What one instruction does already ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Builders.h"
#include "dialects/Support/SaturatingConversions.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Guards.h"
#include "dialects/TPU/Transforms/Numbers.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUMATCHINSTRUCTIONSPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir;
using namespace gridir::tpu;

namespace {

/// A SparseCore has the instruction for vectors only.
bool isFiniteTest(arith::CmpFOp op, bool isTensorCore) {
  Type type = op.getLhs().getType();
  return (isTensorCore || isa<VectorType>(type)) &&
         getElementTypeOrSelf(type).isF32() && !op.use_empty() &&
         op.getPredicate() == arith::CmpFPredicate::OLT &&
         getFloat(op.getRhs()) == std::numeric_limits<double>::infinity() &&
         op.getLhs().getDefiningOp<math::AbsFOp>();
}

/// True if an op is `1 / x` and the author allows less precision than a
/// division.
bool isLooseReciprocal(arith::DivFOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  auto loose = arith::FastMathFlags::afn | arith::FastMathFlags::ninf;
  return type && type.getElementType().isF32() &&
         getFloat(op.getLhs()) == 1.0 &&
         (op.getFastmath() & loose) != arith::FastMathFlags::none;
}

/// Returns the amount of a shift that `select(c, shift(x, select(c, amount,
/// _)),
/// _)` selects.
Value getGuardedAmount(arith::SelectOp op) {
  Operation *shift = op.getTrueValue().getDefiningOp();
  if (!isa_and_nonnull<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(shift) ||
      !shift->hasOneUse())
    return {};
  auto guard = shift->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!guard || guard.getCondition() != op.getCondition())
    return {};
  return guard.getTrueValue();
}

class TPUMatchInstructionsPass
    : public gridir::tpu::impl::TPUMatchInstructionsPassBase<
          TPUMatchInstructionsPass> {
public:
  using TPUMatchInstructionsPassBase::TPUMatchInstructionsPassBase;

  void runOnOperation() override {
    // Collected first and changed later, because a change erases other ops.
    SmallVector<std::pair<arith::SelectOp, SaturatingConversion>> conversions;
    getOperation().walk([&](arith::SelectOp op) {
      if (std::optional<SaturatingConversion> found =
              matchSaturatingConversion(op))
        conversions.emplace_back(op, *found);
    });
    for (auto [op, found] : conversions)
      convert(op, found);
    auto core = getOperation()->getAttrOfType<CoreTypeAttr>(kCoreTypeName);
    bool isTensorCore = core && core.getValue() == CoreType::Tc;
    if (isTensorCore)
      saturateShifts();
    SmallVector<std::pair<arith::SelectOp, Value>> shifts;
    getOperation().walk([&](arith::SelectOp op) {
      if (Value amount = getGuardedAmount(op))
        shifts.emplace_back(op, amount);
    });
    for (auto [op, amount] : shifts)
      shift(op, amount);
    SmallVector<arith::CmpFOp> tests;
    getOperation().walk([&](arith::CmpFOp op) {
      if (isFiniteTest(op, isTensorCore))
        tests.push_back(op);
    });
    for (arith::CmpFOp op : tests)
      classify(op);
    SmallVector<arith::DivFOp> divisions;
    getOperation().walk([&](arith::DivFOp op) {
      if (isLooseReciprocal(op))
        divisions.push_back(op);
    });
    for (arith::DivFOp op : divisions)
      invert(op);
  }

private:
  /// libtpu's conversions saturate at the bounds of the integers that they
  /// give, and take NaN to 0. That of bf16 to 8 bits is one instruction on a
  /// v6e.
  void convert(arith::SelectOp op, const SaturatingConversion &found) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type type = op.getType();
    bool isUnsigned = !found.isSigned;
    Value input = found.input, result;
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 8) {
      op.replaceAllUsesWith(convertToNarrow(builder, loc, type, found));
      eraseUnused(op);
      ++numConversions;
      return;
    }
    if (auto wide = input.getDefiningOp<arith::ExtFOp>();
        wide && getElementTypeOrSelf(wide.getIn()).isBF16())
      input = wide.getIn();
    if (isUnsigned && getElementTypeOrSelf(type).isInteger(32))
      result = convertToUnsigned(builder, loc, type, found.input);
    else if (isUnsigned)
      result = arith::FPToUIOp::create(builder, loc, type, input);
    else
      result = arith::FPToSIOp::create(builder, loc, type, input);
    op.replaceAllUsesWith(result);
    eraseUnused(op);
    ++numConversions;
  }

  /// Integers of less than 8 bits are cut off from wider ones, so these are
  /// brought into their range first.
  static Value convertToNarrow(OpBuilder &builder, Location loc, Type type,
                               const SaturatingConversion &found) {
    Type wide = withElementType(type, builder.getI32Type());
    Value number =
        arith::FPToSIOp::create(builder, loc, wide, found.input).getResult();
    number = arith::MaxSIOp::create(
        builder, loc, number,
        createInteger(builder, loc, wide, found.smallest));
    number = arith::MinSIOp::create(
        builder, loc, number, createInteger(builder, loc, wide, found.largest));
    return arith::TruncIOp::create(builder, loc, type, number);
  }

  /// The shift instructions of a core take any amount as JAX does, for vectors
  /// and scalars of 32 bits. Narrow elements are shifted in 32 bits. Their
  /// amounts are sign-extended: those out of range remain out of range.
  void saturateShifts() {
    SmallVector<std::pair<Operation *, GuardedShift>> shifts;
    getOperation().walk([&](Operation *op) {
      GuardedShift found = getGuardedShift(op);
      if (!found.amount)
        return;
      auto type = dyn_cast<VectorType>(found.result.getType());
      unsigned width =
          getElementTypeOrSelf(found.result).getIntOrFloatBitWidth();
      if (width == 32 || (type && (width == 16 || width == 8)))
        shifts.emplace_back(op, found);
    });
    for (auto &[op, found] : shifts)
      saturate(op, found);
    numSaturating += shifts.size();
  }

  static void saturate(Operation *op, GuardedShift found) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Type type = found.result.getType();
    Type wide = withElementType(type, builder.getI32Type());
    Value input = op->getOperand(0), amount = found.amount;
    if (wide != type) {
      input =
          isa<arith::ShRUIOp>(op)
              ? arith::ExtUIOp::create(builder, loc, wide, input).getResult()
              : arith::ExtSIOp::create(builder, loc, wide, input);
      amount = arith::ExtSIOp::create(builder, loc, wide, amount);
    }
    Value result = createLike(builder, op, {input, amount}, wide)->getResult(0);
    if (wide != type)
      result = arith::TruncIOp::create(builder, loc, type, result);
    Operation *replaced = found.result.getDefiningOp();
    found.result.replaceAllUsesWith(result);
    eraseUnused(replaced);
  }

  /// A shift by any amount has a result, which the select discards.
  void shift(arith::SelectOp op, Value amount) {
    Operation *shift = op.getTrueValue().getDefiningOp();
    Operation *guard = shift->getOperand(1).getDefiningOp();
    shift->setOperand(1, amount);
    eraseUnused(guard);
    ++numShifts;
  }

  /// No instruction returns unsigned 32-bit integers: numbers of 2^31 or more
  /// are converted without their first bit.
  static Value convertToUnsigned(OpBuilder &builder, Location loc, Type type,
                                 Value input) {
    Value half = createFloat(builder, loc, input.getType(), 0x1p31);
    Value zero = createInteger(builder, loc, type, 0);
    Value firstBit =
        createInteger(builder, loc, type, std::numeric_limits<int32_t>::min());
    Value isLarge = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGE, input, half);
    Value rest = arith::SelectOp::create(
        builder, loc, isLarge, arith::SubFOp::create(builder, loc, input, half),
        input);
    Value number = arith::MaxSIOp::create(
        builder, loc, arith::FPToSIOp::create(builder, loc, type, rest), zero);
    Value first =
        arith::SelectOp::create(builder, loc, isLarge, firstBit, zero);
    return arith::OrIOp::create(builder, loc, number, first);
  }

  /// `|x| < inf` is the opposite of `tpu.weird`.
  void classify(arith::CmpFOp op) {
    OpBuilder builder(op);
    Type type = op.getType();
    auto magnitude = op.getLhs().getDefiningOp<math::AbsFOp>();
    Value isWeird =
        WeirdOp::create(builder, op.getLoc(), type, magnitude.getOperand());
    Value ones = createInteger(builder, op.getLoc(), type, 1);
    op.replaceAllUsesWith(
        arith::XOrIOp::create(builder, op.getLoc(), isWeird, ones).getResult());
    eraseUnused(op);
    ++numClasses;
  }

  /// `afn` is `approx`, and no infinities are not the full range.
  void invert(arith::DivFOp op) {
    OpBuilder builder(op);
    auto has = [&](arith::FastMathFlags flag) {
      return (op.getFastmath() & flag) == flag;
    };
    op.replaceAllUsesWith(ReciprocalOp::create(builder, op.getLoc(),
                                               op.getType(), op.getRhs(),
                                               has(arith::FastMathFlags::afn),
                                               !has(arith::FastMathFlags::ninf))
                              .getResult());
    eraseUnused(op);
    ++numReciprocals;
  }

  /// Erases an op, and those that only it has used.
  static void eraseUnused(Operation *op) {
    SmallVector<Operation *> unused = {op};
    while (!unused.empty()) {
      Operation *next = unused.pop_back_val();
      if (!isOpTriviallyDead(next))
        continue;
      for (Value operand : next->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && operand.hasOneUse())
          unused.push_back(def);
      next->erase();
    }
  }
};

} // namespace
