//===- ExpandExtrema.cpp - maxima and minima of floats --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSEXPANDEXTREMAPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

template <typename OpTy> struct ExpandExtremum : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  static constexpr bool kIsMaximum = std::is_same_v<OpTy, arith::MaximumFOp>;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getLhs(), other = op.getRhs();
    APFloat limit(0.0);
    if (matchPattern(value, m_ConstantFloat(&limit)))
      std::swap(value, other);
    if (matchPattern(other, m_ConstantFloat(&limit)) && !limit.isNaN())
      rewriter.replaceOp(
          op, limitTo(rewriter, op.getLoc(), value, other,
                      limit.isZero() && limit.isNegative() != kIsMaximum));
    else
      rewriter.replaceOp(op, expand(rewriter, op.getLoc(), value, other));
    return success();
  }

private:
  /// An ordered comparison, which no NaN satisfies. True if `x` is the better
  /// one, or equal if `orEqual` is set.
  static Value isBetter(OpBuilder &b, Location loc, Value x, Value y,
                        bool orEqual = false) {
    auto better =
        kIsMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    auto notWorse =
        kIsMaximum ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLE;
    return arith::CmpFOp::create(b, loc, orEqual ? notWorse : better, x, y);
  }

  /// A limit that is no NaN replaces what is worse. A zero of the preferred
  /// sign also replaces the other zero.
  static Value limitTo(OpBuilder &b, Location loc, Value value, Value limit,
                       bool orEqual) {
    Value isReplaced = isBetter(b, loc, limit, value, orEqual);
    return arith::SelectOp::create(b, loc, isReplaced, limit, value);
  }

  /// Each order of the operands selects the right one if none is a NaN and they
  /// are not both zeros. The bits of both selections together are those of a
  /// NaN if any operand is one, and of -0 if any zero is negative. A maximum
  /// has a sign only if both operands have one.
  static Value expand(OpBuilder &b, Location loc, Value lhs, Value rhs) {
    Type type = lhs.getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Type bits = b.getIntegerType(width);
    TypedAttr magnitude =
        b.getIntegerAttr(bits, APInt::getSignedMaxValue(width));
    if (auto shaped = dyn_cast<ShapedType>(type)) {
      bits = shaped.clone(bits);
      magnitude = DenseElementsAttr::get(cast<ShapedType>(bits), magnitude);
    }
    auto asBits = [&](Value x) -> Value {
      return arith::BitcastOp::create(b, loc, bits, x);
    };
    auto select = [&](Value x, Value y) -> Value {
      return asBits(
          arith::SelectOp::create(b, loc, isBetter(b, loc, x, y), x, y));
    };
    Value best =
        arith::OrIOp::create(b, loc, select(lhs, rhs), select(rhs, lhs));
    if (kIsMaximum) {
      Value both = arith::AndIOp::create(b, loc, asBits(lhs), asBits(rhs));
      Value kept = arith::OrIOp::create(
          b, loc, both, arith::ConstantOp::create(b, loc, magnitude));
      best = arith::AndIOp::create(b, loc, best, kept);
    }
    return arith::BitcastOp::create(b, loc, type, best);
  }
};

class LoopsExpandExtremaPass
    : public gridir::loops::impl::LoopsExpandExtremaPassBase<
          LoopsExpandExtremaPass> {
public:
  using LoopsExpandExtremaPassBase::LoopsExpandExtremaPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtremum<arith::MaximumFOp>,
                 ExpandExtremum<arith::MinimumFOp>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
