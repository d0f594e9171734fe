//===- Pipelines.cpp - Parsing and running passes, for Python -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Pipelines.h"

#include "dialects/Driver/Recovery.h"
#include "mlir/CAPI/IR.h"

std::optional<gridir::driver::CompileFailure>
gridir::parseModule(MlirContext context, std::string_view source,
                    MlirModule &module) {
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  std::optional<driver::CompileFailure> failure =
      driver::parseModule(*unwrap(context), {source, "", ""}, parsed);
  module = wrap(parsed.release());
  return failure;
}

std::optional<gridir::driver::CompileFailure>
gridir::runModulePipeline(MlirModule module, std::string_view source,
                          const std::string &pipeline, bool printAfterAll) {
  return driver::runPipeline(unwrap(module), {source, pipeline, ""},
                             printAfterAll);
}
