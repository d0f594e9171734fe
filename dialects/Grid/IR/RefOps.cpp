//===- RefOps.cpp - Views of Refs, loads and stores -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/RefList.h"
#include "dialects/Grid/IR/RefTypes.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gridir::grid;

/// The value that a Ref holds: a scalar for rank 0, else a tensor.
static Type getValueType(MemRefType ref) {
  if (ref.getRank() == 0)
    return ref.getElementType();
  return RankedTensorType::get(ref.getShape(), ref.getElementType());
}

/// The layout of a value over threads does not affect its Ref.
static Type dropEncoding(Type value) {
  auto tensor = dyn_cast<RankedTensorType>(value);
  return tensor ? Type(tensor.dropEncoding()) : value;
}

static LogicalResult verifyValue(Operation *op, MemRefType ref, Type value) {
  Type expected = getValueType(ref);
  if (dropEncoding(value) != expected)
    return op->emitOpError("expected the value of a Ref of type ")
           << ref << " to be " << expected << ", got " << value;
  return success();
}

/// A mask has the shape of the value that it masks.
static LogicalResult verifyMask(Operation *op, Type value, Value mask) {
  if (!mask)
    return success();
  Type i1 = IntegerType::get(op->getContext(), 1);
  auto tensor = dyn_cast<RankedTensorType>(value);
  Type expected = tensor ? Type(tensor.clone(i1)) : i1;
  if (mask.getType() != expected)
    return op->emitOpError("expected a mask of type ")
           << expected << ", got " << mask.getType();
  return success();
}

static LogicalResult verifyOther(Operation *op, Type value, Value other) {
  if (other && other.getType() != value)
    return op->emitOpError("expected other to be of type ")
           << value << ", got " << other.getType();
  return success();
}

/// A view stays in the memory space of its source.
static LogicalResult verifySpace(Operation *op, MemRefType source,
                                 MemRefType result) {
  if (source.getMemorySpace() != result.getMemorySpace())
    return op->emitOpError(
               "expected the result to keep the memory space of its source, ")
           << source << ", got " << result;
  if (!result.getLayout().isIdentity())
    return op->emitOpError("expected a result of identity layout, got ")
           << result;
  return success();
}

static LogicalResult verifyResult(Operation *op, MemRefType source,
                                  ArrayRef<int64_t> shape, MemRefType result) {
  if (result.getShape() != shape ||
      source.getElementType() != result.getElementType())
    return op->emitOpError("expected a result of type ")
           << MemRefType::get(shape, source.getElementType(),
                              MemRefLayoutAttrInterface(),
                              source.getMemorySpace())
           << ", got " << result;
  return verifySpace(op, source, result);
}

//===----------------------------------------------------------------------===//
// SliceRefOp
//===----------------------------------------------------------------------===//

ParseResult SliceRefOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> offsets;
  SmallVector<int64_t> staticOffsets, sizes, strides, dropped;
  Builder &builder = parser.getBuilder();
  auto parseNumbers = [&](SmallVectorImpl<int64_t> &numbers) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(numbers.emplace_back());
    });
  };
  if (parser.parseOperand(source) ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() -> ParseResult {
            int64_t number = ShapedType::kDynamic;
            OptionalParseResult parsed = parser.parseOptionalInteger(number);
            staticOffsets.push_back(parsed.has_value() ? number
                                                       : ShapedType::kDynamic);
            return parsed.has_value()
                       ? ParseResult(*parsed)
                       : parser.parseOperand(offsets.emplace_back());
          }) ||
      parseNumbers(sizes) || parseNumbers(strides) ||
      (succeeded(parser.parseOptionalKeyword("drop")) &&
       parseNumbers(dropped)) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addAttribute(getStaticOffsetsAttrName(result.name),
                      builder.getDenseI64ArrayAttr(staticOffsets));
  result.addAttribute(getSizesAttrName(result.name),
                      builder.getDenseI64ArrayAttr(sizes));
  result.addAttribute(getStridesAttrName(result.name),
                      builder.getDenseI64ArrayAttr(strides));
  if (!dropped.empty())
    result.addAttribute(getDroppedAttrName(result.name),
                        builder.getDenseI64ArrayAttr(dropped));

  SMLoc loc = parser.getCurrentLocation();
  Type sourceType, resultType;
  SmallVector<Type> offsetTypes;
  if (parser.parseColonType(sourceType))
    return failure();
  for (size_t i = 0; i < offsets.size(); ++i)
    if (parser.parseComma() || parser.parseType(offsetTypes.emplace_back()))
      return failure();
  if (parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(offsets, offsetTypes, loc, result.operands))
    return failure();
  result.addTypes(resultType);
  return success();
}

