//===- ComputeOps.cpp - Values that upstream dialects cannot compute ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir::grid;

//===----------------------------------------------------------------------===//
// DotOp
//===----------------------------------------------------------------------===//

/// Checks the dimensions of one side and gives its free ones.
static FailureOr<SmallVector<int64_t>> getFreeDims(DotOp op, StringRef side,
                                                   RankedTensorType type,
                                                   ArrayRef<int64_t> contract,
                                                   ArrayRef<int64_t> batch) {
  llvm::SmallBitVector used(type.getRank());
  for (int64_t d : llvm::concat<const int64_t>(contract, batch)) {
    if (d < 0 || d >= type.getRank() || used.test(d)) {
      op.emitOpError("expected distinct dimensions below ")
          << type.getRank() << " for the " << side << ", got " << d;
      return failure();
    }
    used.set(d);
  }
  SmallVector<int64_t> free;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!used.test(d))
      free.push_back(d);
  return free;
}

LogicalResult DotOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  FailureOr<SmallVector<int64_t>> lhsFree =
      getFreeDims(*this, "lhs", lhs, getLhsContract(), getLhsBatch());
  FailureOr<SmallVector<int64_t>> rhsFree =
      getFreeDims(*this, "rhs", rhs, getRhsContract(), getRhsBatch());
  if (failed(lhsFree) || failed(rhsFree))
    return failure();
  if (getLhsContract().size() != getRhsContract().size() ||
      getLhsBatch().size() != getRhsBatch().size())
    return emitOpError(
        "expected as many dimensions on the left as on the right");
  auto haveEqualSizes = [&](ArrayRef<int64_t> lhsDims,
                            ArrayRef<int64_t> rhsDims) {
    return llvm::all_of(llvm::zip_equal(lhsDims, rhsDims), [&](auto dims) {
      return lhs.getDimSize(std::get<0>(dims)) ==
             rhs.getDimSize(std::get<1>(dims));
    });
  };
  if (!haveEqualSizes(getLhsContract(), getRhsContract()) ||
      !haveEqualSizes(getLhsBatch(), getRhsBatch()))
    return emitOpError(
               "expected contracted and batch dimensions of equal size in ")
           << lhs << " and " << rhs;

  SmallVector<int64_t> shape;
  for (int64_t d : getLhsBatch())
    shape.push_back(lhs.getDimSize(d));
  for (int64_t d : *lhsFree)
    shape.push_back(lhs.getDimSize(d));
  for (int64_t d : *rhsFree)
    shape.push_back(rhs.getDimSize(d));
  auto result = dyn_cast<RankedTensorType>(getType());
  if (result ? result.getShape() != ArrayRef(shape) : !shape.empty())
    return emitOpError("expected a result of shape [")
           << shape << "], got " << getType();
  Type element = getElementTypeOrSelf(getType());
  if (element.isIndex())
    return emitOpError("expected a result of integers, floats or complex "
                       "numbers, got ")
           << getType();
  bool isComplex = llvm::any_of(
      ArrayRef<Type>{lhs.getElementType(), rhs.getElementType(), element},
      llvm::IsaPred<ComplexType>);
  if (isComplex &&
      (lhs.getElementType() != element || rhs.getElementType() != element))
    return emitOpError("expected complex numbers of one type, got ")
           << lhs << ", " << rhs << " and " << getType();
  if (getAcc() && getAcc().getType() != getType())
    return emitOpError("expected acc to have the type of the result, ")
           << getType() << ", got " << getAcc().getType();
  if (getPrecision() && getPrecision()->size() != 2)
    return emitOpError("expected a precision for each side, got ")
           << getPrecision()->size();
  return success();
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  RankedTensorType source = getSource().getType(),
                   result = getResult().getType();
  if (!source.getElementType().isIntOrFloat() ||
      !result.getElementType().isIntOrFloat())
    return emitOpError("expected integers and floats, got ")
           << source << " and " << result;
  int64_t from = source.getElementTypeBitWidth();
  int64_t to = result.getElementTypeBitWidth();
  // The type i0 has no bits.
  if (!from || !to || from == to || std::max(from, to) % std::min(from, to))
    return emitOpError(
               "expected two widths where one is a multiple of the other, got ")
           << source.getElementType() << " and " << result.getElementType();
  if (source.getRank() < 2 || !source.hasStaticShape())
    return emitOpError("expected two dimensions or more of known sizes, got ")
           << source;
  SmallVector<int64_t> shape(source.getShape());
  int64_t &rows = shape[shape.size() - 2];
  if (from < to ? rows % (to / from) != 0
                : bool(llvm::MulOverflow(rows, from / to, rows)))
    return emitOpError("expected whole elements of ")
           << result.getElementType() << ", got " << source;
  if (from < to)
    rows /= to / from;
  if (result.getShape() != ArrayRef(shape))
    return emitOpError("expected a result of ")
           << source.clone(shape, result.getElementType()) << ", got "
           << result;
  return success();
}

