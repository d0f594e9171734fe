//===- RefNames.cpp - What the author of a kernel calls a Ref -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefNames.h"

using namespace mlir;

namespace gridir::grid {

std::optional<std::string> getRefName(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name || isa<FileLineColRange>(name.getChildLoc()))
    return std::nullopt;
  return name.getName().str();
}

} // namespace gridir::grid
