//===- KernelAssembly.cpp - Assembly of grid.kernel -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Grid/IR/RefList.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace gridir::grid;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The label of grid dimension `i` in `grid(...)` and `at (...)`. Labels are
/// not values: they only tie an index map to the dimensions.
static std::string getDimLabel(unsigned i) {
  static constexpr StringLiteral letters = "ijklmn";
  return i < letters.size() ? std::string("%") + letters[i]
                            : "%i" + std::to_string(i);
}

/// Prints an affine expression with the labels of the grid's dimensions, in the
/// form that `parseAffineMapOfSSAIds` reads.
static void printExpr(OpAsmPrinter &printer, AffineExpr expr,
                      bool nested = false) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    printer << getDimLabel(dim.getPosition());
    return;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto getSign = [&] {
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      return " + ";
    case AffineExprKind::Mul:
      return " * ";
    case AffineExprKind::Mod:
      return " mod ";
    case AffineExprKind::FloorDiv:
      return " floordiv ";
    default:
      return " ceildiv ";
    }
  };
  if (nested)
    printer << '(';
  printExpr(printer, binary.getLHS(), /*nested=*/true);
  printer << getSign();
  printExpr(printer, binary.getRHS(), /*nested=*/true);
  if (nested)
    printer << ')';
}

static bool isDefaultMap(AffineMap map) {
  return llvm::all_of(map.getResults(),
                      [](AffineExpr expr) { return expr == 0; });
}

/// The integer type of an index map's results, i32 when there is none.
static Type getIndexType(Region &region) {
  auto yield = cast<YieldOp>(region.front().back());
  return yield.getValues().empty() ? IntegerType::get(region.getContext(), 32)
                                   : yield.getValues().front().getType();
}

static void printIndexMap(OpAsmPrinter &printer, KernelOp kernel, unsigned i) {
  Region &region = kernel.getIndexMap(i);
  OperandAttr spec = kernel.getOperandSpec(kernel.getNumIndexOperands() + i);
  std::optional<AffineMap> map = kernel.getAffineIndexMap(i);
  // The short form has one type for all indices.
  if (!map || !llvm::all_equal(region.front().back().getOperandTypes())) {
    printer << " map(";
    llvm::interleaveComma(
        region.getArguments(), printer,
        [&](BlockArgument arg) { printer.printRegionArgument(arg); });
    printer << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
    return;
  }
  Type type = getIndexType(region);
  bool isI32 = type.isInteger(32);
  if (spec.getBlock().empty() && isDefaultMap(*map) && isI32)
    return;
  printer << " at (";
  llvm::interleaveComma(map->getResults(), printer,
                        [&](AffineExpr expr) { printExpr(printer, expr); });
  printer << ')';
  if (!isI32)
    printer << " : " << type;
}

