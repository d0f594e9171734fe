//===- GridOps.cpp - Generated code of all ops ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gridir::grid;

#define GET_OP_CLASSES
#include "dialects/Grid/IR/GridOps.cpp.inc"
