//===- NeutralElement.cpp - Where a reduction starts ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/NeutralElement.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

std::optional<TypedAttr> gridir::getNeutralElement(Operation *combiner) {
  if (combiner->getNumResults() != 1)
    return std::nullopt;
  Type type = combiner->getResult(0).getType();
  auto floating = dyn_cast<FloatType>(type);
  if (floating && !APFloat::semanticsHasInf(floating.getFloatSemantics()))
    return std::nullopt;
  if (!type.isIntOrFloat() &&
      !(type.isIndex() && isa<arith::AddIOp, arith::MulIOp>(combiner)))
    return std::nullopt;
  return arith::getNeutralElement(combiner);
}

std::optional<TypedAttr> gridir::getNeutralElement(linalg::ReduceOp reduce) {
  SmallVector<Operation *> combiners;
  auto body = cast<linalg::LinalgOp>(*reduce);
  if (reduce.getInputs().size() != 1 ||
      !matchReduction(body.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return std::nullopt;
  // A sum of narrow elements may have a wider type.
  std::optional<TypedAttr> neutral = getNeutralElement(combiners.front());
  return neutral && neutral->getType() ==
                        getElementTypeOrSelf(reduce.getInputs().front())
             ? neutral
             : std::nullopt;
}
