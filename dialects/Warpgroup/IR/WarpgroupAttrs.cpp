//===- WarpgroupAttrs.cpp - Attributes of the warpgroup dialect -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Warpgroup.h"

#include "dialects/Warpgroup/Layout/NamedLayouts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::warpgroup;

/// A stage has a block of shared memory, and no chip has more than 228 KiB.
static constexpr int64_t kMostStages = 256;

/// Parses the fields of a schedule that have defaults, in any order.
static ParseResult parseSharedCopies(AsmParser &parser,
                                     SmallVector<int64_t> &shared,
                                     int64_t &stages, int64_t &producers) {
  stages = producers = 1;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    ParseResult result =
        llvm::StringSwitch<llvm::function_ref<ParseResult()>>(name)
            .Case("shared",
                  [&] {
                    return parser.parseCommaSeparatedList(
                        AsmParser::Delimiter::Square, [&] {
                          return parser.parseInteger(shared.emplace_back());
                        });
                  })
            .Case("stages", [&] { return parser.parseInteger(stages); })
            .Case("producers", [&] { return parser.parseInteger(producers); })
            .Default([&] {
              return parser.emitError(loc, "expected shared, stages or "
                                           "producers of a schedule, got ")
                     << name;
            })();
    if (result)
      return failure();
  }
  return success();
}

static void printSharedCopies(AsmPrinter &printer, ArrayRef<int64_t> shared,
                              int64_t stages, int64_t producers) {
  if (!shared.empty())
    printer << ", shared = [" << shared << "]";
  if (stages != 1)
    printer << ", stages = " << stages;
  if (producers != 1)
    printer << ", producers = " << producers;
}

#define GET_ATTRDEF_CLASSES
#include "dialects/Warpgroup/IR/WarpgroupAttrs.cpp.inc"

void WarpgroupDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Warpgroup/IR/WarpgroupAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// RingPhaseAttr
//===----------------------------------------------------------------------===//

LogicalResult
RingPhaseAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t size, int64_t distance, bool inverted) {
  if (size < 1 || distance < 0 || distance > 1)
    return emitError() << "expected a ring of one barrier or more and a "
                          "distance of 0 or 1, got "
                       << size << " and " << distance;
  return success();
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> cta,
                                   ArrayRef<int64_t> warpgroup,
                                   ArrayRef<int64_t> shared, int64_t stages,
                                   int64_t producers) {
  if (cta.size() != warpgroup.size())
    return emitError() << "expected as many sizes for a warpgroup as for a "
                          "CTA, got "
                       << warpgroup.size() << " and " << cta.size();
  for (auto [ofCta, ofWarpgroup] : llvm::zip_equal(cta, warpgroup))
    if (ofWarpgroup < 1 || ofCta < 1 || ofCta % ofWarpgroup != 0)
      return emitError() << "expected sizes of a warpgroup that divide those "
                            "of a CTA, got "
                         << ofWarpgroup << " and " << ofCta;
  if (stages < 1 || stages > kMostStages)
    return emitError() << "expected 1 to " << kMostStages << " stages, got "
                       << stages;
  if (producers != 0 && producers != 1)
    return emitError() << "expected at most one producer, got " << producers;
  return success();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

/// Exceeds every register file; limits loops over registers.
static constexpr int64_t kMaxTileElements = 1 << 20;
static constexpr int64_t kMaxRegisters = 1 << 14;

LayoutAttr LayoutAttr::get(MLIRContext *context, const Layout &layout) {
  return get(context, layout.getTile(), layout.getRegisters().getColumns(),
             layout.getThreads().getColumns());
}

Layout LayoutAttr::getLayout() const {
  if (getTile().empty())
    return Layout::splat();
  return Layout(getTile(), getRegisters(), getThreads());
}

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> tile) {
  int64_t numElements = 1;
  for (int64_t size : tile) {
    if (!llvm::isPowerOf2_64(size) || size < 1)
      return emitError() << "expected a tile of powers of two, got " << size;
    if (size > kMaxTileElements || numElements * size > kMaxTileElements)
      return emitError() << "expected a tile of at most " << kMaxTileElements
                         << " elements";
    numElements *= size;
  }
  return success();
}

