//===- RefList.cpp - The assembly of Refs that an op makes ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/RefList.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace gridir::grid {

static StringRef getName(ArrayAttr origins, unsigned i) {
  return origins ? cast<StringAttr>(origins[i]).getValue() : "";
}

ParseResult parseRefList(OpAsmParser &parser,
                         SmallVectorImpl<OpAsmParser::Argument> &args,
                         ArrayAttr &origins) {
  SmallVector<StringRef> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            StringAttr name;
            if (parser.parseArgument(args.emplace_back(), /*allowType=*/true) ||
                (succeeded(parser.parseOptionalKeyword("origin")) &&
                 parser.parseAttribute(name)))
              return failure();
            names.push_back(name ? name.getValue() : "");
            return success();
          }))
    return failure();
  if (llvm::any_of(names, [](StringRef name) { return !name.empty(); }))
    origins = parser.getBuilder().getStrArrayAttr(names);
  return success();
}

ParseResult addOrigins(OpAsmParser &parser, OperationState &result,
                       StringAttr attrName, ArrayAttr origins) {
  if (!origins)
    return success();
  if (result.attributes.get(attrName))
    return parser.emitError(parser.getNameLoc(), "expected origins once, got ")
           << attrName << " beside those of Refs";
  result.addAttribute(attrName, origins);
  return success();
}

void printRefList(OpAsmPrinter &printer, Block::BlockArgListType args,
                  ArrayAttr origins) {
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(args), printer, [&](auto numbered) {
    auto [i, arg] = numbered;
    printer.printRegionArgument(arg);
    if (StringRef name = getName(origins, i); !name.empty()) {
      printer << " origin ";
      printer.printString(name);
    }
  });
  printer << ')';
}

LogicalResult verifyOrigins(Operation *op, size_t numRefs, ArrayAttr origins) {
  if (origins && origins.size() != numRefs)
    return op->emitOpError("expected an origin for each of ")
           << numRefs << " Refs, got " << origins.size();
  return success();
}

std::string getOrigin(ArrayAttr origins, unsigned i, StringRef fallback) {
  StringRef name = getName(origins, i);
  return name.empty() ? (fallback + "[" + Twine(i) + "]").str() : name.str();
}

std::string getIdentifier(StringRef origin) {
  std::string name;
  for (char c : origin)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  StringRef trimmed = StringRef(name).trim('_');
  if (trimmed.empty() || llvm::isDigit(trimmed.front()))
    return {};
  return trimmed.str();
}

} // namespace gridir::grid