void SliceRefOp::print(OpAsmPrinter &printer) {
  auto printNumbers = [&](ArrayRef<int64_t> numbers) {
    printer << " [";
    llvm::interleaveComma(numbers, printer);
    printer << ']';
  };
  printer << ' ' << getSource() << '[';
  unsigned next = 0;
  llvm::interleaveComma(getStaticOffsets(), printer, [&](int64_t offset) {
    if (ShapedType::isDynamic(offset) && next < getOffsets().size())
      printer << getOffsets()[next++];
    else
      printer << offset;
  });
  printer << ']';
  printNumbers(getSizes());
  printNumbers(getStrides());
  if (!getDropped().empty()) {
    printer << " drop";
    printNumbers(getDropped());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getStaticOffsetsAttrName(), getSizesAttrName(),
                                 getStridesAttrName(), getDroppedAttrName()});
  printer << " : " << getSource().getType();
  for (Type type : getOffsets().getTypes())
    printer << ", " << type;
  printer << " -> " << getType();
}

std::optional<SmallVector<ViewDim>> SliceRefOp::getViewDims() {
  SmallVector<ViewDim> dims;
  auto dynamics = getOffsets().begin();
  unsigned kept = 0;
  for (auto [dim, pair] :
       llvm::enumerate(llvm::zip(getStaticOffsets(), getStrides()))) {
    auto [offset, stride] = pair;
    ViewDim &next = dims.emplace_back();
    next.offset =
        ShapedType::isDynamic(offset)
            ? OpFoldResult(*dynamics++)
            : OpFoldResult(Builder(getContext()).getIndexAttr(offset));
    next.stride = stride;
    if (!llvm::is_contained(getDropped(), static_cast<int64_t>(dim)))
      next.dim = kept++;
  }
  return dims;
}

LogicalResult SliceRefOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getType());
  int64_t rank = source.getRank();
  for (auto [name, count] :
       {std::pair<StringRef, int64_t>("offsets", getStaticOffsets().size()),
        std::pair<StringRef, int64_t>("sizes", getSizes().size()),
        std::pair<StringRef, int64_t>("strides", getStrides().size())})
    if (count != rank)
      return emitOpError("expected ")
             << rank << " " << name << ", got " << count;
  size_t numDynamic = llvm::count_if(getStaticOffsets(), ShapedType::isDynamic);
  if (getOffsets().size() != numDynamic)
    return emitOpError("expected ")
           << numDynamic << " dynamic offsets, got " << getOffsets().size();

  for (int64_t d = 0; d < rank; ++d) {
    int64_t offset = getStaticOffsets()[d], size = getSizes()[d],
            stride = getStrides()[d];
    if (size < 0 || stride < 1)
      return emitOpError("expected a non-negative size and a positive stride "
                         "in dimension ")
             << d << ", got " << size << " and " << stride;
    // Products of strides and sizes must fit 64 bits.
    if (!llvm::isInt<32>(stride))
      return emitOpError("expected a stride that fits 32 bits in dimension ")
             << d << ", got " << stride;
    // At most one position is inside, wherever the window begins.
    if (ShapedType::isDynamic(offset) && !source.isDynamicDim(d) && size > 1 &&
        stride > source.getDimSize(d))
      return emitOpError("expected a stride of at most the ")
             << source.getDimSize(d) << " positions of dimension " << d
             << ", got " << stride;
    if (ShapedType::isDynamic(offset) || source.isDynamicDim(d) || size == 0)
      continue;
    int64_t last;
    if (offset < 0 || llvm::MulOverflow(size - 1, stride, last) ||
        llvm::AddOverflow(offset, last, last) || last >= source.getDimSize(d))
      return emitOpError("expected a window inside dimension ")
             << d << " of size " << source.getDimSize(d) << ", got offset "
             << offset << ", size " << size << " and stride " << stride;
  }
  SmallVector<int64_t> shape(getSizes());
  SmallVector<int64_t> dropped(getDropped());
  for (auto [i, d] : llvm::enumerate(dropped)) {
    if (d < 0 || d >= rank || (i > 0 && d <= dropped[i - 1]))
      return emitOpError("expected ascending dimensions below ")
             << rank << " in drop, got " << d;
    if (shape[d] != 1)
      return emitOpError("expected a dropped dimension of size 1, got ")
             << shape[d] << " in dimension " << d;
  }
  for (int64_t d : llvm::reverse(dropped))
    shape.erase(shape.begin() + d);
  return verifyResult(*this, source, shape, result);
}

