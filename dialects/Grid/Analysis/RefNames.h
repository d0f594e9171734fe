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
#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace gridir::grid {

/// Returns the name of a Ref in diagnostics; the Ref is an argument of a
/// kernel's body or of a scope.
std::string getRefName(mlir::Value root);

/// The location of the memory of such a Ref: its own, with its name around it.
mlir::Location getNamedLoc(mlir::BlockArgument root);

/// The name in a location that `getNamedLoc` made. A name directly around a
/// file location is the name of a function.
std::optional<std::string> getNameIn(mlir::Location loc);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFNAMES_H
