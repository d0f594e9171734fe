//===- RefNames.h - What the author of a kernel calls a Ref ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_REFNAMES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_REFNAMES_H

#include "mlir/IR/Location.h"

#include <optional>
#include <string>

namespace gridir::grid {

/// The name of a parameter of the kernel function, which the location of a Ref
/// and of its memory holds around the place in the function. A name right
/// around a line of a file is that of a function.
std::optional<std::string> getRefName(mlir::Location loc);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFNAMES_H
