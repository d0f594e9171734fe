//===- GridDialect.cpp - Registration of the grid dialect -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

#include "dialects/Grid/IR/GridDialect.cpp.inc"
#include "dialects/Grid/IR/GridEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Grid/IR/GridTypes.cpp.inc"

void GridDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Grid/IR/GridTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Grid/IR/GridOps.cpp.inc"
      >();
}
