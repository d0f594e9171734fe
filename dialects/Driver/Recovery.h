//===- Recovery.h - Compiling without ending the process --------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_RECOVERY_H
#define GRIDIR_DIALECTS_DRIVER_RECOVERY_H

#include "dialects/Driver/Failure.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class PassManager;
class MLIRContext;
} // namespace mlir

namespace gridir::driver {

/// The progress of a compilation.
struct Progress {
  /// As `CompileFailure` names it.
  std::string stage;
  /// The pass that runs; empty between passes.
  std::string pass;
};

/// The input of a compilation, for a file that reproduces a crash.
struct Input {
  /// The module as MLIR text or bytecode.
  llvm::StringRef module;
  /// The passes, without `builtin.module(...)` around them.
  std::string pipeline;
  /// Other options, as "codegen-level=2 cpu=znver4".
  std::string options;
  /// The file of the text, for locations in it.
  std::string name = "<module>";
};

/// Describes a crash: the `signal` that `runGuarded` returned, and the pass or
/// the stage in which it occurred.
std::string describeCrash(const std::string &signal, const Progress &progress);

/// The beginning of the message for a fault of gridir, not of an external pass.
inline constexpr llvm::StringLiteral kCrashed =
    "the compiler crashed, which is a defect of gridir: ";

/// The output about the passes of a pipeline while they run, on stderr.
struct Instruments {
  /// The IR after each pass.
  bool printAfterAll = false;
  /// How long each pass took.
  bool timing = false;
  /// The statistics of each pass.
  bool statistics = false;
};

/// The failure for such a crash, whose reproducer is written.
CompileFailure recordCrash(const std::string &signal, const Progress &progress,
                           const Input &input);

/// Runs `work` on IR of `context` and returns its failure, if any. Collects the
/// errors that it emits; other diagnostics go to the existing handlers. After a
/// crash, a reproducer is written, and the context must never be used or freed
/// again.
std::optional<CompileFailure>
compileRecoverably(mlir::MLIRContext &context, const Input &input,
                   llvm::function_ref<llvm::LogicalResult(Progress &)> work);

/// Makes a pass manager record the running pass in the current `progress`.
void recordPasses(mlir::PassManager &passManager, Progress *const &progress);

/// The parsed pipelines that were run on modules of one context. The next
/// module waits neither for parsing nor for one-time work of passes, such as
/// their sets of patterns. To be destroyed before the context, and to be used
/// by one thread at a time.
class Pipelines {
public:
  Pipelines();
  ~Pipelines();

  /// Runs a pipeline, as `runPasses`.
  llvm::LogicalResult run(mlir::ModuleOp module, llvm::StringRef pipeline,
                          Progress &progress);

  /// One of them.
  struct Pipeline;

private:
  llvm::StringMap<std::unique_ptr<Pipeline>> known;
};

/// Parses and verifies the module of `input`, as above.
std::optional<CompileFailure>
parseModule(mlir::MLIRContext &context, const Input &input,
            mlir::OwningOpRef<mlir::ModuleOp> &module);

/// Verifies a module, from which `input` was written, as above.
std::optional<CompileFailure> verifyModule(mlir::ModuleOp module,
                                           const Input &input);

/// Runs a textual pipeline on a module, in place, and verifies the result. To
/// be called by the `work` above.
llvm::LogicalResult runPasses(mlir::ModuleOp module, llvm::StringRef pipeline,
                              Progress &progress,
                              const Instruments &instruments = {});

/// Runs the pipeline of `input` on its module, in place, as above, with the
/// instruments, or as one of `pipelines` where those are given.
std::optional<CompileFailure> runPipeline(mlir::ModuleOp module,
                                          const Input &input,
                                          const Instruments &instruments,
                                          Pipelines *pipelines = nullptr);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_RECOVERY_H
