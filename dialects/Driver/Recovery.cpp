//===- Recovery.cpp - Compiling without ending the process ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/Recovery.h"

#include "dialects/Driver/CrashGuard.h"
#include "dialects/Driver/ExternalPass.h"
#include "dialects/Driver/Reproducer.h"
#include "dialects/Driver/SimilarPasses.h"
#include "dialects/Support/CountableTypes.h"
#include "dialects/Support/ReshapeGroups.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace gridir;

static StringRef toText(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("every severity has a name");
}

namespace {

/// Finds names, texts and paths that are not UTF-8. Python's bindings throw an
/// exception for these in a callback of C, which ends the process. Attributes
/// that were checked are not checked again.
class Utf8Checker {
public:
  Utf8Checker() {
    auto check = [](StringRef text) {
      return llvm::json::isUTF8(text) ? WalkResult::advance()
                                      : WalkResult::interrupt();
    };
    walker.addWalk([=](StringAttr text) { return check(text.getValue()); });
    walker.addWalk(
        [=](FileLineColRange range) { return check(range.getFilename()); });
  }

  bool isValid(Attribute attribute) {
    return !walker.walk(attribute).wasInterrupted();
  }

  bool isValid(Operation *op) {
    if (!isValid(op->getLoc()) || !isValid(op->getAttrDictionary()))
      return false;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (!isValid(argument.getLoc()))
            return false;
    return true;
  }

private:
  AttrTypeWalker walker;
};

} // namespace

static LogicalResult checkTexts(ModuleOp module) {
  Utf8Checker checker;
  WalkResult result = module->walk([&](Operation *op) {
    return checker.isValid(op) ? WalkResult::advance()
                               : WalkResult::interrupt();
  });
  if (!result.wasInterrupted())
    return success();
  return emitError(UnknownLoc::get(module.getContext()))
         << "expected names and texts of a module in UTF-8, got other bytes";
}

static driver::Diagnostic toRecord(mlir::Diagnostic &diagnostic) {
  driver::Diagnostic record;
  record.severity = toText(diagnostic.getSeverity()).str();
  record.message = llvm::json::fixUTF8(diagnostic.str());
  LocationAttr location = diagnostic.getLocation();
  llvm::raw_string_ostream(record.location)
      << (Utf8Checker().isValid(location)
              ? location
              : UnknownLoc::get(location.getContext()));
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    record.notes.push_back(toRecord(note));
  return record;
}

std::string driver::describe(const CompileFailure &failure) {
  std::string text = "kernel could not be compiled (" + failure.stage + ")";
  for (const Diagnostic &diagnostic : failure.diagnostics)
    text += "\n" + diagnostic.location + ": " + diagnostic.message;
  if (failure.crash)
    text += "\nreproducer: " + failure.crash->reproducer;
  return text;
}

namespace {

class PassRecorder : public PassInstrumentation {
public:
  explicit PassRecorder(driver::Progress *const &progress)
      : progress(progress) {}

  void runBeforePass(Pass *pass, Operation *) override {
    progress->pass = pass->getArgument().str();
  }
  void runAfterPass(Pass *, Operation *) override { progress->pass.clear(); }

private:
  driver::Progress *const &progress;
};

} // namespace

void driver::recordPasses(PassManager &passManager, Progress *const &progress) {
  passManager.addInstrumentation(std::make_unique<PassRecorder>(progress));
}

/// Returns the reason and place.
static std::string getReason(const std::string &signal,
                             const driver::Progress &progress) {
  return signal + (progress.pass.empty() ? " in stage '" + progress.stage + "'"
                                         : " in pass '" + progress.pass + "'");
}

std::string driver::describeCrash(const std::string &signal,
                                  const Progress &progress) {
  StringRef crashed = isExternalPass(progress.pass)
                          ? "the compiler crashed, called by a pass in Python: "
                          : kCrashed;
  return crashed.str() + getReason(signal, progress);
}

driver::CompileFailure driver::recordCrash(const std::string &signal,
                                           const Progress &progress,
                                           const Input &input) {
  std::string reason = getReason(signal, progress);
  CompileFailure failure{progress.stage,
                         {makeError(describeCrash(signal, progress))}};
  failure.crash = Crash{reason, writeReproducer(input, progress, reason)};
  return failure;
}

