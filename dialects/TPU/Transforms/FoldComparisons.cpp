//===- FoldComparisons.cpp - Comparisons of fewer instructions ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Transforms/FoldComparisons.h"

#include "dialects/Support/Builders.h"
#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::tpu;

namespace {

/// Returns the value that a bool negates.
Value getOpposite(Value value) {
  auto opposite = value.getDefiningOp<arith::XOrIOp>();
  if (!opposite || !getElementTypeOrSelf(opposite).isInteger(1) ||
      !matchPattern(opposite.getRhs(), m_One()))
    return {};
  return opposite.getLhs();
}

/// A select on a negated condition becomes a select with exchanged operands.
struct FoldSelectOfNot : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value opposite = getOpposite(op.getCondition());
    if (!opposite)
      return failure();
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, opposite, op.getFalseValue(), op.getTrueValue());
    return success();
  }
};

/// A select on a conjunction of two negations is the exchanged select on the
/// disjunction.
struct FoldSelectOfNeither : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto both = op.getCondition().getDefiningOp<arith::AndIOp>();
    if (!both || !both->hasOneUse())
      return failure();
    Value lhs = getOpposite(both.getLhs()), rhs = getOpposite(both.getRhs());
    if (!lhs || !rhs)
      return failure();
    Value either = arith::OrIOp::create(rewriter, op.getLoc(), lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, either, op.getFalseValue(),
                                                 op.getTrueValue());
    return success();
  }
};

/// Returns the operand of a comparison with zero.
template <typename CompareOp, typename Predicate, typename ZeroMatcher>
Value getComparedWithZero(Value value, Predicate predicate, ZeroMatcher zero) {
  auto compare = value.getDefiningOp<CompareOp>();
  if (!compare || compare.getPredicate() != predicate ||
      !matchPattern(compare.getRhs(), zero))
    return {};
  return compare.getLhs();
}

/// A number that is limited to a bound differs from it if it is on the inner
/// side of it. What limits it on that side, as in a sign, makes no difference.
struct FoldLimitIsBound : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    auto limited = op.getLhs().getDefiningOp<arith::MinSIOp>();
    APInt bound, least;
    if (!limited || limited.getRhs() != op.getRhs() ||
        !matchPattern(op.getRhs(), m_ConstantInt(&bound)) ||
        (op.getPredicate() != Predicate::ne &&
         op.getPredicate() != Predicate::eq))
      return failure();
    Value value = limited.getLhs();
    if (auto inner = value.getDefiningOp<arith::MaxSIOp>();
        inner && matchPattern(inner.getRhs(), m_ConstantInt(&least)) &&
        least.slt(bound))
      value = inner.getLhs();
    Predicate predicate =
        op.getPredicate() == Predicate::ne ? Predicate::slt : Predicate::sge;
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, value,
                                               op.getRhs());
    return success();
  }
};

/// One of two integers is negative where the sign of their bits' difference is.
struct FoldSignsDiffer : OpRewritePattern<arith::XOrIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::XOrIOp op,
                                PatternRewriter &rewriter) const override {
    auto getTested = [](Value value) {
      return getComparedWithZero<arith::CmpIOp>(
          value, arith::CmpIPredicate::slt, m_Zero());
    };
    Value lhs = getTested(op.getLhs()), rhs = getTested(op.getRhs());
    if (!lhs || !rhs || lhs.getType() != rhs.getType() ||
        !isa<VectorType>(lhs.getType()) ||
        !getElementTypeOrSelf(lhs).isInteger(32))
      return failure();
    Value bits = arith::XOrIOp::create(rewriter, op.getLoc(), lhs, rhs);
    Value zero = createInteger(rewriter, op.getLoc(), lhs.getType(), 0);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::slt,
                                               bits, zero);
    return success();
  }
};

/// A remainder gets the sign of its divisor: the divisor is added to one that
/// is not zero and has the other sign, which is one that is negative once its
/// sign is changed by the divisor's. A remainder by NaN or zero is NaN,
/// whatever is added.
struct FoldRemainderSign : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto rest = op.getFalseValue().getDefiningOp<arith::RemFOp>();
    auto sum = op.getTrueValue().getDefiningOp<arith::AddFOp>();
    auto type = dyn_cast<VectorType>(op.getType());
    auto both = op.getCondition().getDefiningOp<arith::AndIOp>();
    if (!rest || !sum || !both || !type || !type.getElementType().isF32())
      return failure();
    Value divisor = rest.getRhs();
    if (!areBoth(sum.getLhs(), sum.getRhs(), rest, divisor))
      return failure();
    auto getTested = [](Value value, arith::CmpFPredicate predicate) {
      return value ? getComparedWithZero<arith::CmpFOp>(value, predicate,
                                                        m_AnyZeroFloat())
                   : Value();
    };
    auto isNotZero = [&](Value value) {
      return getTested(value, arith::CmpFPredicate::UNE) == rest;
    };
    auto isOtherSign = [&](Value value) {
      auto signs = value.getDefiningOp<arith::XOrIOp>();
      return signs &&
             areBoth(getTested(signs.getLhs(), arith::CmpFPredicate::OLT),
                     getTested(signs.getRhs(), arith::CmpFPredicate::OLT), rest,
                     divisor);
    };
    if (!(isOtherSign(both.getLhs()) && isNotZero(both.getRhs())) &&
        !(isOtherSign(both.getRhs()) && isNotZero(both.getLhs())))
      return failure();
    Location loc = op.getLoc();
    Type bits = type.clone(rewriter.getI32Type());
    Value sign = arith::AndIOp::create(
        rewriter, loc, BitcastOp::create(rewriter, loc, bits, divisor),
        createInteger(rewriter, loc, bits, INT32_MIN));
    Value changed = arith::XOrIOp::create(
        rewriter, loc, BitcastOp::create(rewriter, loc, bits, rest), sign);
    Value isNegative = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT,
        BitcastOp::create(rewriter, loc, type, changed),
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type)));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNegative, sum, rest);
    return success();
  }

