//===- Pipelines.h - Running passes, for Python -----------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CAPI_PIPELINES_H
#define GRIDIR_DIALECTS_CAPI_PIPELINES_H

#include "dialects/Driver/Failure.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gridir::driver {
struct Instruments;
class Pipelines;
} // namespace gridir::driver

namespace gridir {

/// Parses and verifies a module, as text or bytecode, and returns the failure,
/// if any. Locations in the text are in the file `name`. After a crash the
/// context must never be used or freed.
std::optional<driver::CompileFailure> parseModule(MlirContext context,
                                                  std::string_view source,
                                                  const std::string &name,
                                                  MlirModule &module);

/// Returns for each unknown name in a textual pipeline the most similar pass or
/// pipeline, if there is one.
std::vector<std::string> findSimilarPasses(const std::string &pipeline);

/// Verifies a module, from which `source` was written, and returns the failure,
/// if any. After a crash the module and its context must never be used or
/// freed.
std::optional<driver::CompileFailure> verifyModule(MlirModule module,
                                                   std::string_view source);

/// No pipelines yet, for the modules of one context.
std::shared_ptr<driver::Pipelines> makePipelines();

/// Runs a textual pass pipeline on a module, in place, and returns the failure,
/// if any: with the instruments, or as one of `pipelines` if given. `source` is
/// the original module, as text or bytecode. After a crash the module and its
/// context must never be used or freed.
std::optional<driver::CompileFailure> runModulePipeline(
    MlirModule module, std::string_view source, const std::string &pipeline,
    const driver::Instruments &instruments, driver::Pipelines *pipelines);

/// Reports a diagnostic of any severity, with notes at locations of their own.
void emitDiagnostic(
    MlirLocation location, MlirDiagnosticSeverity severity,
    const std::string &message,
    const std::vector<std::pair<MlirLocation, std::string>> &notes);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CAPI_PIPELINES_H
