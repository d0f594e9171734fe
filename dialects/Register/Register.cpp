//===- Register.cpp - The one list of dialects and passes -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Register/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

#ifdef GRIDIR_HAS_GRID_DIALECT
#include "dialects/Grid/IR/Grid.h"
#endif

using namespace mlir;

void gridir::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
#ifdef GRIDIR_HAS_GRID_DIALECT
  registry.insert<grid::GridDialect>();
#endif
}

void gridir::registerAllPasses() {
  static bool registered = [] {
    mlir::registerAllPasses();
    return true;
  }();
  (void)registered;
}
