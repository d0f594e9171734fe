//===- OperandAttr.cpp - The array operands of a kernel -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace gridir::grid;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

Attribute OperandAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  OperandAttr attr = parseBody(parser);
  if (!attr || parser.parseGreater())
    return {};
  return attr;
}

void OperandAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}

/// dim ::= integer | `?` identifier
static ParseResult parseShape(AsmParser &parser,
                              SmallVectorImpl<Attribute> &shape) {
  Builder builder(parser.getContext());
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          std::string symbol;
          if (parser.parseKeywordOrString(&symbol))
            return failure();
          shape.push_back(builder.getStringAttr(symbol));
          return success();
        }
        int64_t size = 0;
        if (parser.parseInteger(size))
          return failure();
        shape.push_back(builder.getI64IntegerAttr(size));
        return success();
      });
}

/// Parses the name of a space of `grid`, or the attribute of another dialect.
static ParseResult parseSpace(AsmParser &parser,
                              MemorySpaceAttrInterface &space) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  Attribute attr;
  if (succeeded(parser.parseOptionalKeyword(&name))) {
    std::optional<MemorySpace> neutral = symbolizeMemorySpace(name);
    if (!neutral)
      return parser.emitError(loc, "expected a memory space, got ") << name;
    space = MemorySpaceAttr::get(parser.getContext(), *neutral);
    return success();
  }
  if (parser.parseAttribute(attr))
    return failure();
  space = dyn_cast<MemorySpaceAttrInterface>(attr);
  if (!space)
    return parser.emitError(loc, "expected a memory space, got ") << attr;
  return success();
}

OperandAttr OperandAttr::parseBody(AsmParser &parser,
                                   function_ref<ParseResult()> parseIndexMap) {
  MLIRContext *context = parser.getContext();
  auto emitError = [&, loc = parser.getCurrentLocation()] {
    return parser.emitError(loc);
  };
  Type elementType;
  SmallVector<Attribute> shape;
  if (parser.parseType(elementType) || parseShape(parser, shape))
    return {};

  SmallVector<BlockDimAttr> block;
  // An array of rank 0 has the empty block whether or not it is written.
  if (succeeded(parser.parseOptionalKeyword("block"))) {
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              block.push_back(BlockDimAttr::parseBody(parser));
              return success(static_cast<bool>(block.back()));
            }))
      return {};
  }
  if (parseIndexMap && parseIndexMap())
    return {};
  MemorySpaceAttrInterface space = getDefaultSpace(context);
  if (succeeded(parser.parseOptionalKeyword("space")) &&
      parseSpace(parser, space))
    return {};
  PipelineModeAttr pipeline;
  if (succeeded(parser.parseOptionalKeyword("pipeline"))) {
    pipeline = llvm::dyn_cast_if_present<PipelineModeAttr>(
        PipelineModeAttr::parse(parser, {}));
    if (!pipeline)
      return {};
  }
  SmallVector<TransformAttr> transforms;
  if (succeeded(parser.parseOptionalKeyword("transforms"))) {
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              auto transform = llvm::dyn_cast_if_present<TransformAttr>(
                  TransformAttr::parse(parser, {}));
              transforms.push_back(transform);
              return success(static_cast<bool>(transform));
            }))
      return {};
  }
  StringAttr origin, indexTree;
  if (succeeded(parser.parseOptionalKeyword("origin")) &&
      parser.parseAttribute(origin))
    return {};
  if (succeeded(parser.parseOptionalKeyword("index_tree")) &&
      parser.parseAttribute(indexTree))
    return {};
  return getChecked(emitError, context, elementType,
                    ArrayAttr::get(context, shape), ArrayRef(block), space,
                    pipeline, ArrayRef(transforms), origin, indexTree);
}

