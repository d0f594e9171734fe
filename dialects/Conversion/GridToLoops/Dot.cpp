//===- Dot.cpp - Contractions ---------------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

/// Extends a number to a wider type; signless integers are signed by default.
Value createWidened(OpBuilder &builder, Location loc, Value value, Type type,
                    bool isUnsigned) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (isa<FloatType>(type)) {
    if (isa<FloatType>(from)) {
      if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
        return arith::TruncFOp::create(builder, loc, type, value);
      return arith::ExtFOp::create(builder, loc, type, value);
    }
    if (isUnsigned)
      return arith::UIToFPOp::create(builder, loc, type, value);
    return arith::SIToFPOp::create(builder, loc, type, value);
  }
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, value);
  if (isUnsigned || from.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value createMultiply(OpBuilder &builder, Location loc, Value a, Value b) {
  Type type = a.getType();
  if (isa<ComplexType>(type))
    return complex::MulOp::create(builder, loc, a, b);
  if (isa<FloatType>(type))
    return arith::MulFOp::create(builder, loc, a, b);
  return arith::MulIOp::create(builder, loc, a, b);
}

/// The indexing maps of a dot, with the loops in this order: batch dimensions,
/// free dimensions of the left and of the right operand, contracted dimensions.
struct DotLoops {
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
};

DotLoops getDotLoops(DotOp dot) {
  MLIRContext *context = dot.getContext();
  unsigned rankL = cast<RankedTensorType>(dot.getLhs().getType()).getRank();
  unsigned rankR = cast<RankedTensorType>(dot.getRhs().getType()).getRank();
  SmallVector<AffineExpr> lhs(rankL), rhs(rankR), result;
  DotLoops loops;
  unsigned next = 0;
  auto addLoop = [&](utils::IteratorType iterator) {
    loops.iterators.push_back(iterator);
    return getAffineDimExpr(next++, context);
  };
  for (auto [l, r] : llvm::zip_equal(dot.getLhsBatch(), dot.getRhsBatch())) {
    lhs[l] = rhs[r] = addLoop(utils::IteratorType::parallel);
    result.push_back(lhs[l]);
  }
  for (auto [l, r] :
       llvm::zip_equal(dot.getLhsContract(), dot.getRhsContract()))
    lhs[l] = rhs[r] = getAffineDimExpr(0, context); // Its loop comes last.
  for (unsigned l = 0; l < rankL; ++l)
    if (!lhs[l])
      result.push_back(lhs[l] = addLoop(utils::IteratorType::parallel));
  for (unsigned r = 0; r < rankR; ++r)
    if (!rhs[r])
      result.push_back(rhs[r] = addLoop(utils::IteratorType::parallel));
  for (auto [l, r] :
       llvm::zip_equal(dot.getLhsContract(), dot.getRhsContract()))
    lhs[l] = rhs[r] = addLoop(utils::IteratorType::reduction);
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef(lhs), ArrayRef(rhs), ArrayRef(result)})
    loops.maps.push_back(AffineMap::get(next, 0, exprs, context));
  return loops;
}

class DotPattern : public LoweringPattern<DotOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DotOp dot,
                                PatternRewriter &rewriter) const override {
    Location loc = dot.getLoc();
    Type result = getElementTypeOrSelf(dot.getResult().getType());
    // Narrow floats are summed in f32 and rounded once, as XLA does.
    Type sum = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32
                   ? rewriter.getF32Type()
                   : result;
    if (failed(checkAlgorithm(dot)))
      return failure();
    DotLoops loops = getDotLoops(dot);

    Value init;
    if (dot.getAcc()) {
      init = createElementwise(rewriter, loc,
                               withElementType(dot.getAcc().getType(), sum),
                               dot.getAcc(), widen(sum));
      if (sum == result)
        init = dot.getAcc();
    } else {
      SmallVector<int64_t> shape;
      if (auto type = dyn_cast<RankedTensorType>(dot.getResult().getType()))
        llvm::append_range(shape, type.getShape());
      Value empty = tensor::EmptyOp::create(rewriter, loc, shape, sum);
      Value zero = createZero(rewriter, loc, sum);
      init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    }
    Value value = createContraction(dot, loops, init, rewriter);
    if (sum != result)
      value = createElementwise(rewriter, loc,
                                withElementType(value.getType(), result), value,
                                widen(result));
    if (!isa<RankedTensorType>(dot.getResult().getType()))
      value = toScalar(rewriter, loc, value);
    rewriter.replaceOp(dot, value);
    return success();
  }

