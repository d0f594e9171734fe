//===- Cleanup.h - what follows a conversion --------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_CLEANUP_H
#define GRIDIR_DIALECTS_PIPELINES_CLEANUP_H

#include "mlir/Pass/PassManager.h"

namespace gridir {

/// Adds passes that eliminate repeated computations: `cse`, and before it the
/// elimination of repeated reads, for which `cse` would take quadratic time.
void addCSE(mlir::OpPassManager &pm);

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_CLEANUP_H
