//===- Reproducer.cpp - Files that show a crash again ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/Reproducer.h"

#include "dialects/Driver/CrashGuard.h"
#include "dialects/Driver/Recovery.h"
#include "dialects/Register/Register.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace gridir;

/// The module as text with its locations and its pipeline; "" if it cannot be
/// read, which may be the crash.
static std::string printInput(const driver::Input &input) {
  // Lives on where reading or printing crashes as well.
  auto *text = new std::string;
  std::optional<std::string> crash = driver::runGuarded([&] {
    DialectRegistry registry;
    gridir::registerAllDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler silence(&context,
                                    [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(input.module, ParserConfig(&context));
    if (!module)
      return;
    AsmState state(*module, OpPrintingFlags().enableDebugInfo());
    state.attachResourcePrinter(
        "mlir_reproducer", [&](Operation *, AsmResourceBuilder &builder) {
          builder.buildString("pipeline",
                              "builtin.module(" + input.pipeline + ")");
          builder.buildBool("disable_threading", true);
          builder.buildBool("verify_each", true);
        });
    llvm::raw_string_ostream stream(*text);
    module->print(stream, state);
  });
  if (crash)
    return "";
  std::string result = std::move(*text);
  delete text;
  return result;
}

std::string driver::writeReproducer(const Input &input,
                                    const Progress &progress,
                                    const std::string &reason) {
  std::string text = printInput(input);
  // Text that crashes the parser is written as it is.
  bool isBytecode =
      text.empty() &&
      mlir::isBytecode(llvm::MemoryBufferRef(input.module, "module"));
  int descriptor = 0;
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile(
          "gridir-crash", isBytecode ? "mlirbc" : "mlir", descriptor, path))
    return "";
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  if (isBytecode) {
    file << input.module;
  } else {
    file << "// " << reason << "\n"
         << "// gridir " << GRIDIR_VERSION << ", LLVM " << LLVM_VERSION_STRING
         << ", " << llvm::sys::getProcessTriple() << " on "
         << llvm::sys::getHostCPUName() << "\n";
    if (!input.options.empty())
      file << "// " << input.options << "\n";
    file << "// run with: gridir-opt --run-reproducer " << path << "\n"
         << (text.empty() ? input.module : StringRef(text));
  }
  file.close();
  bool isWritten = !file.has_error();
  file.clear_error();
  return isWritten ? path.str().str() : "";
}