void OperandAttr::printBody(AsmPrinter &printer,
                            function_ref<void()> printIndexMap) const {
  printer << getElementType() << " [";
  llvm::interleaveComma(getShape(), printer, [&](Attribute dim) {
    if (auto size = dyn_cast<IntegerAttr>(dim)) {
      printer << size.getInt();
      return;
    }
    printer << '?';
    printer.printKeywordOrString(cast<StringAttr>(dim).getValue());
  });
  printer << ']';
  if (!getBlock().empty()) {
    printer << " block [";
    llvm::interleaveComma(getBlock(), printer,
                          [&](BlockDimAttr dim) { dim.printBody(printer); });
    printer << ']';
  }
  if (printIndexMap)
    printIndexMap();
  if (auto space = dyn_cast<MemorySpaceAttr>(getSpace()); !space)
    printer << " space " << getSpace();
  else if (!isDefaultSpace(space))
    printer << " space " << stringifyMemorySpace(space.getValue());
  if (getPipeline()) {
    printer << " pipeline ";
    getPipeline().print(printer);
  }
  if (!getTransforms().empty()) {
    printer << " transforms [";
    llvm::interleaveComma(
        getTransforms(), printer,
        [&](TransformAttr transform) { transform.print(printer); });
    printer << ']';
  }
  if (getOrigin())
    printer << " origin " << getOrigin();
  if (getIndexTree())
    printer << " index_tree " << getIndexTree();
}

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type elementType, ArrayAttr shape,
                                  ArrayRef<BlockDimAttr> block,
                                  MemorySpaceAttrInterface, PipelineModeAttr,
                                  ArrayRef<TransformAttr>, StringAttr origin,
                                  StringAttr) {
  StringRef name = origin ? origin.getValue() : "operand";
  if (!isa<IntegerType, FloatType, ComplexType, SemaphoreType>(elementType))
    return emitError() << "expected " << name
                       << " to have an integer, float, complex or semaphore "
                          "element type, got "
                       << elementType;
  for (Attribute dim : shape) {
    auto size = dyn_cast<IntegerAttr>(dim);
    if (!size && !isa<StringAttr>(dim))
      return emitError() << "expected a dimension of " << name
                         << " to be a number or a symbol, got " << dim;
    if (size && size.getInt() < 0)
      return emitError() << "expected a non-negative dimension of " << name
                         << ", got " << size.getInt();
  }
  if (!block.empty() && block.size() != shape.size())
    return emitError() << "expected the block of " << name
                       << " to have the rank of its array, " << shape.size()
                       << ", got " << block.size();
  for (auto [i, dim] : llvm::enumerate(block))
    if (ShapedType::isDynamic(dim.getSize()) && !isa<StringAttr>(shape[i]))
      return emitError() << "expected dimension " << i << " of the block of "
                         << name << " to have a static size, as its array has";
  auto extents = llvm::map_to_vector(shape, [](Attribute dim) {
    auto size = dyn_cast<IntegerAttr>(dim);
    return size ? size.getInt() : ShapedType::kDynamic;
  });
  auto sizes = llvm::map_to_vector(
      block, [](BlockDimAttr dim) { return dim.getSize(); });
  for (ArrayRef<int64_t> counted : {ArrayRef(extents), ArrayRef(sizes)})
    if (!gridir::isCountable(counted))
      return emitError() << "expected " << name << " and its block to have at "
                         << "most " << gridir::kMaxElements << " elements";
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

SmallVector<int64_t> OperandAttr::getArrayShape() const {
  return llvm::map_to_vector(getShape(), [](Attribute dim) -> int64_t {
    auto size = dyn_cast<IntegerAttr>(dim);
    return size ? size.getInt() : ShapedType::kDynamic;
  });
}

/// The type that values have inside a kernel, where integers have no sign.
static Type getSignlessType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth())
                 : type;
}

RankedTensorType OperandAttr::getArrayType() const {
  return RankedTensorType::get(getArrayShape(),
                               getSignlessType(getElementType()));
}

SmallVector<BlockDimAttr> OperandAttr::getBlockDims() const {
  if (!getBlock().empty())
    return SmallVector<BlockDimAttr>(getBlock());
  return llvm::map_to_vector(getArrayShape(), [&](int64_t size) {
    return BlockDimAttr::get(getContext(), BlockKind::Blocked, size, 0, 0);
  });
}

SmallVector<int64_t> OperandAttr::getBlockShape() const {
  if (getBlock().empty())
    return getArrayShape();
  return llvm::map_to_vector(getBlock(),
                             [](BlockDimAttr dim) { return dim.getSize(); });
}

/// The shape of a Ref after one transform of its block.
static SmallVector<int64_t> applyTransform(SmallVector<int64_t> shape,
                                           TransformAttr transform) {
  ArrayRef<int64_t> values = transform.getValues();
  if (transform.getKind() == TransformKind::Transpose &&
      values.size() == shape.size())
    return applyPermutation(ArrayRef<int64_t>(shape), values);
  if (transform.getKind() == TransformKind::Tiling &&
      values.size() <= shape.size()) {
    size_t first = shape.size() - values.size();
    for (auto [i, tile] : llvm::enumerate(values))
      shape[first + i] /= tile;
    shape.append(values.begin(), values.end());
  }
  return shape;
}

MemRefType OperandAttr::getRefType() const {
  SmallVector<int64_t> shape;
  if (getBlock().empty())
    shape = getArrayShape();
  for (BlockDimAttr dim : getBlock())
    if (!dim.isSqueezed())
      shape.push_back(dim.getSize());
  for (TransformAttr transform : getTransforms())
    shape = applyTransform(std::move(shape), transform);
  return MemRefType::get(shape, getSignlessType(getElementType()),
                         MemRefLayoutAttrInterface(), getSpace());
}

unsigned OperandAttr::getNumIndices() const {
  if (getBlock().empty())
    return getRank();
  unsigned count = 0;
  for (BlockDimAttr dim : getBlock())
    count += dim.getNumIndices();
  return count;
}

std::string OperandAttr::getName(StringRef fallback) const {
  return getOrigin() ? getOrigin().getValue().str() : fallback.str();
}
