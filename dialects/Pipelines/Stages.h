//===- Stages.h - parts of a pipeline ---------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_STAGES_H
#define GRIDIR_DIALECTS_PIPELINES_STAGES_H

#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The options of a pipeline for its first and last stage. One run continues
/// from the stage of another, so no pass runs twice.
///
/// `Stage` is an enum of the forms that a kernel takes, in order; the first is
/// the form in which the pipeline finds it.
template <typename Stage> struct StageOptions {
  StageOptions(mlir::detail::PassOptions &owner, Stage first, Stage last,
               llvm::cl::ValuesClass stages)
      : startAfter(owner, "start-after",
                   llvm::cl::desc("Start from a kernel of this stage"),
                   llvm::cl::init(first), stages),
        stopAfter(owner, "stop-after",
                  llvm::cl::desc("Stop when the kernel has the form of this "
                                 "stage"),
                  llvm::cl::init(last), stages) {}

  /// True if the pipeline includes the passes that produce this stage.
  bool reaches(Stage stage) const {
    return startAfter < stage && stage <= stopAfter;
  }

  mlir::detail::PassOptions::Option<Stage> startAfter;
  mlir::detail::PassOptions::Option<Stage> stopAfter;
};

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_STAGES_H