private:
  static bool areBoth(Value a, Value b, Value one, Value other) {
    return (a == one && b == other) || (a == other && b == one);
  }
};

/// True if an op combines a bool with 32-bit numbers.
bool isWideUse(Operation *user) {
  if (!isa<arith::ExtUIOp, arith::SelectOp, arith::UIToFPOp>(user))
    return false;
  Type element = getElementTypeOrSelf(user->getResult(0));
  return element.isInteger(32) || element.isF32();
}

/// A byte is less than a power of two if its other bits are zero. Where the
/// result selects bytes, no operand has to be widened.
struct FoldByteBelow : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getLhs().getType());
    APInt bound;
    if (!type || !type.getElementType().isInteger(8) ||
        op.getPredicate() != arith::CmpIPredicate::ult ||
        !matchPattern(op.getRhs(), m_ConstantInt(&bound)) ||
        !bound.isPowerOf2() || op.use_empty() ||
        !llvm::all_of(op->getUsers(), isSelectOfBytes))
      return failure();
    Value mask =
        createInteger(rewriter, op.getLoc(), type, (-bound).getSExtValue());
    Value bits =
        arith::AndIOp::create(rewriter, op.getLoc(), op.getLhs(), mask);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, arith::CmpIPredicate::eq, bits,
        createInteger(rewriter, op.getLoc(), type, 0));
    return success();
  }

private:
  static bool isSelectOfBytes(Operation *user) {
    return isa<arith::SelectOp>(user) &&
           getElementTypeOrSelf(user->getResult(0)).isInteger(8);
  }
};

/// Compares narrow integers in 32 bits if the result is only used with 32-bit
/// values. Widening the operands is cheaper than widening the result, which
/// Mosaic rejects for a select between two constants. For 8 bits there are two
/// operands to widen, but only one result. Mosaic compares 4-bit integers in no
/// other way.
struct WidenCompareForUse : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getLhs().getType());
    if (!type || !type.getElementType().isInteger() || !isWorthIt(op, type))
      return failure();
    Type wide = type.clone(rewriter.getI32Type());
    APInt number;
    auto widen = [&](Value value) -> Value {
      if (matchPattern(value, m_ConstantInt(&number)))
        return createInteger(rewriter, op.getLoc(), wide,
                             number.getSExtValue());
      return arith::ExtSIOp::create(rewriter, op.getLoc(), wide, value);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(), lhs, rhs);
    return success();
  }

private:
  static bool isWorthIt(arith::CmpIOp op, VectorType type) {
    using Predicate = arith::CmpIPredicate;
    unsigned width = type.getElementTypeBitWidth();
    bool isEquality = op.getPredicate() == Predicate::eq ||
                      op.getPredicate() == Predicate::ne;
    if (op.use_empty() || op.getPredicate() >= Predicate::ult)
      return false;
    if (isEquality && width > 1 && width < 8)
      return true;
    return (width == 16 || (isEquality && width == 8 &&
                            matchPattern(op.getRhs(), m_Constant()))) &&
           llvm::all_of(op->getUsers(), isWideUse);
  }
};

/// The same for floats.
struct WidenFloatCompareForUse : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getLhs().getType());
    if (!type || !type.getElementType().isBF16() || op.use_empty() ||
        !llvm::all_of(op->getUsers(), isWideUse))
      return failure();
    Type wide = type.clone(rewriter.getF32Type());
    APFloat number(0.0f);
    auto widen = [&](Value value) -> Value {
      if (matchPattern(value, m_ConstantFloat(&number)))
        return createFloat(rewriter, op.getLoc(), wide,
                           number.convertToDouble());
      return arith::ExtFOp::create(rewriter, op.getLoc(), wide, value);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, op.getPredicate(), lhs, rhs);
    return success();
  }
};

} // namespace

void gridir::tpu::populateFoldComparisonPatterns(RewritePatternSet &patterns) {
  // Before the comparison of unsigned numbers is expanded.
  patterns.add<FoldByteBelow>(patterns.getContext(), /*benefit=*/2);
  // Before narrow limits are expanded.
  patterns.add<FoldLimitIsBound>(patterns.getContext(), /*benefit=*/2);
  patterns.add<FoldSelectOfNot, FoldSelectOfNeither, FoldSignsDiffer,
               FoldRemainderSign, WidenCompareForUse, WidenFloatCompareForUse>(
      patterns.getContext());
}
