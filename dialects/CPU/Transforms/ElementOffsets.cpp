//===- ElementOffsets.cpp - where a write is in its array -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ElementOffsets.h"

#include "dialects/Support/CountableTypes.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace gridir::cpu;

namespace {

/// The maximum depth of ops that the analysis follows.
constexpr unsigned kMaxDepth = 16;

int64_t multiply(int64_t lhs, int64_t rhs) {
  int64_t product;
  // Any divisor of either is one of the product.
  return llvm::MulOverflow(lhs, rhs, product) ? std::max(lhs, rhs) : product;
}

int64_t getDivisor(Value number, unsigned depth);

int64_t getDivisor(AffineExpr expr, ValueRange operands, unsigned numDims,
                   unsigned depth) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getDivisor(operands[dim.getPosition()], depth);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getDivisor(operands[numDims + symbol.getPosition()], depth);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = getDivisor(binary.getLHS(), operands, numDims, depth);
  int64_t rhs = getDivisor(binary.getRHS(), operands, numDims, depth);
  if (expr.getKind() == AffineExprKind::Add)
    return std::gcd(lhs, rhs);
  return expr.getKind() == AffineExprKind::Mul ? multiply(lhs, rhs) : 1;
}

/// A number that divides `number`; 0 for zero.
int64_t getDivisor(Value number, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant == std::numeric_limits<int64_t>::min()
               ? 1
               : std::abs(*constant);
  if (depth == 0)
    return 1;
  auto of = [&](Value value) { return getDivisor(value, depth - 1); };
  if (isa<BlockArgument>(number)) {
    auto loop = dyn_cast<scf::ForOp>(number.getParentBlock()->getParentOp());
    if (!loop || number != loop.getInductionVar())
      return 1;
    return std::gcd(of(loop.getLowerBound()), of(loop.getStep()));
  }
  Operation *op = number.getDefiningOp();
  if (isa<arith::MulIOp>(op))
    return multiply(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::MinUIOp, arith::MaxUIOp>(op))
    return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return std::gcd(of(select.getTrueValue()), of(select.getFalseValue()));
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return of(op->getOperand(0));
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    map = max.getAffineMap();
  else
    return 1;
  int64_t divisor = 0;
  for (AffineExpr result : map.getResults())
    divisor = std::gcd(divisor, getDivisor(result, op->getOperands(),
                                           map.getNumDims(), depth - 1));
  return divisor;
}

int64_t getDivisor(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::abs(*constant);
  return getDivisor(cast<Value>(number), kMaxDepth);
}

/// Calls `visit` with each term of the position and its factor. Returns the
/// array, or null for an unknown kind of view.
Value visitTerms(VectorTransferOpInterface access,
                 function_ref<void(OpFoldResult, int64_t)> visit) {
  auto visitAll = [&](Value memref, ArrayRef<OpFoldResult> indices) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = dyn_cast<MemRefType>(memref.getType());
    if (!type || failed(type.getStridesAndOffset(strides, offset)))
      return false;
    for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
      // Only the absence of zero is known of a dynamic stride.
      visit(index, ShapedType::isDynamic(stride) ? 1 : stride);
    }
    return true;
  };
  Value memref = access.getBase();
  if (!visitAll(memref, getAsOpFoldResult(access.getIndices())))
    return {};
  while (Operation *view = memref.getDefiningOp()) {
    if (auto subview = dyn_cast<memref::SubViewOp>(view)) {
      if (!visitAll(subview.getSource(), subview.getMixedOffsets()))
        return {};
      memref = subview.getSource();
    } else if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp,
                   memref::CastOp>(view)) {
      memref = cast<ViewLikeOpInterface>(view).getViewSource();
    } else if (isa<memref::AllocOp, memref::AllocaOp>(view)) {
      return memref;
    } else {
      return {};
    }
  }
  return memref;
}

/// Arithmetic modulo 2^64, like that of addresses.
int64_t multiplyModulo(int64_t lhs, int64_t rhs) {
  return static_cast<uint64_t>(lhs) * static_cast<uint64_t>(rhs);
}

int64_t addModulo(int64_t lhs, int64_t rhs) {
  return static_cast<uint64_t>(lhs) + static_cast<uint64_t>(rhs);
}

void addTerms(Value number, int64_t factor, unsigned depth,
              ElementPosition &position);

void addTerms(affine::AffineApplyOp apply, int64_t factor, unsigned depth,
              ElementPosition &position) {
  AffineMap map = apply.getAffineMap();
  SmallVector<int64_t> coefficients;
  // Of the dimensions and the symbols, and the constant. There are more for
  // quotients and remainders.
  if (failed(getFlattenedAffineExpr(map.getResult(0), map.getNumDims(),
                                    map.getNumSymbols(), &coefficients)) ||
      coefficients.size() != apply.getNumOperands() + 1) {
    position.terms.push_back({apply.getResult(), factor});
    return;
  }
  for (auto [operand, coefficient] :
       llvm::zip(apply.getOperands(), coefficients))
    if (coefficient != 0)
      addTerms(operand, multiplyModulo(coefficient, factor), depth - 1,
               position);
  position.constant =
      addModulo(position.constant, multiplyModulo(coefficients.back(), factor));
}