LogicalResult RotateOp::verify() {
  RankedTensorType type = getSource().getType();
  auto isDim = [&](uint64_t dim) {
    return dim < static_cast<uint64_t>(type.getRank());
  };
  if (!isDim(getDim()))
    return emitOpError("expected a dimension of ")
           << type << ", got " << static_cast<int64_t>(getDim());
  if (getStride().has_value() != getStrideDim().has_value())
    return emitOpError("expected a stride and its dimension, or neither");
  if (getStrideDim() && (!isDim(*getStrideDim()) || getStrideDim() == getDim()))
    return emitOpError("expected another dimension of ")
           << type << " for the stride, got "
           << static_cast<int64_t>(*getStrideDim());
  return success();
}

OpFoldResult AssumeMultipleOp::fold(FoldAdaptor adaptor) {
  // An assumption about a constant is redundant; a wrong one is kept so that it
  // is visible.
  auto constant = llvm::dyn_cast_if_present<IntegerAttr>(adaptor.getValue());
  if (constant && constant.getInt() % static_cast<int64_t>(getMultiple()) == 0)
    return constant;
  return {};
}

/// Counts the placeholders `{}` and `{:spec}` of a format in Python's syntax,
/// where `{{` and `}}` are escaped braces.
static size_t countPlaceholders(StringRef format) {
  size_t count = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{' && format[i] != '}')
      continue;
    if (i + 1 < format.size() && format[i + 1] == format[i])
      ++i;
    else if (format[i] == '{')
      ++count;
  }
  return count;
}

/// Checks that there is a sign for each value of an op, or for none.
template <typename OpTy> static LogicalResult verifySigns(OpTy op) {
  if (!op.getIsUnsigned().empty() &&
      op.getIsUnsigned().size() != op.getValues().size())
    return op.emitOpError("expected is_unsigned for each of ")
           << op.getValues().size() << " values, got "
           << op.getIsUnsigned().size();
  return success();
}

LogicalResult PrintOp::verify() {
  size_t numPlaceholders = countPlaceholders(getFormat());
  if (numPlaceholders != getValues().size())
    return emitOpError("expected a value for each of ")
           << numPlaceholders << " placeholders in the format, got "
           << getValues().size();
  return verifySigns(*this);
}

LogicalResult CallbackOp::verify() {
  if (getIdentity().empty())
    return emitOpError("expected the identity of a function, got none");
  return verifySigns(*this);
}

LogicalResult AssertOp::verify() {
  // The error report of a call has as many numbers.
  constexpr unsigned maxValues = 2;
  if (getValues().size() > maxValues)
    return emitOpError("expected at most ")
           << maxValues << " integers, got " << getValues().size();
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "the condition is not known to hold");
  rewriter.eraseOp(op);
  return success();
}

bool gridir::grid::usesPrngState(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return isa<PrngStateResource>(effect.getResource());
                      });
}
