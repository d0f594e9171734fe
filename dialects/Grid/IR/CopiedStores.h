//===- CopiedStores.h - Stores that copies make ----------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_COPIEDSTORES_H
#define GRIDIR_DIALECTS_GRID_IR_COPIEDSTORES_H

#include "llvm/ADT/StringRef.h"

namespace gridir::grid {

/// Marks the store of a copy, and its record: other copies see it at once,
/// without a commit of the program.
inline constexpr llvm::StringLiteral kCopiedAttrName = "grid.copied";

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_COPIEDSTORES_H
