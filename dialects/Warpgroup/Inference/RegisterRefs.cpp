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

/// Returns the type of the first array of all elements of a Ref that an op
/// loads or stores, and whose layout `isWanted`; null if there is none.
static RankedTensorType
findArray(BlockArgument ref,
          llvm::function_ref<bool(RankedTensorType)> isWanted) {
  auto type = cast<MemRefType>(ref.getType());
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  // The list of users begins with the last one.
  auto users = llvm::to_vector(ref.getUsers());
  for (Operation *user : llvm::reverse(users))
    for (Type used : llvm::concat<const Type>(user->getOperandTypes(),
                                              user->getResultTypes()))
      if (auto array = dyn_cast<RankedTensorType>(used))
        if (array.dropEncoding() == tensor && isWanted(array))
          return array;
  return {};
}

std::optional<gridir::warpgroup::Distribution>
gridir::warpgroup::getRegisterDistribution(BlockArgument ref,
                                           Distributions &known) {
  ArrayRef<int64_t> shape = cast<MemRefType>(ref.getType()).getShape();
  if (isAccumulator(ref)) {
    Layout layout = *getNamedLayout("wgmma", std::nullopt);
    // That of an array is computed once for all ops.
    RankedTensorType array = findArray(
        ref, [&](RankedTensorType type) { return getLayout(type) == layout; });
    const Distribution *held = array ? known.find(array) : nullptr;
    if (held)
      return *held;
    if (!array)
      if (auto products = Distribution::get(layout, shape))
        return products;
  }
  if (RankedTensorType array =
          findArray(ref, [](RankedTensorType) { return true; })) {
    const Distribution *held = known.find(array);
    return held ? std::optional(*held) : std::nullopt;
  }
  return Distribution::get(Layout::blocked(shape, /*maxVector=*/1), shape);
}
