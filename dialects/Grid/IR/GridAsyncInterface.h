//===- GridAsyncInterface.h - Ops whose writes end later -------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDASYNCINTERFACE_H
#define GRIDIR_DIALECTS_GRID_IR_GRIDASYNCINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include "dialects/Grid/IR/GridAsyncInterface.h.inc"

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDASYNCINTERFACE_H