//===----------------------------------------------------------------------===//
// Other views
//===----------------------------------------------------------------------===//

LogicalResult BitcastRefOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getType());
  if (!source.getElementType().isIntOrFloat() ||
      !result.getElementType().isIntOrFloat())
    return emitOpError("expected integer or float elements, got ")
           << source << " and " << result;
  SmallVector<int64_t> shape(source.getShape());
  int64_t from = source.getElementTypeBitWidth(),
          to = result.getElementTypeBitWidth();
  if (from != to) {
    if (shape.empty())
      return emitOpError(
                 "expected elements of one width in a Ref of rank 0, got ")
             << source << " and " << result;
    int64_t &rows = shape[shape.size() > 1 ? shape.size() - 2 : 0];
    // The type i0 has no bits, and outside of a kernel the number of rows may
    // overflow.
    int64_t bits;
    if (ShapedType::isDynamic(rows) || to == 0 ||
        llvm::MulOverflow(rows, from, bits) || bits % to != 0)
      return emitOpError("expected ")
             << rows << " rows of " << from << " bits to be whole elements of "
             << to << " bits";
    rows = bits / to;
  }
  if (result.getShape() != ArrayRef(shape))
    return emitOpError("expected a result of shape [")
           << shape << "], got " << result;
  return verifySpace(*this, source, result);
}

LogicalResult ReshapeRefOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected one element type, got ")
           << source << " and " << result;
  if (!gridir::isCountable(source.getShape()) ||
      !gridir::isCountable(result.getShape()))
    return emitOpError("expected at most ")
           << gridir::kMaxElements << " elements, got " << source << " and "
           << result;
  if (!source.hasStaticShape() || !result.hasStaticShape())
    return emitOpError("expected static shapes, got ")
           << source << " and " << result;
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expected ")
           << source.getNumElements() << " elements, got "
           << result.getNumElements();
  return verifySpace(*this, source, result);
}

std::optional<SmallVector<ViewDim>> TransposeRefOp::getViewDims() {
  OpFoldResult zero = Builder(getContext()).getIndexAttr(0);
  SmallVector<ViewDim> dims(getPermutation().size(), {zero, 1, std::nullopt});
  for (auto [dim, from] : llvm::enumerate(getPermutation()))
    dims[from].dim = dim;
  return dims;
}

LogicalResult TransposeRefOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (static_cast<int64_t>(getPermutation().size()) != source.getRank() ||
      !isPermutationVector(getPermutation()))
    return emitOpError("expected a permutation of ")
           << source.getRank() << " dimensions, got [" << getPermutation()
           << "]";
  return verifyResult(*this, source,
                      applyPermutation(source.getShape(), getPermutation()),
                      cast<MemRefType>(getType()));
}

