//===- RefNames.cpp - What the author of a kernel calls a Ref -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefNames.h"

#include "dialects/Grid/IR/Grid.h"

using namespace mlir;

namespace gridir::grid {

std::string getRefName(Value root) {
  auto arg = dyn_cast_if_present<BlockArgument>(root);
  Operation *owner = arg ? arg.getOwner()->getParentOp() : nullptr;
  if (auto kernel = dyn_cast_if_present<KernelOp>(owner))
    return kernel.getRefName(arg.getArgNumber());
  if (auto scoped = dyn_cast_if_present<ScopedOp>(owner))
    return scoped.getRefName(arg.getArgNumber());
  return "a Ref";
}

Location getNamedLoc(BlockArgument root) {
  return NameLoc::get(StringAttr::get(root.getContext(), getRefName(root)),
                      root.getLoc());
}

std::optional<std::string> getNameIn(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name || isa<FileLineColRange>(name.getChildLoc()))
    return std::nullopt;
  return name.getName().str();
}

} // namespace gridir::grid
