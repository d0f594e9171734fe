//===- NeutralElement.cpp - Where a reduction starts ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/NeutralElement.h"

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
