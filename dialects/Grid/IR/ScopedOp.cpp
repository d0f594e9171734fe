//===- ScopedOp.cpp - Refs that live while a region runs ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/RefList.h"
#include "dialects/Grid/IR/RefTypes.h"

using namespace mlir;
using namespace gridir::grid;

ParseResult ScopedOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  ArrayAttr origins;
  if (parseRefList(parser, args, origins) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      addOrigins(parser, result, getOriginsAttrName(result.name), origins))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ScopedOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printRefList(printer, getBody().getArguments(), getOriginsAttr());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOriginsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
}

void ScopedOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  // The printer also asks about scopes that do not verify.
  if (!getOrigins() || getOrigins()->size() != region.getNumArguments())
    return;
  for (auto [arg, origin] : llvm::zip_equal(
           region.getArguments(), getOriginsAttr().getAsRange<StringAttr>()))
    if (std::string name = getIdentifier(origin); !name.empty())
      setName(arg, name);
}

std::string ScopedOp::getRefName(unsigned i) {
  return getOrigin(getOriginsAttr(), i, "scoped");
}

LogicalResult ScopedOp::verify() {
  for (auto [i, arg] : llvm::enumerate(getBody().getArguments())) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return emitOpError("expected argument ")
             << i << " to be a Ref of static shape and identity layout, got "
             << arg.getType();
    if (!isRefElementType(type.getElementType()))
      return emitOpError("expected argument ")
             << i << " to hold numbers or semaphores, got " << type;
  }
  if (std::optional<ArrayAttr> transforms = getTransforms()) {
    if (transforms->size() != getBody().getNumArguments())
      return emitOpError("expected transforms of ")
             << getBody().getNumArguments() << " Refs, got those of "
             << transforms->size();
    for (Attribute steps : *transforms) {
      auto array = dyn_cast<ArrayAttr>(steps);
      if (!array || !llvm::all_of(array, llvm::IsaPred<TransformAttr>))
        return emitOpError("expected transforms of each Ref, got ") << steps;
    }
  }
  return verifyOrigins(*this, getBody().getNumArguments(), getOriginsAttr());
}

/// The kind of the terminator was verified before.
LogicalResult ScopedOp::verifyRegions() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expected the region to return ")
           << getResultTypes() << ", got " << yield.getValues().getTypes();
  return success();
}
