//===- Lookups.cpp - Rotations, gathers, argmax and argmin ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace gridir::tpu_to_grid {
namespace {

LogicalResult raiseRotate(tpu::DynamicRotateOp op,
                          tpu::DynamicRotateOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  auto toI64 = [&](std::optional<int32_t> number) {
    return number ? rewriter.getI64IntegerAttr(*number) : IntegerAttr();
  };
  rewriter.replaceOp(op, grid::RotateOp::create(
                             rewriter, op.getLoc(), getTensorType(op.getType()),
                             adaptor.getValue(), adaptor.getAmount(),
                             toI64(op.getDimension()), toI64(op.getStride()),
                             toI64(op.getStrideDimension())));
  return success();
}

/// An index out of bounds is clamped, since a TPU does not report it.
LogicalResult raiseGather(tpu::DynamicGatherOp op,
                          tpu::DynamicGatherOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  if (op.getDimensions().size() != 1)
    return op.emitError(
        "expected a gather along one dimension in an executable module");
  RankedTensorType type = getTensorType(op.getType());
  Value source = adaptor.getSource();
  Value indices = adaptor.getIndices();
  int64_t dim = op.getDimensions().front();
  int64_t extent = cast<RankedTensorType>(source.getType()).getDimSize(dim);
  auto element = [&](OpBuilder &builder, Location loc,
                     ArrayRef<Value> coordinates) {
    Value index = tensor::ExtractOp::create(builder, loc, indices, coordinates);
    index = toIndex(builder, loc, index);
    Value first = createIndex(builder, loc, 0);
    Value last = createIndex(builder, loc, extent - 1);
    index = arith::MaxSIOp::create(builder, loc, index, first);
    index = arith::MinSIOp::create(builder, loc, index, last);
    SmallVector<Value> from(coordinates);
    from[dim] = index;
    return tensor::ExtractOp::create(builder, loc, source, from).getResult();
  };
  rewriter.replaceOp(op, createElements(rewriter, op.getLoc(), type, element));
  return success();
}

/// Returns the index of the first extreme element; NaN counts as more extreme
/// than any number.
LogicalResult raiseReduceIndex(tpu::ReduceIndexOp op,
                               tpu::ReduceIndexOp::Adaptor adaptor,
                               Rewriter &rewriter) {
  Location loc = op.getLoc();
  bool isMax = op.getKind() == tpu::ReductionKind::ArgMax;
  RankedTensorType type = getTensorType(op.getType());
  Value source = adaptor.getInput();
  auto sourceType = cast<RankedTensorType>(source.getType());
  auto element = cast<FloatType>(sourceType.getElementType());
  int64_t rank = sourceType.getRank(), axis = op.getAxis();
  Value worst = arith::ConstantOp::create(
      rewriter, loc,
      rewriter.getFloatAttr(
          element, APFloat::getInf(element.getFloatSemantics(), isMax)));
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  auto bestType = RankedTensorType::get(type.getShape(), element);
  Value best = createFill(rewriter, loc, worst, bestType);
  Value bestIndex = createFill(rewriter, loc, zero, type);
  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> loops;
  for (int64_t dim = 0; dim < rank; ++dim) {
    loops.push_back(dim == axis ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
    if (dim != axis)
      kept.push_back(rewriter.getAffineDimExpr(dim));
  }
  auto identity = AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  auto projection = AffineMap::get(rank, 0, kept, op.getContext());
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange{bestType, type}, ValueRange{source},
      ValueRange{best, bestIndex}, ArrayRef{identity, projection, projection},
      loops, [&](OpBuilder &inner, Location at, ValueRange values) {
        using Predicate = arith::CmpFPredicate;
        auto compare = [&](Predicate predicate, Value a, Value b) -> Value {
          return arith::CmpFOp::create(inner, at, predicate, a, b);
        };
        auto both = [&](Value a, Value b) -> Value {
          return arith::AndIOp::create(inner, at, a, b);
        };
        auto either = [&](Value a, Value b) -> Value {
          return arith::OrIOp::create(inner, at, a, b);
        };
        Value here = arith::IndexCastOp::create(
            inner, at, type.getElementType(),
            linalg::IndexOp::create(inner, at, axis).getResult());
        Value isNaN = compare(Predicate::UNO, values[0], values[0]);
        Value isBestNumber = compare(Predicate::ORD, values[1], values[1]);
        Value better = either(compare(isMax ? Predicate::OGT : Predicate::OLT,
                                      values[0], values[1]),
                              both(isNaN, isBestNumber));
        // The order in which elements come is unspecified.
        Value isEqual = compare(Predicate::UEQ, values[0], values[1]);
        Value isBestNaN = compare(Predicate::UNO, values[1], values[1]);
        Value isSame = arith::CmpIOp::create(
            inner, at, arith::CmpIPredicate::eq, isNaN, isBestNaN);
        Value isEarlier = arith::CmpIOp::create(
            inner, at, arith::CmpIPredicate::slt, here, values[2]);
        better = either(better, both(both(isEqual, isSame), isEarlier));
        Value results[] = {
            arith::SelectOp::create(inner, at, better, values[0], values[1]),
            arith::SelectOp::create(inner, at, better, here, values[2])};
        linalg::YieldOp::create(inner, at, results);
      });
  rewriter.replaceOp(op, generic.getResult(1));
  return success();
}

} // namespace

void populateLookupPatterns(ConversionPatterns &patterns) {
  patterns.add(raiseRotate);
  patterns.add(raiseGather);
  patterns.add(raiseReduceIndex);
}

} // namespace gridir::tpu_to_grid
