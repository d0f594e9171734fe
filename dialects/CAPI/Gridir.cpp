//===- Gridir.cpp - C API: registration and the mains of the tools --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Gridir.h"

#include "dialects/Register/Register.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

using namespace mlir;

void gridirRegisterAllDialects(MlirDialectRegistry registry) {
  gridir::registerAllDialects(*unwrap(registry));
}

void gridirRegisterAllPasses() { gridir::registerAllPasses(); }

int gridirOptMain(int argc, char **argv) {
  gridir::registerAllPasses();
  DialectRegistry registry;
  gridir::registerAllDialects(registry);
  return asMainReturnCode(
      MlirOptMain(argc, argv, "gridir modular optimizer driver\n", registry));
}

int gridirLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  gridir::registerAllDialects(registry);
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}

int gridirReduceMain(int argc, char **argv) {
  gridir::registerAllPasses();
  DialectRegistry registry;
  gridir::registerAllDialects(registry);
  MLIRContext context(registry);
  return asMainReturnCode(mlirReduceMain(argc, argv, context));
}
