//===- GridAttrs.cpp - Attributes of the grid dialect ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

#define GET_ATTRDEF_CLASSES
#include "dialects/Grid/IR/GridAttrs.cpp.inc"

void GridDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Grid/IR/GridAttrs.cpp.inc"
      >();
}

/// Parses the text between `<` and `>` with the attribute's own `parseBody`.
template <typename AttrTy> static Attribute parseInAngles(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  AttrTy attr = AttrTy::parseBody(parser);
  if (!attr || parser.parseGreater())
    return {};
  return attr;
}

template <typename AttrTy>
static void printInAngles(AttrTy attr, AsmPrinter &printer) {
  printer << '<';
  attr.printBody(printer);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// DimAttr
//===----------------------------------------------------------------------===//

Attribute DimAttr::parse(AsmParser &parser, Type) {
  return parseInAngles<DimAttr>(parser);
}
void DimAttr::print(AsmPrinter &printer) const {
  printInAngles(*this, printer);
}

DimAttr DimAttr::parseBody(AsmParser &parser) {
  int64_t size = ShapedType::kDynamic;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalQuestion())) {
    if (parser.parseInteger(size))
      return {};
    if (size < 0) {
      parser.emitError(loc, "expected a non-negative number of programs, got ")
          << size;
      return {};
    }
  }
  StringAttr name;
  if (succeeded(parser.parseOptionalKeyword("named")) &&
      parser.parseAttribute(name))
    return {};
  bool vmapped = succeeded(parser.parseOptionalKeyword("vmapped"));
  DimKind kind = DimKind::Grid;
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(
          &keyword, {"grid", "cluster", "thread", "core", "subcore"})))
    kind = *symbolizeDimKind(keyword);
  return DimAttr::get(parser.getContext(), size, name, vmapped, kind);
}

void DimAttr::printBody(AsmPrinter &printer) const {
  if (isDynamic())
    printer << '?';
  else
    printer << getSize();
  if (getName())
    printer << " named " << getName();
  if (getVmapped())
    printer << " vmapped";
  if (getKind() != DimKind::Grid)
    printer << ' ' << stringifyDimKind(getKind());
}

//===----------------------------------------------------------------------===//
// BlockDimAttr
//===----------------------------------------------------------------------===//

Attribute BlockDimAttr::parse(AsmParser &parser, Type) {
  return parseInAngles<BlockDimAttr>(parser);
}
void BlockDimAttr::print(AsmPrinter &printer) const {
  printInAngles(*this, printer);
}

BlockDimAttr BlockDimAttr::parseBody(AsmParser &parser) {
  MLIRContext *context = parser.getContext();
  auto emitError = [&, loc = parser.getCurrentLocation()] {
    return parser.emitError(loc);
  };
  int64_t size = 0, low = 0, high = 0;
  OptionalParseResult blocked = parser.parseOptionalInteger(size);
  if (blocked.has_value())
    return failed(*blocked) ? BlockDimAttr()
                            : getChecked(emitError, context, BlockKind::Blocked,
                                         size, low, high);
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return {};
  if (keyword == "squeezed")
    return getChecked(emitError, context, BlockKind::Squeezed, 1, low, high);
  std::optional<BlockKind> kind =
      llvm::StringSwitch<std::optional<BlockKind>>(keyword)
          .Case("element", BlockKind::Element)
          .Case("slice", BlockKind::BoundedSlice)
          .Case("indirect", BlockKind::Indirect)
          .Default(std::nullopt);
  if (!kind) {
    emitError()
        << "expected a number, squeezed, element, slice or indirect, got "
        << keyword;
    return {};
  }
  if (parser.parseLParen() || parser.parseInteger(size))
    return {};
  if (kind == BlockKind::Element && succeeded(parser.parseOptionalComma()) &&
      (parser.parseInteger(low) || parser.parseComma() ||
       parser.parseInteger(high)))
    return {};
  if (parser.parseRParen())
    return {};
  return getChecked(emitError, context, *kind, size, low, high);
}

void BlockDimAttr::printBody(AsmPrinter &printer) const {
  switch (getKind()) {
  case BlockKind::Blocked:
    printer << getSize();
    return;
  case BlockKind::Squeezed:
    printer << "squeezed";
    return;
  case BlockKind::Element:
    printer << "element(" << getSize();
    if (getPadLow() != 0 || getPadHigh() != 0)
      printer << ", " << getPadLow() << ", " << getPadHigh();
    printer << ')';
    return;
  case BlockKind::BoundedSlice:
    printer << "slice(" << getSize() << ')';
    return;
  case BlockKind::Indirect:
    printer << "indirect(" << getSize() << ')';
    return;
  }
}