std::optional<driver::CompileFailure>
driver::compileRecoverably(MLIRContext &context, const Input &input,
                           function_ref<LogicalResult(Progress &)> work) {
  // On the heap, because a crash does not release it.
  struct State {
    Progress progress;
    std::vector<Diagnostic> errors;
    std::optional<ScopedDiagnosticHandler> handler;
    bool succeeded = false;
  };
  auto state = std::make_unique<State>();
  state->handler.emplace(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    state->errors.push_back(toRecord(diagnostic));
    return success();
  });
  std::optional<std::string> signal =
      runGuarded([&] { state->succeeded = succeeded(work(state->progress)); });
  if (signal)
    return recordCrash(*signal, state.release()->progress, input);
  if (state->succeeded)
    return std::nullopt;
  return CompileFailure{std::move(state->progress.stage),
                        std::move(state->errors)};
}

std::optional<driver::CompileFailure>
driver::parseModule(MLIRContext &context, const Input &input,
                    OwningOpRef<ModuleOp> &module) {
  return compileRecoverably(context, input, [&](Progress &progress) {
    progress.stage = "parse";
    module = parseSourceString<ModuleOp>(input.module, ParserConfig(&context),
                                         input.name);
    return success(module && succeeded(checkTexts(*module)));
  });
}

std::optional<driver::CompileFailure> driver::verifyModule(ModuleOp module,
                                                           const Input &input) {
  return compileRecoverably(*module.getContext(), input,
                            [&](Progress &progress) {
                              progress.stage = "parse";
                              return verify(module);
                            });
}

/// Returns the fault of a pipeline, without the complete text of a long
/// pipeline.
static std::string withoutEcho(StringRef message, StringRef pipeline) {
  constexpr size_t kLong = 120;
  if (pipeline.size() <= kLong)
    return message.str();
  SmallVector<StringRef> lines;
  message.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::erase_if(lines, [&](StringRef line) {
    return line == pipeline || line.trim() == "^";
  });
  return llvm::join(lines, "\n");
}

/// A parsed pipeline.
struct driver::Pipelines::Pipeline {
  explicit Pipeline(MLIRContext *context)
      : passes(context, ModuleOp::getOperationName()) {
    // Verify once at the end instead of after each pass, which takes a tenth of
    // the time.
    passes.enableVerifier(false);
    recordPasses(passes, progress);
  }

  /// Reports errors of the text.
  LogicalResult parse(StringRef text) {
    std::string message;
    llvm::raw_string_ostream messages(message);
    if (text.empty() || succeeded(parsePassPipeline(text, passes, messages)))
      return success();
    InFlightDiagnostic error = emitError(UnknownLoc::get(passes.getContext()))
                               << withoutEcho(message, text);
    for (const std::string &similar : findSimilarPasses(text))
      error.attachNote() << "did you mean '" << similar << "'?";
    return error;
  }

  LogicalResult run(ModuleOp module, Progress &current) {
    progress = &current;
    current.stage = "passes";
    return success(succeeded(verifyCountableTypes(module)) &&
                   succeeded(verifyReshapeGroups(module)) &&
                   succeeded(passes.run(module)) && succeeded(verify(module)));
  }

  PassManager passes;
  /// Of the module that they run on.
  Progress *progress = nullptr;
};

driver::Pipelines::Pipelines() = default;
driver::Pipelines::~Pipelines() = default;

LogicalResult driver::Pipelines::run(ModuleOp module, StringRef pipeline,
                                     Progress &progress) {
  // Most processes have a few contexts, but some create one for each module.
  constexpr size_t kMost = 16;
  progress.stage = "pipeline";
  auto it = known.find(pipeline);
  if (it == known.end()) {
    auto parsed = std::make_unique<Pipeline>(module.getContext());
    if (failed(parsed->parse(pipeline)))
      return failure();
    if (known.size() == kMost)
      known.clear();
    it = known.try_emplace(pipeline, std::move(parsed)).first;
  }
  assert(it->second->passes.getContext() == module.getContext() &&
         "pipelines are of one context");
  return it->second->run(module, progress);
}

LogicalResult driver::runPasses(ModuleOp module, StringRef pipeline,
                                Progress &progress,
                                const Instruments &instruments) {
  progress.stage = "pipeline";
  Pipelines::Pipeline parsed(module.getContext());
  if (failed(parsed.parse(pipeline)))
    return failure();
  if (instruments.printAfterAll)
    parsed.passes.enableIRPrinting(nullptr,
                                   [](Pass *, Operation *) { return true; });
  if (instruments.timing)
    parsed.passes.enableTiming();
  if (instruments.statistics)
    parsed.passes.enableStatistics();
  return parsed.run(module, progress);
}

std::optional<driver::CompileFailure>
driver::runPipeline(ModuleOp module, const Input &input,
                    const Instruments &instruments, Pipelines *pipelines) {
  return compileRecoverably(
      *module.getContext(), input, [&](Progress &progress) {
        return pipelines
                   ? pipelines->run(module, input.pipeline, progress)
                   : runPasses(module, input.pipeline, progress, instruments);
      });
}
