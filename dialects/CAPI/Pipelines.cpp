//===- Pipelines.cpp - Parsing and running passes, for Python -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Pipelines.h"

#include "dialects/Driver/Recovery.h"
#include "dialects/Driver/SimilarPasses.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Diagnostics.h"

std::optional<gridir::driver::CompileFailure>
gridir::parseModule(MlirContext context, std::string_view source,
                    const std::string &name, MlirModule &module) {
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  std::optional<driver::CompileFailure> failure =
      driver::parseModule(*unwrap(context), {source, "", "", name}, parsed);
  module = wrap(parsed.release());
  return failure;
}

std::vector<std::string>
gridir::findSimilarPasses(const std::string &pipeline) {
  return driver::findSimilarPasses(pipeline);
}

std::optional<gridir::driver::CompileFailure> gridir::runModulePipeline(
    MlirModule module, std::string_view source, const std::string &pipeline,
    const driver::Instruments &instruments, driver::Pipelines *pipelines) {
  return driver::runPipeline(unwrap(module), {source, pipeline, ""},
                             instruments, pipelines);
}

std::optional<gridir::driver::CompileFailure>
gridir::verifyModule(MlirModule module, std::string_view source) {
  return driver::verifyModule(unwrap(module), {source, "", ""});
}

std::shared_ptr<gridir::driver::Pipelines> gridir::makePipelines() {
  return std::make_shared<driver::Pipelines>();
}

static mlir::DiagnosticSeverity toSeverity(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError:
    return mlir::DiagnosticSeverity::Error;
  case MlirDiagnosticWarning:
    return mlir::DiagnosticSeverity::Warning;
  case MlirDiagnosticNote:
    return mlir::DiagnosticSeverity::Note;
  case MlirDiagnosticRemark:
    return mlir::DiagnosticSeverity::Remark;
  }
  llvm_unreachable("every severity has a name");
}

void gridir::emitDiagnostic(
    MlirLocation location, MlirDiagnosticSeverity severity,
    const std::string &message,
    const std::vector<std::pair<MlirLocation, std::string>> &notes) {
  mlir::Location where = unwrap(location);
  mlir::InFlightDiagnostic diagnostic =
      where.getContext()->getDiagEngine().emit(where, toSeverity(severity));
  diagnostic << message;
  for (const auto &[noteLocation, note] : notes)
    diagnostic.attachNote(unwrap(noteLocation)) << note;
}
