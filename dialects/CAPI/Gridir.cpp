//===- Gridir.cpp - C API: registration -----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Gridir.h"

#include "dialects/Register/Register.h"
#include "mlir/CAPI/IR.h"

void gridirRegisterAllDialects(MlirDialectRegistry registry) {
  gridir::registerAllDialects(*unwrap(registry));
}

void gridirRegisterAllPasses() { gridir::registerAllPasses(); }
