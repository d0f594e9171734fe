//===- RegisterRefs.cpp - Refs in registers -------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/RegisterRefs.h"

#include "dialects/Warpgroup/IR/Registers.h"
#include "dialects/Warpgroup/Layout/NamedLayouts.h"

using namespace mlir;

std::optional<gridir::warpgroup::Distribution>
gridir::warpgroup::getRegisterDistribution(BlockArgument ref,
                                           Distributions &known) {
  auto type = cast<MemRefType>(ref.getType());
  if (isAccumulator(ref))
    if (std::optional<Distribution> products = Distribution::get(
            *getNamedLayout("wgmma", std::nullopt), type.getShape()))
      return products;
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  // The list of users begins with the last one.
  auto users = llvm::to_vector(ref.getUsers());
  for (Operation *user : llvm::reverse(users))
    for (Type used : llvm::concat<const Type>(user->getOperandTypes(),
                                              user->getResultTypes()))
      if (auto array = dyn_cast<RankedTensorType>(used))
        if (array.dropEncoding() == tensor) {
          const Distribution *distribution = known.find(array);
          return distribution ? std::optional(*distribution) : std::nullopt;
        }
  return Distribution::get(Layout::blocked(type.getShape(), /*maxVector=*/1),
                           type.getShape());
}