private:
  static std::function<Value(OpBuilder &, Location, ValueRange)>
  widen(Type type) {
    return [type](OpBuilder &builder, Location loc, ValueRange args) {
      return createWidened(builder, loc, args[0], type, /*isUnsigned=*/false);
    };
  }

  /// A CPU multiplies in the type of the accumulator, which is at least as
  /// precise as every precision or algorithm requires; XLA's CPU backend does
  /// the same.
  LogicalResult checkAlgorithm(DotOp dot) const {
    StringRef algorithm = dot.getAlgorithm().value_or("DEFAULT");
    if (llvm::is_contained(
            {"DEFAULT", "F32_F32_F32", "F64_F64_F64", "TF32_TF32_F32",
             "TF32_TF32_F32_X3", "BF16_BF16_F32", "BF16_BF16_BF16",
             "BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "BF16_BF16_F32_X9",
             "F16_F16_F32", "F16_F16_F16", "ANY_F8_ANY_F8_F32",
             "ANY_F8_ANY_F8_F32_FAST_ACCUM", "ANY_F8_ANY_F8_ANY",
             "ANY_F8_ANY_F8_ANY_FAST_ACCUM"},
            algorithm))
      return success();
    return lowering.fail(dot, "expected a dot algorithm of JAX, got '" +
                                  algorithm + "'");
  }

  /// Creates `linalg.contract` if it can express the product, otherwise a
  /// generic op.
  static Value createContraction(DotOp dot, const DotLoops &loops, Value init,
                                 PatternRewriter &rewriter) {
    Value lhs = dot.getLhs(), rhs = dot.getRhs();
    Location loc = dot.getLoc();
    Type sum = getElementTypeOrSelf(init.getType());
    auto isInteger = [](Value value) {
      return isa<IntegerType>(getElementTypeOrSelf(value.getType()));
    };
    bool sameSign = dot.getUnsignedLhs() == dot.getUnsignedRhs();
    bool isBool = getElementTypeOrSelf(lhs.getType()).isInteger(1) ||
                  getElementTypeOrSelf(rhs.getType()).isInteger(1);
    bool isMixed =
        isInteger(lhs) != isInteger(rhs) || isInteger(lhs) != isInteger(init);
    if (!dot.getLhsContract().empty() && sameSign && !isBool && !isMixed) {
      SmallVector<NamedAttribute> attributes;
      if (dot.getUnsignedLhs())
        attributes.push_back(rewriter.getNamedAttr(
            "cast", linalg::TypeFnAttr::get(dot.getContext(),
                                            linalg::TypeFn::cast_unsigned)));
      auto contract = linalg::ContractOp::create(
          rewriter, loc, init.getType(), ValueRange{lhs, rhs}, init,
          rewriter.getAffineMapArrayAttr(loops.maps), attributes);
      return contract->getResult(0);
    }
    auto generic = linalg::GenericOp::create(
        rewriter, loc, init.getType(), ValueRange{lhs, rhs}, init, loops.maps,
        loops.iterators,
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          Value l =
              createWidened(builder, loc, args[0], sum, dot.getUnsignedLhs());
          Value r =
              createWidened(builder, loc, args[1], sum, dot.getUnsignedRhs());
          Value product = createMultiply(builder, loc, l, r);
          linalg::YieldOp::create(builder, loc,
                                  createAdd(builder, loc, args[2], product));
        });
    return generic.getResult(0);
  }
};

} // namespace

void populateDotPatterns(RewritePatternSet &patterns,
                         KernelLowering &lowering) {
  patterns.add<DotPattern>(patterns.getContext(), lowering);
}

} // namespace gridir
