//===- TPUDialect.cpp - Registration of the tpu dialect -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/TPU.h"

#include "dialects/Support/CountableTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::tpu;

#include "dialects/TPU/IR/TPUDialect.cpp.inc"
#include "dialects/TPU/IR/TPUEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TPU/IR/TPUTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TPU/IR/TPUAttrs.cpp.inc"

void TPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/TPU/IR/TPUAttrs.cpp.inc"
      >();
}

void TPUDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/TPU/IR/TPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/TPU/IR/TPUOps.cpp.inc"
      >();
}

/// A kernel is verified as a whole, before its ops are.
LogicalResult TPUDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return attribute.getName() == kCoreTypeName ? gridir::verifyCountableTypes(op)
                                              : success();
}

LogicalResult
ElementWindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> padLow, ArrayRef<int64_t> padHigh) {
  if (padLow.size() != padHigh.size())
    return emitError() << "expected one low and one high padding for each "
                          "dimension, got "
                       << padLow.size() << " and " << padHigh.size();
  return success();
}

std::optional<MemorySpace> gridir::tpu::getMemorySpace(MemRefType type) {
  auto space =
      llvm::dyn_cast_if_present<MemorySpaceAttr>(type.getMemorySpace());
  return space ? std::optional(space.getValue()) : std::nullopt;
}

#define GET_OP_CLASSES
#include "dialects/TPU/IR/TPUOps.cpp.inc"