/// Adds the terms of `number` times `factor`; the terms of one number are one.
void addTerms(Value number, int64_t factor, unsigned depth,
              ElementPosition &position) {
  if (std::optional<int64_t> constant = getConstantIntValue(number)) {
    position.constant =
        addModulo(position.constant, multiplyModulo(*constant, factor));
    return;
  }
  Operation *op = depth == 0 ? nullptr : number.getDefiningOp();
  if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op))
    return addTerms(apply, factor, depth, position);
  if (isa_and_present<arith::AddIOp>(op)) {
    for (Value operand : op->getOperands())
      addTerms(operand, factor, depth - 1, position);
    return;
  }
  if (auto product = dyn_cast_if_present<arith::MulIOp>(op))
    if (std::optional<int64_t> constant = getConstantIntValue(product.getRhs()))
      return addTerms(product.getLhs(), multiplyModulo(*constant, factor),
                      depth - 1, position);
  auto term = llvm::find_if(position.terms,
                            [&](auto &other) { return other.first == number; });
  if (term == position.terms.end())
    position.terms.push_back({number, factor});
  else
    term->second = addModulo(term->second, factor);
}

bool hasTerm(Value number, Value variable, unsigned depth);

bool hasTerm(AffineExpr expr, ValueRange operands, unsigned numDims,
             Value variable, unsigned depth) {
  auto of = [&](AffineExpr part) {
    return hasTerm(part, operands, numDims, variable, depth);
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return hasTerm(operands[dim.getPosition()], variable, depth);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return hasTerm(operands[numDims + symbol.getPosition()], variable, depth);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return of(binary.getLHS()) || of(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() != 0 && of(binary.getLHS());
}

bool hasTerm(Value number, Value variable, unsigned depth) {
  if (number == variable)
    return true;
  Operation *op = number.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto of = [&](unsigned operand) {
    return hasTerm(op->getOperand(operand), variable, depth - 1);
  };
  auto isFactor = [&](unsigned operand) {
    std::optional<int64_t> constant =
        getConstantIntValue(op->getOperand(operand));
    return constant && *constant != 0;
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return of(0) || of(1);
  if (isa<arith::MulIOp>(op))
    return (isFactor(1) && of(0)) || (isFactor(0) && of(1));
  if (isa<arith::IndexCastOp>(op))
    return of(0);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return hasTerm(apply.getAffineMap().getResult(0), op->getOperands(),
                   apply.getAffineMap().getNumDims(), variable, depth - 1);
  return false;
}

} // namespace

int64_t gridir::cpu::getAddressDivisor(vector::TransferWriteOp write) {
  int64_t divisor = 0;
  auto access = cast<VectorTransferOpInterface>(write.getOperation());
  Value root = visitTerms(access, [&](OpFoldResult number, int64_t stride) {
    divisor = std::gcd(divisor, multiply(getDivisor(number), stride));
  });
  return root ? divisor : 1;
}

SmallVector<Value>
gridir::cpu::getAddressNumbers(vector::TransferWriteOp write) {
  SmallVector<Value> numbers;
  auto access = cast<VectorTransferOpInterface>(write.getOperation());
  Value root = visitTerms(access, [&](OpFoldResult number, int64_t) {
    if (auto value = dyn_cast<Value>(number))
      numbers.push_back(value);
  });
  return root ? numbers : SmallVector<Value>();
}

std::optional<gridir::cpu::ElementPosition>
gridir::cpu::getElementPosition(VectorTransferOpInterface access) {
  ElementPosition position;
  position.root = visitTerms(access, [&](OpFoldResult number, int64_t factor) {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      position.constant =
          addModulo(position.constant, multiplyModulo(*constant, factor));
    else
      addTerms(cast<Value>(number), factor, kMaxDepth, position);
  });
  if (!position.root)
    return std::nullopt;
  llvm::erase_if(position.terms, [](auto &term) { return term.second == 0; });
  return position;
}

std::optional<gridir::cpu::ElementPosition>
gridir::cpu::getContiguousPosition(VectorTransferOpInterface access) {
  auto base = dyn_cast<MemRefType>(access.getBase().getType());
  if (!base || base.getRank() == 0 || !base.getElementType().isIntOrFloat() ||
      access.getVectorType().getRank() != 1 ||
      access.getVectorType().isScalable() ||
      !access.getPermutationMap().isMinorIdentity() ||
      !base.isLastDimUnitStride())
    return std::nullopt;
  return getElementPosition(access);
}

std::optional<int64_t> gridir::cpu::getBytes(Type array) {
  auto type = dyn_cast<MemRefType>(array);
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<int64_t> elements = gridir::countPoints(type.getShape());
  int64_t bytes, element = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (!elements || llvm::MulOverflow(*elements, element, bytes))
    return std::numeric_limits<int64_t>::max();
  return bytes;
}

bool gridir::cpu::isLargeOperand(Value root, int64_t leastBytes) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return false;
  std::optional<int64_t> bytes = getBytes(root.getType());
  return bytes && *bytes >= leastBytes;
}

bool gridir::cpu::growsWith(Value number, Value variable) {
  return hasTerm(number, variable, kMaxDepth);
}
