//===- LowerLogistic.cpp - The logistic function without a division -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPULOWERLOGISTICPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::tpu;

namespace {

bool isOne(Value value) { return matchPattern(value, m_OneFloat()); }

/// The other operand of a sum if one is 1.
Value getBesideOne(arith::AddFOp add) {
  if (isOne(add.getLhs()))
    return add.getRhs();
  return isOne(add.getRhs()) ? add.getLhs() : Value();
}

/// `x` where a value is `-x`.
Value getNegated(Value value) {
  if (auto negation = value.getDefiningOp<arith::NegFOp>())
    return negation.getOperand();
  auto difference = value.getDefiningOp<arith::SubFOp>();
  if (difference && matchPattern(difference.getLhs(), m_AnyZeroFloat()))
    return difference.getRhs();
  return {};
}

/// `x` where a quotient is `1 / (1 + exp(-x))`.
Value getLogisticArgument(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!isOne(op.getLhs()) || !sum)
    return {};
  Value term = getBesideOne(sum);
  auto exponential = term ? term.getDefiningOp<math::ExpOp>() : math::ExpOp();
  return exponential ? getNegated(exponential.getOperand()) : Value();
}

/// `0.5 * tanh(0.5 * x) + 0.5`.
Value createThroughTanh(OpBuilder &builder, Location loc, Value argument) {
  auto type = cast<VectorType>(argument.getType());
  Value half = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type,
                             builder.getFloatAttr(type.getElementType(), 0.5)));
  Value value = arith::MulFOp::create(builder, loc, argument, half);
  value = math::TanhOp::create(builder, loc, value);
  value = arith::MulFOp::create(builder, loc, value, half);
  return arith::AddFOp::create(builder, loc, value, half);
}

/// True if the unit computes elements of a type. Mosaic's conversion of other
/// types is not known.
bool isOfUnit(Type element) { return element.isF32() || element.isBF16(); }

class TPULowerLogisticPass
    : public gridir::tpu::impl::TPULowerLogisticPassBase<TPULowerLogisticPass> {
public:
  using TPULowerLogisticPassBase::TPULowerLogisticPassBase;

  void runOnOperation() override {
    auto core = getOperation()->getAttrOfType<CoreTypeAttr>(kCoreTypeName);
    // The SparseCores have no unit.
    bool hasUnit = useUnit && (!core || core.getValue() == CoreType::Tc);
    getOperation().walk([&](arith::DivFOp op) {
      Value argument = getLogisticArgument(op);
      auto type = dyn_cast<VectorType>(op.getType());
      if (!argument || !type)
        return;
      OpBuilder builder(op);
      if (hasUnit && isOfUnit(type.getElementType())) {
        op.replaceAllUsesWith(
            LogisticOp::create(builder, op.getLoc(), argument).getResult());
        ++numUnits;
      } else {
        op.replaceAllUsesWith(
            createThroughTanh(builder, op.getLoc(), argument));
        ++numTanhs;
      }
      op.erase();
    });
  }
};

} // namespace