/// The basis vectors of the bits of one kind, each a list of coordinates in the
/// tile.
static ParseResult parseBasis(AsmParser &parser, StringRef keyword,
                              ArrayRef<int64_t> tile,
                              SmallVectorImpl<uint64_t> &basis) {
  auto parseVector = [&]() -> ParseResult {
    SmallVector<int64_t> at;
    SMLoc loc = parser.getCurrentLocation();
    auto parseCoordinate = [&] {
      return parser.parseInteger(at.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseCoordinate))
      return failure();
    if (at.size() != tile.size())
      return parser.emitError(loc, "expected ")
             << tile.size() << " coordinates of a basis vector, got "
             << at.size();
    for (auto [index, size] : llvm::zip_equal(at, tile))
      if (index < 0 || index >= size)
        return parser.emitError(loc, "expected a coordinate in the tile, got ")
               << index << " of " << size;
    basis.push_back(linearize(at, tile));
    return success();
  };
  return failure(parser.parseComma() || parser.parseKeyword(keyword) ||
                 parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                parseVector));
}

/// `wgmma`, or `strided(4)`.
static Attribute parseName(AsmParser &parser, SMLoc loc, StringRef name) {
  std::optional<int64_t> number;
  if (succeeded(parser.parseOptionalLParen()) &&
      (parser.parseInteger(number.emplace()) || parser.parseRParen()))
    return {};
  std::optional<Layout> layout = getNamedLayout(name, number);
  if (!layout) {
    auto error = parser.emitError(loc, "expected one of the layouts ")
                 << getLayoutNames() << ", n a power of two, got " << name;
    if (number)
      error << "(" << *number << ")";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), *layout);
}

/// `<` (name | tile `,` `registers` `=` basis `,` `lanes` `=` basis `,`
/// `warps` `=` basis) `>`
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&name)))
    return parseName(parser, loc, name);
  SmallVector<int64_t> tile;
  SmallVector<uint64_t> registers, threads, warps;
  auto parseSize = [&] { return parser.parseInteger(tile.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize))
    return {};
  auto fail = [&] { return parser.emitError(loc); };
  if (tile.empty()) {
    fail() << "expected a tile of one dimension or more";
    return {};
  }
  if (failed(verifyTile(fail, tile)) ||
      parseBasis(parser, "registers", tile, registers) ||
      parseBasis(parser, "lanes", tile, threads) ||
      parseBasis(parser, "warps", tile, warps) || parser.parseGreater())
    return {};
  if (threads.size() != kNumLaneBits || warps.size() != kNumWarpBits) {
    fail() << "expected basis vectors for " << kNumLaneBits
           << " bits of the lane and " << kNumWarpBits << " of the warp, got "
           << threads.size() << " and " << warps.size();
    return {};
  }
  llvm::append_range(threads, warps);
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), tile,
                                       registers, threads);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (std::optional<std::string> name = getLayoutName(getLayout())) {
    printer << *name << '>';
    return;
  }
  auto printBasis = [&](ArrayRef<uint64_t> basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer, [&](uint64_t vector) {
      printer << '[';
      llvm::interleaveComma(delinearize(vector, getTile()), printer);
      printer << ']';
    });
    printer << ']';
  };
  printer << '[';
  llvm::interleaveComma(getTile(), printer);
  printer << "], registers = ";
  printBasis(getRegisters());
  printer << ", lanes = ";
  printBasis(getThreads().take_front(kNumLaneBits));
  printer << ", warps = ";
  printBasis(getThreads().drop_front(kNumLaneBits));
  printer << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> tile,
                                 ArrayRef<uint64_t> registers,
                                 ArrayRef<uint64_t> threads) {
  // Without a tile it is a splat.
  if (tile.empty() && registers.empty() && threads.empty())
    return success();
  if (failed(verifyTile(emitError, tile)))
    return failure();
  int64_t numElements = getNumElements(tile);
  Span registerSpan, span;
  for (uint64_t vector : registers)
    if (!registerSpan.insert(vector))
      return emitError() << "expected registers of a thread to hold different "
                            "elements";
  for (ArrayRef<uint64_t> basis : {registers, threads})
    for (uint64_t vector : basis)
      span.insert(vector);
  if ((int64_t(1) << span.getDimension()) != numElements)
    return emitError() << "expected the basis vectors to span all "
                       << numElements << " elements of the tile, got "
                       << (int64_t(1) << span.getDimension());
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "expected a tensor of static shape in registers";
  if (llvm::is_contained(shape, 0))
    return emitError() << "expected a tensor with elements in registers";
  if (!getLayout().fits(shape)) {
    InFlightDiagnostic error = emitError();
    error << "expected a shape of multiples of the tile [";
    llvm::interleaveComma(getTile(), error);
    error << "], got [";
    llvm::interleaveComma(shape, error);
    return error << "]";
  }
  if (getLayout().getNumRegisters(shape) > kMaxRegisters)
    return emitError() << "expected at most " << kMaxRegisters
                       << " elements in each thread, got "
                       << getLayout().getNumRegisters(shape);
  return success();
}
