//===- ABI.cpp - What the caller of a kernel must know --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gridir::kernel;

/// Verifies that the size in bytes of each value is static.
static LogicalResult verifySizesAreKnown(ABIOp abi, ArrayRef<Type> types) {
  for (Type type : types) {
    auto shaped = dyn_cast<ShapedType>(type);
    Type element = getElementTypeOrSelf(type);
    if ((shaped && !shaped.hasStaticShape()) ||
        !(element.isIntOrIndexOrFloat() || isa<ComplexType>(element)))
      return abi.emitError("expected numbers, or arrays of numbers of static "
                           "shape, got ")
             << type;
  }
  return success();
}

ArrayRef<Type> gridir::kernel::getTypes(Attribute site) {
  if (auto print = dyn_cast<PrintAttr>(site))
    return print.getTypes();
  return cast<CallbackAttr>(site).getTypes();
}

LogicalResult ABIOp::verify() {
  for (NamedAttribute attr : (*this)->getDiscardableAttrs())
    return emitError("expected only fields of the ABI, got ") << attr.getName();
  for (Attribute site : getPrints())
    if (failed(verifySizesAreKnown(*this, getTypes(site))))
      return failure();
  for (auto operand : getUnwrittenOperands().getAsRange<UnwrittenAttr>())
    if (failed(verifySizesAreKnown(*this, Type(operand.getType()))))
      return failure();
  return success();
}

LogicalResult ABIOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupSymbolIn((*this)->getParentOp(), getEntryAttr()))
    return success();
  return emitError("expected the entry to be a symbol of the module, got ")
         << getEntryAttr();
}

FailureOr<ABIOp> gridir::kernel::getABI(ModuleOp module) {
  auto ops = module.getOps<ABIOp>();
  if (ops.empty())
    return module.emitError("expected a module with a kernel.abi");
  if (llvm::hasSingleElement(ops))
    return *ops.begin();
  return (*std::next(ops.begin()))
      .emitError("expected one kernel.abi in a module, got another");
}

#define GET_OP_CLASSES
#include "dialects/Kernel/IR/KernelOps.cpp.inc"
