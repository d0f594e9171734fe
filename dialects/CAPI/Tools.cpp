//===- Tools.cpp - C API: the mains of the tools --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a tool reads, it ends by itself: a crash is an error like others.
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Gridir.h"

#include "dialects/Driver/CrashGuard.h"
#include "dialects/Driver/HoverDocumentation.h"
#include "dialects/Driver/Recovery.h"
#include "dialects/Register/Register.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace gridir;

//===----------------------------------------------------------------------===//
// gridir-opt
//===----------------------------------------------------------------------===//

namespace {

/// Says that a chunk of the input is parsed no longer, and with the end of its
/// pass manager that the next one is.
class StageRecorder : public PassInstrumentation {
public:
  explicit StageRecorder(driver::Progress &progress) : progress(progress) {
    progress.stage = "passes";
  }
  ~StageRecorder() override { progress = {"parse", ""}; }

private:
  driver::Progress &progress;
};

} // namespace

/// A crash can be recovered from on the thread that works, and so there is one,
/// unless more are asked for.
static void disableThreadsByDefault() {
  registerMLIRContextCLOptions();
  llvm::cl::Option *option =
      llvm::cl::getRegisteredOptions().lookup("mlir-disable-threading");
  static_cast<llvm::cl::opt<bool> *>(option)->setInitialValue(true);
}

/// The native library has all of MLIR and shows none of it, so that a plugin
/// brings a registry of its own, in which nobody looks.
static void removePluginOptions(DialectRegistry &registry) {
  MlirOptMainConfig::registerCLOptions(registry);
  for (StringRef name : {"load-dialect-plugin", "load-pass-plugin"})
    if (llvm::cl::Option *option =
            llvm::cl::getRegisteredOptions().lookup(name))
      option->removeArgument();
}

static LogicalResult optimize(StringRef inputFile, StringRef outputFile,
                              DialectRegistry &registry,
                              MlirOptMainConfig &config) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputFile, &message);
  std::unique_ptr<llvm::ToolOutputFile> output;
  if (input)
    output = openOutputFile(outputFile, &message);
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int gridirOptMain(int argc, char **argv) {
  registerAllPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  disableThreadsByDefault();
  removePluginOptions(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "gridir modular optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));

  // Before the guard, which then is the first that a signal meets.
  llvm::InitLLVM init(argc, argv);
  driver::Progress progress{"parse", ""};
  driver::Progress *current = &progress;
  MlirOptMainConfig recorded = config;
  recorded.setPassPipelineSetupFn([&](PassManager &passManager) {
    passManager.addInstrumentation(std::make_unique<StageRecorder>(progress));
    driver::recordPasses(passManager, current);
    return config.setupPassPipeline(passManager);
  });
  LogicalResult result = failure();
  std::optional<std::string> signal = driver::runGuarded(
      [&] { result = optimize(input, output, registry, recorded); },
      driver::Trace::Stack);
  if (signal)
    llvm::WithColor::error(llvm::errs(), "gridir-opt")
        << driver::describeCrash(*signal, progress) << "\n";
  return asMainReturnCode(result);
}

//===----------------------------------------------------------------------===//
// The tools whose main function is MLIR's and takes no guard
//===----------------------------------------------------------------------===//

/// Runs `main` in a process of its own, and gives its exit status; where a
/// signal ended it, nothing, and `crash` says so. What it writes on standard
/// output `forward` gets, where there is one.
static std::optional<int>
runInChild(function_ref<LogicalResult()> main, std::string &crash,
           function_ref<void(std::FILE *)> forward = nullptr) {
  int ends[2];
  if (forward && pipe(ends) != 0)
    return EXIT_FAILURE;
  pid_t child = fork();
  if (child == 0 && forward) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
  }
  if (child <= 0)
    return asMainReturnCode(main());
  if (forward) {
    close(ends[1]);
    std::FILE *output = fdopen(ends[0], "r");
    forward(output);
    std::fclose(output);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return EXIT_FAILURE;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  crash = (driver::kCrashed + strsignal(WTERMSIG(status))).str();
  return std::nullopt;
}

/// Tells the editor, as a notification of the language server protocol.
static void showMessage(const std::string &text) {
  std::string body;
  llvm::raw_string_ostream(body) << llvm::json::Value(llvm::json::Object{
      {"jsonrpc", "2.0"},
      {"method", "window/showMessage"},
      {"params", llvm::json::Object{{"type", 1}, {"message", text}}}});
  driver::sendMessage(llvm::outs(), body);
}

int gridirLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  // What a server has read and not yet answered to is left for the next one.
  std::setvbuf(stdin, nullptr, _IONBF, 0);
  // Each change of a document comes with the whole of it, so a new server needs
  // nothing of the one before. What it crashed on it has read.
  while (true) {
    std::string crash;
    std::optional<int> status = runInChild(
        [&] { return MlirLspServerMain(argc, argv, registry); }, crash,
        [](std::FILE *output) {
          driver::forwardMessages(output, llvm::outs());
        });
    if (status)
      return *status;
    showMessage(crash + "; it goes on with the next change of a document");
  }
}

/// Runs MLIR's reducer, which says nothing, or not much, of a test that does
/// not find its input interesting.
static LogicalResult reduce(int argc, char **argv, MLIRContext &context) {
  bool hasRun = false, hasError = false;
  context.registerActionHandler(
      [&](function_ref<void()> run, const tracing::Action &action) {
        hasRun |= isa<PassExecutionAction>(action);
        run();
      });
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.str().find("not interested") != std::string::npos)
      return success();
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure();
  });
  if (succeeded(mlirReduceMain(argc, argv, context)))
    return success();
  if (hasRun && !hasError)
    llvm::WithColor::error(llvm::errs(), "gridir-reduce")
        << "expected a test that ends with exit status 1 for the whole input, "
           "as for any module that shows what is looked for, got another "
           "status\n";
  return failure();
}

int gridirReduceMain(int argc, char **argv) {
  registerAllPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  std::string crash;
  std::optional<int> status = runInChild(
      [&] {
        MLIRContext context(registry);
        return reduce(argc, argv, context);
      },
      crash);
  if (!status)
    llvm::WithColor::error(llvm::errs(), "gridir-reduce") << crash << "\n";
  return status.value_or(EXIT_FAILURE);
}
