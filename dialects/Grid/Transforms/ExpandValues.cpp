//===- ExpandValues.cpp - Values that upstream ops can compute ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/Transforms/Rearrange.h"
#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDEXPANDVALUESPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// Rotates by a number that is known: the last elements, and then the others.
Value createRotatedBy(OpBuilder &builder, RotateOp op, int64_t amount) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getSource().getType();
  int64_t dim = op.getDim(), extent = type.getDimSize(dim);
  amount = llvm::mod(amount, extent);
  if (amount == 0)
    return op.getSource();
  SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1));
  Value result = createEmpty(builder, loc, type);
  for (auto [from, to, size] :
       {std::tuple(extent - amount, int64_t(0), amount),
        std::tuple(int64_t(0), amount, extent - amount)}) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = size;
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(builder.getContext(), shape);
    SmallVector<OpFoldResult> source = zeros, target = zeros;
    source[dim] = builder.getIndexAttr(from);
    target[dim] = builder.getIndexAttr(to);
    Value part =
        tensor::ExtractSliceOp::create(builder, loc, type.clone(shape),
                                       op.getSource(), source, sizes, strides);
    result = tensor::InsertSliceOp::create(builder, loc, part, result, target,
                                           sizes, strides);
  }
  return result;
}

/// Numbers of a tensor in another type of the same kind.
Value createConverted(OpBuilder &builder, Location loc, Value value,
                      Type element, bool isUnsigned) {
  auto type = cast<RankedTensorType>(value.getType());
  Type from = type.getElementType();
  if (from == element)
    return value;
  Type to = type.clone(element);
  bool isLonger =
      element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return isLonger ? arith::ExtFOp::create(builder, loc, to, value).getResult()
                    : arith::TruncFOp::create(builder, loc, to, value);
  if (!isLonger)
    return arith::TruncIOp::create(builder, loc, to, value);
  return isUnsigned || from.isInteger(1)
             ? arith::ExtUIOp::create(builder, loc, to, value).getResult()
             : arith::ExtSIOp::create(builder, loc, to, value);
}

/// True for the sums of products of two arrays that have the same dimensions,
/// of the same kind of numbers.
bool isInnerProduct(DotOp dot) {
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType()),
       rhs = cast<RankedTensorType>(dot.getRhs().getType());
  int64_t rank = dot.getLhsBatch().size() + dot.getLhsContract().size();
  Type result = getElementTypeOrSelf(dot.getType());
  auto isLikeResult = [&](Type type) {
    return isa<FloatType>(type) == isa<FloatType>(result) &&
           type.isIntOrFloat();
  };
  return lhs.getRank() == rank && rhs.getRank() == rank &&
         !dot.getLhsContract().empty() && llvm::is_sorted(dot.getLhsBatch()) &&
         isLikeResult(lhs.getElementType()) &&
         isLikeResult(rhs.getElementType()) && result.isIntOrFloat();
}

/// Sums of products, in f32 for shorter floats.
Value createSums(OpBuilder &builder, DotOp dot) {
  Location loc = dot.getLoc();
  Value lhs = dot.getLhs(), rhs = dot.getRhs();
  Type result = getElementTypeOrSelf(dot.getType()), sum = result;
  if (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32)
    sum = builder.getF32Type();
  SmallVector<int64_t> order(cast<RankedTensorType>(lhs.getType()).getRank());
  for (auto [l, r] : llvm::zip_equal(dot.getLhsBatch(), dot.getRhsBatch()))
    order[l] = r;
  for (auto [l, r] :
       llvm::zip_equal(dot.getLhsContract(), dot.getRhsContract()))
    order[l] = r;
  if (!llvm::is_sorted(order)) {
    auto type = cast<RankedTensorType>(rhs.getType());
    Value empty = createEmpty(
        builder, loc,
        type.clone(cast<RankedTensorType>(lhs.getType()).getShape()));
    rhs = linalg::TransposeOp::create(builder, loc, rhs, empty, order)
              ->getResult(0);
  }
  lhs = createConverted(builder, loc, lhs, sum, dot.getUnsignedLhs());
  rhs = createConverted(builder, loc, rhs, sum, dot.getUnsignedRhs());
  Value products =
      isa<FloatType>(sum)
          ? arith::MulFOp::create(builder, loc, lhs, rhs).getResult()
          : arith::MulIOp::create(builder, loc, lhs, rhs);
  SmallVector<int64_t> shape;
  for (int64_t dim : dot.getLhsBatch())
    shape.push_back(cast<RankedTensorType>(lhs.getType()).getDimSize(dim));
  Value zero = createZero(builder, loc, sum),
        empty = createEmpty(builder, loc, RankedTensorType::get(shape, sum)),
        zeros = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  SmallVector<int64_t> contracted(dot.getLhsContract());
  llvm::sort(contracted);
  Value sums = linalg::ReduceOp::create(
                   builder, loc, products, zeros, contracted,
                   [&](OpBuilder &inner, Location at, ValueRange args) {
                     linalg::YieldOp::create(
                         inner, at, createAdd(inner, at, args[0], args[1]));
                   })
                   ->getResult(0);
  Value acc = dot.getAcc();
  if (acc && !isa<RankedTensorType>(acc.getType()))
    acc = tensor::FromElementsOp::create(
        builder, loc, RankedTensorType::get({}, result), acc);
  if (acc)
    sums = createAdd(
        builder, loc,
        createConverted(builder, loc, acc, sum, /*isUnsigned=*/false), sums);
  sums = createConverted(builder, loc, sums, result, /*isUnsigned=*/false);
  if (!isa<RankedTensorType>(dot.getType()))
    sums = tensor::ExtractOp::create(builder, loc, sums, ValueRange());
  return sums;
}

class GridExpandValuesPass
    : public gridir::grid::impl::GridExpandValuesPassBase<
          GridExpandValuesPass> {
public:
  using GridExpandValuesPassBase::GridExpandValuesPassBase;

  void runOnOperation() override {
    getOperation().getBodyRegion().walk([&](Operation *op) {
      OpBuilder builder(op);
      Value value =
          llvm::TypeSwitch<Operation *, Value>(op)
              .Case([&](RotateOp rotate) {
                APInt amount;
                bool isKnown =
                    !rotate.getStride() &&
                    rotate.getSource().getType().getNumElements() != 0 &&
                    matchPattern(rotate.getAmount(), m_ConstantInt(&amount));
                return isKnown ? createRotatedBy(builder, rotate,
                                                 amount.getSExtValue())
                               : createRearranged(builder, rotate);
              })
              .Case([&](BitcastOp bitcast) {
                return createRearranged(builder, bitcast);
              })
              .Case([&](DotOp dot) {
                return isInnerProduct(dot) ? createSums(builder, dot) : Value();
              })
              .Default(Value());
      if (!value)
        return;
      op->replaceAllUsesWith(ValueRange(value));
      op->erase();
      ++numExpanded;
    });
    if (numExpanded == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
