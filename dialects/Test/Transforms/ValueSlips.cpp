//===- ValueSlips.cpp - Ops that compute something else -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Test/Transforms/Slips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gridir::test;

namespace {

using NamePair = std::pair<StringLiteral, StringLiteral>;

/// Makes an op one of another name, with the same operands and attributes.
bool rename(Operation *op, ArrayRef<NamePair> names) {
  const NamePair *found = llvm::find_if(names, [&](const NamePair &pair) {
    return op->getName().getStringRef() == pair.first;
  });
  if (found == names.end())
    return false;
  OpBuilder builder(op);
  OperationState state(op->getLoc(), found->second, op->getOperands(),
                       op->getResultTypes(), op->getAttrs());
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
  return true;
}

bool plantWrongSign(Operation *op) {
  static constexpr NamePair kNames[] = {{"arith.addf", "arith.subf"},
                                        {"arith.subf", "arith.addf"},
                                        {"llvm.fadd", "llvm.fsub"},
                                        {"llvm.fsub", "llvm.fadd"}};
  return rename(op, kNames);
}

bool plantOtherExtremum(Operation *op) {
  static constexpr NamePair kNames[] = {{"arith.maximumf", "arith.minimumf"},
                                        {"arith.maxnumf", "arith.minnumf"},
                                        {"arith.minimumf", "arith.maximumf"},
                                        {"arith.maxsi", "arith.minsi"},
                                        {"arith.minsi", "arith.maxsi"}};
  return rename(op, kNames);
}

bool plantWrongExtension(Operation *op) {
  static constexpr NamePair kNames[] = {{"arith.extsi", "arith.extui"},
                                        {"arith.sitofp", "arith.uitofp"},
                                        {"llvm.sext", "llvm.zext"},
                                        {"llvm.sitofp", "llvm.uitofp"}};
  return rename(op, kNames);
}

bool plantOtherFunction(Operation *op) {
  static constexpr NamePair kNames[] = {{"math.exp", "math.exp2"},
                                        {"math.exp2", "math.exp"},
                                        {"math.sin", "math.cos"},
                                        {"math.rsqrt", "math.sqrt"},
                                        {"math.tanh", "math.erf"}};
  return rename(op, kNames);
}

bool plantProductForSum(Operation *op) {
  static constexpr NamePair kNames[] = {{"arith.addf", "arith.mulf"},
                                        {"arith.mulf", "arith.addf"},
                                        {"llvm.fmul", "llvm.fadd"}};
  return rename(op, kNames);
}

bool plantExchangedOperands(Operation *op) {
  if (!isa<arith::SubFOp, arith::SubIOp, arith::DivFOp, arith::DivSIOp,
           LLVM::FSubOp, LLVM::FDivOp>(op) ||
      op->getOperand(0) == op->getOperand(1))
    return false;
  Value first = op->getOperand(0);
  op->setOperand(0, op->getOperand(1));
  op->setOperand(1, first);
  return true;
}

/// The order that has equality where the other one has none.
std::optional<arith::CmpIPredicate> withOtherEnd(arith::CmpIPredicate order) {
  using P = arith::CmpIPredicate;
  static constexpr std::pair<P, P> kEnds[] = {
      {P::slt, P::sle}, {P::sgt, P::sge}, {P::ult, P::ule}, {P::ugt, P::uge}};
  for (auto [without, with] : kEnds) {
    if (order == without)
      return with;
    if (order == with)
      return without;
  }
  return std::nullopt;
}

bool plantWrongPredicate(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  auto order = compare ? withOtherEnd(compare.getPredicate()) : std::nullopt;
  if (order)
    compare.setPredicate(*order);
  return order.has_value();
}

bool plantNegatedPredicate(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    compare.setPredicate(arith::invertPredicate(compare.getPredicate()));
    return true;
  }
  // The order of floats is turned by turning the operands.
  if (!isa<arith::CmpFOp, LLVM::FCmpOp>(op))
    return false;
  Value first = op->getOperand(0);
  op->setOperand(0, op->getOperand(1));
  op->setOperand(1, first);
  return true;
}

bool plantExchangedChoices(Operation *op) {
  if (!isa<arith::SelectOp, LLVM::SelectOp>(op))
    return false;
  Value first = op->getOperand(1);
  op->setOperand(1, op->getOperand(2));
  op->setOperand(2, first);
  return true;
}

/// Uses an operand instead of a result of its type.
bool passThrough(Operation *op, unsigned operand) {
  if (op->getOperand(operand).getType() != op->getResult(0).getType())
    return false;
  op->replaceAllUsesWith(ValueRange(op->getOperand(operand)));
  op->erase();
  return true;
}

