//===- Tools.cpp - C API: the mains of the tools --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools recover from crashes on any input and report them like other errors.
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Gridir.h"

#include "dialects/Driver/CrashGuard.h"
#include "dialects/Driver/HoverDocumentation.h"
#include "dialects/Driver/Recovery.h"
#include "dialects/Driver/ReductionPatterns.h"
#include "dialects/Driver/SimilarPasses.h"
#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Register/Register.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
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

/// Records that a chunk of the input is parsed and, at the end of its pass
/// manager, that the next one is parsed or that the module of a failed pass is
/// freed.
class StageRecorder : public PassInstrumentation {
public:
  explicit StageRecorder(driver::Progress &progress) : progress(progress) {
    progress.stage = "passes";
  }
  ~StageRecorder() override {
    progress = {hasFailed ? "clean-up after a failed pass" : "parse", ""};
    // MLIR switches this off when it has written a reproducer. The IR that a
    // crash has left is freed next, which may crash as well.
    llvm::CrashRecoveryContext::Enable();
  }

  void runAfterPassFailed(Pass *, Operation *) override { hasFailed = true; }

private:
  driver::Progress &progress;
  bool hasFailed = false;
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

/// The native library contains all of MLIR and exports none of its symbols, so
/// a plugin would bring its own registry, which is not searched.
static void removePluginOptions(DialectRegistry &registry) {
  MlirOptMainConfig::registerCLOptions(registry);
  for (StringRef name : {"load-dialect-plugin", "load-pass-plugin"})
    if (llvm::cl::Option *option =
            llvm::cl::getRegisteredOptions().lookup(name))
      option->removeArgument();
}

/// Prints the version of gridir, which determines the behavior of a tool, and
/// of LLVM.
static void setVersion(const char *tool) {
  static std::string name;
  name = tool;
  llvm::cl::SetVersionPrinter([](raw_ostream &stream) {
    stream << name << " " << GRIDIR_VERSION << ", LLVM " << LLVM_VERSION_STRING
           << "\n";
  });
}

/// Suggests names similar to the unknown passes of a textual pipeline.
static void suggestPasses(ArrayRef<char *> arguments) {
  StringRef pipeline;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    StringRef option = StringRef(argument).ltrim('-');
    if (option.consume_front("pass-pipeline"))
      pipeline = option.consume_front("=")  ? option
                 : i + 1 < arguments.size() ? StringRef(arguments[i + 1])
                                            : StringRef();
  }
  for (const std::string &similar : driver::findSimilarPasses(pipeline))
    llvm::errs() << "gridir-opt: Did you mean '" << similar << "'?\n";
}

/// Adds the passes of the command line, if any, after a check of all types.
static LogicalResult setUpPasses(PassManager &passManager,
                                 MlirOptMainConfig &config,
                                 ArrayRef<char *> arguments) {
  if (failed(config.setupPassPipeline(passManager))) {
    suggestPasses(arguments);
    return failure();
  }
  if (passManager.empty())
    return success();
  // A pass manager accepts passes only at its end, but can be printed.
  std::string text;
  llvm::raw_string_ostream stream(text);
  passManager.printAsTextualPipeline(stream);
  std::unique_ptr<Pass> check = loops::createLoopsVerifySizesPass();
  text.insert(text.find('(') + 1, (check->getArgument() + ",").str());
  FailureOr<OpPassManager> passes = parsePassPipeline(text);
  if (failed(passes))
    return failure();
  static_cast<OpPassManager &>(passManager) = std::move(*passes);
  return success();
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
  setVersion("gridir-opt");
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "gridir modular optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));

  // Installed before the guard, so that the guard handles signals first.
  llvm::InitLLVM init(argc, argv);
  driver::Progress progress{"parse", ""};
  driver::Progress *current = &progress;
  MlirOptMainConfig recorded = config;
  recorded.setPassPipelineSetupFn([&](PassManager &passManager) {
    passManager.addInstrumentation(std::make_unique<StageRecorder>(progress));
    driver::recordPasses(passManager, current);
    return setUpPasses(passManager, config, ArrayRef(argv, argc));
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

/// Runs `main` in a process of its own, and returns its exit status; none if a
/// signal ended it, which `crash` describes. `forward` receives its standard
/// output, if given.
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
  setVersion("gridir-lsp-server");
  // Input that a server has read but not answered is left for the next one.
  std::setvbuf(stdin, nullptr, _IONBF, 0);
  // Each change of a document comes with its complete text, so a new server
  // needs no state of the one before. The one that crashed has read the
  // request.
  while (true) {
    std::string crash;
    std::optional<int> status = runInChild(
        [&] { return MlirLspServerMain(argc, argv, registry); }, crash,
        [](std::FILE *output) {
          driver::forwardMessages(output, llvm::outs());
        });
    if (status)
      return *status;
    showMessage(crash + "; it continues with the next change of a document");
  }
}

/// Runs MLIR's reducer, which says nothing, or not much, of a test that does
/// not find its input interesting.
static LogicalResult reduce(int argc, char **argv, MLIRContext &context) {
  bool hasRun = false, hasError = false;
  std::string firstError;
  context.registerActionHandler(
      [&](function_ref<void()> run, const tracing::Action &action) {
        hasRun |= isa<PassExecutionAction>(action);
        run();
      });
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.str().find("interested") != std::string::npos)
      return success();
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    // Most of these are about modules that are tried, and not valid.
    if (hasRun && firstError.empty())
      firstError = diagnostic.str();
    return success(hasRun);
  });
  if (succeeded(mlirReduceMain(argc, argv, context)))
    return success();
  if (!firstError.empty())
    llvm::WithColor::error(llvm::errs(), "gridir-reduce") << firstError << "\n";
  else if (hasRun && !hasError)
    llvm::WithColor::error(llvm::errs(), "gridir-reduce")
        << "expected a test that ends with exit status 1 for the whole input, "
           "got another status\n";
  return failure();
}

/// The candidates and the resulting module have the locations of the input.
static void keepLocations() {
  registerAsmPrinterCLOptions();
  llvm::cl::Option *option =
      llvm::cl::getRegisteredOptions().lookup("mlir-print-debuginfo");
  static_cast<llvm::cl::opt<bool> *>(option)->setInitialValue(true);
}

int gridirReduceMain(int argc, char **argv) {
  registerAllPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  driver::registerReductionPatterns(registry);
  keepLocations();
  setVersion("gridir-reduce");
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