LogicalResult BlockDimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   BlockKind kind, int64_t size, int64_t padLow,
                                   int64_t padHigh) {
  // The whole of a symbolic dimension is a block of dynamic size.
  bool isSymbolic = kind == BlockKind::Blocked && ShapedType::isDynamic(size);
  if (size < 0 && !isSymbolic)
    return emitError() << "expected a non-negative block size, got " << size;
  if (kind == BlockKind::Squeezed && size != 1)
    return emitError() << "expected a squeezed dimension of size 1, got "
                       << size;
  if (padLow < 0 || padHigh < 0)
    return emitError() << "expected non-negative padding, got " << padLow
                       << " and " << padHigh;
  if (kind != BlockKind::Element && (padLow != 0 || padHigh != 0))
    return emitError() << "expected padding on an element dimension only";
  return success();
}

//===----------------------------------------------------------------------===//
// PipelineModeAttr and TransformAttr
//===----------------------------------------------------------------------===//

Attribute PipelineModeAttr::parse(AsmParser &parser, Type) {
  auto emitError = [&, loc = parser.getCurrentLocation()] {
    return parser.emitError(loc);
  };
  int64_t buffers = 0;
  bool lookahead = false;
  std::optional<RevisitMode> revisit;
  std::optional<int64_t> writeBuffers;
  int64_t prefetched = 0;
  if (parser.parseLess() || parser.parseInteger(buffers))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "lookahead") {
      lookahead = true;
      continue;
    }
    if (keyword == "write_buffers" || keyword == "prefetched") {
      int64_t count = 0;
      if (parser.parseEqual() || parser.parseInteger(count))
        return {};
      if (keyword == "prefetched")
        prefetched = count;
      else
        writeBuffers = count;
      continue;
    }
    StringRef mode;
    if (keyword != "revisit" || parser.parseEqual() ||
        parser.parseKeyword(&mode)) {
      emitError() << "expected lookahead, revisit, write_buffers or "
                     "prefetched, got "
                  << keyword;
      return {};
    }
    revisit = symbolizeRevisitMode(mode);
    if (!revisit) {
      emitError() << "expected immediate or any, got " << mode;
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked(emitError, parser.getContext(), buffers, lookahead, revisit,
                    writeBuffers, prefetched);
}

void PipelineModeAttr::print(AsmPrinter &printer) const {
  printer << '<' << getBuffers();
  if (getLookahead())
    printer << ", lookahead";
  if (getRevisit())
    printer << ", revisit = " << stringifyRevisitMode(*getRevisit());
  if (getWriteBuffers())
    printer << ", write_buffers = " << *getWriteBuffers();
  if (getPrefetched() != 0)
    printer << ", prefetched = " << getPrefetched();
  printer << '>';
}

LogicalResult
PipelineModeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t buffers, bool, std::optional<RevisitMode>,
                         std::optional<int64_t> writeBuffers,
                         int64_t prefetched) {
  if (buffers < 1)
    return emitError() << "expected at least one buffer, got " << buffers;
  if (writeBuffers && *writeBuffers < 1)
    return emitError() << "expected at least one write buffer, got "
                       << *writeBuffers;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (buffers > most || writeBuffers.value_or(0) > most)
    return emitError() << "expected at most " << most << " buffers, got "
                       << std::max(buffers, writeBuffers.value_or(0));
  if (prefetched < 0 || prefetched > buffers)
    return emitError() << "expected at most " << buffers
                       << " prefetched blocks, got " << prefetched;
  return success();
}

LogicalResult
OperandMemoryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          StringAttr name, StringAttr space, int64_t blockBytes,
                          int64_t buffers, std::optional<int64_t> fetches) {
  for (int64_t number : {blockBytes, buffers, fetches.value_or(0)})
    if (number < 0)
      return emitError() << "expected no negative number in the memory of "
                         << name << ", got " << number;
  return success();
}

LogicalResult
SpaceMemoryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringAttr space, int64_t bytes) {
  if (bytes < 0)
    return emitError() << "expected no negative number of bytes of "
                       << space.getValue() << ", got " << bytes;
  return success();
}

LogicalResult
TransformAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      TransformKind kind, ArrayRef<int64_t> values) {
  StringRef name = stringifyTransformKind(kind);
  if (kind == TransformKind::Transpose) {
    if (!isPermutationVector(values))
      return emitError() << "expected a permutation in " << name;
    return success();
  }
  bool isSwizzle =
      kind == TransformKind::Swizzle || kind == TransformKind::Unswizzle;
  if (isSwizzle && values.size() != 1)
    return emitError() << "expected one number of bytes in " << name << ", got "
                       << values.size();
  if (values.empty() ||
      llvm::any_of(values, [](int64_t value) { return value < 1; }))
    return emitError() << "expected positive numbers in " << name;
  if (isSwizzle && !llvm::is_contained({16, 32, 64, 128}, values.front()))
    return emitError() << "expected 16, 32, 64 or 128 bytes in " << name
                       << ", got " << values.front();
  return success();
}