LogicalResult SelectRefOp::verify() {
  if (getSources().empty())
    return emitOpError("expected at least one Ref");
  for (Type type : getSources().getTypes())
    if (type != getType())
      return emitOpError("expected sources of the result's type, ")
             << getType() << ", got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  return success(succeeded(verifyValue(*this, getRef().getType(), getType())) &&
                 succeeded(verifyMask(*this, getType(), getMask())) &&
                 succeeded(verifyOther(*this, getType(), getOther())));
}

LogicalResult StoreOp::verify() {
  return success(
      succeeded(verifyValue(*this, getRef().getType(), getValue().getType())) &&
      succeeded(verifyMask(*this, getValue().getType(), getMask())));
}

LogicalResult AccumulateOp::verify() {
  return success(
      succeeded(verifyValue(*this, getRef().getType(), getValue().getType())) &&
      succeeded(verifyMask(*this, getValue().getType(), getMask())));
}

/// Checks the indices of a gather or scatter, and its mask.
static LogicalResult verifyIndices(Operation *op, MemRefType ref,
                                   ValueRange indices, ArrayRef<int64_t> dims,
                                   Value mask) {
  if (indices.empty() || indices.size() != dims.size())
    return op->emitOpError("expected an index tensor for each of ")
           << dims.size() << " dimensions, at least one, got "
           << indices.size();
  auto first = cast<RankedTensorType>(indices.front().getType());
  for (Value index : indices) {
    auto type = cast<RankedTensorType>(index.getType());
    if (!type.getElementType().isSignlessIntOrIndex() || !type.hasStaticShape())
      return op->emitOpError(
                 "expected integer index tensors of static shape, got ")
             << type;
    if (type.getShape() != first.getShape())
      return op->emitOpError("expected index tensors of one shape, got ")
             << first << " and " << type;
  }
  for (auto [i, d] : llvm::enumerate(dims))
    if (d < 0 || d >= ref.getRank() || (i > 0 && d <= dims[i - 1]))
      return op->emitOpError("expected ascending dimensions below ")
             << ref.getRank() << ", got " << d;
  return verifyMask(op, first, mask);
}

/// Checks also the type of the value.
static LogicalResult verifyIndexed(Operation *op, MemRefType ref,
                                   ValueRange indices, ArrayRef<int64_t> dims,
                                   Type value, Value mask) {
  if (failed(verifyIndices(op, ref, indices, dims, mask)))
    return failure();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(indices.front().getType()).getShape());
  for (int64_t d = 0; d < ref.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      shape.push_back(ref.getDimSize(d));
  Type expected =
      shape.empty() ? ref.getElementType()
                    : Type(RankedTensorType::get(shape, ref.getElementType()));
  if (dropEncoding(value) != expected)
    return op->emitOpError("expected a value of type ")
           << expected << ", got " << value;
  return success();
}

LogicalResult GatherOp::verify() {
  return success(
      succeeded(verifyIndexed(*this, getRef().getType(), getIndices(),
                              getDims(), getType(), getMask())) &&
      succeeded(verifyOther(*this, getType(), getOther())));
}

LogicalResult ScatterOp::verify() {
  return verifyIndexed(*this, getRef().getType(), getIndices(), getDims(),
                       getValue().getType(), getMask());
}

LogicalResult RecordAccessOp::verify() {
  if (getIndices().empty() && getDims().empty())
    return verifyMask(*this, getValueType(getRef().getType()), getMask());
  return verifyIndices(*this, getRef().getType(), getIndices(), getDims(),
                       getMask());
}

LogicalResult AtomicRmwOp::verify() {
  return success(
      succeeded(verifyValue(*this, getRef().getType(), getValue().getType())) &&
      succeeded(verifyMask(*this, getValue().getType(), getMask())));
}

LogicalResult AtomicCasOp::verify() {
  return verifyValue(*this, getRef().getType(), getValue().getType());
}
