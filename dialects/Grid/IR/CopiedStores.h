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

/// Of a store that is what a copy does, and of the record of it: other copies
/// see what it writes at once, with no need that the program commits it.
inline constexpr llvm::StringLiteral kCopiedAttrName = "grid.copied";

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_COPIEDSTORES_H