//===----------------------------------------------------------------------===//
// Compiler parameters
//===----------------------------------------------------------------------===//

/// Fails unless every element of an optional array is of the wanted kind.
template <typename ElementTy>
static LogicalResult
verifyElements(function_ref<InFlightDiagnostic()> emitError, ArrayAttr array,
               StringRef field, StringRef expected) {
  if (array && !llvm::all_of(array, llvm::IsaPred<ElementTy>))
    return emitError() << "expected " << field << " to hold " << expected
                       << ", got " << array;
  return success();
}

static LogicalResult verifyAtLeast(function_ref<InFlightDiagnostic()> emitError,
                                   std::optional<int64_t> value, int64_t least,
                                   StringRef field) {
  if (value && *value < least)
    return emitError() << "expected " << field << " to be at least " << least
                       << ", got " << *value;
  return success();
}

LogicalResult TpuParamsAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayAttr dimensionSemantics,
    ArrayAttr allowInputFusion, std::optional<int64_t> vmemLimitBytes,
    std::optional<int64_t>, Attribute hasSideEffects, DictionaryAttr,
    std::optional<int64_t> internalScratchInBytes, std::optional<int64_t>,
    StringAttr, BoolAttr, BoolAttr, BoolAttr, BoolAttr, BoolAttr, BoolAttr,
    BoolAttr, BoolAttr, StringAttr optLevel) {
  if (hasSideEffects && !isa<BoolAttr, StringAttr>(hasSideEffects))
    return emitError()
           << "expected has_side_effects to be a boolean or a string, got "
           << hasSideEffects;
  if (optLevel && !is_contained({"O0", "O1", "O2", "O3"}, optLevel.getValue()))
    return emitError() << "expected opt_level to be O0, O1, O2 or O3, got "
                       << optLevel.getValue();
  return success(
      succeeded(verifyElements<StringAttr>(emitError, dimensionSemantics,
                                           "dimension_semantics", "strings")) &&
      succeeded(verifyElements<BoolAttr>(emitError, allowInputFusion,
                                         "allow_input_fusion", "booleans")) &&
      succeeded(
          verifyAtLeast(emitError, vmemLimitBytes, 0, "vmem_limit_bytes")) &&
      succeeded(verifyAtLeast(emitError, internalScratchInBytes, 0,
                              "internal_scratch_in_bytes")));
}

LogicalResult MosaicGpuParamsAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, BoolAttr,
    ArrayAttr dimensionSemantics, std::optional<int64_t> maxConcurrentSteps,
    std::optional<int64_t> delayRelease, BoolAttr,
    std::optional<int64_t> reductionScratchBytes,
    std::optional<int64_t> profileSpace, StringAttr, StringAttr, BoolAttr,
    StringAttr loweringSemantics, BoolAttr, BoolAttr) {
  if (delayRelease && *delayRelease >= maxConcurrentSteps.value_or(1))
    return emitError() << "expected delay_release to be less than "
                          "max_concurrent_steps, got "
                       << *delayRelease << " and "
                       << maxConcurrentSteps.value_or(1);
  if (loweringSemantics &&
      !is_contained({"Lane", "Warpgroup"}, loweringSemantics.getValue()))
    return emitError()
           << "expected lowering_semantics to be Lane or Warpgroup, got "
           << loweringSemantics.getValue();
  return success(
      succeeded(verifyElements<StringAttr>(emitError, dimensionSemantics,
                                           "dimension_semantics", "strings")) &&
      succeeded(verifyAtLeast(emitError, maxConcurrentSteps, 1,
                              "max_concurrent_steps")) &&
      succeeded(verifyAtLeast(emitError, delayRelease, 0, "delay_release")) &&
      succeeded(verifyAtLeast(emitError, reductionScratchBytes, 0,
                              "reduction_scratch_bytes")) &&
      succeeded(verifyAtLeast(emitError, profileSpace, 0, "profile_space")));
}

LogicalResult
TritonParamsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         std::optional<int64_t> numWarps,
                         std::optional<int64_t> numStages) {
  return success(
      succeeded(verifyAtLeast(emitError, numWarps, 1, "num_warps")) &&
      succeeded(verifyAtLeast(emitError, numStages, 0, "num_stages")));
}