/// Prints the operands of one kind, from argument `next` of the body on, with
/// index maps from `nextMap` on unless that is null.
static void printOperandList(OpAsmPrinter &printer, KernelOp kernel,
                             StringRef keyword, ArrayAttr specs, unsigned &next,
                             unsigned *nextMap) {
  if (specs.empty())
    return;
  printer.printNewline();
  printer << "    " << keyword << '(';
  bool first = true;
  for (OperandAttr spec : specs.getAsRange<OperandAttr>()) {
    if (!first) {
      printer << ',';
      printer.printNewline();
      printer.getStream().indent(5 + keyword.size());
    }
    first = false;
    printer.printOperand(kernel.getBodyBlock()->getArgument(next++));
    printer << ": ";
    if (nextMap)
      spec.printBody(printer,
                     [&] { printIndexMap(printer, kernel, (*nextMap)++); });
    else
      spec.printBody(printer);
  }
  printer << ')';
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  printer << " grid(";
  llvm::interleaveComma(llvm::seq<unsigned>(0, getRank()), printer,
                        [&](unsigned i) {
                          printer << getDimLabel(i) << " = ";
                          getDim(i).printBody(printer);
                        });
  printer << ')';

  unsigned next = 0, nextMap = 0;
  auto printOperands = [&](StringRef keyword, ArrayAttr specs,
                           bool hasIndexMaps) {
    printOperandList(printer, *this, keyword, specs, next,
                     hasIndexMaps ? &nextMap : nullptr);
  };
  printOperands("index", getIndexOperands(), /*hasIndexMaps=*/false);
  printOperands("inputs", getInputs(), /*hasIndexMaps=*/true);
  printOperands("outputs", getOutputs(), /*hasIndexMaps=*/true);

  auto printClause = [&](StringRef keyword, llvm::function_ref<void()> print) {
    printer.printNewline();
    printer << "    " << keyword;
    print();
  };
  if (getNumScratch() != 0)
    printClause("scratch", [&] {
      printRefList(printer, getScratchRefs(), getScratchOriginsAttr());
    });
  if (getSemantics())
    printClause("semantics [", [&] {
      llvm::interleaveComma(getSemanticsAttr().getAsRange<DimSemanticsAttr>(),
                            printer, [&](DimSemanticsAttr semantics) {
                              printer << stringifyDimSemantics(
                                  semantics.getValue());
                            });
      printer << ']';
    });
  if (getAliases())
    printClause("aliases [", [&] {
      llvm::interleaveComma(getAliasPairs(), printer,
                            [&](std::pair<int64_t, int64_t> alias) {
                              printer << alias.first << " -> " << alias.second;
                            });
      printer << ']';
      if (getFunctionalAliases())
        printer << " functional";
    });
  if (getParams())
    printClause("params ", [&] { printer << getParams(); });
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getSymVisibilityAttrName(), getDimsAttrName(),
       getIndexOperandsAttrName(), getInputsAttrName(), getOutputsAttrName(),
       getSemanticsAttrName(), getAliasesAttrName(),
       getFunctionalAliasesAttrName(), getParamsAttrName(),
       getScratchOriginsAttrName()});
  printer << ' ';
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Reads the parts of a kernel in order and keeps the data that its regions
/// need.
class KernelParser {
public:
  KernelParser(OpAsmParser &parser, OperationState &result)
      : parser(parser), builder(parser.getBuilder()), result(result) {}

  ParseResult parse() {
    if (parseHeader() ||
        parseOperands("index", KernelOp::getIndexOperandsAttrName(result.name),
                      false))
      return failure();
    numIndexOperands = bodyArgs.size();
    if (parseOperands("inputs", KernelOp::getInputsAttrName(result.name),
                      true) ||
        parseOperands("outputs", KernelOp::getOutputsAttrName(result.name),
                      true) ||
        parseScratch() || parseSemantics() || parseAliases() || parseParams() ||
        parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
        addOrigins(parser, result,
                   KernelOp::getScratchOriginsAttrName(result.name),
                   scratchOrigins))
      return failure();

    // The body is the first region, though it stands last in the text.
    Region *body = result.addRegion();
    for (std::unique_ptr<Region> &map : indexMaps)
      result.addRegion(std::move(map));
    if (parser.parseRegion(*body, bodyArgs))
      return failure();
    // Empty braces are an empty body.
    if (body->empty())
      body->emplaceBlock();
    if (body->back().empty() ||
        !body->back().back().hasTrait<OpTrait::IsTerminator>()) {
      OpBuilder bodyBuilder(builder.getContext());
      bodyBuilder.setInsertionPointToEnd(&body->back());
      YieldOp::create(bodyBuilder, result.location);
    }
    return success();
  }

