//===- ExternalPass.h - Passes of other languages ---------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API also has passes of callbacks, but without options, statistics or
// registration for textual pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_EXTERNALPASS_H
#define GRIDIR_DIALECTS_DRIVER_EXTERNALPASS_H

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace gridir::driver {

/// A pass implemented in another language.
struct ExternalPass {
  struct Option {
    std::string name, description, defaultValue;
  };
  struct Statistic {
    std::string name, description;
  };
  struct Result {
    bool succeeded = false;
    /// The increment of each statistic, in order.
    std::vector<unsigned> counts;
    /// The signal that ended the work, after which the IR must not be used.
    std::optional<std::string> crash;
  };

  /// The name for the printing of IR and the timing.
  std::string name;
  /// The name in pipelines.
  std::string argument;
  std::string summary;
  /// The op that it runs on; any where this is empty.
  std::string anchor;
  std::vector<Option> options;
  std::vector<Statistic> statistics;

  /// Returns the fault of the values of the options, in order; empty if they
  /// are valid.
  std::function<std::string(const std::vector<std::string> &)> check;
  std::function<Result(mlir::Operation *, const std::vector<std::string> &)>
      run;
};

/// Registers a pass under its argument for the life of the process, instead of
/// an external one that was registered before. Returns false if the argument
/// belongs to a pass in C++ or to a pipeline.
bool registerExternalPass(ExternalPass pass);

/// True if a pass of this argument was registered by the function above.
bool isExternalPass(llvm::StringRef argument);

/// True if a textual pipeline names an external pass.
bool namesExternalPass(llvm::StringRef pipeline);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_EXTERNALPASS_H