bool plantLostNegation(Operation *op) {
  return isa<arith::NegFOp, LLVM::FNegOp>(op) && passThrough(op, 0);
}

/// The first condition of two, or the first of two offsets.
bool plantLostConjunct(Operation *op) {
  return isa<arith::AndIOp, LLVM::AndOp>(op) && passThrough(op, 0);
}

bool plantLostFactor(Operation *op) {
  return isa<arith::MulFOp, LLVM::FMulOp>(op) && passThrough(op, 0);
}

bool plantLostTerm(Operation *op) {
  return isa<arith::AddFOp, LLVM::FAddOp>(op) && passThrough(op, 1);
}

/// Rounds a result to bf16.
bool plantLostPrecision(Operation *op) {
  if (!isa<arith::AddFOp, arith::MulFOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0)).isF32())
    return false;
  Value result = op->getResult(0);
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Type narrow = builder.getBF16Type();
  if (auto shaped = dyn_cast<ShapedType>(result.getType()))
    narrow = shaped.clone(narrow);
  Value rounded =
      arith::TruncFOp::create(builder, op->getLoc(), narrow, result);
  Value widened =
      arith::ExtFOp::create(builder, op->getLoc(), result.getType(), rounded);
  result.replaceAllUsesExcept(widened, rounded.getDefiningOp());
  return true;
}

/// One more than the constant, wherever a number of it is known.
bool plantWrongConstant(Operation *op) {
  auto attr = op->getAttrOfType<TypedAttr>("value");
  if (!attr || !isa<arith::ConstantOp, LLVM::ConstantOp>(op))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(attr)) {
    if (!isa<FloatType>(splat.getElementType()))
      return false;
    APFloat value = splat.getSplatValue<APFloat>();
    value.add(APFloat(value.getSemantics(), 1), APFloat::rmNearestTiesToEven);
    auto type = cast<ShapedType>(splat.getType());
    op->setAttr("value", DenseElementsAttr::get(type, value));
    return true;
  }
  auto number = dyn_cast<FloatAttr>(attr);
  if (number)
    op->setAttr("value", FloatAttr::get(number.getType(),
                                        number.getValueAsDouble() + 1.0));
  return bool(number);
}

bool plantWrongCombination(Operation *op) {
  auto change = [](auto reduction) {
    using Kind = vector::CombiningKind;
    bool isSum = reduction.getKind() == Kind::ADD;
    if (!isSum && reduction.getKind() != Kind::MAXIMUMF &&
        reduction.getKind() != Kind::MAXNUMF)
      return false;
    Kind other =
        reduction.getKind() == Kind::MAXIMUMF ? Kind::MINIMUMF : Kind::MINNUMF;
    reduction.setKind(isSum ? Kind::MUL : other);
    return true;
  };
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return change(reduction);
  auto reduction = dyn_cast<vector::ReductionOp>(op);
  return reduction && change(reduction);
}

bool plantExchangedInputs(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumDpsInputs() < 2)
    return false;
  Value first = op->getOperand(0), second = op->getOperand(1);
  if (first == second || first.getType() != second.getType())
    return false;
  op->setOperand(0, second);
  op->setOperand(1, first);
  return true;
}

bool plantWrongInitialValue(Operation *op) {
  auto fill = dyn_cast<linalg::FillOp>(op);
  FloatAttr value;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value)))
    return false;
  OpBuilder builder(op);
  double other =
      value.getValue().isInfinity() ? 0.0 : value.getValueAsDouble() + 1;
  op->setOperand(0, arith::ConstantOp::create(
                        builder, op->getLoc(),
                        builder.getFloatAttr(value.getType(), other)));
  return true;
}

constexpr Slip kValueSlips[] = {
    {"wrong-sign", plantWrongSign},
    {"other-extremum", plantOtherExtremum},
    {"wrong-extension", plantWrongExtension},
    {"other-function", plantOtherFunction},
    {"product-for-sum", plantProductForSum},
    {"exchanged-operands", plantExchangedOperands},
    {"wrong-predicate", plantWrongPredicate},
    {"negated-predicate", plantNegatedPredicate},
    {"exchanged-choices", plantExchangedChoices},
    {"lost-negation", plantLostNegation},
    {"lost-conjunct", plantLostConjunct},
    {"lost-factor", plantLostFactor},
    {"lost-term", plantLostTerm},
    {"lost-precision", plantLostPrecision},
    {"wrong-constant", plantWrongConstant},
    {"wrong-combination", plantWrongCombination},
    {"exchanged-inputs", plantExchangedInputs},
    {"wrong-initial-value", plantWrongInitialValue},
};

} // namespace

ArrayRef<Slip> gridir::test::getValueSlips() { return kValueSlips; }