  /// Called before invalid IR is discarded: a region may use a value that a
  /// later region defines, which is not rejected up to this point.
  void dropReferences() {
    for (std::unique_ptr<Region> &map : indexMaps)
      if (map)
        map->dropAllReferences();
    for (std::unique_ptr<Region> &region : result.regions)
      region->dropAllReferences();
  }

private:
  ParseResult parseHeader() {
    StringRef visibility;
    if (succeeded(parser.parseOptionalKeyword(&visibility,
                                              {"public", "private", "nested"})))
      result.addAttribute(KernelOp::getSymVisibilityAttrName(result.name),
                          builder.getStringAttr(visibility));
    StringAttr symbol;
    if (parser.parseSymbolName(symbol) || parser.parseKeyword("grid"))
      return failure();
    result.addAttribute(KernelOp::getSymNameAttrName(result.name), symbol);

    SmallVector<Attribute> dims;
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Paren, [&]() -> ParseResult {
              OpAsmParser::UnresolvedOperand label;
              if (parser.parseOperand(label, /*allowResultNumber=*/false) ||
                  parser.parseEqual())
                return failure();
              if (findDim(label))
                return parser.emitError(label.location,
                                        "expected distinct dimensions, got ")
                       << label.name << " twice";
              labels.push_back(label);
              dims.push_back(DimAttr::parseBody(parser));
              return success(static_cast<bool>(dims.back()));
            }))
      return failure();
    result.addAttribute(KernelOp::getDimsAttrName(result.name),
                        builder.getArrayAttr(dims));
    return success();
  }

  std::optional<unsigned> findDim(const OpAsmParser::UnresolvedOperand &label) {
    for (auto [i, known] : llvm::enumerate(labels))
      if (known.name == label.name && known.number == label.number)
        return i;
    return std::nullopt;
  }

  ParseResult parseOperands(StringRef keyword, StringAttr attrName,
                            bool hasIndexMaps) {
    SmallVector<Attribute> specs;
    if (succeeded(parser.parseOptionalKeyword(keyword))) {
      if (parser.parseCommaSeparatedList(
              AsmParser::Delimiter::Paren, [&]() -> ParseResult {
                OpAsmParser::Argument arg;
                if (parser.parseOperand(arg.ssaName,
                                        /*allowResultNumber=*/false) ||
                    parser.parseColon())
                  return failure();
                size_t numMaps = indexMaps.size();
                OperandAttr spec =
                    hasIndexMaps ? OperandAttr::parseBody(
                                       parser, [&] { return parseIndexMap(); })
                                 : OperandAttr::parseBody(parser);
                if (!spec)
                  return failure();
                if (hasIndexMaps && indexMaps.size() == numMaps)
                  addIndexMap(getZeroMap(spec.getNumIndices()),
                              builder.getI32Type());
                specs.push_back(spec);
                arg.type = spec.getRefType();
                bodyArgs.push_back(arg);
                return success();
              }))
        return failure();
    }
    result.addAttribute(attrName, builder.getArrayAttr(specs));
    return success();
  }

  /// Reads `map(...) {...}` or `at (...)`, where there is one.
  ParseResult parseIndexMap() {
    if (succeeded(parser.parseOptionalKeyword("map"))) {
      Region *region = indexMaps.emplace_back(std::make_unique<Region>()).get();
      SmallVector<OpAsmParser::Argument> args;
      if (parser.parseArgumentList(args, AsmParser::Delimiter::Paren,
                                   /*allowType=*/true) ||
          parser.parseRegion(*region, args))
        return failure();
      if (region->empty())
        return parser.emitError(parser.getNameLoc(),
                                "expected an index map with one block");
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword("at")))
      return success();
    AffineMap map;
    Type indexType = builder.getI32Type();
    if (parseAffineMap(map) ||
        (succeeded(parser.parseOptionalColon()) && parser.parseType(indexType)))
      return failure();
    if (!indexType.isInteger(32) && !indexType.isInteger(64))
      return parser.emitError(loc, "expected an index map of i32 or i64, got ")
             << indexType;
    addIndexMap(map, indexType);
    return success();
  }

  AffineMap getZeroMap(unsigned numIndices) {
    SmallVector<AffineExpr> zeros(numIndices, builder.getAffineConstantExpr(0));
    return AffineMap::get(labels.size(), 0, zeros, builder.getContext());
  }

  void addIndexMap(AffineMap map, Type indexType) {
    SmallVector<Type> indexRefs;
    for (const OpAsmParser::Argument &arg :
         ArrayRef(bodyArgs).take_front(numIndexOperands))
      indexRefs.push_back(arg.type);
    OpBuilder mapBuilder(builder.getContext());
    buildAffineIndexMap(mapBuilder,
                        parser.getEncodedSourceLoc(parser.getCurrentLocation()),
                        *indexMaps.emplace_back(std::make_unique<Region>()),
                        map, labels.size(), indexRefs, indexType);
  }

  /// `(` affine expressions of the labels `)`
  ParseResult parseAffineMap(AffineMap &map) {
    SmallVector<OpAsmParser::UnresolvedOperand> operands;
    AffineMapAttr parsed;
    NamedAttrList ignored;
    if (parser.parseAffineMapOfSSAIds(operands, parsed, "map", ignored,
                                      AsmParser::Delimiter::Paren))
      return failure();
    if (parsed.getValue().getNumSymbols() != 0)
      return parser.emitError(parser.getNameLoc(),
                              "expected no symbols in an index map");
    SmallVector<AffineExpr> dims;
    for (OpAsmParser::UnresolvedOperand &operand : operands) {
      std::optional<unsigned> dim = findDim(operand);
      if (!dim)
        return parser.emitError(operand.location,
                                "expected a dimension of the grid, got ")
               << operand.name;
      dims.push_back(builder.getAffineDimExpr(*dim));
    }
    map = parsed.getValue().replaceDimsAndSymbols(dims, {}, labels.size(), 0);
    return success();
  }

  ParseResult parseScratch() {
    if (failed(parser.parseOptionalKeyword("scratch")))
      return success();
    return parseRefList(parser, bodyArgs, scratchOrigins);
  }

  ParseResult parseSemantics() {
    if (failed(parser.parseOptionalKeyword("semantics")))
      return success();
    SmallVector<Attribute> semantics;
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              FailureOr<DimSemantics> parsed =
                  FieldParser<DimSemantics>::parse(parser);
              if (failed(parsed))
                return failure();
              semantics.push_back(
                  DimSemanticsAttr::get(builder.getContext(), *parsed));
              return success();
            }))
      return failure();
    result.addAttribute(KernelOp::getSemanticsAttrName(result.name),
                        builder.getArrayAttr(semantics));
    return success();
  }

  ParseResult parseAliases() {
    if (failed(parser.parseOptionalKeyword("aliases")))
      return success();
    SmallVector<Attribute> aliases;
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              int64_t operand = 0, output = 0;
              if (parser.parseInteger(operand) || parser.parseArrow() ||
                  parser.parseInteger(output))
                return failure();
              aliases.push_back(
                  builder.getDenseI64ArrayAttr({operand, output}));
              return success();
            }))
      return failure();
    result.addAttribute(KernelOp::getAliasesAttrName(result.name),
                        builder.getArrayAttr(aliases));
    if (succeeded(parser.parseOptionalKeyword("functional")))
      result.addAttribute(KernelOp::getFunctionalAliasesAttrName(result.name),
                          builder.getUnitAttr());
    return success();
  }

  ParseResult parseParams() {
    if (failed(parser.parseOptionalKeyword("params")))
      return success();
    ArrayAttr params;
    return parser.parseAttribute(
        params, KernelOp::getParamsAttrName(result.name), result.attributes);
  }

  OpAsmParser &parser;
  Builder &builder;
  OperationState &result;
  SmallVector<OpAsmParser::UnresolvedOperand> labels;
  SmallVector<OpAsmParser::Argument> bodyArgs;
  SmallVector<std::unique_ptr<Region>> indexMaps;
  ArrayAttr scratchOrigins;
  unsigned numIndexOperands = 0;
};

} // namespace

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  KernelParser kernel(parser, result);
  if (succeeded(kernel.parse()))
    return success();
  kernel.dropReferences();
  return failure();
}
